package main

import (
	"math"
	"slices"
	"time"
)

// quantile of values, between neighbours where it falls there; 0 of none.
func quantile(values []time.Duration, q float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	part := at - float64(low)
	return sorted[low] + time.Duration(part*float64(sorted[high]-sorted[low]))
}

func median(values []time.Duration) time.Duration { return quantile(values, 0.5) }

func ninetieth(values []time.Duration) time.Duration { return quantile(values, 0.9) }

// ratio says how many times smaller than the base a figure is; 0 where either
// is missing.
func ratio(base, figure time.Duration) float64 {
	if base <= 0 || figure <= 0 {
		return 0
	}
	return float64(base) / float64(figure)
}

// width is the time from the first of some moments to the last.
func width(moments []int64) time.Duration {
	if len(moments) == 0 {
		return 0
	}
	return time.Duration(slices.Max(moments) - slices.Min(moments))
}

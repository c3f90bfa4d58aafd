package probe

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// quantile gives the q-quantile (0..1) of times in nanoseconds, rounded to
// microseconds; 0 for none.
func quantile(ns []int64, q float64) time.Duration {
	if len(ns) == 0 {
		return 0
	}
	s := slices.Clone(ns)
	slices.Sort(s)
	i := int(q * float64(len(s)-1))
	return time.Duration(s[i]).Round(time.Microsecond)
}

// timesOf gives the smallest, the median and the largest of times in
// nanoseconds.
func timesOf(ns []int64) Times {
	return Times{N: len(ns), Least: quantile(ns, 0), Median: quantile(ns, 0.5), Most: quantile(ns, 1)}
}

// percent writes a chance as a percentage, rounded down: what was nearly reached
// was not reached.
func percent(p float64) string {
	whole := math.Floor(p*1000+1e-9) / 10
	return strconv.FormatFloat(whole, 'f', -1, 64) + " %"
}

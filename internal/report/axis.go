package report

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

// axis is the time that a picture shows, from the left edge to the right one.
type axis struct{ from, to float64 }

// axisOf spans the times of a release from the release on, or from what was
// written or answered before it. A copy that was waited for in vain would push
// all others into one column: where it took many times as long, it runs off the
// axis. What came long before the release, as a copy that could not be held, has
// half of the axis at most.
func axisOf(copies []probe.Pictured) axis {
	var before, after, vain float64
	for _, c := range copies {
		if c.Written {
			before, after = min(before, float64(c.WriteBegan)), max(after, float64(c.WriteEnded))
		}
		if c.Answered {
			before, after = min(before, float64(c.FirstByte)), max(after, float64(c.FirstByte))
		}
		switch {
		case c.Answered && c.Status != 0:
			after = max(after, float64(c.LastByte))
		case c.Answered || c.Written:
			vain = max(vain, float64(c.LastByte))
		}
	}
	answered := slices.ContainsFunc(copies, func(c probe.Pictured) bool { return c.Answered })
	if !answered || vain <= outlying*after {
		after = max(after, vain)
	}
	if after > 0 {
		before = max(before, -after)
	}
	if before == after {
		after++
	}
	return axis{before, after}
}

func (a axis) span() float64 { return a.to - a.from }

// column is where a time stands on a bar of so many characters: -1 before it,
// n behind it.
func (a axis) column(t time.Duration, n int) int {
	at := (float64(t) - a.from) / a.span()
	switch {
	case at < 0:
		return -1
	case at > 1:
		return n
	}
	return min(int(math.Floor(at*float64(n))), n-1)
}

// ticks writes the axis above bars of so many characters: each time stands with
// its first digit where it is.
func (a axis) ticks(n int) string {
	longest := max(len(brief(time.Duration(a.from))), len(brief(time.Duration(a.to))), len("500us")) + 2
	step := axisStep(a.span() * float64(longest) / float64(n))
	line := []byte(strings.Repeat(" ", n))
	free := 0
	for k := math.Ceil(a.from / float64(step)); k*float64(step) <= a.to; k++ {
		t := time.Duration(k * float64(step))
		at, text := a.column(t, n), brief(t)
		if t == 0 {
			text = "0"
		}
		if at < free || at+len(text) > n {
			continue
		}
		copy(line[at:], text)
		free = at + len(text) + 1
	}
	return string(line)
}

// steps of an axis, of each power of ten.
var niceSteps = []time.Duration{1, 2, 5}

// axisStep is the smallest step of 1, 2 or 5 times a power of ten that is at
// least so long; an hour's millionth and less is a microsecond.
func axisStep(least float64) time.Duration {
	for unit := time.Microsecond; ; unit *= 10 {
		for _, n := range niceSteps {
			if step := n * unit; float64(step) >= least {
				return step
			}
		}
		if unit > 1e17 {
			return 5 * 1e17 // sixteen years: no axis is longer
		}
	}
}

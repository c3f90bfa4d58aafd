package probe

import (
	"slices"
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

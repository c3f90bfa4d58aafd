package report

import (
	"fmt"
	"strings"
	"time"
)

// brief is a time for people, in us, ms or s, whichever is the smallest that
// gives fewer than four digits: "0us", "4.1us", "310us", "12ms", "30s".
// Nanoseconds would claim more than a clock tells.
func brief(d time.Duration) string {
	ns, sign := float64(d), "" // as a number that can be negated whatever it is
	if ns < 0 {
		ns, sign = -ns, "-"
	}
	if ns < 50 {
		return "0us"
	}
	units := []struct {
		name string
		of   float64
	}{{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}
	for i, unit := range units {
		switch v := ns / unit.of; {
		case v < 9.95:
			return sign + strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + unit.name
		case v < 999.5 || i == len(units)-1:
			return sign + fmt.Sprintf("%.0f", v) + unit.name
		}
	}
	return "" // not reached: the last unit takes all
}

// briefRange is a time, or two with the smaller first where people would see a
// difference: "12us", "12-40us", "850us-1.2ms".
func briefRange(least, most time.Duration) string {
	a, b := brief(least), brief(most)
	switch {
	case a == b:
		return a
	case least < 0:
		return a + " to " + b
	}
	number := strings.TrimRight(a, "mus")
	if a[len(number):] == strings.TrimLeft(b, "0123456789.") {
		return number + "-" + b
	}
	return a + "-" + b
}

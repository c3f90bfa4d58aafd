package contract

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/document"
)

// units of a duration: Go's, and the day of 24 hours.
var units = [...]struct {
	name string
	size time.Duration
}{
	{"ns", time.Nanosecond}, {"us", time.Microsecond}, {"µs", time.Microsecond}, {"ms", time.Millisecond},
	{"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour},
}

// ParseDuration reads "500ms", "2s", "1h30m", "7d", "1.5h": numbers with
// units, one after the other, no sign. ok is false for anything else and for
// what is longer than 292 years.
func ParseDuration(s string) (d time.Duration, ok bool) {
	if s == "" {
		return 0, false
	}
	for s != "" {
		number := len(s) - len(strings.TrimLeft(s, "0123456789."))
		rest := s[number:]
		unit := len(rest) - len(strings.TrimLeft(rest, "nuµmshd"))
		part, ok := durationPart(s[:number], rest[:unit])
		if !ok || part > math.MaxInt64-d {
			return 0, false
		}
		d += part
		s = rest[unit:]
	}
	return d, true
}

func durationPart(number, unit string) (time.Duration, bool) {
	var size time.Duration
	for _, u := range units {
		if u.name == unit {
			size = u.size
		}
	}
	whole, fraction, dotted := strings.Cut(number, ".")
	if size == 0 || whole == "" || dotted && fraction == "" {
		return 0, false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n > math.MaxInt64/int64(size) {
		return 0, false
	}
	d := time.Duration(n) * size
	if dotted {
		f, err := strconv.ParseFloat("0."+fraction, 64)
		part := time.Duration(f * float64(size))
		if err != nil || part > math.MaxInt64-d {
			return 0, false
		}
		d += part
	}
	return d, true
}

// duration reads a member that is longer than nothing. known is false where it
// is absent, or has a reference that stays open for now.
func (b *fields) duration(name, example string) (d time.Duration, known bool) {
	return b.r.duration(b.Get(name), name, example, false)
}

// optDuration gives absent where duration gives nothing; zero is allowed.
func (b *fields) optDuration(name, example string, absent time.Duration) time.Duration {
	if d, known := b.r.duration(b.Get(name), name, example, true); known {
		return d
	}
	return absent
}

func (r *reader) duration(n *document.Node, what, example string, zero bool) (d time.Duration, known bool) {
	if n == nil || r.err != nil {
		return 0, false
	}
	if n.Kind != document.String {
		r.fail(n.Errorf("%s must be a duration with its unit, not %s", what, n.Kind).WithHint("%s: %s", what, example))
		return 0, false
	}
	s, ok := r.number(n, what)
	if !ok || r.err != nil {
		return 0, false
	}
	d, ok = ParseDuration(s)
	switch {
	case !ok:
		r.fail(n.Errorf("%s is no duration for %s", document.Show(n.Text), what).
			WithHint("%s: %s (units: ms, s, m, h, d)", what, example))
	case d == 0 && !zero:
		r.fail(n.Errorf("%s must be longer than nothing", what).WithHint("%s: %s", what, example))
	default:
		return d, true
	}
	return 0, false
}

// wholeNumber reads a number in [low, high]; within the blocks where ${NAME}
// may stand, a string with one is a number too.
func (b *fields) wholeNumber(name string, low, high int64) int64 {
	n := b.Get(name)
	if n == nil || b.r.err != nil {
		return 0
	}
	if b.r.within && n.Kind == document.String {
		s, ok := b.r.number(n, name)
		if !ok || b.r.err != nil {
			return 0
		}
		if s != n.Text {
			v, err := strconv.ParseInt(s, 10, 64)
			if err != nil || v < low || v > high || strconv.FormatInt(v, 10) != s {
				b.r.fail(n.Errorf("%s, filled in, must be a whole number from %d to %d", name, low, high))
				return 0
			}
			return v
		}
	}
	v, err := n.AsInt(name, low, high)
	b.r.fail(err)
	return v
}

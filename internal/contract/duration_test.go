package contract

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	const day = 24 * time.Hour
	for s, want := range map[string]time.Duration{
		"500ms": 500 * time.Millisecond, "2s": 2 * time.Second, "24h": day, "7d": 7 * day, "30d": 30 * day, "1d12h": 36 * time.Hour,
		"1h30m": 90 * time.Minute, "1.5h": 90 * time.Minute, "0.5d": 12 * time.Hour, "0s": 0, "1us": time.Microsecond,
		"1µs": time.Microsecond, "1ns": 1, "007s": 7 * time.Second, "1s1h": time.Hour + time.Second,
		"106751d": 106751 * day, "9223372036854775807ns": math.MaxInt64,
	} {
		if got, ok := ParseDuration(s); !ok || got != want {
			t.Errorf("%q: %v %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "s", "1", "1 s", " 1s", "1s ", "+1s", "-1s", "1.s", ".5s", "1.2.3s", "1e3s", "1S", "1sec", "1w", "1M",
		"1y", "0x1s", "1_000s", "106752d", "9223372036854775808ns", "99999999999999999999h", "106751d24h", "1msms", "٣s", "∞"} {
		if got, ok := ParseDuration(s); ok {
			t.Errorf("%q: %v", s, got)
		}
	}
}

// What Go reads without a sign, this reads alike.
func TestParseDurationAsGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`([0-9]{1,6}(\.[0-9]{1,3})?(ms|s|m|h)){1,4}`).Draw(t, "s")
		want, err := time.ParseDuration(s)
		got, ok := ParseDuration(s)
		// Fractions are read as doubles here, so the last nanosecond may differ.
		if (err == nil) != ok || ok && (got-want).Abs() > 4 {
			t.Fatalf("%q: %v %v, Go says %v %v", s, got, ok, want, err)
		}
	})
}

func TestWords(t *testing.T) {
	for want, d := range map[string]time.Duration{"24h": 24 * time.Hour, "1m30s": 90 * time.Second, "1h30m": 90 * time.Minute, "10s": 10 * time.Second,
		"10m": 10 * time.Minute, "1h0m1s": time.Hour + time.Second, "500ms": 500 * time.Millisecond, "0s": 0} {
		if got := words(d); got != want {
			t.Errorf("got %s want %s", got, want)
		}
	}
}

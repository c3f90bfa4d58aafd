package selftest

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The bounds are those that tables of Wilson's score give.
func TestRates(t *testing.T) {
	for _, c := range []struct {
		n, of     int
		low, high float64
	}{
		{0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {1, 1, 0.2065, 1}, {0, 1, 0, 0.7935},
		{5, 10, 0.2366, 0.7634}, {1, 11, 0.0162, 0.3774}, {9, 11, 0.5230, 0.9486}, {0, 396, 0, 0.0096}, {0, 0, 0, 1},
	} {
		r := NewRate(c.n, c.of)
		if math.Abs(r.Low-c.low) > 5e-5 || math.Abs(r.High-c.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.n, c.of, r.Low, r.High, c.low, c.high)
		}
	}
}

func TestARateIsWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.IntRange(1, 10_000).Draw(t, "of")
		n := rapid.IntRange(0, of).Draw(t, "n")
		r := NewRate(n, of)
		if p := float64(n) / float64(of); r.Low < 0 || r.Low > p || r.High < p || r.High > 1 {
			t.Fatalf("%d of %d: %v to %v", n, of, r.Low, r.High)
		}
		mirror := NewRate(of-n, of)
		if math.Abs(r.Low-(1-mirror.High)) > 1e-12 {
			t.Fatalf("%d of %d is not the mirror of the rest", n, of)
		}
		if more := NewRate(2*n, 2*of); more.High-more.Low > r.High-r.Low+1e-12 {
			t.Fatal("more evidence makes the interval wider")
		}
	})
}

func TestRaces(t *testing.T) {
	races := sound().Matrices[0].Races()
	if len(races) != 2 || races[0].Name != "check-then-act" || races[1].Name != "runs-in-a-crowd" {
		t.Fatalf("%+v", races)
	}
	all, crowd := races[0], races[1]
	if all.Runs != NewRate(2, 2) || all.Rounds[0].Showed != NewRate(20, 20) || all.Rounds[1].Showed != NewRate(2, 2) {
		t.Errorf("%+v", all)
	}
	// 10 rounds of a check, each shown at least as often as 20 of 20 allow.
	if want := math.Pow(1-NewRate(20, 20).Low, 10) * (1 - NewRate(2, 2).Low); math.Abs(all.Misses-want) > 1e-12 {
		t.Errorf("misses %v, want %v", all.Misses, want)
	}
	if want := 1 - NewRate(1, 1).Low; math.Abs(crowd.Misses-want) > 1e-12 {
		t.Errorf("only the crowd tells: misses %v, want %v", crowd.Misses, want)
	}
	if right := sound().Matrices[0].RightRounds(); right != NewRate(0, 10) {
		t.Errorf("right servers: %+v", right)
	}
}

func TestMissing(t *testing.T) {
	for x, want := range map[float64]string{
		1: "at most 100 %", 0.793: "at most 79 %", 0.0124: "at most 1 %", 0.009: "at most 1 of 110",
		1 / 464876.0: "at most 1 of 460000", 1e-7: "less than 1 of a million", 0: "less than 1 of a million",
	} {
		if got := missing(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}

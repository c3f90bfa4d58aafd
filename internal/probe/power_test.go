package probe_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
)

const us = time.Microsecond

// TestModelFits holds the model to the chances that were measured on loopback
// (release): of windows of 10 and 100 us.
func TestModelFits(t *testing.T) {
	for _, c := range []struct {
		window, sigma time.Duration
		want          float64
	}{
		{10 * us, probe.SigmaShared, .20}, {100 * us, probe.SigmaShared, .99}, {10 * us, probe.SigmaApart, .13},
	} {
		if got := probe.Chance(c.window, c.sigma); math.Abs(got-c.want) > .01 {
			t.Errorf("window %s, deviation %s: %.3f, measured %.2f", c.window, c.sigma, got, c.want)
		}
	}
}

func TestRoundsFor(t *testing.T) {
	for _, c := range []struct {
		power  float64
		window time.Duration
		sigma  time.Duration
		want   int
	}{
		{.99, 10 * us, probe.SigmaShared, 21}, {.99, 10 * us, probe.SigmaApart, 33}, {.99, 100 * us, probe.SigmaShared, 2},
		{.99, 100 * us, probe.SigmaApart, 2}, {.95, time.Millisecond, probe.SigmaApart, 1}, {.5, us, probe.SigmaApart, 52},
		{.99, time.Nanosecond, probe.SigmaApart, 346302}, {1 - 1e-16, 0, probe.SigmaApart, math.MaxInt32},
	} {
		if got := probe.RoundsFor(c.power, c.window, c.sigma); got != c.want {
			t.Errorf("power %g of %s, deviation %s: %d rounds, want %d", c.power, c.window, c.sigma, got, c.want)
		}
	}
}

// TestFewestRounds: the rounds derived reach the power, and one fewer does not;
// the window derived from rounds is one that they show, and the next smaller is not.
func TestFewestRounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		power := rapid.Float64Range(.01, .9999).Draw(rt, "power")
		window := time.Duration(rapid.Int64Range(200, 1_000_000).Draw(rt, "window"))
		sigma := rapid.SampledFrom([]time.Duration{probe.SigmaShared, probe.SigmaApart}).Draw(rt, "sigma")
		n := probe.RoundsFor(power, window, sigma)
		reached := func(n int) float64 { return 1 - math.Pow(1-probe.Chance(window, sigma), float64(n)) }
		if reached(n) < power-1e-9 || n > 1 && reached(n-1) >= power+1e-9 {
			rt.Fatalf("%d rounds reach %v, %d reach %v", n, reached(n), n-1, reached(n-1))
		}
		if w := probe.WindowFor(power, n, sigma); w > window+1 {
			rt.Fatalf("%d rounds are said to show %s at least, and were derived for %s", n, w, window)
		}
	})
}

// TestModelIsSimulated draws gaps as the model has them: rounds derived show a
// window as often as promised.
func TestModelIsSimulated(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		power  float64
		window time.Duration
	}{{.9, 10 * us}, {.99, 20 * us}, {.5, 3 * us}} {
		n, shown := probe.RoundsFor(c.power, c.window, probe.SigmaApart), 0
		const tries = 4000
		for range tries {
			for range n {
				if math.Abs(random.NormFloat64())*float64(probe.SigmaApart) < float64(c.window) {
					shown++
					break
				}
			}
		}
		if rate := float64(shown) / tries; rate < c.power-3*math.Sqrt(c.power*(1-c.power)/tries) {
			t.Errorf("%d rounds show a window of %s with %.3f, promised is %g", n, c.window, rate, c.power)
		}
	}
}

func TestCheckRaces(t *testing.T) {
	for _, c := range []struct {
		races      trace.Races
		want, hint string // of the refusal; empty: taken
	}{
		{},
		{races: trace.Races{Rounds: 1}},
		{races: trace.Races{Rounds: probe.MostRounds}},
		{races: trace.Races{Keys: 15, Rounds: 3, Window: 1000}},
		{races: trace.Races{Power: .99, Window: 1000}},
		{trace.Races{Rounds: -1}, "--rounds: is not between 1 and 1000", "--rounds"},
		{trace.Races{Rounds: 1001}, "--rounds: is not between 1 and 1000", "--rounds"},
		{trace.Races{Keys: 1}, "--burst-keys: is not between 2 and 50", "--burst-keys 15"},
		{trace.Races{Keys: -2}, "--burst-keys: is not between 2 and 50", "--burst-keys 15"},
		{trace.Races{Keys: 51}, "--burst-keys: is not between 2 and 50", "--burst-keys 15"},
		{trace.Races{Window: -1}, "--window: is not above 0", "--window 100us"},
		{trace.Races{Window: int64(2 * time.Second)}, "--window: is not above 0 and at most 1s", "--window 100us"},
		{trace.Races{Power: 1, Window: 1000}, "--power: is a chance", "--power 0.99"},
		{trace.Races{Power: math.NaN(), Window: 1000}, "--power: is a chance", "--power 0.99"},
		{trace.Races{Power: .9}, "--power: of seeing which window", "--power 0.9 --window 100us"},
		{trace.Races{Power: .9, Window: 1000, Rounds: 3}, "--power: rounds are either given or derived", "--rounds 3 --window 1µs"},
		{trace.Races{Power: .99, Window: 100}, "--window: 1000 rounds under each hold are the most, and see a window of 100ns with 73.5 % only",
			"with --power 0.99 the smallest is --window 346ns"},
		{trace.Races{Power: .99, Window: 1}, "with 1.3 % only", "346ns"},
	} {
		err := probe.CheckRaces(c.races)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c.races, err)
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error()+problem.Hint(err), c.want) && !strings.Contains(err.Error(), c.want) || !strings.Contains(problem.Hint(err), c.hint)):
			t.Errorf("%+v: %v; hint %q", c.races, err, problem.Hint(err))
		}
	}
	if err := probe.CheckRaces(trace.Races{Power: .99, Window: 346}); err != nil {
		t.Errorf("what the hint says is refused: %v", err)
	}
}

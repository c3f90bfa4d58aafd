package probe

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
)

// The model of what a round can show. A server that lets a second copy in for a
// time w after the first runs the effect twice where the two arrive no further
// apart than w. How far apart they arrive is taken as half-normal: with the
// deviation sigma a round shows the window with p = erf(w / (sigma sqrt 2)), and
// n rounds with 1 - (1-p)^n.
//
// The deviations are those that fit the chances measured on loopback (release):
// over one HTTP/2 connection .20 for 10 us and .99 for 100 us, on connections of
// their own .13 for 10 us. On the way to a server elsewhere connections of their
// own arrive further apart, which nothing here can see: the model is an
// assumption, and said to be one wherever its numbers are.
const (
	sigmaShared = 40 * time.Microsecond // copies of one write on one connection
	sigmaApart  = 60 * time.Microsecond // on connections of their own
)

// halfMedian is the median of a half-normal distribution in deviations.
const halfMedian = 0.674490

// Bounds of how races are run.
const (
	pairRounds = 5    // pairs under each hold where nothing else is said
	mostRounds = 1000 // pairs under each hold
	mostKeys   = 50   // that are released together
	mostWindow = time.Second
	shownWith  = 0.95 // chance that a window is said to have shown with
)

// UsualPower is the power of a window that no power is given for.
const UsualPower = 0.99

// chance is the model's: that one round shows a window.
func chance(window, sigma time.Duration) float64 {
	return math.Erf(float64(window) / (float64(sigma) * math.Sqrt2))
}

// roundsFor gives the fewest rounds that show a window with a power, both above
// 0 and the power below 1. What is out of reach gives more than any bound.
func roundsFor(power float64, window, sigma time.Duration) int {
	p := chance(window, sigma)
	n := math.Log1p(-power) / math.Log1p(-p)
	switch {
	case p >= 1:
		return 1
	case p <= 0 || n > math.MaxInt32:
		return math.MaxInt32
	}
	// What rounding does to a whole number is no reason for one round more.
	return max(1, int(math.Ceil(n-1e-9)))
}

// windowFor gives the smallest window, to the nanosecond, that so many rounds
// show with a power.
func windowFor(power float64, rounds int, sigma time.Duration) time.Duration {
	return smallest(power, []shot{{rounds, sigma}})
}

// shot is how many rounds with copies so far apart were made.
type shot struct {
	rounds int
	sigma  time.Duration
}

// powerOf is the chance that some round of several kinds shows a window.
func powerOf(window time.Duration, shots []shot) float64 {
	missed := 0.0 // its logarithm
	for _, s := range shots {
		missed += float64(s.rounds) * math.Log1p(-chance(window, s.sigma))
	}
	return -math.Expm1(missed)
}

// smallest gives the smallest window that some round shows with a power; 0
// where there is no round.
func smallest(power float64, shots []shot) time.Duration {
	low, high := time.Duration(0), time.Duration(0)
	for _, s := range shots {
		if s.rounds > 0 {
			high = max(high, 10*s.sigma)
		}
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; powerOf(middle, shots) >= power {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// mayShare says that copies may share a connection: that HTTP/2 may be spoken,
// by the contract's word or by what ALPN chooses.
func mayShare(c *contract.Contract) bool {
	switch {
	case c == nil:
		return false
	case c.Target.HTTP == contract.HTTP2:
		return true
	case c.Target.HTTP == contract.HTTP1:
		return false
	}
	return slices.ContainsFunc(c.Target.BaseURLs, func(u string) bool {
		return len(u) >= len("https:") && strings.EqualFold(u[:len("https:")], "https:")
	})
}

// mayTurnSecure says that a base URL stands in a variable that is not filled in:
// whether it is https is not known, as in a dry run.
func mayTurnSecure(c *contract.Contract) bool {
	return c != nil && c.Target.HTTP != contract.HTTP1 && !mayShare(c) &&
		slices.ContainsFunc(c.Target.BaseURLs, func(u string) bool { return strings.HasPrefix(u, "${") })
}

// pairs is how many pairs are released under each hold, by how far apart two
// copies of them arrive.
func pairs(r trace.Races, sigma time.Duration) int {
	switch {
	case r.Rounds > 0:
		return r.Rounds
	case r.Power > 0:
		return min(roundsFor(r.Power, time.Duration(r.Window), sigma), mostRounds)
	}
	return pairRounds
}

// bursts is how many bursts of several keys are released under each hold.
func bursts(r trace.Races) int {
	switch {
	case r.Keys == 0:
		return 0
	case r.Rounds > 0:
		return r.Rounds
	}
	return pairRounds
}

// races is how races were to be run.
func (c *court) races() trace.Races {
	if c.run.Races == nil {
		return trace.Races{}
	}
	return *c.run.Races
}

// CheckRaces refuses races that cannot be run as they are meant, by the names
// of the flags that say how.
func CheckRaces(r trace.Races) error {
	window := time.Duration(r.Window)
	switch {
	case r.Rounds < 0 || r.Rounds > mostRounds:
		return problem.New("--rounds", "is not between 1 and %d", mostRounds).WithHint("--rounds 50")
	case r.Keys != 0 && (r.Keys < 2 || r.Keys > mostKeys):
		return problem.New("--burst-keys", "is not between 2 and %d: it is how many keys are released together", mostKeys).
			WithHint("--burst-keys 15")
	case r.Window < 0 || window > mostWindow:
		return problem.New("--window", "is not above 0 and at most %s", mostWindow).WithHint("--window 100us")
	case r.Power == 0:
		return nil
	case !(r.Power > 0 && r.Power < 1):
		return problem.New("--power", "is a chance, above 0 and below 1").WithHint("--power %g", UsualPower)
	case r.Window == 0:
		return problem.New("--power", "of seeing which window").WithHint("--power %g --window 100us", r.Power)
	case r.Rounds > 0:
		return problem.New("--power", "rounds are either given or derived from a power").
			WithHint("--power %g --window %s, or --rounds %d --window %s", r.Power, window, r.Rounds, window)
	}
	if roundsFor(r.Power, window, sigmaApart) <= mostRounds {
		return nil
	}
	return problem.New("--window", "%d rounds under each hold are the most, and see a window of %s with %s only",
		mostRounds, window, percent(powerOf(window, []shot{{mostRounds, sigmaApart}}))).
		WithHint("with --power %g the smallest is --window %s", r.Power, windowFor(r.Power, mostRounds, sigmaApart))
}

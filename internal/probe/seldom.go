package probe

import (
	"math"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

// An error that one request in a hundred meets, whatever its key, is bound to
// hit a retry now and then while the few other keys that the environment control
// tries are spared. So an undeclared error accuses only where it comes too often
// for that: more than once, and more often than the rate of errors explains that
// the run's new keys leave possible.

// How likely it may be, at most, that errors which hit any request came so often
// to one, or to any of a step.
const (
	chanceOfOne  = 0.025
	chanceOfStep = 0.0001
)

// How often a request that is sent once otherwise is sent where it meets an
// error, and for how long.
const (
	oftenEnough = 3
	atOnceAgain = 100 * time.Millisecond
)

// seldom says that an exchange failed as any may that is unlucky: neither its
// request nor the step's retries failed so often that it was their doing. The
// reason is said.
func (j *judging) seldom(t *Trial, x *Exchange) bool {
	own, few := j.tooFew(x)
	if few {
		j.unsure(0, "run the step again: what is the key's doing comes again",
			"%s: %s, %d of %d times: no other key met it, and so few may be errors that any request meets now and then",
			t.Name, j.rules.describe(x), own.failed, own.all)
	}
	return few
}

// tooFew gives how often an exchange's request failed as it did, and says whether
// that is too seldom to be more than chance.
func (j *judging) tooFew(x *Exchange) (own tries, few bool) {
	if x == nil || x.Answer == nil || !j.rules.failing(x) || j.trusts("environment") {
		return own, false
	}
	for slug := range j.prior {
		if strings.HasSuffix(slug, "/refused") || strings.HasSuffix(slug, "/loser-error") {
			return own, false // what was found before comes again
		}
	}
	var step tries
	for _, other := range j.history.Trials {
		for _, o := range other.Exchanges {
			failed := o.Answer != nil && j.rules.failing(o) && o.Answer.Outcome == x.Answer.Outcome && o.Answer.Status == x.Answer.Status
			first := o.Label == "environment" || o.Attempt == 0 && firstLabels[o.Label] || other.alone(o)
			if o.Answer == nil || o.hungUp() || first && !failed {
				continue
			}
			if step.add(failed); o.Answer.Request == x.Answer.Request {
				own.add(failed)
			}
		}
	}
	// By the rule of succession, none of the run's new keys having failed.
	rate := 1 / float64(j.fresh+2)
	if x.outcome() == trace.TimedOut && own.failed < vainTries && j.keysInVain() < vainKeys {
		return own, true
	}
	return own, !own.unlikely(rate, chanceOfOne) && !step.unlikely(rate, chanceOfStep)
}

// How often one key, or how many keys of a step, must have kept their callers
// waiting in vain. A network that loses a request without a word makes its caller
// wait for the whole timeout too, and it can lose a second one.
const (
	vainTries = 3
	vainKeys  = 2
)

// keysInVain is how many of the step's keys kept a duplicate waiting in vain, and
// did not answer it when it was sent again.
func (j *judging) keysInVain() int {
	keys := map[string]bool{}
	for _, t := range j.history.Trials {
		for _, x := range t.Exchanges {
			if x.outcome() == trace.TimedOut && x.Request != nil && !t.alone(x) && !t.cameThrough(j.rules, x) {
				keys[x.Request.Key] = true
			}
		}
	}
	return len(keys)
}

// tries are requests and how many of them failed.
type tries struct{ failed, all int }

func (n *tries) add(failed bool) {
	n.all++
	if failed {
		n.failed++
	}
}

// unlikely says that so many do not fail by chance, where each does at a rate.
func (n tries) unlikely(rate, chance float64) bool {
	return n.failed > 1 && n.orMore(rate) < chance
}

// orMore is how likely it is that so many or more fail, each at a rate by itself.
func (n tries) orMore(rate float64) (p float64) {
	for k := n.failed; k <= n.all; k++ {
		p += math.Exp(choose(n.all, k) + float64(k)*math.Log(rate) + float64(n.all-k)*math.Log(1-rate))
	}
	return p
}

// choose is the logarithm of n over k.
func choose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

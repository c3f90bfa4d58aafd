package probe_test

import (
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

// stalling is a place where a busy machine may stop a process for seconds.
type stalling int

const (
	beforeAction  stalling = iota // of the check
	beforeServing                 // the request is there, and nobody takes it
	beforeAnswer                  // the operation is done, and nothing is said
	beforeCount
	beforeWriting // a disk, and with it everybody who writes
)

// standStill stops the present process where the scene says so.
func (s *sim) standStill(where stalling) {
	if s.stall == nil {
		return
	}
	if d := s.stall(where); d > 0 {
		s.sleep(d)
	}
}

// writes waits for the disk, where it stands still, and says whether it did.
func (k *call) writes() bool {
	s := k.c.s
	if s.stall == nil {
		return false
	}
	if d := s.stall(beforeWriting); d > 0 {
		s.disk = max(s.disk, s.now+int64(d))
	}
	if s.disk <= s.now {
		return false
	}
	k.pause(time.Duration(s.disk - s.now))
	return true
}

// stalls gives stops at random: at one place in so many, for up to a time that
// is longer than the keys' retention.
func stalls(seed uint64) func(stalling) time.Duration {
	r := rand.New(rand.NewPCG(seed, 1))
	oneIn := []int{4, 10, 30, 100}[r.IntN(4)]
	longest := []time.Duration{time.Second, 6 * time.Second, 20 * time.Second}[r.IntN(3)]
	only := r.IntN(10) // one place alone, or all
	return func(where stalling) time.Duration {
		if only <= int(beforeWriting) && int(where) != only || r.IntN(oneIn) != 0 {
			return 0
		}
		return time.Duration(r.Int64N(int64(longest)))
	}
}

// alone gives the steps that are run alone on a machine: then no other step's
// requests tell of what stood still. "" is all together.
func alone(seed uint64) []string {
	steps := probe.StepNames()
	return []string{"", steps[int(seed)%len(steps)]}
}

var stallSeeds = flag.Uint64("stalls", 4, "machines that stand still at random, for each right server")

// TestStalls: however long a machine stands still, and wherever, what it leaves
// open is inconclusive, and no right server is accused. The work itself, from a
// claim to its result, is left alone: who stands still there for longer than
// its lease has been taken over, which is for the service to survive. Under the
// race detector it is one machine; .ci/run has all without it.
func TestStalls(t *testing.T) {
	machines := *stallSeeds
	if raceDetector {
		machines = min(machines, 1)
	}
	right := map[string]scene{}
	for _, s := range styles {
		right[s.name] = s.scene
	}
	for _, c := range extendedStyles {
		right["extended, "+c.name] = c.scene()
	}
	for _, c := range marketStyles {
		right["market, "+c.name] = c.scene()
	}
	for _, name := range slices.Sorted(maps.Keys(right)) {
		sc := right[name]
		t.Run(name, func(t *testing.T) {
			for seed := range machines {
				for _, step := range alone(seed) {
					sc := sc
					sc.stall = stalls(seed)
					if step != "" {
						sc.only = []string{step}
					}
					r, _ := play(t, sc)
					if r.Verdict == probe.Fail || r.Exit == 1 {
						t.Errorf("seed %d, %q alone: a right server is accused:\n%s", seed, step, outcome(r))
					}
				}
			}
		})
	}
}

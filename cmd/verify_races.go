package cmd

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
)

// raceOptions are the flags that say how the concurrent step races: how many
// pairs, either given or derived from what they are to show, and how many keys
// at once.
type raceOptions struct {
	rounds int
	power  float64
	window time.Duration
	keys   int

	given func(flag string) bool // it stood on the command line; nil: none did
}

// raceStep is the step that the flags are of.
const raceStep = "concurrent"

func (o *raceOptions) add(c *cobra.Command) {
	f := c.Flags()
	f.IntVar(&o.rounds, "rounds", 0, "concurrent: release `N` pairs under each hold, instead of 5")
	f.DurationVar(&o.window, "window", 0, "concurrent: release as many pairs as show that a second copy is let in for so long, such as 100us")
	f.Float64Var(&o.power, "power", probe.UsualPower, "concurrent: with --window, how surely they are to show it")
	f.IntVar(&o.keys, "burst-keys", 0, "concurrent: also release `N` keys of two copies each in one burst, which makes as many operations")
	o.given = f.Changed
}

func (o *raceOptions) has(flag string) bool { return o.given != nil && o.given(flag) }

// chosen gives what the flags say. A window for a given number of rounds only
// asks how surely they would have shown it.
func (o *raceOptions) chosen() trace.Races {
	r := trace.Races{Rounds: o.rounds, Window: int64(o.window), Keys: o.keys}
	if o.has("power") || o.window != 0 && o.rounds == 0 {
		r.Power = o.power
	}
	return r
}

// check refuses what cannot be meant. Zero is how a flag says that it is not
// there, and nobody writes it on purpose.
func (o *raceOptions) check(v *verifyOptions) error {
	for _, f := range []struct {
		name string
		none bool
	}{{"rounds", o.rounds == 0}, {"window", o.window == 0}, {"burst-keys", o.keys == 0}} {
		if f.none && o.has(f.name) {
			return problem.New("--"+f.name, "is to be above 0").WithHint("leave --%s out for the usual races", f.name)
		}
	}
	if o.has("power") && !(o.power > 0 && o.power < 1) {
		return problem.New("--power", "is a chance, above 0 and below 1").WithHint("--power %g --window 100us", probe.UsualPower)
	}
	races := o.chosen()
	if races == (trace.Races{}) {
		return nil
	}
	if !slices.Contains(stepsLeft(v.selection), raceStep) {
		return problem.New("", "--rounds, --window and --burst-keys are of the step %s, which is left out", raceStep).
			WithHint("--only %s", strings.Join(append(slices.Clone(v.selection.Only), raceStep), ","))
	}
	if v.phase() != "" {
		return problem.New("", "a planting and a harvest release no races").WithHint("leave --rounds, --window and --burst-keys out")
	}
	return probe.CheckRaces(races)
}

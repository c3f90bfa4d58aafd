package run

import (
	"context"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// Options are what a live run is made from.
type Options struct {
	Contract        *contract.Contract // resolved
	Selection       probe.Selection
	Seed            uint64
	RunID, Tool     string
	RequireEffects  bool
	AllowProduction []string // hosts to which credentials of production may go
	Keys            probe.KeyMaker
	Secrets         []string                         // names of variables that no child may inherit
	Sensitive       map[string][]fingerprint.Pointer // by operation: places of the body that no record shows
	Target          string                           // the base URL that takes the place of the contract's; empty: none does
	HTTP            string                           // where it takes the place of the contract's target.http; empty: it does not
	Races           trace.Races                      // how races are run, where flags say it
	Lookup          func(string) (string, bool)
	Environ         []string
	Began           time.Time
	Phase           trace.Phase        // plant or harvest; empty: a run that is judged by itself
	Planted         *probe.Planted     // of a harvest
	Notice          func(*trace.Event) // sees every event as it is recorded; nil: nobody looks
	Hurry           <-chan struct{}    // closed: whoever waits has no time for cleaning up either; nil: never
}

// Live is a live run that is ready: everything that can be wrong without
// sending a byte has been looked at.
type Live struct {
	options Options
	mask    *trace.Masker
	client  *wire.Client
	clock   wire.Clock
	bases   []wire.Endpoint
	jobs    []*Job
	world   *world
	header  *trace.Run
	signing chan struct{}   // places of commands that sign
	harvest trace.Harvest   // of a harvest: what it uses of the planting
	over    map[string]bool // of a harvest: operations whose planted ones need not be kept
}

// Prepare checks a live run and makes its plans. Nothing is sent and nothing
// is started.
func Prepare(ctx context.Context, o Options) (*Live, error) {
	began := time.Now()
	var err error
	if o.Contract, err = o.Contract.Speaking(o.HTTP); err != nil {
		return nil, err
	}
	if o.Contract, err = o.Contract.At(o.Target); err != nil {
		return nil, err
	}
	l := &Live{options: o, mask: &trace.Masker{}, clock: func() int64 { return int64(time.Since(began)) + 1 },
		signing: make(chan struct{}, signAtOnce)}
	l.client = wire.New(wire.Options{
		Timeout: o.Contract.Target.Timeout, Clock: l.clock, AllowHosts: o.Contract.HostAllowed,
	})
	l.header = &trace.Run{
		Schema: trace.Schema, Tool: o.Tool, ID: o.RunID, Seed: o.Seed, Began: o.Began.UTC().Format(time.RFC3339),
		File: o.Contract.File, SHA256: o.Contract.SHA256, Contract: string(o.Contract.Source),
		Profile:  o.Contract.ProfileText(),
		Settings: settings(o), Only: o.Selection.Only, Skip: o.Selection.Skip,
		Operations: o.Selection.Operations, RequireEffects: o.RequireEffects, HTTP: o.HTTP, Target: o.Target, Steps: probe.StepNames(),
	}
	if o.Races != (trace.Races{}) {
		l.header.Races = &o.Races
	}
	if err := l.phase(); err != nil {
		return nil, err
	}
	if err := l.plan(); err != nil {
		return nil, err
	}
	if err := l.hideInContract(); err != nil {
		return nil, err
	}
	w, err := newWorld(ctx, l)
	if err != nil {
		return nil, err
	}
	l.world = w
	if err := l.asPlanted(); err != nil {
		w.close()
		return nil, err
	}
	return l, nil
}

// settings are the values of the variables that numbers and durations of the
// contract read; they shape verdicts, so the trace keeps them.
func settings(o Options) map[string]string {
	out := map[string]string{}
	for _, name := range o.Contract.Settings() {
		if v, ok := o.Lookup(name); ok {
			out[name] = v
		}
	}
	return out
}

// plan makes the plans of all operations and holds them to the contract's
// limit.
func (l *Live) plan() error {
	env := probe.Env{RunID: l.options.RunID, Seed: l.options.Seed, Began: l.options.Began, Keys: l.options.Keys,
		Contract: l.options.Contract, Races: l.options.Races}
	made := 0
	for _, op := range l.options.Selection.Chosen(l.options.Contract) {
		plans, err := l.plansOf(op, env)
		if err != nil {
			return err
		}
		for _, p := range plans {
			made += p.Makes
			p.Hide(l.mask, l.options.Sensitive[op.Name])
		}
		l.jobs = append(l.jobs, &Job{Operation: op, Plans: plans})
	}
	limits := l.options.Contract.Limits
	if limits.MaxOperations > 0 && made > limits.MaxOperations {
		return problem.New(l.options.Contract.Where(limits.Pos), "the plan makes up to %d operations, limits.max_operations is %d",
			made, limits.MaxOperations).WithHint("raise the limit to %d, or choose steps with --only", made)
	}
	return nil
}

// hideInContract takes sensitive values out of the contract's text that the
// trace keeps. What is left must still be a contract: a trace that cannot be
// judged is worth nothing.
func (l *Live) hideInContract() error {
	masked := l.mask.Text(l.header.Contract)
	if masked == l.header.Contract {
		return nil
	}
	l.header.Contract, l.header.Masked = masked, true
	if _, err := contract.Parse(l.options.Contract.File, []byte(masked), nil); err != nil {
		return problem.New(l.options.Contract.File, "a value that the recipe calls sensitive also stands where the contract needs it").
			WithHint("use another example value in the request's body")
	}
	return nil
}

// Run carries the run out and writes its trace. Whatever was started is
// stopped before it returns.
func (l *Live) Run(ctx context.Context, out *trace.Writer) error {
	defer l.world.close()
	if err := l.world.open(ctx); err != nil {
		return err
	}
	for _, job := range l.jobs {
		job.Target = l.world.targets[job.Operation.Name]
	}
	r := &Runner{Client: l.client, Clock: l.clock, Trace: out, Mask: l.mask, Rate: l.options.Contract.Limits.Rate, Notice: l.options.Notice,
		Cleanup: l.world.cleanup(l.options.Contract.Limits.Cleanup), Spare: l.spare, Hurry: l.options.Hurry}
	r.companions.sent = l.plantedCompanions()
	err := r.Run(ctx, l.header, l.jobs)
	if left := r.Left(); left != "" {
		l.world.left = append(l.world.left, left)
	}
	if err != nil {
		return problem.New("trace", "cannot be written: %s", err)
	}
	return nil
}

// Left says what the run started and could not end.
func (l *Live) Left() []string { return l.world.left }

package cmd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/reference"
	"github.com/idem-toolkit/idem/internal/selftest"
	"github.com/idem-toolkit/idem/internal/zoo"
)

// selfTestOptions are the flags of idem verify --self-test.
type selfTestOptions struct {
	on       bool
	stores   []string
	storeEnv string
	faults   []string
	styles   []string
	jobs     int
	repeat   int

	dsn string // of PostgreSQL, found in the environment
}

// Bounds of a self-test.
const (
	mostJobs   = 64
	mostRepeat = 1000
	// checkMost bounds one check, and checkAbout is what most take: retention,
	// lease and late effects have to be waited for.
	checkMost  = 4 * time.Minute
	checkAbout = 15 * time.Second
)

// defaultJobs keeps the processors busy, since a check waits for most of its
// time, and leaves each check enough of them to see what happens within
// milliseconds: on two processors the results are the same with 8 and with 16.
func defaultJobs() int { return min(5*runtime.NumCPU(), 40) }

func (o *selfTestOptions) add(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&o.on, "self-test", false, "check servers whose faults are known, and right ones: what the check catches, and whom it accuses")
	f.StringSliceVar(&o.stores, "store", []string{string(zoo.File)}, "with --self-test: where they keep records, of memory, file, postgres")
	f.StringVar(&o.storeEnv, "store-env", "", "with --store postgres: the environment variable that holds the database's address")
	f.StringSliceVar(&o.faults, "fault", nil, "with --self-test: only these faults (all, none, or of idem serve --fault list)")
	f.StringSliceVar(&o.styles, "style", nil, "with --self-test: only these styles (all, none, or of idem serve --style list)")
	f.IntVar(&o.jobs, "jobs", defaultJobs(), "with --self-test: how many checks run at a time")
	f.IntVar(&o.repeat, "repeat", 1, "with --self-test: how often each fault that only a race shows is checked")
}

// without refuses flags that only a self-test uses.
func (o *selfTestOptions) without(c *cobra.Command) error {
	for _, name := range []string{"store", "store-env", "fault", "style", "jobs", "repeat"} {
		if c.Flags().Changed(name) {
			return problem.New("--"+name, "it is a flag of the self-test").WithHint("idem verify --self-test --%s ...", name)
		}
	}
	return nil
}

// check refuses what cannot be meant, and finds the database.
func (o *selfTestOptions) check(app *App, v *verifyOptions) error {
	switch {
	case v.demo || v.live || v.file != "":
		return problem.New("--self-test", "it brings its own servers and contracts").WithHint("idem verify --self-test")
	case v.runID != "" || len(v.reports) > 0 || len(v.selection.Operations) > 0:
		return problem.New("--self-test", "it takes no --run-id, --report or --operation").
			WithHint("idem verify --self-test --format json > self-test.json")
	case v.engine.cross:
		return problem.New("--cross-check", "a self-test derives no keys").WithHint("idem verify --self-test")
	case v.plant != "" || v.harvest != "":
		return problem.New("--self-test", "it plants and harvests nothing").WithHint("idem verify --self-test")
	case v.format != "human" && v.format != "json":
		return problem.New("--format", "a self-test is shown as human or json, not as %s", document.Show(v.format))
	case o.jobs < 1 || o.jobs > mostJobs:
		return problem.New("--jobs", "is not between 1 and %d", mostJobs)
	case o.repeat < 1 || o.repeat > mostRepeat:
		return problem.New("--repeat", "is not between 1 and %d", mostRepeat)
	}
	if err := v.checkHTTP(); err != nil {
		return err
	}
	if err := v.races.check(v); err != nil {
		return err
	}
	if err := v.selection.CheckSteps(); err != nil {
		return err
	}
	if len(stepsLeft(v.selection)) == 0 {
		return problem.New("--self-test", "--only and --skip leave no step").WithHint("idem verify --self-test")
	}
	return o.checkStores(app)
}

// stepsLeft gives the steps that --only and --skip leave.
func stepsLeft(s probe.Selection) []string {
	return slices.DeleteFunc(probe.StepNames(), func(step string) bool {
		return slices.Contains(s.Skip, step) || len(s.Only) > 0 && !slices.Contains(s.Only, step)
	})
}

func (o *selfTestOptions) checkStores(app *App) error {
	var names []string
	for _, s := range zoo.Stores() {
		names = append(names, string(s))
	}
	for i, name := range o.stores {
		if !slices.Contains(names, name) {
			return noneOf("--store", name, "memory,file", names...)
		}
		if slices.Contains(o.stores[:i], name) {
			return problem.New("--store", "%s is there twice", name)
		}
	}
	wanted := slices.Contains(o.stores, string(zoo.Postgres))
	switch {
	case len(o.stores) == 0:
		return problem.New("--store", "it names no store").WithHint("--store %s", strings.Join(names, ","))
	case wanted && o.storeEnv == "":
		return problem.New("--store-env", "which PostgreSQL").WithHint("--store postgres --store-env DSN, with its address in $DSN")
	case !wanted && o.storeEnv != "":
		return problem.New("--store-env", "no store is in PostgreSQL").WithHint("--store postgres --store-env %s", o.storeEnv)
	case !wanted:
		return nil
	}
	var err error
	o.dsn, err = databaseAddress(app, o.storeEnv)
	return err
}

// chosen gives the variants to check: the named ones, or all; the reference
// service as it is stands first among the styles.
func (o *selfTestOptions) chosen(steps []string) ([]zoo.Variant, error) {
	faults, err := pick("--fault", o.faults, len(o.styles) > 0, zoo.Faults())
	if err != nil {
		return nil, err
	}
	styles, err := pick("--style", o.styles, len(o.faults) > 0, append([]zoo.Variant{zoo.Reference()}, zoo.Styles()...))
	if err != nil {
		return nil, err
	}
	runs := func(step string) bool { return slices.Contains(steps, step) }
	faults = slices.DeleteFunc(faults, func(v zoo.Variant) bool { return !slices.ContainsFunc(v.Caught, runs) })
	all := append(faults, styles...)
	if len(all) == 0 {
		return nil, problem.New("--self-test", "no fault or style is left to check").WithHint("idem verify --self-test")
	}
	return all, nil
}

// pick gives the variants that are named: all where none is, but none where
// only the other kind was asked for.
func pick(flag string, names []string, other bool, list []zoo.Variant) ([]zoo.Variant, error) {
	switch {
	case len(names) == 0 && other, slices.Equal(names, []string{"none"}):
		return nil, nil
	case len(names) == 0, slices.Equal(names, []string{"all"}):
		return slices.Clone(list), nil
	}
	var out []zoo.Variant
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, problem.New(flag, "%s is there twice", document.Show(name))
		}
		v, err := variantNamed(flag, name, list)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// runSelfTest checks every variant on every store and shows what came of it.
func runSelfTest(ctx context.Context, app *App, o *verifyOptions) error {
	if err := o.selfTest.check(app, o); err != nil {
		return err
	}
	variants, err := o.selfTest.chosen(stepsLeft(o.selection))
	if err != nil {
		return err
	}
	if err := app.needsOutput(); err != nil {
		return err
	}
	if o.tracePath != "" {
		if err := os.MkdirAll(o.tracePath, 0o700); err != nil {
			return problem.New("--trace", "the folder %s cannot be made: %s", o.tracePath, reason(err))
		}
	}
	program, err := os.Executable()
	if err != nil {
		return problem.New("", "this program's own file cannot be found: %s", err)
	}
	t := &selfTest{app: app, verify: o, program: program, began: time.Now()}
	for _, store := range o.selfTest.stores {
		t.plan(zoo.Store(store), variants)
	}
	if err := t.preflight(ctx); err != nil {
		return err
	}
	t.announce()
	report := t.run(ctx)
	report.Steps = stepsLeft(o.selection)
	var b bytes.Buffer
	if o.format == "json" {
		if err := selftest.WriteJSON(&b, report); err != nil {
			return err
		}
	} else {
		selftest.WriteHuman(&b, report, selftest.Options{Color: o.colour, Width: app.columns(), Verbose: app.Verbose})
	}
	if _, err := app.Out.Write(b.Bytes()); err != nil {
		return problem.New("standard output", "%s", rootCause(err))
	}
	return exitWith(report.Exit())
}

// preflight refuses what would leave each check without a verdict: a database
// that is not there, and traces in the place of others.
func (t *selfTest) preflight(ctx context.Context) error {
	if dsn := t.verify.selfTest.dsn; dsn != "" {
		_, drop, err := reference.Schema(ctx, dsn)
		if err != nil {
			return err
		}
		if err := drop(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	for _, c := range t.cases {
		if path := t.tracePath(c); path != "" {
			if _, err := os.Lstat(path); err == nil {
				return problem.New(path, "is there already, and a trace never replaces a file").
					WithHint("remove it, or name another folder")
			}
		}
	}
	return nil
}

// announce says what is to come and how long it may take.
func (t *selfTest) announce() {
	if t.app.Quiet {
		return
	}
	jobs := t.verify.selfTest.jobs
	waves := (len(t.cases) + jobs - 1) / jobs
	fmt.Fprintf(t.app.Err, "idem: self-test: %d checks on store %s, %d at a time: about %s, %s at most\n", len(t.cases),
		strings.Join(t.verify.selfTest.stores, ", "), jobs, (time.Duration(waves) * checkAbout).Round(time.Second),
		time.Duration(waves)*checkMost)
}

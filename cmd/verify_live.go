package cmd

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/report"
	"github.com/idem-toolkit/idem/internal/run"
	"github.com/idem-toolkit/idem/internal/trace"
)

// runLive sends the plan, records it, and judges the record.
func runLive(ctx context.Context, app *App, o *verifyOptions, spec *contract.Contract) error {
	live, file, done, err := o.begin(ctx, app, spec)
	if err != nil {
		return err
	}
	defer done()
	broken := sendAll(ctx, app, live, file)
	if broken != nil && isEmpty(file) {
		return broken
	}
	// What was recorded before the run broke is judged and shown all the same.
	r, err := judgedRun(file)
	if err == nil {
		err = o.show(app, unrecorded(r, broken))
	}
	if broken != nil {
		return broken
	}
	return err
}

// begin makes all ready for a run that is judged at once, and its trace. done
// closes that.
func (o *verifyOptions) begin(ctx context.Context, app *App, spec *contract.Contract) (live *run.Live, file *os.File, done func(), err error) {
	if live, err = prepareLive(ctx, app, o, spec); err != nil {
		return nil, nil, nil, err
	}
	if err = o.checkReportFiles(spec); err != nil {
		return nil, nil, nil, err
	}
	if file, done, err = o.traceFile(); err != nil {
		return nil, nil, nil, err
	}
	return live, file, done, nil
}

// sendAll carries out a run into its trace, and tells what it could not tidy up.
func sendAll(ctx context.Context, app *App, live *run.Live, file *os.File) error {
	broken := live.Run(ctx, trace.NewWriter(file))
	app.endProgress()
	for _, left := range live.Left() {
		fmt.Fprintf(app.Err, "idem: %s\n", left)
	}
	return broken
}

// unrecorded says in a report that its trace could not be written: nobody has
// interrupted the run, and it ends with another code than one that was.
func unrecorded(r *probe.Report, broken error) *probe.Report {
	if broken != nil {
		r.Exit = ExitUsage
		r.Notes = append(r.Notes, broken.Error())
	}
	return r
}

func isEmpty(file *os.File) bool {
	info, err := file.Stat()
	return err != nil || info.Size() == 0
}

// judgedRun judges what a run has recorded.
func judgedRun(file *os.File) (*probe.Report, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, problem.New(file.Name(), "cannot be read again: %s", reason(err))
	}
	return judged(file, file.Name())
}

// checkReportFiles refuses, before anything is sent, reports that could not be
// written after it, or that would take the place of the contract, the trace or the plant file.
func (o *verifyOptions) checkReportFiles(spec *contract.Contract) error {
	destinations, err := report.Destinations(o.reports)
	if err != nil {
		return err
	}
	for _, d := range destinations {
		if d.Path == "-" {
			continue
		}
		for _, taken := range []struct{ path, what string }{{spec.File, "the contract"}, {o.tracePath, "the trace"},
			{o.plant, "what is planted"}, {o.harvest, "what was planted"}} {
			if taken.path != "" && sameFile(d.Path, taken.path) {
				return problem.New("--report", "%s would be written over %s", d.Path, taken.what).
					WithHint("--report %s=report.%s", d.Format, d.Format)
			}
		}
		if info, err := os.Stat(filepath.Dir(d.Path)); err != nil || !info.IsDir() {
			return problem.New(d.Path, "its folder is not there")
		}
		f, err := os.OpenFile(d.Path, os.O_WRONLY, 0)
		if err != nil && !os.IsNotExist(err) {
			return problem.New(d.Path, "cannot be written: %s", reason(err))
		}
		f.Close()
	}
	return nil
}

// sameFile says that two paths name one file, there or yet to be made.
func sameFile(a, b string) bool {
	ia, errA := os.Stat(a)
	ib, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(ia, ib)
	}
	pa, errA := filepath.Abs(a)
	pb, errB := filepath.Abs(b)
	return errA == nil && errB == nil && pa == pb
}

// prepareLive checks all that can be checked before the first byte is sent.
func prepareLive(ctx context.Context, app *App, o *verifyOptions, spec *contract.Contract) (*run.Live, error) {
	resolved, err := spec.Resolve(app.LookupEnv)
	if err != nil {
		return nil, err
	}
	if resolved, err = o.at(resolved); err != nil {
		return nil, err
	}
	if err := resolved.CheckHosts(); err != nil {
		return nil, err
	}
	keys, err := liveKeys(ctx, app, o, spec)
	if err != nil {
		return nil, err
	}
	if o.runID == "" {
		o.runID = randomHex()
	}
	return run.Prepare(ctx, run.Options{
		Phase: o.phase(), Planted: o.planted,
		Contract: resolved, Selection: o.selection, Seed: o.seed, RunID: o.runID, Tool: tool(),
		RequireEffects: o.requireEffects, AllowProduction: o.allowProduction,
		Keys: keys, Secrets: keys.variables(), Sensitive: keys.sensitive(spec), Lookup: app.LookupEnv, Environ: app.Environ(), Began: app.Now(), Notice: app.progress(),
		Hurry: app.hurry, HTTP: o.http, Target: o.target, Races: o.races.chosen(),
	})
}

// randomHex makes 16 hexadecimal digits at random.
func randomHex() string {
	b := make([]byte, 8)
	rand.Read(b) // never fails (crypto/rand)
	return hex.EncodeToString(b)
}

// traceFile opens the file for the trace: the one asked for, which must not be
// there yet, or a temporary one that done removes. Both have mode 0600.
func (o *verifyOptions) traceFile() (f *os.File, done func(), err error) {
	if o.tracePath == "" {
		f, err := os.CreateTemp("", "idem-trace-*.ndjson")
		if err != nil {
			return nil, nil, problem.New("", "no temporary file can be made: %s", reason(err))
		}
		// Where a system lets an open file go unnamed, not even a kill leaves it.
		os.Remove(f.Name())
		return f, func() { f.Close(); os.Remove(f.Name()) }, nil
	}
	if o.tracePath == "-" {
		return nil, nil, problem.New("--trace", "a trace is judged from its file, so it cannot go to standard output").
			WithHint("--trace run.ndjson")
	}
	f, err = os.OpenFile(o.tracePath, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if os.IsExist(err) {
		return nil, nil, problem.New(o.tracePath, "is there already, and a trace never replaces a file").
			WithHint("remove it, or give --trace another name")
	}
	if err != nil {
		return nil, nil, problem.New(o.tracePath, "cannot be made: %s", reason(err))
	}
	return f, func() { f.Close() }, nil
}

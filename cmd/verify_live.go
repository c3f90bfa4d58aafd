package cmd

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/run"
	"github.com/idem-toolkit/idem/internal/trace"
)

// runLive sends the plan, records it, and judges the record.
func runLive(ctx context.Context, app *App, o *verifyOptions, spec *contract.Contract) error {
	live, err := prepareLive(ctx, app, o, spec)
	if err != nil {
		return err
	}
	file, remove, err := o.traceFile()
	if err != nil {
		return err
	}
	defer remove()
	defer file.Close()
	err = live.Run(ctx, trace.NewWriter(file))
	app.endProgress()
	if err != nil {
		return err
	}
	if _, err := file.Seek(0, 0); err != nil {
		return problem.New(file.Name(), "cannot be read again: %s", reason(err))
	}
	return o.judge(app, file, file.Name())
}

// prepareLive checks all that can be checked before the first byte is sent.
func prepareLive(ctx context.Context, app *App, o *verifyOptions, spec *contract.Contract) (*run.Live, error) {
	resolved, err := spec.Resolve(app.LookupEnv)
	if err != nil {
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
		o.runID = newRunID()
	}
	return run.Prepare(ctx, run.Options{
		Contract: resolved, Selection: o.selection, Seed: o.seed, RunID: o.runID, Tool: tool(),
		RequireEffects: o.requireEffects, AllowProduction: o.allowProduction,
		Keys: keys, Secrets: keys.variables(), Sensitive: keys.sensitive(spec), Lookup: app.LookupEnv, Environ: app.Environ(), Began: app.Now(), Notice: app.progress(),
	})
}

// newRunID makes 16 hexadecimal digits at random.
func newRunID() string {
	b := make([]byte, 8)
	rand.Read(b) // never fails (crypto/rand)
	return hex.EncodeToString(b)
}

// traceFile opens the file for the trace: the one asked for, which must not be
// there yet, or a temporary one that is removed. Both have mode 0600.
func (o *verifyOptions) traceFile() (f *os.File, remove func(), err error) {
	if o.tracePath == "" {
		f, err := os.CreateTemp("", "idem-trace-*.ndjson")
		if err != nil {
			return nil, nil, problem.New("", "no temporary file can be made: %s", reason(err))
		}
		return f, func() { os.Remove(f.Name()) }, nil
	}
	f, err = os.OpenFile(o.tracePath, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if os.IsExist(err) {
		return nil, nil, problem.New(o.tracePath, "is there already, and a trace never replaces a file").
			WithHint("remove it, or give --trace another name")
	}
	if err != nil {
		return nil, nil, problem.New(o.tracePath, "cannot be made: %s", reason(err))
	}
	return f, func() {}, nil
}

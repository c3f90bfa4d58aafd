package cmd

import (
	"context"
	"fmt"
	"io"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
)

// runHarvest sends again what was planted, and judges by the time that has
// passed. What it uses is written down before it sends.
func runHarvest(ctx context.Context, app *App, o *verifyOptions, spec *contract.Contract) error {
	planted, err := openPlantFile(o.harvest)
	if err != nil {
		return err
	}
	defer planted.Close()
	o.planted = planted.held
	live, err := prepareLive(ctx, app, o, spec)
	if err != nil {
		return err
	}
	if err := o.checkReportFiles(spec); err != nil {
		return err
	}
	file, remove, err := o.traceFile()
	if err != nil {
		return err
	}
	defer remove()
	defer file.Close()
	use := live.Harvest()
	if len(use.Uses) > 0 {
		if err := planted.add(use); err != nil {
			return err
		}
	}
	broken := live.Run(ctx, trace.NewWriter(file))
	app.endProgress()
	for _, left := range live.Left() {
		fmt.Fprintf(app.Err, "idem: %s\n", left)
	}
	if info, err := file.Stat(); broken != nil && (err != nil || info.Size() == 0) {
		return broken
	}
	if err := planted.seen(file, use, broken == nil && live.Cleaned()); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return problem.New(file.Name(), "cannot be read again: %s", reason(err))
	}
	judged := o.judge(app, file, file.Name())
	if broken != nil {
		return broken
	}
	return judged
}

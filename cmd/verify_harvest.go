package cmd

import (
	"context"

	"github.com/idem-toolkit/idem/internal/contract"
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
	live, file, done, err := o.begin(ctx, app, spec)
	if err != nil {
		return err
	}
	defer done()
	use := live.Harvest()
	if len(use.Uses) > 0 {
		if err := planted.add(use); err != nil {
			return err
		}
	}
	broken := sendAll(ctx, app, live, file)
	if broken != nil && isEmpty(file) {
		return broken
	}
	r, err := judgedRun(file)
	if err != nil {
		return err
	}
	if err := planted.seen(r, use, broken == nil && live.Cleaned()); err != nil {
		return err
	}
	shown := o.show(app, unrecorded(r, broken))
	if broken != nil {
		return broken
	}
	return shown
}

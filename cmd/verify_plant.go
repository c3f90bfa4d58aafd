package cmd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
)

// phase says which half of a check in two is run; empty: none.
func (o *verifyOptions) phase() trace.Phase {
	switch {
	case o.plant != "":
		return trace.PhasePlant
	case o.harvest != "":
		return trace.PhaseHarvest
	}
	return ""
}

// checkHalves refuses what cannot be meant with --plant and --harvest.
func (o *verifyOptions) checkHalves() error {
	flag, file := "--plant", o.plant
	if o.plant == "" {
		flag, file = "--harvest", o.harvest
	}
	switch {
	case o.plant != "" && o.harvest != "":
		return problem.New("", "--plant is for now and --harvest for later").WithHint("idem verify %s --live --plant %s", o.file, o.plant)
	case o.demo:
		return problem.New(flag, "the demo's service is gone before anything could be harvested").
			WithHint("idem verify contract.yaml --live %s %s", flag, file)
	case !o.live:
		return problem.New(flag, "a dry run sends nothing").WithHint("idem verify %s --live %s %s", o.file, flag, file)
	case file == "-":
		return problem.New(flag, "it is read and written again, so it cannot be a stream").WithHint("%s planted.ndjson", flag)
	case o.plant == "":
		return nil
	case o.tracePath != "":
		return problem.New("--trace", "what is planted is its own trace").WithHint("--plant %s", o.plant)
	case len(o.reports) > 0:
		return problem.New("--report", "nothing is judged yet").WithHint("idem verify %s --live --harvest %s", o.file, o.plant)
	case o.format != "human" && o.format != "json":
		return problem.New("--format", "what was planted is told as human or json")
	case len(o.selection.Only)+len(o.selection.Skip) > 0:
		return problem.New("", "steps are chosen at the harvest").
			WithHint("idem verify %s --live --harvest %s --only duplicate", o.file, o.plant)
	}
	return nil
}

// runPlant makes operations and keeps what a harvest needs of them. What was
// planted before an interruption stays.
func runPlant(ctx context.Context, app *App, o *verifyOptions, spec *contract.Contract) error {
	live, err := prepareLive(ctx, app, o, spec)
	if err != nil {
		return err
	}
	if why := live.Idle(); why.Text != "" {
		return problem.New(spec.Where(contract.Pos{Line: why.Line}), "nothing could be judged later: %s", why.Text).WithHint("%s", why.Settle)
	}
	lock, err := lockPlantFile(o.plant)
	if err != nil {
		return err
	}
	defer lock.release()
	file, err := os.OpenFile(o.plant, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if os.IsExist(err) {
		return problem.New(o.plant, "is there already, and what was planted is never written over").
			WithHint("give --plant another name, or harvest it: idem verify %s --live --harvest %s", o.file, o.plant)
	}
	if err != nil {
		return problem.New(o.plant, "cannot be made: %s", reason(err))
	}
	defer file.Close()
	broken := sendAll(ctx, app, live, file)
	if err := file.Sync(); err != nil && broken == nil {
		broken = problem.New(o.plant, "cannot be written: %s", reason(err))
	}
	if _, err := file.Seek(0, 0); err != nil {
		return problem.New(o.plant, "cannot be read again: %s", reason(err))
	}
	p, err := probe.ReadPlanted(trace.Read(file))
	if err != nil {
		if broken != nil { // it ended before its first event
			os.Remove(o.plant)
			return broken
		}
		return problem.New(o.plant, "%s", err)
	}
	if err := o.tellPlanted(app, spec, p); err != nil {
		return err
	}
	if broken != nil {
		return broken
	}
	return o.plantedExit(p)
}

// plantedExit is the exit code of a planting; where nothing stands, the file
// is of no use and is taken away.
func (o *verifyOptions) plantedExit(p *probe.Planted) error {
	standing := 0
	for _, r := range p.Records {
		if r.Accepted {
			standing++
		}
	}
	if standing == 0 {
		os.Remove(o.plant)
	}
	switch {
	case !p.Whole:
		return exitWith(ExitInterrupted)
	case p.Unsent():
		return exitWith(ExitUnsent)
	case standing < len(p.Records) || standing == 0:
		return exitWith(ExitInconclusive)
	}
	return nil
}

// plantedJSON is what was planted, for programs.
type plantedJSON struct {
	Planted    string             `json:"planted"` // the file
	Run        string             `json:"run"`
	Contract   string             `json:"contract"`
	Complete   bool               `json:"complete"`
	Operations []plantedOperation `json:"operations"`
	Refused    map[string]string  `json:"refused,omitempty"` // operation and record: what came instead
}

type plantedOperation struct {
	Operation string                `json:"operation"`
	Standing  map[probe.Purpose]int `json:"standing"`
	Until     string                `json:"until,omitempty"`     // duplicates and conflicts can be judged until then
	LastFrom  string                `json:"last_from,omitempty"` // from then on also whether keys are remembered to the end
	Forgotten string                `json:"forgotten,omitempty"` // from then on whether they are forgotten
}

func (o *verifyOptions) tellPlanted(app *App, spec *contract.Contract, p *probe.Planted) error {
	told := plantedJSON{Planted: o.plant, Run: p.Run.ID, Contract: spec.File, Complete: p.Whole, Refused: map[string]string{}}
	for _, op := range o.selection.Chosen(spec) {
		one := plantedOperation{Operation: op.Name, Standing: p.Standing(op.Name)}
		if w, ok := p.WindowsOf(op); ok {
			one.Until, one.LastFrom = stamped(w.Until), stamped(w.LastFrom)
			if !w.Forgotten.IsZero() {
				one.Forgotten = stamped(w.Forgotten)
			}
		}
		told.Operations = append(told.Operations, one)
	}
	for _, r := range p.Records {
		if !r.Accepted {
			told.Refused[r.Operation+" "+r.Name] = r.Why
		}
	}
	if o.format == "json" {
		return printJSON(app.Out, told)
	}
	var b bytes.Buffer
	told.human(&b, p)
	return writeText(app, b.String())
}

func stamped(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// human tells what was planted and when to come back.
func (t plantedJSON) human(b *bytes.Buffer, p *probe.Planted) {
	fmt.Fprintf(b, "planted in %s, run %s\n", problem.Line(t.Planted), t.Run)
	for _, op := range t.Operations {
		total := 0
		for _, n := range op.Standing {
			total += n
		}
		if total == 0 {
			fmt.Fprintf(b, "  %s: nothing stands\n", op.Operation)
			continue
		}
		fmt.Fprintf(b, "  %s: %d operations, harvest\n", op.Operation, total)
		fmt.Fprintf(b, "    until %s  whether duplicates and conflicts are still answered as promised\n", op.Until)
		fmt.Fprintf(b, "    from  %s  also whether keys are remembered to the end of their retention\n", op.LastFrom)
		if op.Forgotten != "" {
			fmt.Fprintf(b, "    from  %s  whether they are forgotten\n", op.Forgotten)
		}
	}
	for _, r := range p.Records {
		if !r.Accepted {
			fmt.Fprintf(b, "  not planted: %s %s: %s\n", r.Operation, r.Name, problem.Line(r.Why))
		}
	}
	if !t.Complete {
		fmt.Fprintf(b, "  the run was interrupted: what was planted before that stays\n")
	}
	over := ""
	if p.Run.HTTP != "" {
		over = " --http " + problem.Line(p.Run.HTTP)
	}
	fmt.Fprintf(b, "idem verify %s --live --harvest %s%s\n", problem.Line(t.Contract), problem.Line(t.Planted), over)
}

package probe

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Judge makes the report of a run from its trace and from nothing else: the
// contract stands in the trace's first event. The same trace gives the same
// report. An error of the events is the reader's; what can be judged of a
// trace that is cut off is judged.
func Judge(events iter.Seq2[trace.Event, error]) (*Report, error) {
	return judgeTrusting(events, nil)
}

// judgeTrusting is Judge where some controls are believed without looking, so
// that a test can show what each of them is for.
func judgeTrusting(events iter.Seq2[trace.Event, error], trust map[string]bool) (*Report, error) {
	var c *court
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		if c == nil {
			opened, err := openCourt(e)
			if err != nil {
				return nil, err
			}
			c = opened
			c.trust = trust
			continue
		}
		c.observe(e)
	}
	if c == nil {
		return nil, problem.New("", "the trace is empty")
	}
	return c.close(), nil
}

// court is the judgement of one run under way.
type court struct {
	run       *trace.Run
	contract  *contract.Contract
	histories map[[2]string]*History    // operation, step
	idle      map[[2]string]*trace.Idle // operation, step
	ended     string                    // state of the end event; empty where there is none
	sent      bool                      // some request left
	moments   []busyMoment              // see busy; nil: not looked for yet
	fresh     int                       // new keys that were answered: see busy
	worked    []working                 // when new operations were sent and answered: see busy
	refused   bool                      // some request could not be sent
	trust     map[string]bool           // controls that are believed unseen: for tests of what they are for
	cleaned   cleaning
}

func openCourt(e trace.Event) (*court, error) {
	if e.Kind != trace.KindRun || e.Run == nil {
		return nil, problem.New("event 1", "the trace does not begin with a run's header")
	}
	if e.Run.Schema != trace.Schema {
		return nil, problem.New("event 1", "the trace is of schema %q, this tool reads %q", e.Run.Schema, trace.Schema)
	}
	if e.Run.Phase == trace.PhasePlant {
		return nil, problem.New("event 1", "this was planted to be harvested later: nothing is judged yet").
			WithHint("idem verify %s --live --harvest FILE", e.Run.File)
	}
	if harvest := e.Run.Phase == trace.PhaseHarvest; harvest != (e.Run.Planted != nil) || !harvest && e.Run.Phase != "" {
		return nil, problem.New("event 1", "the trace is of a phase that this tool does not know")
	}
	if sum := sha256.Sum256([]byte(e.Run.Contract)); !e.Run.Masked && hex.EncodeToString(sum[:]) != e.Run.SHA256 {
		return nil, problem.New("event 1", "the contract in the trace is not the one that was run: its sha256 differs")
	}
	c, err := recorded(e.Run)
	if err != nil {
		return nil, err
	}
	return &court{run: e.Run, contract: c,
		histories: map[[2]string]*History{}, idle: map[[2]string]*trace.Idle{}}, nil
}

// recorded reads the contract that stands in a run's header.
func recorded(run *trace.Run) (*contract.Contract, error) {
	c, err := contract.ParseRecorded(run.File, []byte(run.Contract), run.Profile)
	if err != nil {
		return nil, err
	}
	if c, err = c.WithSettings(run.Settings); err != nil {
		return nil, err
	}
	if c, err = c.At(run.Target); err != nil {
		return nil, problem.New("event 1", "target: %s", err)
	}
	return c.Speaking(run.HTTP)
}

func (c *court) observe(e trace.Event) {
	if e.Kind == trace.KindEnd {
		c.ended = e.Text
		return
	}
	if e.Kind == trace.KindSent {
		c.sent = true
	}
	if e.Kind == trace.KindCleanup {
		c.cleaned.observe(e)
		return
	}
	if e.Kind == trace.KindAnswer && e.Answer.Outcome == trace.Refused {
		c.refused = true
	}
	key := [2]string{e.Operation, e.Step}
	if e.Kind == trace.KindStep && e.Idle != nil {
		c.idle[key] = e.Idle
	}
	h := c.histories[key]
	if h == nil {
		h = NewHistory(e.Step)
		c.histories[key] = h
	}
	h.Observe(e)
}

func (c *court) close() *Report {
	r := &Report{
		Contract: c.contract,
		Tool:     c.run.Tool, Run: c.run.ID, Mode: "live", Seed: c.run.Seed,
		File: c.run.File, SHA256: c.run.SHA256, Began: c.run.Began,
		Interrupted: c.ended != "complete", RequireEffects: c.run.RequireEffects, HTTP: c.run.HTTP, Target: c.run.Target, Races: c.races(),
		Counts: map[Verdict]int{},
	}
	if name := c.contract.Profile; name != "" {
		r.Notes = append(r.Notes, "profile "+name+" states what the contract does not")
	}
	if c.run.HTTP != "" {
		r.Notes = append(r.Notes, HTTPNote(c.run.HTTP))
	}
	if c.run.Target != "" {
		r.Notes = append(r.Notes, TargetNote(c.run.Target))
	}
	if note := UnaskedNote(c.contract, Selection{Only: c.run.Only, Skip: c.run.Skip}); note != "" && c.run.Planted == nil {
		r.Notes = append(r.Notes, note)
	}
	if c.run.Planted != nil {
		r.Planted = c.run.Planted.Run
		r.Notes = append(r.Notes, harvestNote(c.run))
	}
	r.Notes = append(r.Notes, c.cleaned.notes()...)
	for _, op := range c.contract.Operations {
		if len(c.run.Operations) > 0 && !slices.Contains(c.run.Operations, op.Name) {
			continue
		}
		or := OperationReport{Name: op.Name, Steps: c.steps(op)}
		for _, s := range or.Steps {
			r.Counts[s.Verdict]++
		}
		or.Verdict = overall(or.Steps)
		r.Operations = append(r.Operations, or)
	}
	r.Verdict, r.Exit = c.verdict(r)
	return r
}

// steps judges one operation's steps in order; later ones may follow from
// earlier ones.
func (c *court) steps(op *contract.Operation) []Result {
	rule := rules{op}
	controlHistory := c.histories[[2]string{op.Name, ControlStep}]
	if controlHistory == nil {
		controlHistory = NewHistory(ControlStep)
	}
	controls := judgeControlSafely(op, rule, controlHistory)
	if c.trust["counter"] {
		controls = trusted(controls)
	}
	prior := map[string]bool{}
	shapes := sync.OnceValue(func() []shape { return c.shapes(op) })
	busy, fresh := c.busy()
	var out []Result
	lost := -1 // where the conflict step met records that a restart had taken
	for _, s := range Steps() {
		key := [2]string{op.Name, s.Name}
		if _, missing := s.Missing(c.contract, op); missing && c.histories[key] == nil && c.idle[key] == nil {
			continue // the contract does not enable it
		}
		if s.lacks != nil && len(c.run.Steps) > 0 && !slices.Contains(c.run.Steps, s.Name) {
			continue // the tool that made the trace did not know it
		}
		j := &judging{contract: c.contract, op: op, rules: rule, controls: controls,
			history: c.histories[key], prior: prior, strict: c.run.RequireEffects, trust: c.trust,
			shapes: shapes, busy: busy, fresh: fresh, worked: c.worked, planted: c.run.Planted, epoch: c.run.Epoch, asked: c.races()}
		res := c.step(s, j)
		for _, f := range res.Findings {
			prior[f.Slug] = true
		}
		if s.Name == crashStep.Name && res.Verdict == Pass && lost >= 0 && out[lost].Verdict == Pass {
			out[lost].Verdict, out[lost].Reasons = Inconclusive, append(out[lost].Reasons, contradicted(op))
			out[lost] = c.waive(op, out[lost])
		}
		if j.lost {
			lost = len(out)
		}
		out = append(out, c.waive(op, res))
	}
	return out
}

// shapes gives the shapes of an operation's accepted first answers, of every
// step: of operations that nothing interrupted.
func (c *court) shapes(op *contract.Operation) []shape {
	var out []shape
	rule := rules{op}
	for _, step := range append([]string{ControlStep}, StepNames()...) {
		h := c.histories[[2]string{op.Name, step}]
		if h == nil {
			continue
		}
		for _, t := range h.Trials {
			for _, x := range t.Exchanges {
				if firstLabels[x.Label] && rule.class(x).accepted {
					out = append(out, rule.shapeOf(x.Answer))
				}
			}
		}
	}
	return slices.Clip(out) // steps share it, and some add to it
}

// judgeControlSafely makes of a control that cannot be judged one that does
// not hold.
func judgeControlSafely(op *contract.Operation, r rules, h *History) (c Controls) {
	defer func() {
		if p := recover(); p != nil {
			c = Controls{Counted: counted(op), Why: "judging the control failed", Text: "judging the control failed"}
		}
	}()
	return judgeControl(op, r, h)
}

func (c *court) step(s Step, j *judging) (res Result) {
	j.result.Step = s.Name
	if idle := c.idle[[2]string{j.op.Name, s.Name}]; idle != nil {
		res := Result{Step: s.Name, Verdict: Inconclusive,
			Reasons: []Reason{{Text: idle.Text, Line: idle.Line, Settle: idle.Settle}}}
		if idle.Excused {
			res.Verdict = Skipped
		}
		return res
	}
	if j.history == nil {
		return Result{Step: s.Name, Verdict: Inconclusive,
			Reasons: []Reason{{Text: "the run ended before this step", Settle: "run it again to the end"}}}
	}
	defer func() {
		// "what crashed while judging is inconclusive": never a pass.
		if p := recover(); p != nil {
			res = Result{Step: s.Name, Verdict: Inconclusive, Reasons: []Reason{{Text: "judging failed", Settle: "report this trace"}}}
		}
	}()
	judge := s.judge
	if j.planted != nil {
		if judge = harvestJudges[s.Name]; judge == nil {
			judge = func(*judging) { j.unsure(0, "", "a harvest does not judge it") }
		}
	}
	judge(j)
	return j.finish()
}

// waive applies the contract's waivers: a fail stays, a waiver past its date
// is none.
func (c *court) waive(op *contract.Operation, r Result) Result {
	if r.Verdict != Inconclusive {
		return r
	}
	for _, w := range c.contract.Waive {
		if w.Step != r.Step || w.Operation != "" && w.Operation != op.Name {
			continue
		}
		if day, _, _ := strings.Cut(c.run.Began, "T"); day > w.Until {
			r.Reasons = append(r.Reasons, Reason{Text: "its waiver ended on " + w.Until, Line: w.Pos.Line, Settle: "settle it or renew the waiver"})
			continue
		}
		r.Verdict = Waived
		r.Reasons = append(r.Reasons, Reason{Text: "waived until " + w.Until + ": " + w.Reason, Line: w.Pos.Line})
		return r
	}
	return r
}

// overall is the verdict of several: fail beats inconclusive beats pass; what
// was skipped or waived does not count, and nothing at all is not run.
func overall(steps []Result) Verdict {
	v := NotRun
	for _, s := range steps {
		switch {
		case s.Verdict == Fail:
			return Fail
		case s.Verdict == Inconclusive:
			v = Inconclusive
		case s.Verdict == Pass && v == NotRun:
			v = Pass
		}
	}
	return v
}

// verdict gives the run's verdict and exit code: 130 beats 1 beats 4 beats 3
// beats 0 (contract-v1, Verdicts).
func (c *court) verdict(r *Report) (Verdict, int) {
	v := NotRun
	for _, op := range r.Operations {
		switch {
		case op.Verdict == Fail:
			v = Fail
		case op.Verdict == Inconclusive && v != Fail:
			v = Inconclusive
		case op.Verdict == Pass && v == NotRun:
			v = Pass
		}
	}
	switch {
	case r.Interrupted:
		return v, 130
	case v == Fail:
		return v, 1
	case !c.sent && c.refused:
		return v, 4
	case v != Pass:
		return v, 3
	}
	return v, 0
}

package probe

import (
	"fmt"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// Step is one step of the check.
type Step struct {
	Name  string
	What  string // one sentence for people
	plan  func(*builder)
	judge func(*judging)
}

// Steps gives the steps in the report's order: the six first, always.
func Steps() []Step {
	return []Step{duplicateStep, concurrentStep, conflictStep, reorderStep, crashStep, expiryStep}
}

// StepNames gives the names of all steps, in order.
func StepNames() []string {
	var out []string
	for _, s := range Steps() {
		out = append(out, s.Name)
	}
	return out
}

// Plan makes the step's plan for an operation. An idle plan says why.
func (s Step) Plan(op *contract.Operation, env Env) (*Plan, error) {
	b := newBuilder(op, s.Name, env)
	s.plan(b)
	return b.plan, b.err
}

// judging is one step's judgement under way.
type judging struct {
	contract *contract.Contract
	op       *contract.Operation
	rules    rules
	controls Controls
	history  *History
	prior    map[string]bool // slugs of findings of steps judged before
	strict   bool            // --require-effects
	result   Result
}

// unsure says why the step cannot be judged in some part.
func (j *judging) unsure(line int, settle, format string, args ...any) {
	j.result.Reasons = append(j.result.Reasons, Reason{Text: fmt.Sprintf(format, args...), Line: line, Settle: settle})
}

// unknown says that the contract leaves a promise open that the step needs.
func (j *judging) unknown(name string, pos contract.Pos) {
	j.unsure(pos.Line, "state promise."+name+" in the contract",
		"%s: promise.%s is not stated", j.contract.Where(pos), name)
}

// note adds what a person should know beside the verdict.
func (j *judging) note(format string, args ...any) {
	j.result.Notes = append(j.result.Notes, fmt.Sprintf(format, args...))
}

// measure adds a measured fact to the evidence.
func (j *judging) measure(name, format string, args ...any) {
	j.result.Evidence.Measures = append(j.result.Evidence.Measures, Measure{name, fmt.Sprintf(format, args...)})
}

// accuse adds a finding, unless the step has one of that id already.
func (j *judging) accuse(t *Trial, f Finding, pos contract.Pos, promise string) {
	f.Line = pos.Line
	f.Requirement = j.requirement(pos, promise)
	f.ID = f.Slug + "#" + j.op.Name
	if f.Case != "" {
		f.ID += "#" + f.Case
	}
	for _, known := range j.result.Findings {
		if known.ID == f.ID {
			return // seen already in this step: the first case tells it best
		}
	}
	if f.Exchanges == nil {
		for _, x := range t.Exchanges {
			f.Exchanges = append(f.Exchanges, *x)
		}
	}
	if f.Counts == nil {
		f.Counts = t.Counts
	}
	j.result.Findings = append(j.result.Findings, f)
}

// requirement quotes the contract's line and says what it means.
func (j *judging) requirement(pos contract.Pos, promise string) string {
	quoted := sourceLine(j.contract.Source, pos.Line)
	if quoted == "" {
		return promise
	}
	return fmt.Sprintf("%s `%s`: %s", j.contract.Where(pos), quoted, promise)
}

// sourceLine gives a line of the contract, from 1, without indentation and
// comment; empty where there is none.
func sourceLine(src []byte, n int) string {
	lines := strings.Split(string(src), "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(lines[n-1]), " #")
	return strings.TrimSpace(line)
}

// follows gives the slug if a step judged before has found it, else "".
func (j *judging) follows(slug string) string {
	if j.prior[slug] {
		return slug
	}
	return ""
}

// sound says that counts may be used.
func (j *judging) sound() bool { return j.controls.Counted && j.controls.Sound }

// counts reads a trial's counts and keeps them as evidence. Ok is false where
// one of them is missing or failed; the reason is said where a counter is sound.
func (j *judging) counts(t *Trial, before, after, settled string) (e Effects, ok bool) {
	if !j.sound() {
		return e, false
	}
	read := func(label string) int64 {
		c, good := t.Counted(label)
		if !good {
			ok = false
			why := c.Error
			if why == "" {
				why = "it was not read"
			}
			j.unsure(0, "see why the counter failed", "the counter gave nothing for %q in %s: %s", label, t.Name, why)
		}
		return c.N
	}
	ok = true
	e = Effects{Before: read(before), Unit: j.controls.Unit, CountedBy: string(j.op.Effects.Kind)}
	e.Settled = read(settled)
	e.After = e.Settled
	if after != "" {
		e.After = read(after)
	}
	if ok {
		j.result.Evidence.Effects = j.worse(e)
	}
	return e, ok
}

// worse keeps the counts that a person should see: the furthest from one unit.
func (j *judging) worse(e Effects) *Effects {
	old := j.result.Evidence.Effects
	if old == nil || off(e) > off(*old) {
		return &e
	}
	return old
}

func off(e Effects) int64 {
	d := e.Settled - e.Before - e.Unit
	if d < 0 {
		return -d
	}
	return d
}

// lapsed says that some request of a trial came later than the key's effective
// retention on this target: then nothing of it is evidence (contract-v1, Steps).
func (j *judging) lapsed(t *Trial) bool {
	atLeast, _, known := j.op.EffectiveRetention()
	if !known {
		return false
	}
	var first, last int64
	for _, x := range t.Exchanges {
		if x.Sent == nil || x.Label == "environment" {
			continue
		}
		if first == 0 || x.Sent.WriteBegan < first {
			first = x.Sent.WriteBegan
		}
		last = max(last, x.Sent.WriteEnded)
	}
	if time.Duration(last-first) < atLeast {
		return false
	}
	j.unsure(j.op.Promise.Retention.Pos.Line, "give the target a longer retention (expiry.wait), or run where it answers faster",
		"%s: requests went on for %s, longer than the key's retention of %s: that shows nothing",
		t.Name, time.Duration(last-first).Round(time.Millisecond), atLeast)
	return true
}

// first checks the request that a trial stands on. It is judged only by
// whether it was accepted: if not, the trial shows nothing.
func (j *judging) first(t *Trial, label string) (*Exchange, bool) {
	x := t.Last(label)
	if j.rules.accepted(x) {
		return x, true
	}
	if j.environmental(t, x) {
		return x, false
	}
	if x == nil {
		why := "the run ended before it"
		if len(t.Undone) > 0 {
			why = t.Undone[0]
		}
		j.unsure(0, "run the step again", "%s: the first request was not sent: %s", t.Name, why)
		return x, false
	}
	j.unsure(j.op.Request.Pos.Line, "make the contract's request one that the API accepts",
		"%s: the first request was not accepted: %s", t.Name, j.rules.describe(x))
	return x, false
}

// environmental applies the environment control to an exchange that met
// trouble, and says whether the environment did it.
func (j *judging) environmental(t *Trial, x *Exchange) bool {
	if x == nil || !j.rules.class(x).trouble {
		return false
	}
	others := t.Under("environment")
	if len(others) == 0 {
		return false
	}
	met := 0
	for _, o := range others {
		if j.rules.class(o).trouble {
			met++
		}
	}
	held := met == 0
	j.control("environment", held, "%d of %d requests under other keys met the same trouble (%s)", met, len(others), j.rules.describe(x))
	if !held {
		j.unsure(0, "run against a target that is not overloaded, or declare the answer in the contract",
			"%s: %s, and so did other keys: the environment did it", t.Name, j.rules.describe(x))
	}
	return !held
}

// control adds a control to the evidence.
func (j *judging) control(name string, held bool, format string, args ...any) {
	j.result.Evidence.Controls = append(j.result.Evidence.Controls, Control{name, held, fmt.Sprintf(format, args...)})
}

// finish turns findings and reasons into the verdict.
func (j *judging) finish() Result {
	r := &j.result
	j.counterControl()
	if !j.history.Whole && len(r.Findings) == 0 {
		j.unsure(0, "run it again to the end", "the run ended before the step was complete")
	}
	switch {
	case len(r.Findings) > 0:
		r.Verdict = Fail
	case len(r.Reasons) > 0:
		r.Verdict = Inconclusive
	default:
		r.Verdict = Pass
	}
	return *r
}

// counterControl shows the counter control and makes a pass without a sound
// counter what it is.
func (j *judging) counterControl() {
	c := j.controls
	if c.Counted {
		j.control("counter", c.Sound, "%s", c.Text)
		if !c.Sound {
			line := 0
			if j.op.Effects != nil {
				line = j.op.Effects.Pos.Line
			}
			j.unsure(line, "give a counter that counts every effect, or effects: responses",
				"the counter proves nothing: %s", c.Why)
		}
		return
	}
	j.note("by answers only: no counter of effects is declared")
	if j.strict {
		j.unsure(j.op.Pos.Line, "declare effects: http, command, sql or sink", "effects are required and none are counted")
	}
}

// list writes differences for a sentence.
func list(ds []difference) string {
	var parts []string
	for _, d := range ds {
		switch {
		case d.unknown:
			parts = append(parts, d.what)
		default:
			parts = append(parts, fmt.Sprintf("%s was %s, now %s", d.what, d.a, d.b))
		}
	}
	return strings.Join(parts, "; ")
}

// told splits differences into those that are shown and those that the trace
// cannot tell.
func told(ds []difference) (shown []difference, unknown bool) {
	for _, d := range ds {
		if d.unknown {
			unknown = true
			continue
		}
		shown = append(shown, d)
	}
	return shown, unknown
}

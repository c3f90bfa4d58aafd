package probe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Step is one step of the check.
type Step struct {
	Name  string
	What  string // one sentence for people
	plan  func(*builder)
	judge func(*judging)

	// lacks says what the contract would have to give for the step to run; its
	// Text is empty where nothing is missing. Extended steps only: the six are
	// always planned, and say in their plan why they are idle.
	lacks func(*contract.Contract, *contract.Operation) Reason
}

// Steps gives the steps in the report's order: the six first, always, then the
// extended ones, which run "wherever the contract gives what they need"
// (contract-v1, Steps).
func Steps() []Step {
	six := []Step{duplicateStep, concurrentStep, conflictStep, reorderStep, crashStep, expiryStep}
	return append(six, extendedSteps()...)
}

// extendedSteps gives the extended steps in the order of contract.ExtendedSteps.
func extendedSteps() []Step {
	return []Step{
		slowStep, disconnectStep, outcomeStep,
		missingKeyStep, bindingStep, scopeStep,
		fidelityStep,
		keyRulesStep, replicasStep, storeDownStep,
	}
}

// Missing says what the contract does not give for the step to run on an
// operation. One of the six lacks nothing: it is always in the report.
func (s Step) Missing(c *contract.Contract, op *contract.Operation) (Reason, bool) {
	if s.lacks == nil {
		return Reason{}, false
	}
	r := s.lacks(c, op)
	return r, r.Text != ""
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
	b.plan.planLast()
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
	shapes   func() []shape  // of the operation's first answers, in all steps
	busy     []busyMoment    // of the whole run
	worked   []working       // of the whole run: when new operations were sent and answered
	fresh    int             // new keys that were answered in the whole run
	strict   bool            // --require-effects
	planted  *trace.Planted  // of a harvest; nil: the run is judged by itself
	epoch    string          // of a harvest: the wall clock when the run's was 0
	asked    trace.Races     // how races were to be run, where flags said it
	accused  int             // accusations made, those that a finding tells already included
	result   Result

	lost   bool            // conflict: a restart took the records with it
	proved map[string]bool // conflict: changes that are accepted under keys of their own, and whether nothing was found of them
	trust  map[string]bool // controls that are believed unseen: for tests of what they are for
}

// trusts says that a control is believed without looking.
func (j *judging) trusts(control string) bool { return j.trust[control] }

// unsure says why the step cannot be judged in some part, each reason once.
func (j *judging) unsure(line int, settle, format string, args ...any) {
	r := Reason{Text: fmt.Sprintf(format, args...), Line: line, Settle: settle}
	if !slices.Contains(j.result.Reasons, r) {
		j.result.Reasons = append(j.result.Reasons, r)
	}
}

// unknown says that the contract leaves a promise open that the step needs.
func (j *judging) unknown(name string, pos contract.Pos) {
	j.unsure(pos.Line, stating(name), "%s: promise.%s is not stated", j.contract.Where(pos), name)
}

// stating says how a promise is stated that the contract leaves open.
func stating(name string) string {
	forms := map[string]string{
		"duplicate":   "replay, current or an answer such as {status: [409], link: /links/id}",
		"conflict":    "an answer such as {status: [422]}, replay or execute",
		"in_flight":   "{wait: true}, or an answer such as {status: [409]}",
		"reorder":     "semantic, bytes or any",
		"missing_key": "an answer such as {status: [400]}, or execute",
		"binding":     "independent, conflict or replay",
		"retention":   "a duration, or {at_least: 24h, at_most: 25h}",
		"lease":       "a duration such as 30s",
	}
	return "state promise." + name + ": " + forms[name]
}

// note adds what a person should know beside the verdict.
func (j *judging) note(format string, args ...any) {
	j.result.Notes = append(j.result.Notes, fmt.Sprintf(format, args...))
}

// measure adds a measured fact to the evidence, with the sentence that a person
// is told; an empty one tells nothing.
func (j *judging) measure(name, value, sentence string) {
	j.result.Evidence.Measures = append(j.result.Evidence.Measures, Measure{name, value, sentence})
}

// accuse adds a finding, one for each slug with its cases named: twenty fields
// that the fingerprint leaves out are one fault. A case that stands for itself
// tells more than one that follows from another finding, and takes its place.
func (j *judging) accuse(t *Trial, f Finding, pos contract.Pos, promise string) {
	j.accused++
	f.Line = pos.Line
	f.Requirement = j.requirement(pos, promise)
	f.ID = f.Slug + "#" + j.op.Name
	if f.Case != "" {
		f.ID += "#" + f.Case
	}
	if f.Exchanges == nil {
		for _, x := range t.Exchanges {
			f.Exchanges = append(f.Exchanges, *x)
		}
	}
	if f.Counts == nil {
		f.Counts = t.Counts
	}
	for i := range j.result.Findings {
		known := &j.result.Findings[i]
		if known.Slug != f.Slug {
			continue
		}
		if known.Follows != "" && f.Follows == "" {
			f.Also = append(known.Also, known.Case)
			*known = f
		} else if f.Case != known.Case && !slices.Contains(known.Also, f.Case) {
			known.Also = append(known.Also, f.Case)
		}
		return
	}
	j.result.Findings = append(j.result.Findings, f)
}

// examined keeps a case of the step with what its judgement came to: what was
// accused or left unsure since before.
func (j *judging) examined(c Case, before mark) {
	switch {
	case j.accused > before.accused:
		c.Verdict = Fail
	case len(j.result.Reasons) > before.reasons:
		c.Verdict = Inconclusive
	case c.Verdict == "":
		c.Verdict = Pass
	}
	j.result.Cases = append(j.result.Cases, c)
}

// tried judges a trial that the contract asks for as a case of the step. Judge
// says in a few words what was seen of it.
func (j *judging) tried(name string, judge func(*Trial) string) {
	before := j.mark()
	c := Case{Name: name}
	if t := j.history.known(name); t != nil {
		c.Text = judge(t)
	} else {
		j.unsure(0, "run it again to the end", "%s: the run ended before it", name)
	}
	j.examined(c, before)
}

// mark is how far a judgement has come.
type mark struct{ accused, reasons int }

func (j *judging) mark() mark { return mark{j.accused, len(j.result.Reasons)} }

// requirement quotes the contract's line and says what it means.
func (j *judging) requirement(pos contract.Pos, promise string) string {
	if c := j.contract; c.Profile != "" && pos == c.ProfileAt {
		return fmt.Sprintf("%s `profile %s`: %s", c.Where(pos), c.Profile, promise)
	}
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

// followsDuplicate gives the slug of what the duplicate step found of answers,
// else "": where the replay itself is wrong, so is every other one.
func (j *judging) followsDuplicate() string {
	for _, slug := range []string{"duplicate/other-answer", "duplicate/refused", "duplicate/not-refused"} {
		if j.prior[slug] {
			return slug
		}
	}
	return ""
}

// control adds a control to the evidence, once.
func (j *judging) control(name string, held bool, format string, args ...any) {
	c := Control{name, held, fmt.Sprintf(format, args...)}
	if !slices.Contains(j.result.Evidence.Controls, c) {
		j.result.Evidence.Controls = append(j.result.Evidence.Controls, c)
	}
}

// finish turns findings and reasons into the verdict.
func (j *judging) finish() Result {
	r := &j.result
	j.counterControl()
	j.environmentControl()
	j.measureInstances()
	if !j.history.Whole && len(r.Findings) == 0 {
		j.unsure(0, "run it again to the end", "%s", "the run ended before the step was complete"+j.lastUndone())
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

// lastUndone gives the last reason why an action of the plan was not carried out,
// for the end of a sentence.
func (j *judging) lastUndone() string {
	for _, t := range slices.Backward(j.history.Trials) {
		if n := len(t.Undone); n > 0 {
			return ": " + t.Undone[n-1]
		}
	}
	return ""
}

// counterControl shows the counter control and makes a pass without a sound
// counter what it is.
func (j *judging) counterControl() {
	c := j.controls
	if c.Counted {
		j.control("counter", c.Sound, "%s", c.Text)
		if !c.Sound && !c.Answers {
			// No counter can count what was never done.
			settle := "make the contract's request one that the API accepts, also with the same values under another key"
			if c.HTTP2 {
				settle = ifHTTP2Alone
			}
			j.unsure(j.op.Request.Pos.Line, settle, "%s", c.Why)
		} else if !c.Sound && c.Late {
			j.unsure(j.op.Promise.Retention.Pos.Line, longerRetention, "%s", c.Why)
		} else if !c.Sound {
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

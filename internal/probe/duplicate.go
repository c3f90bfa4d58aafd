package probe

import (
	"fmt"
	"slices"
)

// duplicateStep sends one request, then the same bytes again twice: once at
// once, once after the effects have settled.
var duplicateStep = Step{
	Name:  "duplicate",
	What:  "the same request sent again gets the promised answer and has no second effect",
	plan:  planDuplicate,
	judge: judgeDuplicate,
}

func planDuplicate(b *builder) {
	op := b.make("first")
	first := b.freeze("first", op, "")
	b.thread("duplicate", join(
		b.count("before", op),
		[]Action{comeBack("first", first, patience(b.op))},
		b.above("after-first", "before", op),
		[]Action{comeBack("retry", first, patience(b.op)), b.environmentOf("duplicate", "environment-retry", 2, NoHold, "first", "retry")},
		b.count("after-retry", op),
		b.settled("settled-retry", op),
		[]Action{comeBack("again", first, patience(b.op)), b.environment("duplicate", 2, NoHold, "again")},
		b.settled("settled", op),
	)...)
}

func judgeDuplicate(j *judging) {
	t := j.history.Trial("duplicate")
	p := j.op.Promise
	if !p.Duplicate.Known {
		j.unknown("duplicate", p.Duplicate.Pos)
		return
	}
	first, ok := j.first(t, "first")
	if !ok {
		return
	}
	j.tellable()
	wrong := j.duplicateEffects(t)
	if x := j.retryInTime(t, "retry"); x != nil {
		j.judgeRetry(t, "retry", first, x, wrong, "after-retry", "again")
		if x = j.retryInTime(t, "again"); x != nil {
			j.judgeRetry(t, "again", first, x, wrong, "settled")
		}
	}
	if j.rules.marked(first) && first.Attempt == 0 && p.Duplicate.Value.Mode != "current" {
		j.accuse(t, Finding{Slug: "duplicate/marker-on-first", Expected: "no " + p.Marker.Header + " on a first answer",
			Actual: p.Marker.Header + ": " + p.Marker.Value + " stands on it"}, p.Marker.Pos,
			"the replay marker stands on every replay and on no first answer")
	}
	sent := len(t.Under("first")) + len(t.Under("retry")) + len(t.Under("again"))
	j.measure("requests", fmt.Sprintf("%d with one key", sent), fmt.Sprintf("the same request was sent %d times", sent))
}

// retryInTime gives what a label's request got while its key was remembered for
// certain, nil where the reason is said why there is none. An answer that told
// its caller to come back, which could be done only too late, is not the last
// word; one that began too late may be of a key that was forgotten meanwhile.
func (j *judging) retryInTime(t *Trial, label string) *Exchange {
	sent, began := t.Under(label), t.Under("first")[0]
	if len(sent) == 0 {
		j.unsure(0, "run the step again", "the %s was not sent", label)
		return nil
	}
	x, last := j.sentInTime(t, began, label), sent[len(sent)-1]
	switch {
	case x == nil:
	case x != last && j.rules.unsettled(x) && !j.hangs(t, x):
		j.lapsedAfter(t, last.later(began))
		return nil
	case x.Whole() && j.forgettable(began, x.ended(began)):
		j.lapsedAfter(t, x.ended(began))
		return nil
	}
	return x
}

// duplicateEffects judges the counts that were read before any request was at
// work later than the key's effective retention.
func (j *judging) duplicateEffects(t *Trial) string {
	late := func(label string) bool {
		began := t.Under("first")[0]
		return slices.ContainsFunc(t.Under(label), func(x *Exchange) bool {
			return j.forgettable(began, max(x.later(began), x.ended(began)))
		})
	}
	switch {
	case late("retry"):
		if e, ok := j.counts(t, "before", "after-retry", "settled"); !ok || e.Settled-e.Before >= e.Unit {
			return "" // what came late may run; it takes no effect away
		}
	case late("again"):
		return j.ranOnce(t, "duplicate", "before", "after-retry", "settled-retry")
	}
	return j.ranOnce(t, "duplicate", "before", "after-retry", "settled")
}

// ranOnce judges the counts of a trial that must show one operation's effect,
// and gives the slug of what they show to be wrong; "" where nothing is.
func (j *judging) ranOnce(t *Trial, step, before, after, settled string) string {
	e, ok := j.counts(t, before, after, settled)
	made := e.Settled - e.Before
	if !ok || made == e.Unit {
		return ""
	}
	f := Finding{Slug: step + "/effect-ran-twice", Expected: "effects for one operation: " + itoa(e.Unit), Actual: "effects counted: " + itoa(made)}
	promise := "requests that share a key and a body have one effect together"
	if made < e.Unit {
		f.Slug, promise = step+"/effect-missing", "an operation that was answered as done has its effect"
	}
	j.accuse(t, f, j.op.Promise.Duplicate.Pos, promise)
	return f.Slug
}

// judgeRetry judges one answer that should be the duplicate's. Where the
// counts are wrong already, what the answer shows follows from that. Next are
// the labels that come after it in the plan.
func (j *judging) judgeRetry(t *Trial, label string, first, x *Exchange, wrong string, next ...string) {
	if !j.final(t, x, next...) || j.environmental(t, x) {
		return
	}
	p := j.op.Promise
	c := j.rules.class(x)
	f := Finding{Case: label, Expected: j.expectedDuplicate(), Actual: j.rules.describe(x), Follows: wrong}
	ds := j.rules.replay(first, x)
	shown := j.shown(ds)
	switch {
	case len(ds) == 0:
		j.judgeMarker(t, label, x, wrong)
		return
	case len(shown) == 0:
		return
	case c.none:
		f.Slug = "duplicate/refused"
	case p.Duplicate.Value.Mode == "answer":
		f.Slug, f.Actual = "duplicate/not-refused", f.Actual+noLink(shown)
	case !c.welcome && !c.duplicate:
		f.Slug = "duplicate/refused"
	default:
		f.Slug, f.Actual = "duplicate/other-answer", list(shown)
	}
	j.accuse(t, f, p.Duplicate.Pos, "a second request with the same key and body gets the promised answer")
}

// noLink says that it is only the link that is missing.
func noLink(shown []difference) string {
	if len(shown) == 1 && shown[0].what != "answer" {
		return ", without a " + shown[0].what
	}
	return ""
}

func (j *judging) judgeMarker(t *Trial, label string, x *Exchange, wrong string) {
	p := j.op.Promise
	if p.Marker == nil || p.Duplicate.Value.Mode != "replay" || j.rules.marked(x) {
		return
	}
	j.accuse(t, Finding{Slug: "duplicate/marker-missing", Case: label, Follows: wrong,
		Expected: p.Marker.Header + ": " + p.Marker.Value, Actual: "the replay does not carry it"}, p.Marker.Pos,
		"the replay marker stands on every replay")
}

func (j *judging) expectedDuplicate() string {
	switch d := j.op.Promise.Duplicate.Value; d.Mode {
	case "replay":
		return "the first answer again"
	case "current":
		return "the same resource in its present state"
	default:
		if d.Link != "" {
			return d.Match.String() + " with a link at " + d.Link
		}
		return d.Match.String()
	}
}

package probe

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
		b.appear("after-first", op),
		[]Action{comeBack("retry", first, patience(b.op))},
		b.count("after-retry", op),
		b.settled("settled-retry", op),
		[]Action{comeBack("again", first, patience(b.op))},
		b.settled("settled", op),
		[]Action{b.environment("duplicate", 2, NoHold, "first", "retry", "again")},
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
	if !ok || j.lapsed(t) {
		return
	}
	ran := j.ranOnce(t, "duplicate", "before", "after-retry", "settled", "")
	for _, label := range []string{"retry", "again"} {
		x := t.Last(label)
		if x == nil {
			j.unsure(0, "run the step again", "the %s was not sent", label)
			continue
		}
		if j.environmental(t, x) {
			continue
		}
		j.judgeRetry(t, "duplicate", label, first, x, ran)
	}
	if j.rules.marked(first) && first.Attempt == 0 && p.Duplicate.Value.Mode != "current" {
		j.accuse(t, Finding{Slug: "duplicate/marker-on-first", Expected: "no " + p.Marker.Header + " on a first answer",
			Actual: p.Marker.Header + ": " + p.Marker.Value + " stands on it"}, p.Pos,
			"the replay marker stands on every replay and on no first answer")
	}
	j.measure("requests", "%d with one key", len(t.Under("first"))+len(t.Under("retry"))+len(t.Under("again")))
}

// ranOnce judges the counts of a trial that must show one operation's effect,
// and says whether they did (or could not be used).
func (j *judging) ranOnce(t *Trial, step, before, after, settled, caseName string) bool {
	e, ok := j.counts(t, before, after, settled)
	if !ok {
		return true
	}
	p := j.op.Promise
	made := e.Settled - e.Before
	f := Finding{Case: caseName, Expected: "effects for one operation: " + itoa(e.Unit), Actual: "effects counted: " + itoa(made)}
	switch {
	case made > e.Unit:
		f.Slug = step + "/effect-ran-twice"
		if step == "conflict" || step == "reorder" || step == "crash" {
			f.Follows = j.follows("duplicate/effect-ran-twice")
		}
		j.accuse(t, f, p.Duplicate.Pos, "requests that share a key and a body have one effect together")
		return false
	case made < e.Unit:
		f.Slug = step + "/effect-missing"
		j.accuse(t, f, p.Duplicate.Pos, "an operation that was answered as done has its effect")
		return false
	}
	return true
}

// judgeRetry judges one answer that should be the duplicate's. Where the
// effect ran again, a differing answer follows from that.
func (j *judging) judgeRetry(t *Trial, step, label string, first, x *Exchange, ran bool) {
	p := j.op.Promise
	c := j.rules.class(x)
	f := Finding{Expected: j.expectedDuplicate(), Actual: j.rules.describe(x)}
	if !ran {
		f.Follows = step + "/effect-ran-twice"
	}
	requirement := "a second request with the same key and body gets the promised answer"
	ds := j.rules.replay(first, x)
	shown, unknown := told(ds)
	switch {
	case len(shown) == 0 && unknown:
		j.unsure(0, "declare compare: bytes, or ignore pointers", "the answers are longer than the trace keeps: they differ, where is not told")
	case len(shown) == 0:
		j.judgeMarker(t, step, label, x)
	case p.Duplicate.Value.Mode == "answer":
		f.Slug = step + "/not-refused"
		j.accuse(t, f, p.Duplicate.Pos, requirement)
	case !x.Whole() || c.inFlight || c.conflict || x.Answer.Status >= 400:
		f.Slug = step + "/refused"
		j.accuse(t, f, p.Duplicate.Pos, requirement)
	default:
		f.Slug, f.Actual = step+"/other-answer", list(shown)
		j.accuse(t, f, p.Duplicate.Pos, requirement)
	}
}

func (j *judging) judgeMarker(t *Trial, step, label string, x *Exchange) {
	p := j.op.Promise
	if p.Marker == nil || p.Duplicate.Value.Mode != "replay" || j.rules.marked(x) {
		return
	}
	j.accuse(t, Finding{Slug: step + "/marker-missing", Case: label,
		Expected: p.Marker.Header + ": " + p.Marker.Value, Actual: "the replay does not carry it"}, p.Pos,
		"the replay marker stands on every replay")
}

func (j *judging) expectedDuplicate() string {
	switch d := j.op.Promise.Duplicate.Value; d.Mode {
	case "replay":
		return "the first answer again"
	case "current":
		return "the same resource in its present state"
	default:
		return d.Match.String()
	}
}

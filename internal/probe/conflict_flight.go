package probe

import "cmp"

// flightRounds is how often a change races its original: once for each of the
// first changes that are no fresh value's.
const flightRounds = 2

// flightName names the trial of a race, from 0.
func flightName(i int) string { return "in-flight-" + itoa(int64(i+1)) }

// planInFlight releases original and changed request together: "when body and
// key differ in flight, the in-flight and the conflict answers are both legal"
// (contract-v1, Steps), and nothing else is. A server may compare what it has
// stored and hand a waiting copy the other's result.
func (b *builder) planInFlight(ms []mutation) []laneTrial {
	var out []laneTrial
	for _, m := range ms {
		if m.leaf == nil || m.fresh != nil || len(out) == flightRounds {
			continue
		}
		trial := flightName(len(out))
		c := b.freezeChange(trial, m)
		out = append(out, laneTrial{trial: trial, body: join(
			b.count("before", c.original),
			[]Action{
				comeBack("control", c.controlID, patience(b.op)),
				Burst{Label: "race", Requests: []string{c.originalID, c.changedID}, Hold: HoldBody},
				b.environment(trial, 2, HoldBody, "race"),
			},
			b.above("after-race", "before", c.original),
		), look: b.count("settled", c.original)})
	}
	return out
}

// judgeInFlight judges one race. What shows nothing is not told of: the same
// change is tried one after another too.
func (j *judging) judgeInFlight(t *Trial) {
	race := t.Under("race")
	if len(race) != 2 || race[0].Copy == race[1].Copy || j.late(t) {
		return
	}
	original, changed := race[0], race[1]
	if original.Copy > changed.Copy {
		original, changed = changed, original
	}
	name := "in flight"
	if changed.Request != nil {
		name = changed.Request.Change + ", in flight"
	}
	before := j.mark()
	c := Case{Name: name}
	if why := j.mutationControl(t, "the changed body"); why != "" {
		c.Verdict, c.Text = Inconclusive, why
	} else {
		j.judgeFlight(t, name, original, changed)
	}
	j.examined(c, before)
}

func (j *judging) judgeFlight(t *Trial, name string, original, changed *Exchange) {
	p := j.op.Promise
	one, other := j.rules.class(original), j.rules.class(changed)
	f := Finding{Case: name, Expected: "one of both gets a result, the other " + p.Conflict.Value.Match.String() + " or in flight",
		Actual:  "the original " + j.rules.describe(original) + ", the changed one " + j.rules.describe(changed),
		Follows: cmp.Or(j.follows("duplicate/effect-ran-twice"), j.follows("concurrent/effect-ran-twice"), j.follows("concurrent/results-differ"))}
	const promise = "two bodies in flight under one key are one operation and one refusal"
	if e, ok := j.counts(t, "before", "after-race", "settled"); ok && e.Settled-e.Before > e.Unit {
		f.Slug, f.Actual = "conflict/changed-body-ran", f.Actual+", and effects rose by "+itoa(e.Settled-e.Before)
		j.accuse(t, f, p.Conflict.Pos, promise)
		return
	}
	switch {
	case one.welcome && other.welcome:
		f.Slug = "conflict/first-result-returned"
		if shown, _ := told(j.rules.differences(original, changed)); len(shown) > 0 && !j.sound() {
			f.Slug = "conflict/changed-body-ran"
		}
		j.accuse(t, f, p.Conflict.Pos, promise)
	case one.welcome:
		j.judgeFlightLoser(t, f, changed)
	case other.welcome:
		j.judgeFlightLoser(t, f, original)
	}
}

// judgeFlightLoser judges the answer that is no result.
func (j *judging) judgeFlightLoser(t *Trial, f Finding, x *Exchange) {
	c := j.rules.class(x)
	if c.conflict || c.inFlight || c.none || j.environmental(t, x) || !j.op.Promise.InFlight.Known && j.rules.blocked(x) {
		return
	}
	f.Slug, f.Follows = "conflict/wrong-answer", cmp.Or(f.Follows, j.follows("concurrent/loser-error"))
	if c.duplicate {
		f.Slug = "conflict/first-result-returned"
	}
	j.accuse(t, f, j.op.Promise.Conflict.Pos, "two bodies in flight under one key are one operation and one refusal")
}

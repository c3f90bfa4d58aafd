package probe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/trace"
)

func judgeReplicas(j *judging) {
	if !j.op.Promise.Duplicate.Known {
		j.unknown("duplicate", j.op.Promise.Duplicate.Pos)
		return
	}
	j.tellable()
	replicas := len(j.contract.Target.BaseURLs)
	for _, w := range journeys(replicas) {
		before := j.mark()
		j.judgeJourney(j.history.Trial(w.name()))
		j.examined(Case{Name: w.name()}, before)
	}
	for _, name := range []string{acrossConflict, backConflict} {
		t := j.history.known(name)
		if t == nil {
			continue
		}
		before := j.mark()
		j.judgeAcross(t)
		j.examined(Case{Name: name}, before)
	}
	var tally raceTally
	for _, r := range splits(replicas) {
		t := j.history.Trial(r.name)
		before := j.mark()
		r.copies = len(t.Under("race"))
		tally.add(t.Under("race"))
		c := Case{Name: r.name}
		if j.judgeRound(t, r, &tally) {
			tally.overlapped++
		} else {
			c.Text = "its copies did not overlap"
		}
		j.examined(c, before)
	}
	j.judgeLost(&tally)
	j.measureRaces(&tally)
	if tally.overlapped == 0 && len(j.result.Findings) == 0 {
		j.unsure(0, "give the operation work to do, or run nearer to the target",
			"no round overlapped: each copy was answered before the other was written")
	}
	j.reached(replicas)
}

// judgeJourney judges a key that went to one replica, to another and back.
func (j *judging) judgeJourney(t *Trial) {
	first, ok := j.first(t, "first")
	if !ok || j.lapsed(t) {
		return
	}
	retry, back := t.Last("retry"), t.Last("back")
	if retry == nil || back == nil {
		j.unsure(0, "run the step again", "%s: not all requests were sent", t.Name)
		return
	}
	wrong := ""
	if e, ok := j.counts(t, "before", "", "settled"); ok && e.Settled-e.Before != e.Unit {
		f := Finding{Slug: "replicas/effect-ran-twice", Case: t.Name, Follows: j.follows("duplicate/effect-ran-twice"),
			Expected: "effects for one operation: " + itoa(e.Unit), Actual: "effects counted: " + itoa(e.Settled-e.Before)}
		if e.Settled-e.Before < e.Unit {
			f.Slug, f.Follows = "replicas/effect-missing", j.follows("duplicate/effect-missing")
		}
		wrong = f.Slug
		j.accuse(t, f, j.op.Promise.Duplicate.Pos, "replicas share what they know of a key")
	}
	for _, x := range []*Exchange{retry, back} {
		if !j.final(t, x, "back", "settled") || j.environmental(t, x) {
			continue
		}
		differences := j.rules.replay(first, x)
		if m := j.op.Promise.Marker; m != nil && len(differences) == 0 && j.op.Promise.Duplicate.Value.Mode == "replay" && !j.rules.marked(x) {
			differences = []difference{{what: "the marker " + m.Header, a: "promised on every replay", b: "absent"}}
			wrong = cmp.Or(wrong, j.follows("duplicate/marker-missing"))
		}
		shown := j.shown(differences)
		if len(shown) == 0 {
			continue
		}
		f := Finding{Slug: "replicas/other-answer", Case: t.Name, Expected: j.expectedDuplicate(), Actual: list(shown),
			Follows: cmp.Or(wrong, j.followsDuplicate())}
		if c := j.rules.class(x); c.none || !c.welcome {
			f.Slug, f.Actual = "replicas/refused", j.rules.describe(x)
		}
		j.accuse(t, f, j.op.Promise.Duplicate.Pos, "every replica gives a key's result")
	}
}

// judgeAcross judges another body under a key that another replica has seen.
func (j *judging) judgeAcross(t *Trial) {
	first, ok := j.first(t, "first")
	if !ok || j.lapsed(t) {
		return
	}
	changed, again, warm := t.Last("changed"), t.Last("again"), t.Last("changed-again")
	if changed == nil || again == nil {
		j.unsure(0, "run the step again", "%s: not all requests were sent", t.Name)
		return
	}
	if !j.final(t, changed, "again", "settled") || j.environmental(t, changed) {
		return
	}
	if j.rules.class(changed).conflict && warm.Whole() && !j.rules.class(warm).conflict && !j.environmental(t, warm) {
		changed = warm // refused until the replica had replayed the result
	}
	var follows string
	for _, slug := range []string{"conflict/changed-body-ran", "conflict/first-result-returned", "conflict/wrong-answer"} {
		follows = cmp.Or(follows, j.follows(slug))
	}
	p := j.op.Promise.Conflict
	f := Finding{Slug: "replicas/conflict-not-seen", Case: t.Name, Follows: follows, Expected: p.Value.Match.String(), Actual: j.rules.describe(changed)}
	before, ok1 := t.Counted("changed-before")
	after, ok2 := t.Counted("settled-changed")
	ran := j.sound() && ok1 && ok2 && after.N > before.N
	if ran {
		f.Actual += fmt.Sprintf(", and effects rose by %d", after.N-before.N)
	}
	if ran || !j.rules.class(changed).conflict {
		j.accuse(t, f, p.Pos, "the same key with another body is refused as declared, at whichever replica")
		return
	}
	if j.final(t, again, "settled") && !j.environmental(t, again) {
		if shown := j.shown(j.rules.replay(first, again)); len(shown) > 0 {
			j.accuse(t, Finding{Slug: "replicas/other-answer", Case: t.Name, Expected: j.expectedDuplicate(), Actual: list(shown),
				Follows: cmp.Or(j.followsDuplicate(), j.toldAlready("replicas/effect-ran-twice"))}, j.op.Promise.Duplicate.Pos, "every replica gives a key's result")
		}
	}
}

// toldAlready gives the slug where the step has a finding of it.
func (j *judging) toldAlready(slug string) string {
	if slices.ContainsFunc(j.result.Findings, func(f Finding) bool { return f.Slug == slug }) {
		return slug
	}
	return ""
}

// reached tells which instances answered, where answers tell.
func (j *judging) reached(replicas int) {
	name := j.contract.Target.Instance
	if name == "" {
		j.note("answers do not tell who gave them (target.instance): %d base URLs are taken for as many replicas", replicas)
		return
	}
	seen := map[string]bool{}
	for _, t := range j.history.Trials {
		for _, x := range t.Exchanges {
			if !x.Whole() {
				continue
			}
			for _, v := range trace.Get(x.Answer.Header, name) {
				seen[v] = true
			}
		}
	}
	names := slices.Sorted(maps.Keys(seen))
	if len(names) == 0 {
		j.note("no answer has %s (target.instance): %d base URLs are taken for as many replicas", name, replicas)
		return
	}
	j.measure("instances", fmt.Sprintf("%d: %s", len(names), strings.Join(names, ", ")), some(len(names), "instance", "instances")+" answered")
	if len(names) < 2 {
		j.unsure(j.contract.Target.Pos.Line, "give base URLs that lead to different replicas",
			"all answers come from one instance, by %s: %s", name, strings.Join(names, ", "))
	}
}

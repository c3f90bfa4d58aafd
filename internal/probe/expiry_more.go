package probe

import (
	"cmp"
	"slices"
	"strconv"
)

// What expiry asks beside one key at one instance: of a key that met a
// conflict early, and of replicas, whose clocks and settings are their own.

// conflictedTrial is of the key that meets another body soon after its first
// request: a conflict neither extends a retention nor shortens it.
const conflictedTrial = "retained after a conflict"

// retainedAt names the trial whose key is tried at another replica, from 1.
func retainedAt(replica int) string {
	return "retained, tried at replica " + strconv.Itoa(replica+1)
}

// retaining is one way to try a key shortly before its retention ends and,
// where that is promised, once more after it.
type retaining struct {
	trial     string
	home      string // where its first request goes
	there     string // where the later ones do
	conflict  bool   // another body comes early
	afterward bool   // the end is passed too
}

// planFurther plans them.
func (b *builder) planFurther(s spans, target string) {
	afterward := s.atMost > 0
	if _, ok := b.conflicting(); ok {
		b.planRetaining(s, retaining{trial: conflictedTrial, home: target, there: target, conflict: true, afterward: afterward})
	}
	if b.env.Contract == nil || target != "" {
		return
	}
	for i := 1; i < min(len(b.env.Contract.Target.BaseURLs), mostReplicas); i++ {
		// Whether a hook moves every replica's clock on nobody knows: a key that
		// is still remembered shows nothing then.
		b.planRetaining(s, retaining{trial: retainedAt(i), there: numbered(i), afterward: afterward && len(b.op.Expiry.Advance) == 0})
	}
}

// conflicted freezes the request of a key that is retained, and plans the
// conflict that comes early where one does.
func (b *builder) conflicted(w retaining) (op *made, id string, met []Action) {
	if !w.conflict {
		op = b.make(w.trial)
		return op, b.freeze(w.trial, op, ""), nil
	}
	m, _ := b.conflicting()
	c := b.freezeChange(w.trial, m)
	met = join([]Action{
		comeBackAt("control", c.controlID, w.there, patience(b.op)),
		settlingConflict(comeBackAt("changed", c.changedID, w.there, patience(b.op)))},
		b.count("control-effects", c.control), b.count("after-changed", c.original))
	return c.original, c.originalID, met
}

// conflicting gives the change that makes the conflict: where the contract
// names its answer, another fresh value, else another of one value.
func (b *builder) conflicting() (mutation, bool) {
	p := b.op.Promise.Conflict
	if !p.Known || p.Value.Mode != "answer" {
		return mutation{}, false
	}
	ms, err := mutations(b.op, b.env.Seed)
	b.fail(err)
	var one *mutation
	for i, m := range ms {
		if m.advisory || m.base != nil {
			continue
		}
		if m.fresh != nil {
			return m, true
		}
		if one == nil && m.leaf != nil {
			one = &ms[i]
		}
	}
	if one == nil {
		return mutation{}, false
	}
	return *one, true
}

// judgeFurther judges them. Forgotten says that a key which nothing touched is.
func (j *judging) judgeFurther(s spans, forgotten bool) {
	if t := j.history.known(conflictedTrial); t != nil && j.metConflict(t) {
		j.judgeRetained(t, s, forgotten, touched{name: "after a conflict", slug: "expiry/extended-by-conflict"})
	}
	for i := 1; i < mostReplicas; i++ {
		if t := j.history.known(retainedAt(i)); t != nil {
			j.judgeRetained(t, s, forgotten, touched{name: "at replica " + strconv.Itoa(i+1), slug: "expiry/never-forgets",
				unended: len(j.op.Expiry.Advance) > 0})
		}
	}
}

// touched says what came to a key that was left alone otherwise.
type touched struct {
	name    string // of the case; empty: a replay within the retention
	slug    string // of a key that is remembered too long because of it
	unended bool   // the retention's end was not passed there
}

// at adds the case to words.
func (by touched) at(words string) string {
	if by.name == "" {
		return words
	}
	return words + ", " + by.name
}

// followsConflict gives what was found before of keys that met a conflict, else "".
func (j *judging) followsConflict(by touched) string {
	if by.slug != "expiry/extended-by-conflict" {
		return ""
	}
	return cmp.Or(j.follows("conflict/effect-ran-twice"), j.follows("conflict/record-replaced"), j.follows("conflict/changed-body-ran"))
}

// extended accuses of a key that is remembered too long, where one that nothing
// touched is forgotten.
func (j *judging) extended(t *Trial, s spans, by touched) {
	from := j.op.Promise.Retention.Value.From
	f := Finding{Slug: by.slug, Case: by.name, Expected: "forgotten " + s.atMost.String() + " after " + from,
		Actual: by.at("the first result, after a replay within the retention")}
	const replayed = "expiry/extended-by-replay"
	if by.slug != replayed && slices.ContainsFunc(j.result.Findings, func(f Finding) bool { return f.Slug == replayed }) {
		f.Follows = replayed
	}
	what := map[string]string{replayed: "a replay", "expiry/extended-by-conflict": "a conflict"}[by.slug]
	promise := "the retention counts from " + from + ": " + what + " does not move its end"
	if what == "" {
		promise = "after at_most the key is forgotten, whichever replica is asked"
	}
	j.accuse(t, f, j.op.Promise.Retention.Pos, promise)
}

// metConflict says that a key met a conflict which was refused as declared, of
// a body that is taken under its own key. The conflict step judges any other.
func (j *judging) metConflict(t *Trial) bool {
	if _, ok := j.first(t, "first"); !ok {
		return false
	}
	changed := t.Last("changed")
	if changed == nil {
		j.unsure(0, "run the step again", "%s: the changed request was not sent", t.Name)
		return false
	}
	if j.elsewhere(t, changed) {
		return false
	}
	if why := j.mutationControl(t, "the changed body"); why != "" {
		j.note("whether a conflict moves the retention's end was not judged: %s", why)
		return false
	}
	if !j.rules.class(changed).conflict {
		j.note("whether a conflict moves the retention's end was not judged: the changed body was not refused as declared (%s)", j.rules.describe(changed))
		return false
	}
	before, ok0 := t.Counted("before")
	after, ok1 := t.Counted("after-changed")
	if j.sound() && ok0 && ok1 && after.N-before.N > j.controls.Unit {
		j.note("whether a conflict moves the retention's end was not judged: the changed body was refused, and ran")
		return false
	}
	return true
}

package probe

import (
	"fmt"
	"strings"
)

func judgeConflict(j *judging) {
	p := j.op.Promise
	if !p.Conflict.Known {
		j.unknown("conflict", p.Conflict.Pos)
		return
	}
	if !p.Duplicate.Known {
		j.unknown("duplicate", p.Duplicate.Pos)
		return
	}
	j.proved = map[string]bool{}
	tried := j.judgeChanges()
	told := some(tried, "changed body", "changed bodies") + " tried"
	if n := tried - len(j.proved); n > 0 {
		told += ", " + itoa(int64(n)) + " of which proved nothing" + j.whyNothing()
	}
	j.measure("changes", fmt.Sprintf("%d tried, %d proved", tried, len(j.proved)), told)
	for i := range flightRounds {
		if t := j.history.known(flightName(i)); t != nil {
			j.judgeInFlight(t)
		}
	}
	j.judgeRestarted()
	j.tellGaps()
	j.tellAdvisory()
	j.tellGroups()
	j.control("mutation", len(j.proved) > 0, "%d of %d changed bodies are accepted under keys of their own", len(j.proved), tried)
	if len(j.proved) == 0 && len(j.result.Reasons) == 0 {
		j.unsure(j.op.Request.Pos.Line, "give the request a body in which some value may be changed",
			"no changed body is accepted under its own key: a refusal proves nothing")
	}
}

// whyNothing tells which changes proved nothing and why, the first of many.
func (j *judging) whyNothing() string {
	const most = 2
	var told []string
	left := 0
	for _, c := range j.result.Cases {
		if c.Text == "" || c.Verdict != Inconclusive && c.Verdict != Skipped {
			continue
		}
		if len(told) == most {
			left++
			continue
		}
		told = append(told, c.Name+": "+c.Text)
	}
	if len(told) == 0 {
		return ""
	}
	text := " (" + strings.Join(told, "; ")
	if left > 0 {
		text += fmt.Sprintf("; and %d more", left)
	}
	return text + ")"
}

// judgeChanges judges every change and says how many were tried. Those that
// were accepted under a key of their own are kept in j.proved, with whether
// nothing was found of them.
func (j *judging) judgeChanges() (tried int) {
	for i := range 3 * mostOfChange {
		name := []func(int) string{changeName, nearName, unlikelyName}[i/mostOfChange](i % mostOfChange)
		t := j.history.known(name)
		if t == nil {
			continue
		}
		tried++
		before := j.mark()
		c := Case{Name: t.changeOf()}
		if proof, why := j.judgeMutation(t, c.Name); proof {
			j.proved[c.Name] = j.mark().accused == before.accused
		} else {
			c.Verdict, c.Text = Inconclusive, why
			if t.near() || t.unlikely() {
				c.Verdict = Skipped // such values were never promised to be taken
			}
		}
		j.examined(c, before)
	}
	return tried
}

// changeOf names the change of a trial: its changed request may not have been sent.
func (t *Trial) changeOf() string {
	if x := t.Last("changed"); x != nil && x.Request != nil {
		return x.Request.Change
	}
	if x := t.Last("control"); x != nil && x.Request != nil {
		return strings.TrimSuffix(x.Request.Change, ownKey)
	}
	return t.Name
}

// judgeMutation judges one change. Proof is false where the control says that
// it proves nothing; why tells that.
func (j *judging) judgeMutation(t *Trial, name string) (proof bool, why string) {
	if x := t.Last("first"); t.near() && x.Whole() && !j.rules.class(x).welcome && !j.rules.class(x).trouble {
		return false, "validated first: a value so large gets " + j.rules.describe(x)
	}
	first, ok := j.first(t, "first")
	if !ok {
		return false, "the original was not accepted"
	}
	if j.lapsed(t) {
		return false, "too late"
	}
	if why := j.mutationControl(t, "the changed body"); why != "" {
		return false, why
	}
	changed, again := t.Last("changed"), t.Last("again")
	if changed == nil || again == nil {
		j.unsure(0, "run the step again", "%s: not all requests were sent", name)
		return false, "not sent"
	}
	if !j.final(t, changed, "after-changed", "again") || !j.final(t, again, "warm", "settled") ||
		j.environmental(t, changed) || j.environmental(t, again) {
		return false, "not shown"
	}
	before := j.mark()
	wrong := j.expectPromised(t, name, first, changed)
	j.judgeOriginal(t, name, first, again, wrong)
	if _, ok := j.counts(t, "before", "after-changed", "settled"); ok && wrong == "" {
		if _, final := t.reading("final"); !final {
			j.early(t, "after-changed")
		}
	}
	j.countersFailed(t, "changed-before", "changed-effects", "settled-changed")
	if j.mark().accused == before.accused {
		j.judgeWarm(t, name, first)
	}
	return true, ""
}

// countersFailed says that readings failed on which a judgement rests.
func (j *judging) countersFailed(t *Trial, labels ...string) {
	for _, label := range labels {
		if c, ok := t.Counted(label); j.sound() && !ok && c.Error != "" {
			j.unsure(0, "see why the counter failed", "%s: the counter gave nothing for %q: %s", t.Name, label, c.Error)
		}
	}
}

// expectPromised judges the changed request by the promise, and gives the slug
// of what is wrong.
func (j *judging) expectPromised(t *Trial, name string, first, changed *Exchange) string {
	switch j.op.Promise.Conflict.Value.Mode {
	case "replay":
		return j.expectFirstResult(t, name, first, changed)
	case "execute":
		return j.expectOwnRun(t, name, first, changed)
	}
	ran, n := j.changedRan(t)
	return j.expectRefusal(t, name, first, changed, ran, n)
}

// judgeWarm judges the changed request that comes when the original has been
// replayed: a server may answer by the key alone from then on.
func (j *judging) judgeWarm(t *Trial, name string, first *Exchange) {
	warm := t.Last("warm")
	if warm == nil || !j.final(t, warm, "settled") || j.environmental(t, warm) {
		return
	}
	ran, n := j.warmRan(t)
	j.expectRefusal(t, name+afterReplay, first, warm, ran, n)
}

// mutationControl says why a changed body proves nothing: under its own key,
// with new fresh values, it is not accepted, or has no effect ("" where it is
// and has). A plain validation refuses it under any key.
func (j *judging) mutationControl(t *Trial, what string) string {
	if j.trusts("mutation") {
		return ""
	}
	control := t.Last("control")
	if j.elsewhere(t, control) {
		return "the environment"
	}
	if !j.rules.class(control).welcome {
		return "validated first: under its own key " + what + " gets " + j.rules.describe(control)
	}
	if c, ok := t.Counted("control-effects"); j.sound() && ok && c.N == 0 {
		return "validated first: under its own key " + what + " has no effect"
	}
	return ""
}

// tellGroups says that a body has more values than are changed one by one.
func (j *judging) tellGroups() {
	grouped := 0
	for change := range j.proved {
		if isGroup(change) {
			grouped++
		}
	}
	if grouped > 0 {
		j.note("the body has more values than are changed on their own: %s were changed, of each of which it is shown that "+
			"something in it is covered; another --seed changes others on their own", some(grouped, "group of values", "groups of values"))
	}
}

// tellAdvisory says which changes of type are taken as the same request.
func (j *judging) tellAdvisory() {
	var same, apart []string
	for i := range mostOfAKind * advisoryKinds {
		t := j.history.known(advisoryName(i))
		if t == nil {
			continue
		}
		first, changed := t.Last("first"), t.Last("changed")
		if !j.rules.class(first).welcome || !j.rules.class(t.Last("control")).welcome || !changed.Whole() || j.late(t) {
			continue
		}
		shown, unknown := told(j.rules.replay(first, changed))
		switch {
		case j.rules.class(changed).conflict:
			apart = append(apart, t.changeOf())
		case len(shown) == 0 && !unknown:
			same = append(same, t.changeOf())
		}
	}
	if len(same) > 0 {
		j.note("taken as the same request, and not judged: %s (promise.conflict.types: strict judges 1, \"1\", null, absent and \"\")", strings.Join(same, ", "))
	}
	if n := len(same) + len(apart); n > 0 {
		j.measure("advisory changes", fmt.Sprintf("%d told apart, %d taken as the same", len(apart), len(same)), "")
	}
}

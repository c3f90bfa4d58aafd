package probe

import (
	"fmt"

	"github.com/idem-toolkit/idem/internal/trace"
)

func judgeKeyRules(j *judging) {
	control := j.history.Trial(controlKey).Last("control")
	if !j.rules.class(control).welcome {
		j.control("mutation", false, "an ordinary key is not taken: %s", j.rules.describe(control))
		j.unsure(j.op.Request.Pos.Line, "make the contract's request one that the API accepts",
			"an operation under an ordinary key is not accepted: %s", j.rules.tell(control))
		return
	}
	j.control("mutation", true, "an operation under an ordinary key is accepted")
	tried := 0
	for _, r := range ruleKinds {
		t := j.history.known(r.name)
		if t == nil {
			continue
		}
		tried++
		before := j.mark()
		if r.name == caseDiffers && j.op.Key.Rules.Case == "insensitive" {
			r.kind = oneKey
		}
		j.judgeRule(t, r, control)
		j.examined(Case{Name: r.name}, before)
	}
	j.measure("rules", fmt.Sprintf("%d tried", tried), some(tried, "kind of key", "kinds of keys")+" tried")
	j.noteUntried()
}

// ruleKinds are all trials that the step may have, as they are judged.
var ruleKinds = []ruleTrial{
	{name: longestKey, kind: takenKey}, {name: lastDiffers, kind: twoKeys},
	{name: tooLongKey, kind: badKey}, {name: endlessKey, kind: endlessly},
	{name: shortestKey, kind: takenKey}, {name: tooShortKey, kind: shortKey},
	{name: patternKey, kind: takenKey}, {name: specialKey, kind: takenKey}, {name: caseDiffers, kind: twoKeys},
	{name: afterSpecial, kind: twoKeys}, {name: inSpecial, kind: twoKeys}, {name: firstDiffers, kind: twoKeys}, {name: uuidCase, kind: twoKeys},
	{name: repeatedSame, kind: repeatedKey}, {name: repeatedTwo, kind: repeatedKey},
}

// noteUntried tells which declared rules no key could be made for.
func (j *judging) noteUntried() {
	k := j.op.Key.Rules
	untried := func(declared bool, name, why string) {
		if declared && j.history.known(name) == nil {
			j.note("%s: not tried, %s", name, why)
		}
	}
	untried(k.MaxLength > 0, longestKey, fmt.Sprintf("no key of %d characters can be made by the pattern and sent", k.MaxLength))
	untried(k.MinLength > 0, shortestKey, fmt.Sprintf("a key of %d characters may not be new, or none can be made", k.MinLength))
	untried(k.Case != "", caseDiffers, "the pattern leaves no two such keys")
	untried(k.Repeated != nil, repeatedSame, "the key does not travel in a header")
}

func (j *judging) rule(t *Trial, f Finding, promise string) {
	f.Case = t.Name
	j.accuse(t, f, j.op.Key.Rules.Pos, promise)
}

// judgeRule judges one trial.
func (j *judging) judgeRule(t *Trial, r ruleTrial, control *Exchange) {
	one := t.Last("one")
	if one == nil {
		j.unsure(0, "run the step again", "%s: nothing was sent", t.Name)
		return
	}
	if !j.final(t, one, "after-first", "again", "settled") || j.environmental(t, one) || j.lapsed(t) {
		return
	}
	switch r.kind {
	case takenKey, oneKey, twoKeys:
		if !j.rules.class(one).welcome {
			j.rule(t, Finding{Slug: "key-rules/valid-key-refused", Expected: "a key within the rules is taken", Actual: j.rules.tell(one)},
				"a key within the declared rules is taken")
			return
		}
		j.judgeTaken(t, r, one, control)
	default:
		j.judgeBadKey(t, r, one)
	}
}

// judgeTaken judges what comes after a good key was taken.
func (j *judging) judgeTaken(t *Trial, r ruleTrial, one, control *Exchange) {
	again := t.Last("again")
	if again == nil || r.kind == twoKeys && t.Last("two") == nil {
		j.unsure(0, "run the step again", "%s: not all requests were sent", t.Name)
		return
	}
	if !j.final(t, again, "settled") || j.environmental(t, again) {
		return
	}
	wrong := ""
	if r.kind == twoKeys {
		if wrong = j.judgeSecondKey(t, one, t.Last("two"), control); wrong == "unsure" {
			return
		}
	}
	f := Finding{Expected: j.expectedDuplicate(), Follows: j.followsDuplicate()}
	if wrong != "" {
		f.Follows = wrong
	}
	split := r.kind == oneKey
	if e, ok := j.counts(t, "before", "", "settled"); ok && e.Settled-e.Before != e.Unit {
		f.Expected, f.Actual = "effects for one operation: "+itoa(e.Unit), "effects counted: "+itoa(e.Settled-e.Before)
		f.Slug = "key-rules/effect-missing"
		if e.Settled-e.Before > e.Unit {
			f.Slug, f.Follows = "key-rules/effect-ran-twice", j.follows("duplicate/effect-ran-twice")
		}
		if split && f.Slug == "key-rules/effect-ran-twice" {
			f.Slug = "key-rules/keys-split"
		}
		j.rule(t, f, "a key within the rules is remembered like any other")
		return
	}
	if shown := j.shown(j.rules.replay(one, again)); len(shown) > 0 {
		f.Slug, f.Actual = "key-rules/other-answer", list(shown)
		if split {
			f.Slug = "key-rules/keys-split"
		}
		j.rule(t, f, "a key within the rules is remembered like any other")
	}
	j.tellable()
}

// judgeSecondKey judges a second key that must not be taken for the first. It
// gives the slug of what is wrong, or "unsure".
func (j *judging) judgeSecondKey(t *Trial, one, two, control *Exchange) string {
	if !j.final(t, two, "again", "settled") || j.environmental(t, two) {
		return "unsure"
	}
	c := j.rules.class(two)
	e, counted := j.counts(t, "before-two", "", "settled-two")
	own := e.Settled - e.Before
	f := Finding{Expected: "an operation of its own", Actual: j.rules.describe(two)}
	leak := j.rules.leaks(one, control, two, nil)
	switch {
	case leak != "":
		f.Slug = "key-rules/keys-merged"
		f.Actual += ", with " + leak
	case c.conflict, c.inFlight, c.duplicate && !j.controls.Twin:
		f.Slug = "key-rules/keys-merged"
	case !c.welcome:
		f.Slug = "key-rules/valid-key-refused"
	case counted && own == 0:
		f.Slug, f.Actual = "key-rules/keys-merged", f.Actual+", and no effect of its own was counted"
	case counted && own > e.Unit:
		f.Slug, f.Expected, f.Actual = "key-rules/effect-ran-twice", "effects for one operation: "+itoa(e.Unit), "effects counted: "+itoa(own)
	case !counted && !j.rules.tellsApart(one, control, two, nil):
		j.unsure(j.op.Pos.Line, "declare effects: http, command, sql or sink", "%s: neither effects nor answers tell two operations apart", t.Name)
		return "unsure"
	default:
		return ""
	}
	j.rule(t, f, "two keys within the rules are two operations")
	return f.Slug
}

// judgeBadKey judges a key that breaks a rule: it is refused and nothing comes
// of it. Where its answer is not declared, the service's own failure is still
// none that a caller can act on.
func (j *judging) judgeBadKey(t *Trial, r ruleTrial, x *Exchange) {
	match := r.kind.answer(j.op.Key.Rules)
	f := Finding{Expected: "a refusal", Actual: j.rules.describe(x)}
	if match != nil {
		f.Expected = match.String()
	}
	made := int64(0)
	if j.sound() {
		n, ok := j.rise(t, "before", "settled")
		if made = n; !ok {
			return
		}
	}
	c := j.rules.class(x)
	refused := !c.welcome && !c.none
	switch {
	case r.kind == endlessly && c.none && made == 0 && x.Answer.Outcome != trace.TimedOut:
		j.note("%s: %s, as what stands before the API may do", t.Name, j.rules.describe(x))
		return
	case c.none || x.Answer.Status >= 500 && (match == nil || !j.rules.matches(match, x.Answer)):
		f.Slug = "key-rules/server-error"
	case match != nil && j.rules.matches(match, x.Answer), match == nil && refused:
		if made == 0 {
			return
		}
		f.Slug, f.Expected, f.Actual = "key-rules/effect-ran", "no effect", fmt.Sprintf("%s, and effects rose by %d", f.Actual, made)
	case !c.welcome:
		f.Slug = "key-rules/wrong-answer"
	case match == nil && !j.mustRefuse(r, x):
		j.note("%s is taken", t.Name)
		return
	default:
		f.Slug = "key-rules/bad-key-accepted"
	}
	j.rule(t, f, "a key that breaks the declared rules is refused, and nothing comes of it")
}

// mustRefuse says that a bad key whose refusal is not declared may not be taken
// all the same: one that is too short is, but for an empty one where requests
// without a key run.
func (j *judging) mustRefuse(r ruleTrial, x *Exchange) bool {
	if r.kind == endlessly {
		return j.op.Key.Rules.TooLong != nil
	}
	if r.kind != shortKey {
		return false
	}
	return x.Request == nil || x.Request.Key != "" || j.op.Promise.MissingKey.Value.Mode != "execute"
}

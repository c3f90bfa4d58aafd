package probe

import (
	"fmt"

	"github.com/idem-toolkit/idem/internal/contract"
)

// missingKeyStep sends requests without a key. Where they are promised to be
// refused nothing may come of them; where they run, each is an operation of its
// own; and never is one answered with another's result.
var missingKeyStep = Step{
	Name:  "missing-key",
	What:  "requests without a key are answered as promised, and never with another one's result",
	plan:  planMissingKey,
	judge: judgeMissingKey,
	lacks: func(_ *contract.Contract, op *contract.Operation) Reason {
		if op.Promise.MissingKey.Known {
			return Reason{}
		}
		return Reason{Text: "promise.missing_key is not stated", Line: op.Promise.MissingKey.Pos.Line, Settle: stating("missing_key")}
	},
}

const keyless = "keyless"

// keylessly prepares an operation without a key: the header, the member or the
// parameter is not there, nor is the key's companion.
func (b *builder) keylessly(slot string) *made {
	f := b.plainForm()
	f.keyless = true
	m := b.makeAs(slot, f)
	if b.op.Key.Body != "" {
		m.draft.remove(b.op.Key.Body)
	}
	return m
}

// planMissingKey: one keyless request and another one with other values, the
// first again; then a third, and the same with a key, which shows that it was
// the key that was missing.
func planMissingKey(b *builder) {
	one, two, three := b.keylessly("one"), b.keylessly("two"), b.keylessly("three")
	oneID := b.freeze("one", one, "without a key")
	twoID := b.freeze("two", two, "without a key, other values")
	threeID := b.freeze("three", three, "without a key")
	keyed := b.withForm(three, b.plainForm())
	if b.op.Promise.MissingKey.Value.Mode == "execute" {
		keyed = b.make("keyed") // the third has made its values known
		b.plan.Makes++          // the first runs each time
	}
	keyedID := b.freeze("keyed", keyed, "")
	b.thread(keyless, join(
		b.count("before", one), b.count("before-other", two), b.count("before-third", three),
		[]Action{
			comeBack("keyless", oneID, patience(b.op)),
			comeBack("other", twoID, patience(b.op)),
			comeBack("same", oneID, patience(b.op)),
			comeBack("third", threeID, patience(b.op)),
			comeBack("keyed", keyedID, patience(b.op)),
		},
		b.emptyKey(),
		[]Action{b.environment(keyless, 2, NoHold, "keyless", "other", "same", "third", "keyed")},
		b.above("keyed-seen", "before-third", three),
		b.settled("settled", one), b.count("settled-other", two), b.count("settled-third", three),
	)...)
}

// emptyKey sends a key field without a key, of which nothing is promised.
func (b *builder) emptyKey() []Action {
	if b.op.Key.Header == "" {
		return nil
	}
	id := b.freeze("empty", b.keylessly("empty"), "with an empty key")
	q := b.plan.Requests[len(b.plan.Requests)-1]
	q.Header = append(q.Header, [2]string{b.op.Key.Header, b.keyText("")})
	return []Action{Send{Label: "empty", Request: id, Copies: 1}}
}

// keylessCounts are the effects of a keyless request's values; ok is false
// where they are not known.
type keylessCounts struct {
	made int64
	ok   bool
}

func (j *judging) keylessCounts(t *Trial, before, settled string) keylessCounts {
	n, ok := j.rise(t, before, settled)
	return keylessCounts{n, ok}
}

func judgeMissingKey(j *judging) {
	t := j.history.Trial(keyless)
	keyed := t.Last("keyed")
	if j.elsewhere(t, keyed) {
		return
	}
	held := j.rules.class(keyed).welcome
	j.control("mutation", held, "the same request with a key is accepted")
	if !held {
		j.unsure(j.op.Request.Pos.Line, "make the contract's request one that the API accepts",
			"with a key the request is not accepted either: %s", j.rules.tell(keyed))
		return
	}
	for _, label := range []string{"keyless", "other", "same", "third"} {
		x := t.Last(label)
		if x == nil {
			j.unsure(0, "run the step again", "%s: not all requests were sent", t.Name)
			return
		}
		if !j.final(t, x, "settled") || j.environmental(t, x) {
			return
		}
	}
	if j.op.Promise.MissingKey.Value.Mode == "execute" {
		j.judgeKeylessRuns(t)
	} else {
		j.judgeKeylessRefused(t, keyed)
	}
	j.noteEmptyKey(t)
}

func (j *judging) keyless(t *Trial, f Finding, promise string) {
	j.accuse(t, f, j.op.Promise.MissingKey.Pos, promise)
}

const ownResult = "each keyless request is an operation of its own, and nobody gets another's result"

// judgeKeylessRefused: nothing comes of a request without a key.
func (j *judging) judgeKeylessRefused(t *Trial, keyed *Exchange) {
	match := j.op.Promise.MissingKey.Value.Match
	first := t.Last("keyless")
	ran := map[string]keylessCounts{
		"keyless": j.keylessCounts(t, "before", "settled"),
		"other":   j.keylessCounts(t, "before-other", "settled-other"),
	}
	other := t.Last("other")
	if leak := j.rules.leaks(first, keyed, other, nil); leak != "" { // the gravest first
		j.keyless(t, Finding{Slug: "missing-key/first-result-returned", Case: "other", Expected: "nothing of another keyless request's result",
			Actual: j.rules.describe(other) + ", with " + leak}, ownResult)
	}
	for _, label := range []string{"keyless", "other", "same", "third"} {
		x := t.Last(label)
		f := Finding{Case: label, Expected: match.String(), Actual: j.rules.describe(x)}
		if n := ran[label]; n.ok && n.made > 0 {
			f.Slug, f.Expected = "missing-key/effect-ran", "no effect of a request without a key"
			f.Actual = fmt.Sprintf("%s, and effects rose by %d", f.Actual, n.made)
			j.keyless(t, f, "a request without a key is refused and has no effect")
		}
		if !j.rules.matches(match, x.Answer) {
			f.Slug, f.Expected, f.Actual = "missing-key/not-refused", match.String(), j.rules.describe(x)
			j.keyless(t, f, "a request without a key is refused as declared")
		}
	}
	n := j.keylessCounts(t, "before-third", "settled-third")
	none, _ := t.reading("before-third")
	switch f := (Finding{Case: "third", Expected: "effects of the one with a key: " + itoa(j.controls.Unit), Actual: "effects counted: " + itoa(n.made)}); {
	case !n.ok || n.made == j.controls.Unit:
	case n.made > j.controls.Unit && j.ranUnheard(t, "settled-third", none.N+j.controls.Unit):
	case n.made > j.controls.Unit:
		f.Slug = "missing-key/effect-ran"
		j.keyless(t, f, "a request without a key is refused and has no effect")
	default:
		f.Slug = "missing-key/effect-missing"
		j.keyless(t, f, "what was answered as done has its effect")
	}
}

// judgeKeylessRuns: each request without a key runs.
func (j *judging) judgeKeylessRuns(t *Trial) {
	first, other, same := t.Last("keyless"), t.Last("other"), t.Last("same")
	leaked := j.rules.leaks(first, t.Last("keyed"), other, nil)
	expected := map[string]int64{"keyless": 0, "other": 0}
	for label, x := range map[string]*Exchange{"keyless": first, "other": other} {
		if j.rules.class(x).welcome {
			expected[label] += j.controls.Unit
		}
	}
	for _, label := range []string{"keyless", "other"} {
		f := Finding{Case: label, Expected: "a result and an effect of its own", Actual: j.rules.describe(t.Last(label))}
		switch {
		case label == "other" && leaked != "":
			f.Slug = "missing-key/first-result-returned"
			f.Actual += ", with " + leaked
			j.keyless(t, f, ownResult)
		case !j.rules.class(t.Last(label)).welcome:
			f.Slug = "missing-key/refused"
			j.keyless(t, f, "a request without a key runs")
		}
	}
	if j.judgeKeylessAgain(t, same) {
		expected["keyless"] += j.controls.Unit
	}
	j.keylessRan(t, []string{"keyless", "same"}, "before", "settled", expected["keyless"], false)
	j.keylessRan(t, []string{"other"}, "before-other", "settled-other", expected["other"], leaked != "")
	if !j.rules.tellsApart(first, t.Last("keyed"), other, nil) {
		j.tellable()
	}
}

// judgeKeylessAgain judges the very same keyless request sent again, and says
// whether it must have had an effect: nothing names it as a retry. Whether the
// API accepts the same values twice at all is told by the counter's control.
func (j *judging) judgeKeylessAgain(t *Trial, same *Exchange) bool {
	if j.rules.class(same).welcome {
		return true
	}
	if !j.controls.Answers {
		j.note("whether the same values may be sent twice is not known: %s", j.rules.describe(same))
		return false
	}
	j.keyless(t, Finding{Slug: "missing-key/refused", Case: "same", Expected: "an operation of its own", Actual: j.rules.describe(same)},
		"a request without a key runs, and is nobody's retry")
	return false
}

// keylessRan judges the effects of one keyless request's values, which was sent
// under the labels. Told says that a finding tells already why there is none.
func (j *judging) keylessRan(t *Trial, labels []string, before, settled string, expected int64, told bool) {
	n := j.keylessCounts(t, before, settled)
	most := expected + j.controls.Unit*j.unheard(t, labels)
	f := Finding{Case: labels[0], Expected: "effects counted: " + itoa(expected), Actual: "effects counted: " + itoa(n.made)}
	switch {
	case !n.ok || n.made >= expected && n.made <= most || told:
		return
	case n.made > expected:
		f.Slug = "missing-key/effect-ran-twice"
	case n.made > 0:
		// It ran once and was sent twice.
		f.Slug, f.Case = "missing-key/first-result-returned", "same"
	default:
		f.Slug = "missing-key/effect-missing"
	}
	j.keyless(t, f, ownResult)
}

// unheard counts the requests under the labels of which it is not known whether
// they ran: no answer came, or an error of the service's own.
func (j *judging) unheard(t *Trial, labels []string) (n int64) {
	for _, label := range labels {
		for _, x := range t.Under(label) {
			if c := j.rules.class(x); x.Sent != nil && (c.none || x.status() >= 500 && !c.welcome) {
				n++
			}
		}
	}
	return n
}

// noteEmptyKey tells what becomes of an empty key. Nothing is promised of it,
// unless key.rules.min_length is: see key-rules.
func (j *judging) noteEmptyKey(t *Trial) {
	if x := t.Last("empty"); x.Whole() {
		j.note("an empty %s is answered with %s", j.op.Key.Header, j.rules.describe(x))
	}
}

package probe

import (
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// ControlStep is the name under which the counter control is planned and
// recorded; it is shown in the evidence of every step, never on its own.
const ControlStep = "control"

// planControl tries the counter on what no idempotency touches: one operation
// gives the unit u; the same fresh values under another key must give 2u; a
// new fresh value starts at 0 (contract-v1, Steps, Controls come first).
func planControl(op *contract.Operation, env Env) (*Plan, error) {
	b := newBuilder(op, ControlStep, env)
	one := b.make("one")
	first := b.freeze("counter/one", one, "")
	other := b.with(one)
	b.rekeyAs(other, "other-key")
	second := b.freeze("counter/other-key", other, "the same operation under another key")
	b.thread("counter", join(
		b.count("new", one),
		[]Action{comeBack("one", first, patience(b.op))},
		b.whereAccepted("one", join(b.above("one", "new", one), b.settled("one", one))),
		[]Action{comeBack("other-key", second, patience(b.op))},
		b.whereAccepted("other-key", join(b.above("two", "one", one), b.settled("two", one))),
	)...)
	if counted(op) {
		b.plan.Last = []Action{Try{Trial: "counter", Body: b.count("final", one)}}
	}
	return b.plan, b.err
}

// whereAccepted does something only after a label's request was accepted: for
// an effect of one that was not, nobody need wait.
func (b *builder) whereAccepted(label string, body []Action) []Action {
	if len(body) == 0 {
		return nil
	}
	return []Action{If{When: Condition{Fact: Accepted, Labels: []string{label}}, Body: body}}
}

// Controls is what the counter control showed for one operation.
type Controls struct {
	Counted bool          // a counter is declared
	Sound   bool          // one gives u, two give 2u, a new value 0
	Unit    int64         // u
	Lag     time.Duration // the longest from an answer to when its effect was counted
	Vary    bool          // two operations alike in all but the key got different answers
	Answers bool          // both were accepted
	HTTP2   bool          // they were not, as if HTTP/2 were all that the server speaks
	Late    bool          // its requests went on for longer than a key's retention
	Twin    bool          // a first answer is also what a duplicate is promised to get
	Text    string
	Why     string // what failed, where not sound
}

// trusted is a counter control that was believed: a counter is declared, so it
// counts, one for each operation.
func trusted(c Controls) Controls {
	c.Sound, c.Why, c.Lag = c.Counted, "", 0
	if c.Unit == 0 {
		c.Unit = 1
	}
	return c
}

// judgeControl reads the control's history. Rules is for reading answers.
func judgeControl(op *contract.Operation, r rules, h *History) Controls {
	t := h.Trial("counter")
	c := Controls{Counted: counted(op)}
	one, two := t.Last("one"), t.Last("other-key")
	c.Answers = r.class(one).welcome && r.class(two).welcome
	c.HTTP2 = r.wantsHTTP2(one) && r.wantsHTTP2(two)
	if c.Answers {
		c.Vary = r.varies(one, two)
		c.Twin = r.class(one).duplicate
	}
	if !c.Counted {
		c.Text = "no counter is declared: answers are the only evidence"
		return c
	}
	if !c.Answers {
		c.Why = "the control's operations were not accepted: " + r.tell(one)
		if second := r.tell(two); second != r.tell(one) {
			c.Why += ", " + second
		}
		c.Text = c.Why
		return c
	}
	if len(op.Request.Fresh) == 0 {
		c.Why = "the request has no fresh values: one operation's effects cannot be told from another's"
		c.Text = c.Why
		return c
	}
	if after, old := t.outlived(op); old {
		c.Late, c.Why = true, "the control's requests went on for "+after.Round(time.Millisecond).String()+", longer than a key's retention: they may have run twice"
		c.Text = c.Why
		return c
	}
	c.judgeCounts(t)
	return c
}

func (c *Controls) judgeCounts(t *Trial) {
	none, ok0 := t.Counted("new")
	first, ok1 := t.Counted("one")
	second, ok2 := t.Counted("two")
	if !ok0 || !ok1 || !ok2 {
		c.Why = "the counter could not be read"
		for _, n := range []Counted{none, first, second} {
			if n.Error != "" {
				c.Why += ": " + n.Error + saw(n.Seen)
				break
			}
		}
		c.Text = c.Why
		return
	}
	c.Text = "a new value counts " + itoa(none.N) + ", one operation " + itoa(first.N) +
		", the same under another key " + itoa(second.N)
	c.Unit = first.N
	c.Lag = max(t.lag("one"), t.lag("two"))
	last, rising := t.Counted("final")
	switch {
	case none.N != 0:
		c.Why = "the counter does not start at 0 for a new value"
	case first.N <= 0:
		c.Why = "the counter shows nothing for an accepted operation" + saw(t.seen("one"))
	case second.N != 2*first.N:
		c.Why = "the counter does not double for the same values under another key"
	case rising && last.N > second.N:
		// The unit is larger than was seen, or one operation runs twice: which is not told.
		c.Text += ", at the end of the run " + itoa(last.N)
		c.Why = "effects came later than effects.settle: two operations counted " + itoa(second.N) + " then and " + itoa(last.N) + " at the end of the run"
	default:
		c.Sound = true
	}
}

// environmentControl shows that control where no judgement needed it: whether
// requests met what the environment may do, and were answered all the same.
func (j *judging) environmentControl() {
	for _, c := range j.result.Evidence.Controls {
		if c.Name == "environment" {
			return
		}
	}
	sent, met := 0, 0
	for _, t := range j.history.Trials {
		for _, x := range t.Exchanges {
			if x.Sent == nil || x.Label == "volley" || x.hungUp() {
				continue // a kill takes answers away, and so does hanging up
			}
			sent++
			if j.rules.class(x).trouble {
				met++
			}
		}
	}
	switch {
	case sent == 0:
	case met == 0:
		j.control("environment", true, "none of %d requests met an undeclared 429, 502, 503 or 504, or a lost connection", sent)
	default:
		j.control("environment", true, "%d of %d requests met an undeclared 429, 502, 503 or 504, or a lost connection, and no verdict rests on them", met, sent)
	}
}

// seen is what the counter saw under a label where it had waited in vain.
func (t *Trial) seen(label string) string {
	for _, c := range t.Counts {
		if c.Label == label && c.Seen != "" {
			return c.Seen
		}
	}
	return ""
}

func saw(seen string) string {
	if seen == "" {
		return ""
	}
	return "; it " + seen
}

// lag is how long after the last answer before it a polled effect was counted:
// the first reading under its label. Readings come at intervals, so that an
// effect may have been there earlier.
func (t *Trial) lag(label string) time.Duration {
	for _, c := range t.Counts {
		if c.Label != label {
			continue
		}
		var answered int64
		for _, x := range t.Exchanges {
			if x.Answer != nil && x.Answer.LastByte <= c.Began {
				answered = max(answered, x.Answer.LastByte)
			}
		}
		return time.Duration(c.Began - answered)
	}
	return 0
}

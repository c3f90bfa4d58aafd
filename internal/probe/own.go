package probe

import (
	"cmp"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

// What the steps share that judge a retry under slugs of their own:
// STEP/effect-ran-twice, /effect-missing, /other-answer, /refused, /stuck.

// slug names a finding of the step that is judged.
func (j *judging) slug(what string) string { return j.result.Step + "/" + what }

// followsRuns gives what was found before of effects that ran twice: a server
// that ignores keys, or that lets copies race, does so here too.
func (j *judging) followsRuns(raced bool) string {
	if s := j.follows("duplicate/effect-ran-twice"); s != "" || !raced {
		return s
	}
	return j.follows("concurrent/effect-ran-twice")
}

// tally judges a trial's counts against what one operation of its form makes,
// and gives the slug of what they show to be wrong; "" where nothing is. Done
// says that some answer told of a success. Ok is false where they tell nothing.
func (j *judging) tally(t *Trial, caseName string, unit int64, done, raced bool, labels [3]string) (slug string, ok bool) {
	was := j.controls.Unit
	j.controls.Unit = unit
	e, ok := j.counts(t, labels[0], labels[1], labels[2])
	j.controls.Unit = was
	if !ok {
		return "", false
	}
	made := e.Settled - e.Before
	f := Finding{Case: caseName, Expected: "effects for one operation: " + itoa(unit), Actual: "effects counted: " + itoa(made)}
	switch {
	case made > unit:
		f.Slug, f.Follows = j.slug("effect-ran-twice"), j.followsRuns(raced)
		j.accuse(t, f, j.op.Promise.Duplicate.Pos, "requests that share a key and a body have one effect together")
	case made < unit && done:
		f.Slug, f.Follows = j.slug("effect-missing"), j.follows("duplicate/effect-missing")
		j.accuse(t, f, j.op.Promise.Duplicate.Pos, "an operation that was answered as done has its effect")
	}
	return f.Slug, true
}

// judgeRetried judges a retry that must be answered as a duplicate of what
// came before. Wrong is what the counts showed; next are labels that come after
// it in the plan. It gives the slug of what is wrong.
func (j *judging) judgeRetried(t *Trial, caseName string, first, x *Exchange, wrong string, next ...string) string {
	if x == nil {
		j.unsure(0, "run the step again", "%s: the key was not tried again", t.Name)
		return ""
	}
	if !j.final(t, x, next...) || j.environmental(t, x) {
		return ""
	}
	p := j.op.Promise
	shown := j.shown(j.repeated(first, x))
	if len(shown) == 0 {
		return ""
	}
	c := j.rules.class(x)
	f := Finding{Case: caseName, Expected: j.expectedDuplicate(), Actual: j.rules.describe(x), Follows: cmp.Or(wrong, j.followsDuplicate())}
	switch {
	case j.rules.blocked(x), j.hangs(t, x):
		f.Slug = j.slug("stuck")
	case c.none || c.trouble || c.conflict || !c.welcome && p.Duplicate.Value.Mode != "answer":
		f.Slug = j.slug("refused")
	default:
		f.Slug, f.Actual = j.slug("other-answer"), list(shown)
	}
	j.accuse(t, f, p.Duplicate.Pos, "a second request with the same key and body gets the promised answer")
	return f.Slug
}

// repeated is what is wrong with a duplicate's answer. Where present state is
// promised, another status brings other headers: 204 has no Content-Type.
func (j *judging) repeated(first, x *Exchange) []difference {
	if j.op.Promise.Duplicate.Value.Mode == "current" && j.rules.accepted(x) && first.Whole() && first.Answer.Status != x.Answer.Status {
		return j.rules.sameResource(first, x)
	}
	return j.rules.replay(first, x)
}

// hangs says that a key alone kept its caller waiting in vain: no answer came
// in the contract's timeout, while other keys' requests were answered, here and
// in the rest of the run.
func (j *judging) hangs(t *Trial, x *Exchange) bool {
	if x.outcome() != trace.TimedOut {
		return false
	}
	if _, met := j.busyAt(x); met || !j.othersRan(x) {
		return false
	}
	if _, few := j.tooFew(x); few {
		return false
	}
	others := t.Under("environment")
	for _, o := range others {
		if j.rules.class(o).trouble {
			return false
		}
	}
	return len(others) > 0
}

// sentInTime gives a label's last exchange that was sent within the key's effective
// retention, counted from when the trial's first was sent: what comes later is
// no evidence (contract-v1, Steps), and one that waits in vain may push the
// next beyond it. It is nil where there is none; where all came too late, the
// reason is said.
func (j *judging) sentInTime(t *Trial, first *Exchange, label string) *Exchange {
	all := t.Under(label)
	for i := len(all) - 1; i >= 0; i-- {
		if !j.forgettable(first, all[i].reached(first)) {
			return all[i]
		}
	}
	if len(all) > 0 {
		j.lapsedAfter(t, all[0].reached(first))
	}
	return nil
}

// forgettable says that so long after a trial's first request its key may be
// forgotten.
func (j *judging) forgettable(first *Exchange, after time.Duration) bool {
	atLeast, _, known := j.op.EffectiveRetention()
	return known && first.sentAt() > 0 && after >= atLeast
}

// longerRetention is what settles that a key may have been forgotten meanwhile.
const longerRetention = "give the target a longer retention (expiry.wait), or run where it answers faster"

func (j *judging) lapsedAfter(t *Trial, after time.Duration) {
	atLeast, _, _ := j.op.EffectiveRetention()
	j.unsure(j.op.Promise.Retention.Pos.Line, longerRetention,
		"%s: requests went on for %s, longer than the key's retention of %s: that shows nothing",
		t.Name, after.Round(time.Millisecond), atLeast)
}

// lapsedBefore says that an answer came later than the key's effective
// retention after its request: who waited for it waited for nothing known.
func (j *judging) lapsedBefore(t *Trial, x *Exchange) bool {
	if !x.Whole() || !j.forgettable(x, x.took()) {
		return false
	}
	j.lapsedAfter(t, x.took())
	return true
}

// anyLate says that some request under the labels was sent when the key may
// have been forgotten: then effects that are counted afterwards may be its own.
func (j *judging) anyLate(t *Trial, first *Exchange, labels ...string) bool {
	for _, label := range labels {
		for _, x := range t.Under(label) {
			if j.forgettable(first, x.reached(first)) {
				return true
			}
		}
	}
	return false
}

// since is how long after another's last written byte an exchange's answer
// began, or its waiting ended.
func (x *Exchange) since(first *Exchange) time.Duration {
	if x == nil || x.Answer == nil || first == nil || first.Sent == nil {
		return 0
	}
	return time.Duration(cmp.Or(x.Answer.FirstByte, x.Answer.LastByte) - first.Sent.WriteEnded)
}

// took is how long an exchange's answer took from its last written byte; 0
// where no answer began.
func (x *Exchange) took() time.Duration {
	if x == nil || x.Answer == nil || x.Answer.FirstByte == 0 {
		return 0
	}
	return x.since(x)
}

// sentAt is when an exchange began to be written; 0 where it never was.
func (x *Exchange) sentAt() int64 {
	if x == nil || x.Sent == nil {
		return 0
	}
	return x.Sent.WriteBegan
}

// later is how long after another an exchange was sent.
func (x *Exchange) later(first *Exchange) time.Duration {
	return time.Duration(x.sentAt() - first.sentAt())
}

// reached is how long after another was sent an exchange's key may have been
// looked up: an answer that came whole ends that, and else its being written.
func (x *Exchange) reached(first *Exchange) time.Duration {
	if x.Whole() {
		return max(x.later(first), x.ended(first))
	}
	return x.later(first)
}

// ended is how long after another was sent an exchange's answer began, or its
// waiting ended; 0 where neither was recorded.
func (x *Exchange) ended(first *Exchange) time.Duration {
	at := x.answeredAt()
	if at == 0 {
		return 0
	}
	return time.Duration(at - first.sentAt())
}

// answeredAt is when an exchange's answer began, or its waiting ended; 0 where
// neither was recorded.
func (x *Exchange) answeredAt() int64 {
	if x == nil || x.Answer == nil {
		return 0
	}
	return cmp.Or(x.Answer.FirstByte, x.Answer.LastByte)
}

// status is the status of a whole answer; 0 where there is none.
func (x *Exchange) status() int {
	if !x.Whole() {
		return 0
	}
	return x.Answer.Status
}

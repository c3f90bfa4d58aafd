package probe

import (
	"slices"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

// sound says that counts may be used.
func (j *judging) sound() bool { return j.controls.Counted && j.controls.Sound }

// counts reads a trial's counts and keeps them as evidence. Ok is false where
// one of them is missing or failed; the reason is said where a counter is sound.
func (j *judging) counts(t *Trial, before, after, settled string) (e Effects, ok bool) {
	if !j.sound() {
		return e, false
	}
	read := func(label string) int64 {
		c, good := t.Counted(label)
		if !good {
			ok = false
			why := c.Error
			if why == "" {
				why = "it was not read"
			}
			j.unsure(0, "see why the counter failed", "%s: the counter gave nothing for %q: %s", t.Name, label, why)
		}
		return c.N
	}
	ok = true
	e = Effects{Before: read(before), Unit: j.controls.Unit, CountedBy: string(j.op.Effects.Kind)}
	e.Settled = read(settled)
	e.After = e.Settled
	if after != "" {
		e.After = read(after)
	}
	if ok {
		j.result.Evidence.Effects = j.worse(e)
	}
	if ok && (e.Settled-e.Before <= e.Unit && j.early(t, settled) || e.Settled-e.Before > e.Unit && j.ranUnheard(t, settled, e.Before+e.Unit)) {
		ok = false
	}
	return e, ok
}

// early says that a trial's last count came sooner after its last answer than
// effects take to be seen: a second one may have been missed.
func (j *judging) early(t *Trial, settled string) bool {
	c, _ := t.Counted(settled)
	var last int64
	for _, x := range t.Exchanges {
		if x.Label != "environment" && x.Answer != nil && x.Answer.LastByte < c.Began {
			last = max(last, x.Answer.LastByte)
		}
	}
	waited := time.Duration(c.Began - last)
	if waited >= j.controls.Lag {
		return false
	}
	j.unsure(j.op.Effects.Pos.Line, "effects.settle: "+j.controls.Lag.Round(100*time.Millisecond).String()+" or more",
		"an effect takes up to %s to be counted, the last count came %s after the last answer: a second effect may come later still",
		j.controls.Lag.Round(time.Millisecond), waited.Round(time.Millisecond))
	return true
}

// tellable says that a stored answer can be told from a second run: by effects,
// a marker, or answers that differ (contract-v1, Steps). Where not, and where no
// counter is declared that the reader is told of, it says so.
func (j *judging) tellable() bool {
	p := j.op.Promise
	if j.sound() || j.controls.Counted || j.controls.Vary || p.Marker != nil ||
		p.Duplicate.Value.Mode == "answer" && !j.controls.Twin {
		return true
	}
	j.unsure(j.op.Pos.Line, "declare effects: http, command, sql or sink; or promise.marker",
		"no effects are counted, no marker is promised and the answers of two operations do not differ: a stored answer and a second run look alike")
	return false
}

// final says that an answer that tells the caller to come back was the last
// one asked for: the whole step was recorded, or what comes next in the plan was.
func (j *judging) final(t *Trial, x *Exchange, next ...string) bool {
	if j.history.Whole || !j.rules.unsettled(x) && !j.rules.recovering(x) {
		return true
	}
	for _, label := range next {
		if _, counted := t.Counted(label); counted || len(t.Under(label)) > 0 {
			return true
		}
	}
	j.unsure(0, "run it again to the end", "%s: the run ended while the key was being tried again: %s", t.Name, j.rules.describe(x))
	return false
}

// shown gives the differences that the trace shows. Where there are none but
// some that it cannot tell, the reason is said.
func (j *judging) shown(ds []difference) []difference {
	shown, unknown := told(ds)
	if len(shown) == 0 && slices.ContainsFunc(ds, func(d difference) bool { return d.what == resource }) {
		j.unsure(j.op.Promise.Duplicate.Pos.Line, "answer duplicates with the resource's /id or Location; or ignore: [/id] where none is there",
			"whether a duplicate's answer is of the same resource cannot be told: not both answers have /id")
	} else if len(shown) == 0 && slices.ContainsFunc(ds, func(d difference) bool { return d.what == redirectQuery }) {
		j.unsure(j.op.Promise.Pos.Line, "promise.same_headers: [Location], or [] where it may differ",
			"a redirect came again to the same place with another query, and promise.same_headers does not say whether it may")
	} else if len(shown) == 0 && unknown {
		j.unsure(j.op.Promise.Pos.Line, "compare: bytes, or answers of at most 64 KiB",
			"answers differ and are longer than the trace keeps: whether the difference is one that may be is not told")
	}
	return shown
}

// worse keeps the counts that a person should see: the furthest from one unit.
func (j *judging) worse(e Effects) *Effects {
	old := j.result.Evidence.Effects
	if old == nil || off(e) > off(*old) {
		return &e
	}
	return old
}

func off(e Effects) int64 {
	d := e.Settled - e.Before - e.Unit
	if d < 0 {
		return -d
	}
	return d
}

// lapsed says that some request of a trial came later than the key's effective
// retention on this target: then nothing of it is evidence (contract-v1, Steps).
func (j *judging) lapsed(t *Trial) bool {
	if !j.late(t) {
		return false
	}
	j.lapsedAfter(t, t.went())
	return true
}

// late is lapsed for what is not told of.
func (j *judging) late(t *Trial) bool {
	atLeast, _, known := j.op.EffectiveRetention()
	return known && t.went() >= atLeast
}

// went is how long the requests of a trial's key went on. The server may have
// looked the key up at any time until it answered, however soon that was written.
func (t *Trial) went() time.Duration {
	var first, last int64
	for _, x := range t.Exchanges {
		if x.Sent == nil || x.Label == "environment" || strings.HasPrefix(x.Label, "control") {
			continue // they have keys of their own
		}
		if first == 0 || x.Sent.WriteBegan < first {
			first = x.Sent.WriteBegan
		}
		last = max(last, x.Sent.WriteEnded)
		if x.Whole() {
			last = max(last, x.Answer.FirstByte)
		}
	}
	return time.Duration(last - first)
}

// first checks the request that a trial stands on. It is judged only by
// whether it was accepted: if not, the trial shows nothing.
func (j *judging) first(t *Trial, label string) (*Exchange, bool) {
	x := t.Last(label)
	if j.rules.class(x).welcome {
		return x, true
	}
	// Of another error it cannot be told whether it is the request's doing.
	if c := j.rules.class(x); (c.trouble || c.inFlight) && j.elsewhere(t, x) {
		return x, false
	}
	if x == nil {
		why := "the run ended before it"
		if len(t.Undone) > 0 {
			why = t.Undone[0]
		}
		j.unsure(0, "run the step again", "%s: the first request was not sent: %s", t.Name, why)
		return x, false
	}
	j.unsure(j.op.Request.Pos.Line, "make the contract's request one that the API accepts",
		"%s: the first request was not accepted: %s", t.Name, j.rules.tell(x))
	return x, false
}

// environmentFor gives the environment's control of a trial: of a burst's key it
// is the burst's.
func (j *judging) environmentFor(t *Trial) []*Exchange {
	if burst, of := burstOf(t.Name); of {
		if b := j.history.known(burst); b != nil {
			return b.Under("environment")
		}
	}
	return t.Under("environment")
}

// environmental applies the environment control to an exchange that failed as
// everybody's may, and says whether the environment did it, or may have done it
// since it came too seldom.
func (j *judging) environmental(t *Trial, x *Exchange) bool {
	return j.elsewhere(t, x) || j.seldom(t, x)
}

// elsewhere says that an exchange failed and other keys did too, or that the run
// ended before they were tried.
func (j *judging) elsewhere(t *Trial, x *Exchange) bool {
	if j.unowned(t, x) {
		return true
	}
	if x.unprocessed() {
		j.unsure(0, settlesUncounted[notProcessed], "%s: %s", t.Name, j.rules.describe(x))
		return true
	}
	if x == nil || !j.rules.failing(x) || j.trusts("environment") {
		return false
	}
	settle, words := "run against a target that is not overloaded, or declare the answer in the contract", j.rules.describe(x)
	if breaksHTTP2(x) {
		settle = "mend what the server says in HTTP/2, or choose --http 1.1"
	} else if j.controls.HTTP2 && j.rules.wantsHTTP2(x) {
		settle = ifHTTP2Alone
	} else if !j.rules.class(x).trouble {
		settle, words = "run against a target that answers new keys without errors, or declare the answer in the contract", j.rules.tell(x)
	}
	if when, met := j.busyAt(x); met {
		j.control("environment", false, "%s (%s)", when, j.rules.describe(x))
		j.unsure(0, settle, "%s: %s, and so did other keys: the environment did it", t.Name, words)
		return true
	}
	if x.outcome() == trace.TimedOut && !j.othersRan(x) {
		j.unsure(0, "run it again, where it is less busy", "%s: %s, and no new operation was answered meanwhile: the machine may have stood still", t.Name, words)
		return true
	}
	others := j.environmentFor(t)
	if len(others) == 0 {
		j.unsure(0, "run it again to the end", "%s: %s, and the run ended before other keys were tried", t.Name, j.rules.describe(x))
		return true
	}
	met := 0
	for _, o := range others {
		if j.rules.failing(o) {
			met++
		}
	}
	held := met == 0
	j.control("environment", held, "%d of %d requests under other keys met the same trouble (%s)", met, len(others), j.rules.describe(x))
	if !held {
		j.unsure(0, settle, "%s: %s, and so did other keys: the environment did it", t.Name, words)
	}
	return !held
}

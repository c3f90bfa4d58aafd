package probe

import (
	"slices"
	"time"
)

// A request that waits in vain accuses nobody by itself: a machine or a disk
// that stands still keeps everybody waiting, and what is answered afterwards does
// not show that it went on meanwhile. So new operations are sent beside it.

// Bounds of those.
const (
	usualTimeout = 10 * time.Second // where the contract is not at hand: target.timeout's default
	besideEvery  = 20 * time.Millisecond
)

// besideWaiting sends two new operations while something is waited for: one in
// the first attempt and one in the last, a part of the timeout after it was sent.
// Within is for how long attempts are made.
func (b *builder) besideWaiting(slot string, waits Condition, within time.Duration) []Action {
	timeout := usualTimeout
	if b.env.Contract != nil {
		timeout = b.env.Contract.Target.Timeout
	}
	attempts := (within + timeout - 1) / timeout // before the last
	var body []Action
	for _, turn := range []struct {
		name string
		wait time.Duration
	}{{"first", timeout / 4}, {"last", attempts * (timeout + comeBackEvery)}} {
		body = append(body,
			Repeat{Body: []Action{Pause{For: besideEvery}}, While: waits, Within: turn.wait, Max: int(turn.wait/besideEvery) + 2},
			b.besideIf(slot+"/beside/"+turn.name, waits))
	}
	return body
}

// besideIf sends a new operation where something is still waited for.
func (b *builder) besideIf(slot string, waits Condition) If {
	id := b.freeze(slot, b.makeAs(slot, b.plainForm()), "")
	return If{When: waits, Body: []Action{Send{Label: "control", Request: id, Copies: 1, Long: true}}}
}

// working is when a new operation was sent, and when it was answered with a
// result, in nanoseconds since the run began.
type working struct{ from, to int64 }

// othersRan says that a new operation was sent and answered while a request
// waited in vain.
func (j *judging) othersRan(x *Exchange) bool {
	return x.Sent != nil && slices.ContainsFunc(j.worked, func(w working) bool {
		return w.from >= x.Sent.WriteEnded && w.to <= x.Answer.LastByte
	})
}

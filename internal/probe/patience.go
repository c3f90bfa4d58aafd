package probe

import (
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// What the steps need that wait for slow answers or for none.

// HangUp ends a send's connection from this side, on purpose, as a caller does
// that crashes or loses its network. The zero HangUp waits for the answer.
type HangUp struct {
	When  HangUpWhen
	Part  float64       // of the time that an operation's answer takes, passed since that moment
	After time.Duration // beside that
}

// HangUpWhen is the moment that a hang-up counts from.
type HangUpWhen string

// Moments of a hang-up.
const (
	Stay     HangUpWhen = ""
	Written  HangUpWhen = "written"   // the last byte of the request has been written
	InAnswer HangUpWhen = "in-answer" // the first byte of the answer has come
)

// Pause lets a time pass.
type Pause struct{ For time.Duration }

// Name gives the action's word in a printed plan.
func (Pause) Name() string { return "pause" }

const (
	// Pending: nothing has come back yet for what was sent under the labels.
	Pending Fact = "pending"
	// Awaited: some label has no whole answer yet, in a trial that has begun.
	Awaited Fact = "awaited"
	// Unwelcome: the last answer under the labels is there, and is no success.
	Unwelcome Fact = "unwelcome"
)

// pending says that a label's last send has no end yet.
func (t *Trial) pending(labels []string) bool {
	x := t.lastOf(labels)
	return x == nil || x.Answer == nil
}

// untilFree is how long a key may be kept from its caller after its owner has
// failed or died, with what a live owner takes: a dead owner's lease (where
// stated), and patience. It leaves a quarter of the retention for what comes
// after it.
func untilFree(op *contract.Operation) time.Duration {
	most := patience(op)
	if op.Promise.Lease.Known {
		most += op.Promise.Lease.Value
	}
	return withinRetention(op, most)
}

func withinRetention(op *contract.Operation, d time.Duration) time.Duration {
	if atLeast, _, known := op.EffectiveRetention(); known {
		return min(d, atLeast*3/4)
	}
	return d
}

// comeBackSlow is comeBack over connections that take no place among those
// that go on at the same time.
func comeBackSlow(label, request string, within time.Duration) Repeat {
	r := comeBackBy(Send{Label: label, Request: request, Copies: 1, Long: true}, within)
	r.Max = max(r.Max, int(within/comeBackEvery)+2)
	r.Least = vainTries
	return r
}

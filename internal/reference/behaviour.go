package reference

import (
	"context"
	"net/http"
)

// Behaviour is what the service does at each point where implementations of
// idempotency go wrong, in the order in which a request meets them. Correct is
// right at all of them. A fault, or another legal style, embeds a Behaviour and
// replaces a method or two:
//
//	type ignoresBody struct{ Behaviour }
//
//	func (ignoresBody) Fingerprint(*Service, *Call) string { return "" }
//
// The service always calls the outermost Behaviour (Service.Behaviour).
// Contexts end when the service stops, not when the caller hangs up, which is
// told by Call.Gone.
type Behaviour interface {
	// Arrive sees the head of a request before its body is read.
	Arrive(context.Context, *Service, *Call)
	// Key finds the idempotency key and checks it by its rules. An answer
	// refuses the request; an empty key without one runs it unprotected.
	Key(*Service, *Call) (key string, refusal *Answer)
	// Scope is what the key is unique within.
	Scope(*Service, *Call) Scope
	// Fingerprint tells one request from another under the same key.
	Fingerprint(*Service, *Call) string

	// Claim asks for the key.
	Claim(context.Context, *Service, *Call, Ask) (Claim, error)
	// Busy meets an operation in flight: an answer, or nil to ask again.
	Busy(context.Context, *Service, *Call, Record) *Answer
	// Conflict meets the key of another request.
	Conflict(context.Context, *Service, *Call, Record) Answer
	// Replay meets a finished operation.
	Replay(context.Context, *Service, *Call, Record) Answer

	// Renew keeps an owner's claim alive while it works.
	Renew(context.Context, *Service, Lease) error
	// Execute is the handler: it decides answer and effect, and writes nothing
	// but an intent.
	Execute(context.Context, *Service, *Call, Record) (Outcome, error)
	// Keep says whether an answer is stored under its key; if not, the key is
	// free again.
	Keep(*Service, *Call, Answer) bool
	// Commit writes effect, answer and key.
	Commit(context.Context, *Service, *Call, Change) error
	// Release frees a key after a failure that left no effect.
	Release(context.Context, *Service, Lease) error

	// Deliver sends an answer.
	Deliver(http.ResponseWriter, *Service, *Call, Answer)
	// Effects lists the ledger.
	Effects(ctx context.Context, s *Service, order string, limit int) ([]Effect, error)
	// Sweep deletes expired records and returns how many.
	Sweep(context.Context, *Service) (int, error)
}

// Outcome is what a handler decided: the answer and, where money is to move,
// the payment and its effect.
type Outcome struct {
	Answer  Answer
	Payment *Payment
	Effect  *Effect
}

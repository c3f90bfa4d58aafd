package reference

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Correct is the right behaviour.
type Correct struct{}

// Arrive does nothing: nothing may be looked up before the request is whole.
func (Correct) Arrive(context.Context, *Service, *Call) {}

// Key takes the header field as it is: opaque, case-sensitive, quotes included.
func (Correct) Key(s *Service, call *Call) (string, *Answer) {
	values := call.Header.Values("Idempotency-Key")
	switch {
	case len(values) == 0 && s.options.Keyless == "execute":
		return "", nil
	case len(values) == 0:
		a := Refuse(400, "key-missing", "the request has no Idempotency-Key")
		return "", &a
	case len(values) > 1 || !validKey(values[0]):
		a := Refuse(400, "key-invalid", "the Idempotency-Key is not 1 to 255 printable ASCII characters, sent once")
		return "", &a
	}
	return values[0], nil
}

func validKey(key string) bool {
	if len(key) < 1 || len(key) > 255 {
		return false
	}
	for i := range len(key) {
		if key[i] < ' ' || key[i] > '~' {
			return false
		}
	}
	return true
}

// Scope is caller, method, path and query.
func (Correct) Scope(_ *Service, call *Call) Scope { return call.Scope }

// Fingerprint covers method, path, query and body: the body's meaning where it
// is JSON, else its bytes.
func (Correct) Fingerprint(_ *Service, call *Call) string {
	if call.Canonical != nil {
		return digest("request/1", call.Method, call.Path, call.Query, "json", string(call.Canonical))
	}
	return digest("request/1", call.Method, call.Path, call.Query, "bytes", string(call.Body))
}

// Claim looks first, so that replays and waiters write nothing, and then
// decides by the store's atomic insert alone.
func (Correct) Claim(ctx context.Context, s *Service, _ *Call, ask Ask) (Claim, error) {
	rec, found, err := s.store.Find(ctx, ask.ID())
	if err != nil {
		return Claim{}, err
	}
	if found && !rec.Claimable(ask) {
		return Claim{judge(rec, ask), rec}, nil
	}
	rec, won, err := s.store.Claim(ctx, ask)
	switch {
	case err != nil:
		return Claim{}, err
	case won:
		return Claim{Won, rec}, nil
	}
	return Claim{judge(rec, ask), rec}, nil
}

// Busy waits for the first, or refuses at once.
func (Correct) Busy(ctx context.Context, s *Service, call *Call, rec Record) *Answer {
	if s.options.InFlight == "wait" && s.Await(ctx, call, rec) {
		return nil
	}
	a := RefuseFor(409, "in-flight", "the first request with this key is still being worked on", 1)
	return &a
}

// Conflict leaves the record as it is.
func (Correct) Conflict(_ context.Context, s *Service, _ *Call, _ Record) Answer {
	return Refuse(s.options.Conflict, "key-conflict", "the key was used for another request")
}

// Replay is the first answer, marked.
func (Correct) Replay(_ context.Context, _ *Service, _ *Call, rec Record) Answer {
	return rec.Answer.With("Idempotent-Replayed", "true")
}

// Renew moves the lease's end on.
func (Correct) Renew(ctx context.Context, s *Service, l Lease) error {
	return s.store.Renew(ctx, l, s.Now().Add(s.options.Lease))
}

// Execute makes the payment: here, or at the other service.
func (Correct) Execute(ctx context.Context, s *Service, call *Call, rec Record) (Outcome, error) {
	if rec.Intent != nil {
		var p Payment
		if err := json.Unmarshal(rec.Intent, &p); err != nil {
			return Outcome{}, fmt.Errorf("reading the intent: %w", err)
		}
		return s.elsewhere(ctx, rec, p)
	}
	if err := s.Sleep(ctx, s.options.Work+call.Operation.Work); err != nil {
		return Outcome{}, err
	}
	if s.options.Admin {
		if fails, err := s.failOnPurpose(ctx, call); fails || err != nil {
			return Outcome{Answer: handlerFailed()}, err
		}
	}
	if call.Operation.Declined {
		return Outcome{Answer: Refuse(402, "declined", "the payment was declined")}, nil
	}
	p := NewPayment(call, s.Now())
	if s.options.EffectURL != "" {
		return s.elsewhere(ctx, rec, p)
	}
	return p.made(), nil
}

// made is the outcome of a payment that goes through.
func (p Payment) made() Outcome {
	return Outcome{Answer: p.Answer(), Payment: &p, Effect: p.Effect()}
}

func handlerFailed() Answer {
	return Refuse(500, "handler-failed", "the operation failed before any effect")
}

// Keep stores every answer below 500. A 5xx of the handler had no effect, so
// its key is free again.
func (Correct) Keep(_ *Service, call *Call, a Answer) bool { return call.Key != "" && a.Status < 500 }

// Commit writes everything in one transaction.
func (Correct) Commit(ctx context.Context, s *Service, _ *Call, c Change) error {
	return s.store.Commit(ctx, c)
}

// Release frees the key, unless an effect elsewhere may have happened: then
// only the lease ends.
func (Correct) Release(ctx context.Context, s *Service, l Lease) error {
	if s.options.EffectURL != "" {
		return s.store.Yield(ctx, l, s.Now())
	}
	return s.store.Release(ctx, l)
}

// Deliver sends the answer.
func (Correct) Deliver(w http.ResponseWriter, s *Service, _ *Call, a Answer) { s.send(w, a) }

// Effects reads the ledger.
func (Correct) Effects(ctx context.Context, s *Service, order string, limit int) ([]Effect, error) {
	return s.store.Effects(ctx, order, limit)
}

// sweepRounds bounds the batches of one sweep; the rest waits for the next.
const sweepRounds = 100

// Sweep deletes expired records batch by batch, so that no transaction is long.
func (Correct) Sweep(ctx context.Context, s *Service) (int, error) {
	total := 0
	for range sweepRounds {
		n, err := s.store.Sweep(ctx, s.Now(), s.options.SweepBatch)
		total += n
		if err != nil || n < s.options.SweepBatch {
			return total, err
		}
	}
	return total, nil
}

// Sleep waits by the service's clock, or until ctx ends.
func (s *Service) Sleep(ctx context.Context, d time.Duration) error {
	return sleep(ctx, s.options.Clock, d)
}

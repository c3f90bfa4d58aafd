package reference

import (
	"context"
	"time"
)

// Store keeps records and the ledger. Every method is atomic by itself and
// safe for concurrent use, also by other processes on the same database.
type Store interface {
	Records
	Ledger

	// Offset is how far the admin hook has moved time on, and Shift moves it.
	// It is kept in the store, so that all replicas and the next start agree.
	Offset(context.Context) (time.Duration, error)
	Shift(context.Context, time.Duration) (time.Duration, error)

	Ping(context.Context) error
	Close() error
}

// Records is the keys' side of a store.
type Records interface {
	// Find reads a record, whatever its state and age.
	Find(ctx context.Context, id string) (Record, bool, error)
	// Claim takes a key that is free, expired, or left by a dead owner of the
	// same request, by one atomic insert on the unique id. Else won is false
	// and the record in the way is returned.
	Claim(context.Context, Ask) (rec Record, won bool, err error)
	// Renew moves a lease's end. ErrLost if it is no longer the record's.
	Renew(ctx context.Context, l Lease, until time.Time) error
	// Intend records what is about to be done elsewhere. ErrLost as above.
	Intend(ctx context.Context, l Lease, intent []byte) error
	// Commit writes a change in one transaction. ErrLost as above.
	Commit(context.Context, Change) error
	// Release frees the key of an operation that had no effect. A lease that
	// was lost or whose operation is finished is left alone without an error.
	Release(context.Context, Lease) error
	// Extend keeps a finished record until a later moment than it was to be
	// kept; one that is in progress, or kept longer, is left as it is.
	Extend(ctx context.Context, id string, until time.Time) error
	// Yield ends a lease at once and keeps the record and its intent, so that
	// the same request, or the keeper, takes over.
	Yield(ctx context.Context, l Lease, now time.Time) error
	// Watch starts watching a record: changed is closed when it may have been
	// finished or freed. The caller reads the record again after this call,
	// so that nothing is missed, and calls stop.
	Watch(ctx context.Context, id string) (changed <-chan struct{}, stop func())
	// Orphans are at most limit records with an intent whose owner is dead.
	Orphans(ctx context.Context, now time.Time, limit int) ([]Record, error)
	// Sweep deletes at most limit expired records and returns how many.
	Sweep(ctx context.Context, now time.Time, limit int) (int, error)
}

// Ledger is the money's side of a store.
type Ledger interface {
	// Payments are a caller's charges or refunds for an order, oldest first.
	Payments(ctx context.Context, kind, caller, order string, limit int) ([]Payment, error)
	// Payment is one charge or refund of a caller.
	Payment(ctx context.Context, kind, caller, id string) (Payment, bool, error)
	// Effects are the movements of money for an order, whoever caused them,
	// oldest first: the operator's view, to count by.
	Effects(ctx context.Context, order string, limit int) ([]Effect, error)
}

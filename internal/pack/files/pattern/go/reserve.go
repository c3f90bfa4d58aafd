package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"
)

// Answer is what a caller gets. The first four fields are the result that is
// kept of an operation; a retry gets them again, byte for byte.
type Answer struct {
	Status      int
	ContentType string
	Location    string
	Body        string

	Replayed bool
}

// Claim is the right to do an operation. It is the owner's that was drawn with
// it: once somebody else has claimed the key, nothing can be finished under this
// one any more.
type Claim struct {
	Caller, Key string
	Owner       string
	Intent      string    // of an earlier owner, who may have acted on it
	First       bool      // the intent was made just now: nobody has acted on it
	Since       time.Time // when the operation was first claimed
	Now         time.Time // both by the database's clock
}

// Why a key cannot be claimed.
var (
	errConflict = errors.New("the key was used for another request")
	errInFlight = errors.New("the first request with this key is still being worked on")
	errLost     = errors.New("another owner took the operation over")
)

// errDone is that there is a result already.
type errDone struct{ Answer }

func (errDone) Error() string { return "the operation was done" }

// Reserve does work once for each key of a caller, in one transaction with the
// key and the result: all of it happens, or nothing. A crash at any moment
// leaves no key without its result and no effect without its key.
//
// A duplicate that comes meanwhile waits for the transaction to end, because the
// database makes it wait for the key's row: then it finds the result, or the
// key free. It is errInFlight once its patience is over.
func (s *Store) Reserve(ctx context.Context, r Request, work func(tx *sql.Tx) (Answer, error)) (Answer, error) {
	var claim Claim
	var answer Answer
	return s.patiently(ctx, func() (Answer, error) {
		err := s.together(ctx,
			func(tx *sql.Tx) (err error) { claim, err = s.claim(ctx, tx, r); return err },
			func(tx *sql.Tx) (err error) { answer, err = work(tx); return err },
			func(tx *sql.Tx) error { return s.finish(ctx, tx, claim, answer) },
		)
		return answer, err
	})
}

// together runs steps in one transaction.
func (s *Store) together(ctx context.Context, steps ...step) error {
	transactions := [][]step{steps}
	if s.wrong == "key-outside-transaction" {
		transactions = apart(steps) // WRONG: a crash between two of them leaves an effect that no key tells of
	}
	for _, steps := range transactions {
		if err := s.transaction(ctx, steps...); err != nil {
			return err
		}
	}
	return nil
}

// claim takes a key, or says why it cannot be had: errDone, errConflict,
// errInFlight. Of two claims that come at once, the primary key lets one
// through. The row stays locked until the transaction ends.
func (s *Store) claim(ctx context.Context, tx *sql.Tx, r Request) (Claim, error) {
	owner := rand.Text()
	inserted, err := s.exec(ctx, tx, `INSERT INTO idempotency_keys
		(caller, idempotency_key, fingerprint, owner, lease_until, created_at)
		VALUES (?, ?, ?, ?, `+s.now+` + ?, `+s.now+`) `+s.onConflict,
		r.Caller, r.Key, r.Fingerprint, owner, s.lease.Milliseconds())
	if err != nil {
		return Claim{}, err
	}
	rec, err := s.look(ctx, tx, r.Caller, r.Key)
	if err != nil {
		return Claim{}, err
	}
	claim := Claim{Caller: r.Caller, Key: r.Key, Owner: owner, Intent: rec.intent, Since: rec.created, Now: rec.now}
	if inserted == 1 {
		return claim, nil
	}
	switch rec.standing(r.Fingerprint) {
	case over: // the same key after its retention is a new operation
		claim.Intent, claim.Since = "", rec.now
		_, err = s.exec(ctx, tx, `UPDATE idempotency_keys SET fingerprint = ?, owner = ?, lease_until = `+s.now+` + ?,
			created_at = `+s.now+`, intent = NULL, status = NULL, content_type = NULL, location = NULL, body = NULL, expires_at = NULL
			WHERE caller = ? AND idempotency_key = ?`, r.Fingerprint, owner, s.lease.Milliseconds(), r.Caller, r.Key)
		return claim, err
	case another:
		return Claim{}, errConflict
	case done:
		return Claim{}, errDone{rec.result}
	case owned:
		return Claim{}, errInFlight
	}
	return claim, s.takeOver(ctx, tx, claim)
}

// takeOver makes a claim the owner of an operation whose own owner is silent.
// What was intended stays intended.
func (s *Store) takeOver(ctx context.Context, tx *sql.Tx, c Claim) error {
	return s.fenced(s.exec(ctx, tx, `UPDATE idempotency_keys SET owner = ?, lease_until = `+s.now+` + ?
		WHERE caller = ? AND idempotency_key = ? AND status IS NULL AND lease_until <= `+s.now,
		c.Owner, s.lease.Milliseconds(), c.Caller, c.Key))
}

// inherit takes over an operation of which a list said that its owner is silent.
// What it is about is read anew: what has been done since the list was made, and
// how old the operation is by now. errLost, errInFlight: somebody came first.
func (s *Store) inherit(ctx context.Context, tx *sql.Tx, caller, key string) (Claim, error) {
	rec, err := s.look(ctx, tx, caller, key)
	if err != nil {
		return Claim{}, err
	}
	claim := Claim{Caller: caller, Key: key, Owner: rand.Text(), Intent: rec.intent, Since: rec.created, Now: rec.now}
	return claim, s.takeOver(ctx, tx, claim)
}

// finish keeps the result. From here on the key is remembered for its retention,
// which is counted from now: an operation that took long is not forgotten in the
// moment that it is done. errLost: it is somebody else's by now, and the
// transaction must not be committed.
func (s *Store) finish(ctx context.Context, tx *sql.Tx, c Claim, a Answer) error {
	retention := s.retention.Milliseconds()
	if s.wrong == "no-expiry" {
		retention = math.MaxInt32 * 1000 // WRONG: 68 years, in which the table only grows
	}
	if s.wrong == "key-without-result" {
		return nil // WRONG: a retry finds the key, and nothing to answer with
	}
	return s.fenced(s.exec(ctx, tx, `UPDATE idempotency_keys
		SET status = ?, content_type = ?, location = ?, body = ?, intent = NULL, expires_at = `+s.now+` + ?
		WHERE caller = ? AND idempotency_key = ? AND owner = ? AND status IS NULL`,
		a.Status, a.ContentType, sql.NullString{String: a.Location, Valid: a.Location != ""}, a.Body, retention, c.Caller, c.Key, c.Owner))
}

// fenced is errLost where a statement that only the owner can carry out changed
// nothing.
func (s *Store) fenced(changed int64, err error) error {
	if err == nil && changed == 0 {
		return errLost
	}
	return err
}

// record is what stands in the table of a key.
type record struct {
	fingerprint string
	intent      string
	result      Answer // Status 0: pending

	created, leaseUntil, expires, now time.Time
}

// standing is what a record means for a request.
type standing int

const (
	over    standing = iota // its retention has passed
	another                 // it is of another request
	done                    // there is a result
	owned                   // somebody works on it
	silent                  // somebody did, and may be dead
)

func (r record) standing(fingerprint string) standing {
	pending := r.result.Status == 0
	switch {
	case !pending && !r.now.Before(r.expires):
		return over // a pending one never is: nobody knows yet what became of it
	case subtle.ConstantTimeCompare([]byte(r.fingerprint), []byte(fingerprint)) != 1:
		return another
	case !pending:
		return done
	case r.now.Before(r.leaseUntil):
		return owned
	}
	return silent
}

// look reads and locks a key's record. errInFlight: it was swept just now, and
// can be claimed.
func (s *Store) look(ctx context.Context, tx *sql.Tx, caller, key string) (record, error) {
	var r record
	var created, lease, now int64
	var expires, status sql.NullInt64
	var intent, contentType, location, body sql.NullString
	err := tx.QueryRowContext(ctx, s.sql(`SELECT fingerprint, intent, status, content_type, location, body,
		created_at, lease_until, expires_at, `+s.now+`
		FROM idempotency_keys WHERE caller = ? AND idempotency_key = ? `+s.forUpdate), caller, key).Scan(
		&r.fingerprint, &intent, &status, &contentType, &location, &body, &created, &lease, &expires, &now)
	if errors.Is(err, sql.ErrNoRows) {
		return r, errInFlight
	}
	if err != nil {
		return r, fmt.Errorf("reading a key: %w", err)
	}
	r.intent = intent.String
	r.result = Answer{int(status.Int64), contentType.String, location.String, body.String, true}
	r.created, r.leaseUntil, r.expires, r.now = time.UnixMilli(created), time.UnixMilli(lease), time.UnixMilli(expires.Int64), time.UnixMilli(now)
	return r, nil
}

// How long a duplicate waits for the first request, and how often it looks.
const (
	patience = 5 * time.Second
	recheck  = 25 * time.Millisecond
)

// patiently tries until the key is not in flight any more, up to the patience.
// A result that is there already is the answer.
func (s *Store) patiently(ctx context.Context, try func() (Answer, error)) (Answer, error) {
	for until := time.Now().Add(patience); ; {
		answer, err := try()
		if was, ok := errors.AsType[errDone](err); ok {
			return was.Answer, nil
		}
		waits := errors.Is(err, errInFlight) || errors.Is(err, errLost)
		if !waits || time.Now().After(until) {
			return answer, err
		}
		if sleep(ctx, recheck) != nil {
			return Answer{}, errInFlight
		}
	}
}

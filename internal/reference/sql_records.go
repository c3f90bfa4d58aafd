package reference

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

const recordColumns = `id, key, caller, method, path, query, fingerprint, state,
	status, header, body, intent, owner, generation, lease_until, created_at, expires_at`

// Find reads a record.
func (s *sqlStore) Find(ctx context.Context, id string) (rec Record, found bool, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		rec, err = one(ctx, s.read, scanRecord, `SELECT `+recordColumns+` FROM idempotency_keys WHERE id = $1`, id)
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return Record{}, false, nil
	}
	return rec, err == nil, err
}

func scanRecord(columns row) (Record, error) {
	var (
		r                       Record
		status                  sql.NullInt64
		header                  []byte
		lease, created, expires int64
	)
	err := columns.Scan(&r.Lease.ID, &r.Key, &r.Scope.Caller, &r.Scope.Method, &r.Scope.Path, &r.Scope.Query,
		&r.Fingerprint, &r.State, &status, &header, &r.Answer.Body, &r.Intent,
		&r.Lease.Owner, &r.Lease.Generation, &lease, &created, &expires)
	if err != nil {
		return Record{}, err
	}
	r.Answer.Status = int(status.Int64)
	if header != nil {
		if err := json.Unmarshal(header, &r.Answer.Header); err != nil {
			return Record{}, fmt.Errorf("reading a stored header: %w", err)
		}
	}
	r.LeaseUntil, r.Created, r.Expires = time.UnixMicro(lease), time.UnixMicro(created), time.UnixMicro(expires)
	return r, nil
}

// claimSQL is the whole of the claim: one statement that inserts on the unique
// id or, where Record.Claimable holds of the row in the way, takes it. An
// expired record begins anew; a dead owner's keeps its times and its intent.
const claimSQL = `
	INSERT INTO idempotency_keys AS r
		(id, key, caller, method, path, query, fingerprint, state, owner, generation, lease_until, created_at, expires_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, 'in_progress', $8, 1, $9, $10, $11)
	ON CONFLICT (id) DO UPDATE SET
		fingerprint = excluded.fingerprint, state = 'in_progress',
		status = NULL, header = NULL, body = NULL,
		owner = excluded.owner, generation = r.generation + 1, lease_until = excluded.lease_until,
		created_at = CASE WHEN r.expires_at <= excluded.created_at AND r.intent IS NULL
			THEN excluded.created_at ELSE r.created_at END,
		expires_at = CASE WHEN r.expires_at <= excluded.created_at AND r.intent IS NULL
			THEN excluded.expires_at ELSE r.expires_at END
	WHERE (r.state <> 'in_progress' AND r.expires_at <= excluded.created_at)
		OR (r.state = 'in_progress' AND r.lease_until <= excluded.created_at
			AND (r.fingerprint = excluded.fingerprint
				OR (r.expires_at <= excluded.created_at AND r.intent IS NULL)))
	RETURNING ` + recordColumns

// claimTries bounds how often a claim meets a record that is gone when read.
const claimTries = 10

// Claim takes a key, or reads the record in the way.
func (s *sqlStore) Claim(ctx context.Context, a Ask) (rec Record, won bool, err error) {
	id := a.ID()
	for range claimTries {
		err = s.do(ctx, func(ctx context.Context) error {
			rec, err = one(ctx, s.write, scanRecord, claimSQL,
				id, a.Key, a.Scope.Caller, a.Scope.Method, a.Scope.Path, a.Scope.Query, a.Fingerprint,
				a.Owner, a.LeaseUntil.UnixMicro(), a.Now.UnixMicro(), a.Expires.UnixMicro())
			return err
		})
		if err == nil {
			return rec, true, nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return Record{}, false, err
		}
		rec, found, err := s.Find(ctx, id)
		if found || err != nil {
			return rec, false, err
		}
		// Freed in between: the key can be had after all.
	}
	return Record{}, false, errors.New("the record came and went too often")
}

// mine is what only a lease's owner matches, before the operation is finished.
const mine = ` WHERE id = $1 AND owner = $2 AND generation = $3 AND state = 'in_progress'`

// Renew moves the lease's end.
func (s *sqlStore) Renew(ctx context.Context, l Lease, until time.Time) error {
	return s.fenced(ctx, `UPDATE idempotency_keys SET lease_until = $4`+mine,
		l.ID, l.Owner, l.Generation, until.UnixMicro())
}

// Intend records an intent.
func (s *sqlStore) Intend(ctx context.Context, l Lease, intent []byte) error {
	return s.fenced(ctx, `UPDATE idempotency_keys SET intent = $4`+mine, l.ID, l.Owner, l.Generation, intent)
}

// Extend moves a finished record's end on.
func (s *sqlStore) Extend(ctx context.Context, id string, until time.Time) error {
	return s.do(ctx, func(ctx context.Context) error {
		_, err := s.write.exec(ctx, `UPDATE idempotency_keys SET expires_at = $2
			WHERE id = $1 AND state <> 'in_progress' AND expires_at < $2`, id, until.UnixMicro())
		return err
	})
}

// Yield ends the lease now.
func (s *sqlStore) Yield(ctx context.Context, l Lease, now time.Time) error {
	err := s.fenced(ctx, `UPDATE idempotency_keys SET lease_until = $4`+mine,
		l.ID, l.Owner, l.Generation, now.UnixMicro())
	if errors.Is(err, ErrLost) {
		return nil
	}
	s.hub.wake(l.ID)
	return err
}

// Release deletes the record, unless something was intended elsewhere.
func (s *sqlStore) Release(ctx context.Context, l Lease) error {
	err := s.transact(ctx, func(ctx context.Context, tx *transaction) error {
		return s.finish(ctx, tx, l.ID, `DELETE FROM idempotency_keys`+mine+` AND intent IS NULL`,
			l.ID, l.Owner, l.Generation)
	})
	if errors.Is(err, ErrLost) {
		return nil
	}
	s.hub.wake(l.ID)
	return err
}

// Commit writes a change in one transaction, the fenced record first: where
// the lease is lost nothing else is tried.
func (s *sqlStore) Commit(ctx context.Context, c Change) error {
	err := s.transact(ctx, func(ctx context.Context, tx *transaction) error {
		if err := s.conclude(ctx, tx, c); err != nil {
			return err
		}
		if c.Payment != nil {
			if err := insertPayment(ctx, tx, *c.Payment); err != nil {
				return err
			}
		}
		if c.Effect != nil {
			return insertEffect(ctx, tx, *c.Effect)
		}
		return nil
	})
	if err == nil && c.Lease.ID != "" {
		s.hub.wake(c.Lease.ID)
	}
	return err
}

// conclude finishes or frees the record of a change. A record that outlived its
// own retention is kept for one more, lest the key be forgotten in the moment
// its result comes to be.
func (s *sqlStore) conclude(ctx context.Context, tx *transaction, c Change) error {
	l := c.Lease
	switch {
	case l.ID == "" || c.Answer == nil:
		return nil
	case !c.Keep:
		return s.finish(ctx, tx, l.ID, `DELETE FROM idempotency_keys`+mine, l.ID, l.Owner, l.Generation)
	}
	state := Succeeded
	if c.Answer.Status >= 400 {
		state = Failed
	}
	return s.finish(ctx, tx, l.ID, `UPDATE idempotency_keys SET
		state = $4, status = $5, header = $6, body = $7, intent = NULL,
		expires_at = CASE WHEN expires_at <= $8 THEN $9 ELSE expires_at END`+mine,
		l.ID, l.Owner, l.Generation, string(state), c.Answer.Status, marshal(c.Answer.Header), c.Answer.Body,
		c.Now.UnixMicro(), c.Extend.UnixMicro())
}

// finish runs a fenced statement that ends an operation, and notifies the
// replicas that announced a waiter. The announcement is a column of the same
// row: it either came before, and is seen here, or finds the operation over.
func (s *sqlStore) finish(ctx context.Context, tx *transaction, id, query string, args ...any) error {
	awaited, err := one(ctx, tx, value[bool], query+` RETURNING awaited <> 0`, args...)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return ErrLost
	case err != nil || !awaited || s.dialect.notify == nil:
		return err
	}
	return s.dialect.notify(ctx, tx, id)
}

// Watch joins the record's waiters. The first of them announces them all.
func (s *sqlStore) Watch(ctx context.Context, id string) (<-chan struct{}, func()) {
	t, first := s.hub.join(id)
	if first && s.dialect.announce != nil {
		inProgress := false
		err := s.do(ctx, func(ctx context.Context) (err error) {
			inProgress, err = s.dialect.announce(ctx, s.write, id)
			return err
		})
		if err != nil || !inProgress {
			s.hub.wake(id) // over before anyone could be told of it
		}
	}
	return t.changed, func() { s.hub.leave(id, t) }
}

// Orphans reads intents that nobody works on.
func (s *sqlStore) Orphans(ctx context.Context, now time.Time, limit int) (orphans []Record, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		orphans, err = all(ctx, s.read, scanRecord, `SELECT `+recordColumns+` FROM idempotency_keys
			WHERE intent IS NOT NULL AND state = 'in_progress' AND lease_until <= $1
			ORDER BY lease_until LIMIT $2`, now.UnixMicro(), limit)
		return err
	})
	return orphans, err
}

// Sweep deletes one batch. What a live owner has, or may have had an effect
// elsewhere, stays.
func (s *sqlStore) Sweep(ctx context.Context, now time.Time, limit int) (int, error) {
	var n int64
	err := s.do(ctx, func(ctx context.Context) (err error) {
		n, err = s.write.exec(ctx, `
			WITH doomed AS MATERIALIZED (
				SELECT id FROM idempotency_keys
				WHERE expires_at <= $1 AND (state <> 'in_progress' OR (lease_until <= $1 AND intent IS NULL))
				ORDER BY expires_at LIMIT $2 `+s.dialect.skipLocked+`)
			DELETE FROM idempotency_keys WHERE id IN (SELECT id FROM doomed)`, now.UnixMicro(), limit)
		return err
	})
	return int(n), err
}

package main

import (
	"context"
	"database/sql"
	"log/slog"
	"time"
)

// unresolved is how many payments nobody knows the outcome of, and whose owner is
// silent: what a person sees of them without asking the database. The schema has
// the query that lists them.
type unresolved struct {
	pending   int64 // are asked again
	forgotten int64 // are not: the provider may have forgotten its key
	oldest    time.Duration
}

// Unresolved counts what is unresolved now.
func (p *Payments) Unresolved(ctx context.Context) (u unresolved, err error) {
	var oldest sql.NullInt64
	var forgotten sql.NullInt64
	err = p.store.db.QueryRowContext(ctx, p.store.sql(`SELECT count(*),
		sum(CASE WHEN created_at <= `+p.store.now+` - ? THEN 1 ELSE 0 END), max(`+p.store.now+` - created_at)
		FROM idempotency_keys
		WHERE expires_at IS NULL AND intent IS NOT NULL AND lease_until <= `+p.store.now), p.remember.Milliseconds()).Scan(&u.pending, &forgotten, &oldest)
	u.forgotten = forgotten.Int64
	u.pending -= u.forgotten
	u.oldest = time.Duration(oldest.Int64) * time.Millisecond
	return u, err
}

// tell logs what is unresolved where that is not what was told before: at the
// start always, so that nothing is unresolved in silence.
func (p *Payments) tell(ctx context.Context) error {
	u, err := p.Unresolved(ctx)
	if err != nil {
		return err
	}
	if p.told != nil && p.told.pending == u.pending && p.told.forgotten == u.forgotten {
		return nil
	}
	p.told = &u
	level := slog.LevelInfo
	if u.forgotten > 0 {
		level = slog.LevelError // somebody has to look them up
	}
	slog.Log(ctx, level, "unresolved payments", "asked_again", u.pending, "to_be_looked_up", u.forgotten, "oldest", u.oldest.Round(time.Second).String())
	return nil
}

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Store is the database. Any number of processes may share one.
type Store struct {
	db *sql.DB
	dialect
	sweep string // a statement

	retention, lease time.Duration
	answerDelay      time.Duration
	wrong            string
}

// OpenStore opens the database and applies its schema. Errors do not show the
// address, which may hold a password.
func OpenStore(ctx context.Context, settings Settings) (*Store, error) {
	s := &Store{retention: settings.Retention, lease: settings.Lease, answerDelay: settings.AnswerDelay, wrong: settings.Wrong}
	var err error
	file, isFile := strings.CutPrefix(settings.Database, "sqlite:")
	switch {
	case isFile && file != "":
		s.dialect = sqliteFile
		s.db, err = openSQLite(file)
	case strings.HasPrefix(settings.Database, "postgres://"), strings.HasPrefix(settings.Database, "postgresql://"):
		s.dialect = postgres
		s.db, err = openPostgres(settings.Database)
	case strings.HasPrefix(settings.Database, "mysql://"):
		s.dialect = mariadb
		s.db, err = openMariaDB(settings.Database)
	default:
		err = errors.New("DATABASE_URL is neither postgres://, mysql:// nor sqlite:FILE")
	}
	if err != nil {
		return nil, err
	}
	if err := s.applySchema(ctx, settings.Schema); err != nil {
		s.db.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) Close() error { return s.db.Close() }

// applySchema makes the tables where they are not there, and reads the sweep.
func (s *Store) applySchema(ctx context.Context, folder string) error {
	folders := []string{folder}
	if folder == "" {
		folders = []string{"schema", filepath.Join("..", "schema")}
	}
	var text []byte
	var err error
	for _, f := range folders {
		if text, err = os.ReadFile(filepath.Join(f, s.schema)); err == nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("SCHEMA does not name the folder of the .sql files: %w", err)
	}
	tables, sweep, _ := strings.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n-- SWEEP.")
	_, s.sweep, _ = strings.Cut(sweep, "\n") // the rest of the marker's line
	return s.attempt(ctx, []step{func(tx *sql.Tx) error {
		for _, statement := range strings.SplitAfter(strings.TrimSpace(tables), ";\n") {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("applying %s: %w", s.schema, err)
			}
		}
		return nil
	}})
}

// step is a part of a transaction.
type step func(tx *sql.Tx) error

// apart gives each step a transaction of its own.
func apart(steps []step) [][]step { return slices.Collect(slices.Chunk(steps, 1)) }

// transaction runs steps in one transaction, which is committed where none of
// them fails. Where the database undid it to end a deadlock it is tried again,
// up to the patience, and is errInFlight after that: nothing of it has happened.
// Where the commit itself fails by a lost connection, nobody knows whether it
// took place: the caller's retry finds out by the key.
func (s *Store) transaction(ctx context.Context, steps ...step) error {
	for again := newRetry(); ; {
		err := s.attempt(ctx, steps)
		switch {
		case err == nil:
			_ = sleep(ctx, s.answerDelay)
			return nil
		case s.blocked(err):
			return errInFlight
		case !s.undone(err):
			return err
		case !again.wait(ctx):
			return errInFlight
		}
	}
}

// retry is when something is tried again that lost against others: after a pause
// that grows, and that no two draw alike, or they would meet again.
type retry struct {
	until time.Time
	next  time.Duration
}

func newRetry() *retry { return &retry{time.Now().Add(patience), 2 * time.Millisecond} }

// wait is false, at once, where the patience or ctx is over.
func (r *retry) wait(ctx context.Context) bool {
	pause := r.next/2 + rand.N(r.next)
	r.next = min(2*r.next, 200*time.Millisecond)
	return time.Now().Add(pause).Before(r.until) && sleep(ctx, pause) == nil
}

func (s *Store) attempt(ctx context.Context, steps []step) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: s.isolation})
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after the commit
	for _, do := range steps {
		if err := do(tx); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// exec runs a statement and gives how many rows it changed.
func (s *Store) exec(ctx context.Context, tx *sql.Tx, query string, args ...any) (int64, error) {
	result, err := tx.ExecContext(ctx, s.sql(query), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// sql writes parameters as the database reads them.
func (s *Store) sql(query string) string {
	if !s.numbered {
		return query
	}
	parts := strings.Split(query, "?")
	for i := range parts[1:] {
		parts[i] += "$" + strconv.Itoa(i+1)
	}
	return strings.Join(parts, "")
}

// KeepSweeping deletes what is over, until ctx ends.
func (s *Store) KeepSweeping(ctx context.Context) {
	every := min(max(s.retention/2, 100*time.Millisecond), 10*time.Second)
	for sleep(ctx, every) == nil {
		if n, err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			slog.Warn("the sweep failed", "error", err)
		} else if n > 0 {
			slog.Info("swept", "keys", n)
		}
	}
}

// bite is how many keys the sweep's statement deletes at most.
const bite = 1000

// Sweep deletes the keys whose retention has passed, and gives how many. Where
// requests come before it, it is tried again up to the patience, with fewer keys
// at a time: the oldest, which nobody uses, go first. What it leaves is for its
// next round.
func (s *Store) Sweep(ctx context.Context) (swept int64, err error) {
	again, most := newRetry(), int64(bite)
	for {
		statement := strings.Replace(s.sweep, fmt.Sprint("LIMIT ", bite), fmt.Sprint("LIMIT ", most), 1)
		var n int64
		err := s.attempt(ctx, []step{func(tx *sql.Tx) (err error) { n, err = s.exec(ctx, tx, statement); return err }})
		switch {
		case err == nil && n < most:
			return swept + n, nil
		case err == nil:
			swept, again, most = swept+n, newRetry(), min(4*most, bite)
		case !s.undone(err) && !s.blocked(err):
			return swept, err
		case !again.wait(ctx):
			slog.Info("the sweep left keys that are in use to its next round")
			return swept, ctx.Err()
		default:
			most = max(most/4, 1)
		}
	}
}

// sleep waits, or gives the error of the context that ended before.
func sleep(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

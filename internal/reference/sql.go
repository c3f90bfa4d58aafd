package reference

import (
	"context"
	"errors"
	"time"
)

// sqlStore is the one implementation of Store. Both databases read the same
// statements, $1 and all; dialect is what they do not share.
type sqlStore struct {
	write, read *pool
	dialect     dialect
	hub         hub
	close       []func() error // after the pools, in order
}

type dialect struct {
	blob        string // the type of byte columns
	tableExists string // a query for the existence of table $1
	lockSchema  string // run first where tables are made; may be empty
	skipLocked  string // ends the sweep's select, so that sweepers do not queue
	transient   func(error) bool

	// announce tells other replicas that somebody here waits for a record, and
	// notify, in the transaction that finishes or frees it, wakes them. Both
	// are nil where all waiters are in this process.
	announce func(ctx context.Context, p *pool, id string) (inProgress bool, err error)
	notify   func(ctx context.Context, tx *transaction, id string) error
}

const (
	storeTime  = 15 * time.Second // bounds every operation of a store
	storeTries = 5                // of an operation that the database asks to repeat
)

// do runs a database operation in bounded time, again where the database says
// that it was only in another's way.
func (s *sqlStore) do(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	for try := 1; ; try++ {
		err := f(ctx)
		if err == nil || try == storeTries || !s.dialect.transient(err) {
			return err
		}
		if sleep(ctx, SystemClock{}, time.Duration(try*try)*5*time.Millisecond) != nil {
			return err
		}
	}
}

// transact runs f in a transaction: all of it is written, or nothing.
func (s *sqlStore) transact(ctx context.Context, f func(context.Context, *transaction) error) error {
	return s.do(ctx, func(ctx context.Context) error {
		tx, err := s.write.begin(ctx)
		if err != nil {
			return err
		}
		if err := f(ctx, tx); err != nil {
			_ = tx.Rollback()
			return err
		}
		return tx.Commit()
	})
}

// fenced runs a statement that only the lease's owner may; no row is a loss.
func (s *sqlStore) fenced(ctx context.Context, query string, args ...any) error {
	return s.do(ctx, func(ctx context.Context) error {
		n, err := s.write.exec(ctx, query, args...)
		if err == nil && n == 0 {
			return ErrLost
		}
		return err
	})
}

// Ping reads from the database.
func (s *sqlStore) Ping(ctx context.Context) error {
	_, err := s.Offset(ctx)
	return err
}

// Offset reads how far time was moved on.
func (s *sqlStore) Offset(ctx context.Context) (time.Duration, error) {
	var us int64
	err := s.do(ctx, func(ctx context.Context) (err error) {
		us, err = one(ctx, s.read, value[int64], `SELECT offset_us FROM reference_meta`)
		return err
	})
	return time.Duration(us) * time.Microsecond, err
}

// Shift moves time on.
func (s *sqlStore) Shift(ctx context.Context, by time.Duration) (time.Duration, error) {
	var us int64
	err := s.do(ctx, func(ctx context.Context) (err error) {
		us, err = one(ctx, s.write, value[int64],
			`UPDATE reference_meta SET offset_us = offset_us + $1 RETURNING offset_us`, by.Microseconds())
		return err
	})
	return time.Duration(us) * time.Microsecond, err
}

// Close closes the database; whoever waits is woken.
func (s *sqlStore) Close() error {
	var errs []error
	if s.read != s.write {
		errs = append(errs, s.read.Close())
	}
	errs = append(errs, s.write.Close())
	for _, f := range s.close {
		errs = append(errs, f())
	}
	s.hub.wakeAll()
	return errors.Join(errs...)
}

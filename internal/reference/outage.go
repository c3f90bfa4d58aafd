package reference

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// Outage is a store whose records can be taken away by the test hook POST
// /admin/store?up=false, as if they were kept in a server of their own that is
// down. The ledger stays, so that a service that runs operations without their
// keys can do so, and is counted.
type Outage struct {
	Store
	away atomic.Bool
}

var errAway = errors.New("the record store is away")

// TakeAway takes the records away, or brings them back.
func (o *Outage) TakeAway(away bool) { o.away.Store(away) }

func (o *Outage) check() error {
	if o.away.Load() {
		return errAway
	}
	return nil
}

func (o *Outage) Find(ctx context.Context, id string) (Record, bool, error) {
	if err := o.check(); err != nil {
		return Record{}, false, err
	}
	return o.Store.Find(ctx, id)
}

func (o *Outage) Claim(ctx context.Context, ask Ask) (Record, bool, error) {
	if err := o.check(); err != nil {
		return Record{}, false, err
	}
	return o.Store.Claim(ctx, ask)
}

func (o *Outage) Renew(ctx context.Context, l Lease, until time.Time) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.Store.Renew(ctx, l, until)
}

func (o *Outage) Intend(ctx context.Context, l Lease, intent []byte) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.Store.Intend(ctx, l, intent)
}

// Commit fails where a record is part of the change.
func (o *Outage) Commit(ctx context.Context, c Change) error {
	if err := o.check(); err != nil && c.Lease != (Lease{}) {
		return err
	}
	return o.Store.Commit(ctx, c)
}

func (o *Outage) Release(ctx context.Context, l Lease) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.Store.Release(ctx, l)
}

func (o *Outage) Yield(ctx context.Context, l Lease, now time.Time) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.Store.Yield(ctx, l, now)
}

func (o *Outage) Orphans(ctx context.Context, now time.Time, limit int) ([]Record, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return o.Store.Orphans(ctx, now, limit)
}

func (o *Outage) Sweep(ctx context.Context, now time.Time, limit int) (int, error) {
	if err := o.check(); err != nil {
		return 0, err
	}
	return o.Store.Sweep(ctx, now, limit)
}

func (o *Outage) Ping(ctx context.Context) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.Store.Ping(ctx)
}

// takeAway is the hook.
func (s *Service) takeAway(r *http.Request) Answer {
	if r.Method != http.MethodPost {
		return Refuse(405, "method", "the path does not have this method").With("Allow", "POST")
	}
	up, err := strconv.ParseBool(r.URL.Query().Get("up"))
	outage, ok := s.store.(*Outage)
	if err != nil || !ok {
		return Refuse(400, "up-invalid", "up is not true or false")
	}
	outage.TakeAway(!up)
	return document(map[string]bool{"up": up})
}

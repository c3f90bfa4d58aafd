package reference

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// outage is a store whose records can be taken away by the test hook POST
// /admin/store?up=false, as if they were kept in a server of their own that is
// down. The ledger stays, so that a service that runs operations without their
// keys can do so, and is counted.
type outage struct {
	Store
	away atomic.Bool
}

var errAway = errors.New("the record store is away")

// takeAway takes the records away, or brings them back.
func (o *outage) takeAway(away bool) { o.away.Store(away) }

func (o *outage) check() error {
	if o.away.Load() {
		return errAway
	}
	return nil
}

func (o *outage) Find(ctx context.Context, id string) (Record, bool, error) {
	if err := o.check(); err != nil {
		return Record{}, false, err
	}
	return o.Store.Find(ctx, id)
}

func (o *outage) Claim(ctx context.Context, ask Ask) (Record, bool, error) {
	if err := o.check(); err != nil {
		return Record{}, false, err
	}
	return o.Store.Claim(ctx, ask)
}

func (o *outage) Renew(ctx context.Context, l Lease, until time.Time) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.Store.Renew(ctx, l, until)
}

func (o *outage) Intend(ctx context.Context, l Lease, intent []byte) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.Store.Intend(ctx, l, intent)
}

// Commit fails where a record is part of the change.
func (o *outage) Commit(ctx context.Context, c Change) error {
	if err := o.check(); err != nil && c.Lease != (Lease{}) {
		return err
	}
	return o.Store.Commit(ctx, c)
}

func (o *outage) Release(ctx context.Context, l Lease) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.Store.Release(ctx, l)
}

func (o *outage) Extend(ctx context.Context, id string, until time.Time) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.Store.Extend(ctx, id, until)
}

func (o *outage) Yield(ctx context.Context, l Lease, now time.Time) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.Store.Yield(ctx, l, now)
}

func (o *outage) Orphans(ctx context.Context, now time.Time, limit int) ([]Record, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return o.Store.Orphans(ctx, now, limit)
}

func (o *outage) Sweep(ctx context.Context, now time.Time, limit int) (int, error) {
	if err := o.check(); err != nil {
		return 0, err
	}
	return o.Store.Sweep(ctx, now, limit)
}

func (o *outage) Ping(ctx context.Context) error {
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
	store, ok := s.store.(*outage)
	if err != nil || !ok {
		return Refuse(400, "up-invalid", "up is not true or false")
	}
	store.takeAway(!up)
	return document(map[string]bool{"up": up})
}

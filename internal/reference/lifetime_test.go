package reference

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"
)

// deaf is a gate whose owner never renews, as if its process had stopped.
type deaf struct{ *gate }

func (deaf) Renew(context.Context, *Service, Lease) error { return nil }

func TestASilentOwnerLosesItsClaimAndCannotComplete(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		g := newGate()
		clock, store := newTestClock(), open()
		slow := newRig(t, store, clock, func(o *Options) { o.Behaviour = deaf{g} })
		quick := newRig(t, store, clock, nil)
		done := make(chan reply)
		go func() { done <- slow.charge("k", order("o")) }()
		<-g.entered
		clock.Advance(quick.s.options.Lease)
		second := quick.charge("k", order("o")).want(t, 201, "")
		close(g.open)
		(<-done).replayed(t, second)
		quick.wantEffects("o", 1)
	})
}

func TestALiveOwnerKeepsItsClaimHoweverSlow(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		g := newGate()
		clock, store := newTestClock(), open()
		r := newRig(t, store, clock, func(o *Options) {
			g.use(o)
			o.InFlight, o.Retention = "reject", o.Lease+time.Second
		})
		done := make(chan reply)
		go func() { done <- r.charge("k", order("o")) }()
		<-g.entered
		id := Scope{Caller: "anonymous", Method: "POST", Path: "/v1/charges"}.ID("k")
		for range 12 { // four leases long
			eventually(t, "the renewal's timer", func() bool { return clock.waiting() == 1 })
			clock.Advance(r.s.options.Lease / 3)
			eventually(t, "the renewal", func() bool {
				rec, found, err := store.Find(ctx, id)
				return err == nil && found && rec.LeaseUntil.Sub(clock.Now()) > r.s.options.Lease*9/10
			})
			r.charge("k", order("o")).want(t, 409, "in-flight")
		}
		close(g.open)
		first := (<-done).want(t, 201, "")
		// It outlived its own retention, and is not forgotten as it is finished.
		r.charge("k", order("o")).replayed(t, first)
		r.wantEffects("o", 1)
	})
}

func TestAfterRetentionTheKeyIsNewAndRunsOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		r := newRig(t, open(), newTestClock(), nil)
		first := r.charge("k", order("o")).want(t, 201, "")
		// A replay just before the end moves nothing: retention is from first use.
		r.clock.Advance(r.s.options.Retention - time.Millisecond)
		r.charge("k", order("o")).replayed(t, first)
		r.charge("k", order("o2")).want(t, 422, "key-conflict")
		r.clock.Advance(time.Millisecond)
		var mu sync.Mutex
		bodies := map[string]int{}
		race(3, func(int) {
			got := r.charge("k", order("o")).want(t, 201, "")
			mu.Lock()
			defer mu.Unlock()
			bodies[got.body]++
		})
		if len(bodies) != 1 || bodies[first.body] != 0 {
			t.Errorf("after expiry: %v", bodies)
		}
		r.wantEffects("o", 2)
		r.clock.Advance(r.s.options.Retention)
		r.charge("k", order("o3")).want(t, 201, "") // another request may have it now
	})
}

func TestTheAdvanceHookAgesRecordsOnAllReplicasAndAfterARestart(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		clock := newTestClock()
		admin := func(o *Options) { o.Admin = true }
		a, b := newRig(t, open(), clock, admin), newRig(t, open(), clock, admin)
		a.charge("k", order("o")).want(t, 201, "")
		b.charge("k", order("o2")).want(t, 422, "key-conflict")
		moved := a.do("POST", "/admin/advance?seconds=86400", "").want(t, 200, "")
		if want := `{"now":"2026-12-01T12:00:00Z"}`; moved.body != want {
			t.Errorf("moved to %s, want %s", moved.body, want)
		}
		b.charge("k", order("o2")).want(t, 201, "")
		c := newRig(t, open(), clock, admin)
		c.charge("k", order("o")).want(t, 422, "key-conflict")
		for _, bad := range []string{"", "?seconds=0", "?seconds=-1", "?seconds=1.5", "?seconds=31622401", "?seconds=x"} {
			a.do("POST", "/admin/advance"+bad, "").want(t, 400, "seconds-invalid")
		}
		a.do("GET", "/admin/advance?seconds=1", "").want(t, 405, "method")
	})
}

func TestTheTableStaysBoundedUnderSteadyTraffic(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		clock := newTestClock()
		r := newRig(t, s, clock, func(o *Options) {
			o.Retention, o.Lease, o.SweepEvery, o.SweepBatch = 10*time.Second, 5*time.Second, time.Second, 7
		})
		go r.s.keep(r.s.base)
		const perSecond, seconds = 5, 40
		most := 0
		for second := range seconds {
			for i := range perSecond {
				id := fmt.Sprint(second, "-", i)
				r.charge(id, order(id)).want(t, 201, "")
			}
			// The sweeper sleeps, so it is done with this second's sweep.
			eventually(t, "the sweeper's sleep", func() bool { return clock.waiting() == 1 })
			most = max(most, records(t, s))
			clock.Advance(time.Second)
		}
		if most != perSecond*10 {
			t.Errorf("up to %d records, want what the retention of 10 s holds", most)
		}
		r.wantEffects("0-0", 1)
	})
}

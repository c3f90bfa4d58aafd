package reference

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

func TestHundredsOfCopiesAtOnceHaveOneEffect(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		g := newGate()
		clock := newTestClock()
		replicas := []*rig{newRig(t, open(), clock, g.use), newRig(t, open(), clock, g.use)}
		if replicas[0].s.store.(*sqlStore).dialect.announce == nil {
			replicas[1] = replicas[0] // replicas need PostgreSQL
		}
		const copies = 200
		replies := make([]reply, copies)
		var first atomic.Int64
		go func() {
			<-g.entered
			close(g.open)
		}()
		race(copies, func(i int) {
			replies[i] = replicas[i%2].charge("k", order("o"))
			if replies[i].header.Get("Idempotent-Replayed") == "" {
				first.Add(1)
			}
		})
		for _, got := range replies {
			if got.status != 201 || got.body != replies[0].body {
				t.Fatalf("%d %s, another %s", got.status, got.body, replies[0].body)
			}
		}
		if first.Load() != 1 {
			t.Errorf("%d answers without the marker", first.Load())
		}
		replicas[1].wantEffects("o", 1)
	})
}

func TestManyKeysAtOnceHaveOneEffectEach(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		r := newRig(t, open(), newTestClock(), nil)
		const keys, copies = 60, 4
		race(keys*copies, func(i int) {
			id := fmt.Sprint("o", i%keys)
			r.charge("k"+id, order(id)).want(t, 201, "")
		})
		for i := range keys {
			r.wantEffects(fmt.Sprint("o", i), 1)
		}
	})
}

func TestInFlightRejectsWhenToldTo(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		g := newGate()
		r := newRig(t, open(), newTestClock(), func(o *Options) { g.use(o); o.InFlight = "reject" })
		done := make(chan reply)
		go func() { done <- r.charge("k", order("o")) }()
		<-g.entered
		if got := r.charge("k", order("o")).want(t, 409, "in-flight"); got.header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
		}
		r.charge("k", order("o2")).want(t, 422, "key-conflict")
		close(g.open)
		first := (<-done).want(t, 201, "")
		r.charge("k", order("o")).replayed(t, first)
		r.wantEffects("o", 1)
	})
}

// counting counts how often a store is asked for a record.
type counting struct {
	Store
	asked atomic.Int64
}

func (c *counting) Find(ctx context.Context, id string) (Record, bool, error) {
	c.asked.Add(1)
	return c.Store.Find(ctx, id)
}

func TestWaitersAskNothingWhileTheyWait(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		g := newGate()
		s := &counting{Store: open()}
		r := newRig(t, s, newTestClock(), g.use)
		const copies = 100
		replies := make(chan reply)
		for range copies {
			go func() { replies <- r.charge("k", order("o")) }()
		}
		// Their own fallback timers, and the owner's renewal.
		eventually(t, "all waiting", func() bool { return r.clock.waiting() == copies })
		before := s.asked.Load()
		time.Sleep(100 * time.Millisecond)
		if after := s.asked.Load(); after != before {
			t.Errorf("asked %d times while waiting", after-before)
		}
		close(g.open)
		for range copies {
			(<-replies).want(t, 201, "")
		}
		if n := s.asked.Load(); n > 4*copies {
			t.Errorf("asked %d times for %d copies", n, copies)
		}
	})
}

func TestAWaiterWaitsOnlySoLong(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		g := newGate()
		r := newRig(t, open(), newTestClock(), func(o *Options) { g.use(o); o.WaitMax = 5 * time.Second })
		done := make(chan reply)
		go func() { done <- r.charge("k", order("o")) }()
		<-g.entered
		refused := make(chan reply)
		go func() { refused <- r.charge("k", order("o")) }()
		eventually(t, "the owner's renewal and the waiter's timer", func() bool { return r.clock.waiting() == 2 })
		r.clock.Advance(5*time.Second - time.Millisecond)
		eventually(t, "the waiter's next look", func() bool { return r.clock.waiting() == 2 })
		r.clock.Advance(time.Millisecond)
		(<-refused).want(t, 409, "in-flight")
		close(g.open)
		(<-done).want(t, 201, "")
	})
}

// TestAWaiterLooksAgainForWhatNobodyTellsIt: two processes on one SQLite file
// cannot wake each other.
func TestAWaiterLooksAgainForWhatNobodyTellsIt(t *testing.T) {
	address := "sqlite:" + filepath.Join(t.TempDir(), "x.db")
	g := newGate()
	clock := newTestClock()
	a, b := newRig(t, mustOpen(t, address), clock, g.use), newRig(t, mustOpen(t, address), clock, g.use)
	first, second := make(chan reply), make(chan reply)
	go func() { first <- a.charge("k", order("o")) }()
	<-g.entered
	go func() { second <- b.charge("k", order("o")) }()
	eventually(t, "the owner's renewal and the waiter's timer", func() bool { return clock.waiting() == 2 })
	close(g.open)
	got := (<-first).want(t, 201, "")
	clock.Advance(recheck)
	(<-second).replayed(t, got)
	a.wantEffects("o", 1)
}

func TestACallerWhoHangsUpChangesNothing(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		g := newGate()
		r := newRig(t, open(), newTestClock(), g.use)
		leaving, leave := context.WithCancel(context.Background())
		gone := make(chan error)
		go func() {
			_, err := r.send(leaving, "POST", "/v1/charges", order("o"), "Idempotency-Key: k")
			gone <- err
		}()
		<-g.entered
		leave()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		retry := make(chan reply)
		go func() { retry <- r.charge("k", order("o")) }()
		close(g.open)
		if got := (<-retry).want(t, 201, ""); got.header.Get("Idempotent-Replayed") != "true" {
			t.Error("the retry ran again")
		}
		r.wantEffects("o", 1)
	})
}

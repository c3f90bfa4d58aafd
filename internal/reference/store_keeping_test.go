package reference

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestSweepDeletesTheExpiredInBatches(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		for i := range 25 {
			rec := mustClaim(t, s, asking(fmt.Sprint("old", i), "f", 0))
			if i%2 == 0 { // the others were left by a dead owner
				if err := s.Commit(ctx, paying(rec, "o", 0)); err != nil {
					t.Fatal(err)
				}
			}
		}
		alive := mustClaim(t, s, asking("alive", "f", 0))
		if err := s.Renew(ctx, alive.Lease, start.Add(retention+lease)); err != nil {
			t.Fatal(err)
		}
		intended := mustClaim(t, s, asking("intended", "f", 0))
		if err := s.Intend(ctx, intended.Lease, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		mustClaim(t, s, asking("young", "f", time.Millisecond))
		if n, err := s.Sweep(ctx, start.Add(retention-1000), 10); n != 0 || err != nil {
			t.Fatalf("swept %d before expiry, %v", n, err)
		}
		for _, want := range []int{10, 10, 5, 0} {
			if n, err := s.Sweep(ctx, start.Add(retention), 10); n != want || err != nil {
				t.Fatalf("swept %d, %v; want %d", n, err, want)
			}
		}
		for _, key := range []string{"alive", "intended", "young"} {
			mustFind(t, s, key)
		}
	})
}

func TestSweepersShareTheWork(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		stores := []Store{open(), open()}
		for i := range 60 {
			mustClaim(t, stores[0], asking(fmt.Sprint("k", i), "f", 0))
		}
		var total atomic.Int64
		race(8, func(i int) {
			for range 30 {
				n, err := stores[i%2].Sweep(ctx, start.Add(retention), 5)
				if err != nil {
					t.Error(err)
				}
				total.Add(int64(n))
			}
		})
		if total.Load() != 60 {
			t.Fatalf("swept %d of 60", total.Load())
		}
	})
}

func TestOrphansAreIntentsOfDeadOwners(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		for _, key := range []string{"dead", "alive", "yielded", "finished", "plain"} {
			rec := mustClaim(t, s, asking(key, "f", 0))
			if key == "plain" {
				continue
			}
			err := s.Intend(ctx, rec.Lease, []byte(key))
			switch key {
			case "alive":
				err = errors.Join(err, s.Renew(ctx, rec.Lease, start.Add(2*lease)))
			case "yielded":
				err = errors.Join(err, s.Yield(ctx, rec.Lease, start))
			case "finished":
				err = errors.Join(err, s.Commit(ctx, paying(rec, "o", 0)))
			}
			// An intent is never released: its effect may have happened.
			if err = errors.Join(err, s.Release(ctx, rec.Lease)); err != nil {
				t.Fatal(err)
			}
		}
		for after, want := range map[time.Duration]string{0: "yielded", lease: "yielded dead", 2 * lease: "yielded dead alive"} {
			list, err := s.Orphans(ctx, start.Add(after), 10)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, rec := range list {
				got += " " + string(rec.Intent)
			}
			if got != " "+want {
				t.Errorf("after %v:%s, want %s", after, got, want)
			}
		}
		if list, err := s.Orphans(ctx, start.Add(2*lease), 2); err != nil || len(list) != 2 {
			t.Errorf("limit 2: %d, %v", len(list), err)
		}
	})
}

func TestWaitersAreWokenByCommitAndRelease(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		owner, waiter := open(), open()
		if _, shared := waiter.(*sqlStore); shared && owner != waiter && waiter.(*sqlStore).dialect.announce == nil {
			waiter = owner // processes on one SQLite file look again once a second
		}
		for _, end := range []string{"commit", "release"} {
			key, other := end, end+"-other"
			rec, otherRec := mustClaim(t, owner, asking(key, "f", 0)), mustClaim(t, owner, asking(other, "f", 0))
			var woken sync.WaitGroup
			for range 50 {
				changed, stop := waiter.Watch(ctx, rec.Lease.ID)
				woken.Go(func() { <-changed; stop() })
			}
			unmoved, stop := waiter.Watch(ctx, otherRec.Lease.ID)
			defer stop()
			var err error
			if end == "commit" {
				err = owner.Commit(ctx, paying(rec, "o", 0))
			} else {
				err = owner.Release(ctx, rec.Lease)
			}
			if err != nil {
				t.Fatal(err)
			}
			woken.Wait()
			select {
			case <-unmoved:
				t.Error("another record's waiter was woken")
			default:
			}
		}
	})
}

func TestTimeMovesForAllAndForGood(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		a, b := open(), open()
		race(20, func(i int) {
			if _, err := a.Shift(ctx, time.Minute); err != nil {
				t.Error(err)
			}
		})
		if got, err := b.Offset(ctx); err != nil || got != 20*time.Minute {
			t.Fatalf("offset %v, %v", got, err)
		}
	})
}

// What is finished can be kept longer, and nothing is kept shorter.
func TestExtendKeepsFinishedRecordsLonger(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		finished := mustClaim(t, s, asking("finished", "f", 0))
		if err := s.Commit(ctx, paying(finished, "o", 0)); err != nil {
			t.Fatal(err)
		}
		working := mustClaim(t, s, asking("working", "f", 0))
		for _, rec := range []Record{finished, working} {
			for _, until := range []time.Time{start.Add(2 * retention), start.Add(retention / 2)} {
				if err := s.Extend(ctx, rec.Lease.ID, until); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := mustFind(t, s, "finished").Expires; !got.Equal(start.Add(2 * retention)) {
			t.Errorf("the finished record is kept until %s", got)
		}
		if got := mustFind(t, s, "working").Expires; !got.Equal(working.Expires) {
			t.Errorf("the end of a record in progress moved to %s", got)
		}
		if err := s.Extend(ctx, "no such record", start); err != nil {
			t.Error(err)
		}
	})
}

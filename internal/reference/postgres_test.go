package reference

import (
	"fmt"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// listeners is how many connections listen, and kill ends them all.
func listeners(t *testing.T, s *sqlStore, kill bool) int {
	t.Helper()
	query := `SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND datname = current_database()`
	if kill {
		query = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE query LIKE 'LISTEN %' AND datname = current_database()`
	}
	n, err := one(ctx, s.read, value[int], query)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAReplicaListensOnOneConnectionAndComesBack(t *testing.T) {
	address := testneed.Postgres(t)
	owner, waiter := mustOpen(t, address), mustOpen(t, address)
	probe := owner.(*sqlStore)
	both := func() bool { return listeners(t, probe, false) == 2 }
	eventually(t, "one listener a replica", both)
	// Who waits while the connection dies looks for himself.
	rec := mustClaim(t, owner, asking("k", "f", 0))
	changed, stop := waiter.Watch(ctx, rec.Lease.ID)
	if n := listeners(t, probe, true); n != 2 {
		t.Fatalf("%d listeners were ended", n)
	}
	<-changed
	stop()
	eventually(t, "listening again", both)
	// Who begins to listen wakes everyone once; from then on only a notification
	// can, since the owner is another replica.
	eventually(t, "quiet", func() bool {
		changed, stop = waiter.Watch(ctx, rec.Lease.ID)
		select {
		case <-changed:
			stop()
			return false
		case <-time.After(100 * time.Millisecond):
			return true
		}
	})
	defer stop()
	if err := owner.Commit(ctx, paying(rec, "o", 0)); err != nil {
		t.Fatal(err)
	}
	<-changed
	for _, s := range []Store{owner, waiter} {
		if n := s.(*sqlStore).write.Stats().OpenConnections; n > postgresConnections {
			t.Errorf("%d connections", n)
		}
	}
}

func TestAWaiterMissesNothingWhileItsListenerIsAway(t *testing.T) {
	address := testneed.Postgres(t)
	owner, waiter := mustOpen(t, address), mustOpen(t, address)
	for i := range 10 {
		key := fmt.Sprint("k", i)
		rec := mustClaim(t, owner, asking(key, "f", 0))
		finished := make(chan struct{})
		go func() {
			defer close(finished)
			for {
				changed, stop := waiter.Watch(ctx, rec.Lease.ID)
				now, found, err := waiter.Find(ctx, rec.Lease.ID)
				if err != nil || !found || now.State != InProgress {
					stop()
					return
				}
				<-changed
				stop()
			}
		}()
		listeners(t, owner.(*sqlStore), true)
		time.Sleep(time.Duration(i) * 5 * time.Millisecond) // dying, away, back
		if err := owner.Commit(ctx, paying(rec, "o", 0)); err != nil {
			t.Fatal(err)
		}
		select {
		case <-finished:
		case <-time.After(30 * time.Second):
			t.Fatalf("round %d: never told", i)
		}
	}
}

// On SQLite waiters look again after they began to watch.
func TestAWatchThatComesTooLateIsToldAtOnce(t *testing.T) {
	s := mustOpen(t, testneed.Postgres(t))
	rec := mustClaim(t, s, asking("k", "f", 0))
	if err := s.Commit(ctx, paying(rec, "o", 0)); err != nil {
		t.Fatal(err)
	}
	changed, stop := s.Watch(ctx, rec.Lease.ID)
	defer stop()
	select {
	case <-changed:
	case <-time.After(30 * time.Second):
		t.Fatal("never told")
	}
}

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// checkout makes an order as the server does.
func checkout(ctx context.Context, s *Store, r Request) (Answer, error) {
	return NewServer(s, NewPayments(s, Settings{Lease: time.Second})).checkout(ctx, r)
}

// must is an operation that is answered.
func must(t *testing.T) func(Answer, error) Answer {
	return func(a Answer, err error) Answer {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
}

// TestOfRequestsAtOnceOneMakesTheOrder: over connections of two processes'
// making, and everybody gets the one answer.
func TestOfRequestsAtOnceOneMakesTheOrder(t *testing.T) {
	settings := database(t)
	stores := []*Store{open(t, settings), open(t, settings)}
	for round := range 10 {
		key := fmt.Sprintf("k%d", round)
		var first, replayed atomic.Int64
		var bodies sync.Map
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				a, err := checkout(t.Context(), stores[i%2], ask(key, key))
				if err != nil {
					t.Error(err)
					return
				}
				bodies.Store(a.Body, true)
				if a.Replayed {
					replayed.Add(1)
				} else {
					first.Add(1)
				}
			})
		}
		all.Wait()
		different := 0
		bodies.Range(func(any, any) bool { different++; return true })
		if first.Load() != 1 || replayed.Load() != 11 || different != 1 {
			t.Errorf("%d made, %d replayed, %d different answers", first.Load(), replayed.Load(), different)
		}
		if n := count(t, stores[0], "orders WHERE cart_id = ?", key); n != 1 {
			t.Errorf("%d orders", n)
		}
	}
}

// TestWhatFailsLeavesNothing: neither key nor order, so that the retry begins
// anew.
func TestWhatFailsLeavesNothing(t *testing.T) {
	s := open(t, database(t))
	failed := errors.New("out of paper")
	_, err := s.Reserve(t.Context(), ask("k", "cart"), func(tx *sql.Tx) (Answer, error) {
		o := newOrder(ask("k", "cart"))
		if err := s.insertOrder(t.Context(), tx, o); err != nil {
			return Answer{}, err
		}
		return o.made(), failed
	})
	if !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if k, o := count(t, s, "idempotency_keys"), count(t, s, "orders"); k != 0 || o != 0 {
		t.Errorf("%d keys, %d orders", k, o)
	}
	if a := must(t)(checkout(t.Context(), s, ask("k", "cart"))); a.Replayed || a.Status != 201 {
		t.Error(a)
	}
}

// TestACrashBetweenCommitAndAnswer: the process is killed, and the retry, at
// another one, gets the order that was made.
func TestACrashBetweenCommitAndAnswer(t *testing.T) {
	settings := database(t)
	s := open(t, settings)
	service := start(t, settings, "ANSWER_DELAY=1h")
	service.post("/v1/checkouts", "k", "cart")
	eventually(t, "an order", func() bool { return count(t, s, "orders") == 1 })
	service.kill()
	request := ask("k", "cart")
	request.Caller = callerOf(nil)
	a := must(t)(checkout(t.Context(), s, request))
	orders, err := s.orders(t.Context(), "cart_id", "cart")
	if err != nil || len(orders) != 1 || !a.Replayed || !strings.Contains(a.Body, orders[0].ID) {
		t.Errorf("%+v, %v, %v", a, orders, err)
	}
}

// TestACrashInMidTransaction is one that the database rolls back: the key is
// free at once, whatever the lease.
func TestACrashInMidTransaction(t *testing.T) {
	settings := database(t)
	s, other := open(t, settings), open(t, settings)
	tx, err := s.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := s.claim(t.Context(), tx, ask("k", "cart")); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan error, 1)
	go func() {
		a, err := checkout(context.Background(), other, ask("k", "cart"))
		if err == nil && a.Replayed {
			err = errors.New("replayed")
		}
		waiting <- err
	}()
	select {
	case err := <-waiting:
		t.Fatalf("the duplicate did not wait: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	tx.Rollback() // as the database does for a connection that is gone
	if err := <-waiting; err != nil {
		t.Error(err)
	}
	if n := count(t, s, "orders"); n != 1 {
		t.Errorf("%d orders", n)
	}
}

// TestAKeyIsItsCallersAndItsRequests: another caller's is another key, another
// request under it a conflict.
func TestAKeyIsItsCallersAndItsRequests(t *testing.T) {
	s := open(t, database(t))
	must(t)(checkout(t.Context(), s, ask("k", "cart")))
	if _, err := checkout(t.Context(), s, ask("k", "another cart")); !errors.Is(err, errConflict) {
		t.Error(err)
	}
	theirs := ask("k", "another cart")
	theirs.Caller = strings.Repeat("d", 64)
	if a := must(t)(checkout(t.Context(), s, theirs)); a.Replayed {
		t.Error("another caller got a replay")
	}
	if a := must(t)(checkout(t.Context(), s, ask("k", "cart"))); !a.Replayed {
		t.Error("after the conflict the first request has lost its result")
	}
}

// TestAfterItsRetentionAKeyIsNew, swept or not: the next request under it makes
// one more order, and where many come at once, only one of them does.
func TestAfterItsRetentionAKeyIsNew(t *testing.T) {
	s := open(t, database(t))
	first := must(t)(checkout(t.Context(), s, ask("k", "cart")))
	age(t, s, "k", s.retention-10*time.Second)
	if a := must(t)(checkout(t.Context(), s, ask("k", "cart"))); a.Body != first.Body {
		t.Error("forgotten within its retention")
	}
	for round := 1; round <= 20; round++ {
		age(t, s, "k", s.retention)
		if swept := round%2 == 0; swept {
			if n, err := s.Sweep(t.Context()); n != 1 || err != nil {
				t.Errorf("%d swept: %v", n, err)
			}
		}
		var all sync.WaitGroup
		var replayed atomic.Int64
		for range 10 {
			all.Go(func() {
				a, err := checkout(t.Context(), s, ask("k", "another cart"))
				if err != nil {
					t.Error(err)
				}
				if a.Replayed {
					replayed.Add(1)
				}
			})
		}
		all.Wait()
		if n := count(t, s, "orders"); n != 1+round || replayed.Load() != 9 {
			t.Fatalf("round %d: %d orders, %d replays", round, n, replayed.Load())
		}
	}
}

// TestTheSweepBetweenRequests: with a retention of a moment and a sweep without
// pause, there are as many orders as answers that were not replays.
func TestTheSweepBetweenRequests(t *testing.T) {
	settings := database(t)
	settings.Retention = 3 * time.Millisecond
	s, other := open(t, settings), open(t, settings)
	ctx, stop := context.WithCancel(t.Context())
	var sweeping, all sync.WaitGroup
	sweeping.Go(func() {
		for ctx.Err() == nil {
			if _, err := other.Sweep(ctx); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			time.Sleep(time.Millisecond)
		}
	})
	var made atomic.Int64
	for i := range 4 {
		all.Go(func() {
			for range 50 {
				key := fmt.Sprint("k", rand.IntN(3))
				a, err := checkout(ctx, []*Store{s, other}[i%2], ask(key, key))
				if err != nil {
					t.Error(err)
				} else if !a.Replayed {
					made.Add(1)
				}
			}
		})
	}
	all.Wait()
	stop()
	sweeping.Wait()
	if n := count(t, s, "orders"); int64(n) != made.Load() {
		t.Errorf("%d orders, %d answers that made one", n, made.Load())
	}
	time.Sleep(10 * time.Millisecond)
	if _, err := s.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
	if n := count(t, s, "idempotency_keys"); n != 0 {
		t.Errorf("%d keys stay in the table", n)
	}
}

// TestTheSweepAndARequestNeverWaitInACircle: the request has the row of a key that
// is over, the sweep finds it by the index, and then the request changes both.
func TestTheSweepAndARequestNeverWaitInACircle(t *testing.T) {
	settings := database(t)
	s, other := open(t, settings), open(t, settings)
	var undone atomic.Int64
	is := s.undone
	counting := func(err error) bool {
		if is(err) {
			undone.Add(1)
			return true
		}
		return false
	}
	s.undone, other.undone = counting, counting
	must(t)(checkout(t.Context(), s, ask("k", "cart")))
	age(t, s, "k", s.retention)
	var sweeping sync.WaitGroup
	var once sync.Once
	err := s.transaction(t.Context(), func(tx *sql.Tx) error {
		if _, err := s.look(t.Context(), tx, ask("k", "cart").Caller, "k"); err != nil {
			return err
		}
		once.Do(func() {
			sweeping.Go(func() {
				if n, err := other.Sweep(t.Context()); n != 0 || err != nil {
					t.Errorf("%d swept: %v", n, err)
				}
			})
			time.Sleep(200 * time.Millisecond)
		})
		_, err := s.claim(t.Context(), tx, ask("k", "cart"))
		return err
	})
	sweeping.Wait()
	if n := undone.Load(); err != nil || n != 0 {
		t.Errorf("%d transactions were undone to end a deadlock: %v", n, err)
	}
}

// TestWhatTheDatabaseUndoes is tried until the patience is over, and is no
// failure of the database then: nothing has happened.
func TestWhatTheDatabaseUndoes(t *testing.T) {
	s := open(t, database(t))
	deadlock := errors.New("deadlock")
	s.undone = func(err error) bool { return errors.Is(err, deadlock) }
	losing := 15
	lose := func(*sql.Tx) error {
		if losing--; losing >= 0 {
			return deadlock
		}
		return nil
	}
	if err := s.transaction(t.Context(), lose); err != nil {
		t.Errorf("it won after 15 times: %v", err)
	}
	began := time.Now()
	losing = math.MaxInt
	if err := s.transaction(t.Context(), lose); !errors.Is(err, errInFlight) {
		t.Error(err)
	}
	if tries := math.MaxInt - losing; time.Since(began) < patience/2 || tries > 500 {
		t.Errorf("%d tries in %s", tries, time.Since(began))
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	s.undone, s.sweep = func(error) bool { return true }, "DELETE FROM nothing"
	if n, err := s.Sweep(ctx); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d swept: %v", n, err)
	}
	if n, err := s.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("%d swept, the next round is to do it: %v", n, err)
	}
}

// TestStandingAtTheEdges: to the millisecond.
func TestStandingAtTheEdges(t *testing.T) {
	at := func(ms int64) time.Time { return time.UnixMilli(1_800_000_000_000 + ms) }
	result := Answer{Status: 201, Body: "{}"}
	for _, c := range []struct {
		name string
		r    record
		want standing
	}{
		{"a moment before the end", record{"f", "", result, at(0), at(5), at(100), at(99)}, done},
		{"at the end", record{"f", "", result, at(0), at(5), at(100), at(100)}, over},
		{"after it, of another request", record{"g", "", result, at(0), at(5), at(100), at(101)}, over},
		{"before it, of another request", record{"g", "", result, at(0), at(5), at(100), at(99)}, another},
		{"a moment before the lease ends", record{"f", "", Answer{}, at(0), at(100), time.UnixMilli(0), at(99)}, owned},
		{"as the lease ends", record{"f", "", Answer{}, at(0), at(100), time.UnixMilli(0), at(100)}, silent},
		{"pending for a year", record{"f", "{}", Answer{}, at(0), at(100), time.UnixMilli(0), at(365 * 86_400_000)}, silent},
		{"pending, of another request", record{"g", "", Answer{}, at(0), at(100), time.UnixMilli(0), at(100)}, another},
		{"a clock that went back", record{"f", "", result, at(0), at(5), at(100), at(-1000)}, done},
	} {
		if got := c.r.standing("f"); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestAnOwnerThatWasTakenOverCannotFinish, and what it did in the transaction
// is undone with it.
func TestAnOwnerThatWasTakenOverCannotFinish(t *testing.T) {
	s := open(t, database(t))
	var slow, quick Claim
	claim := func(c *Claim) error {
		return s.transaction(t.Context(), func(tx *sql.Tx) (err error) { *c, err = s.claim(t.Context(), tx, ask("k", "cart")); return err })
	}
	finish := func(c Claim) error {
		o := newOrder(ask("k", "cart"))
		return s.transaction(t.Context(),
			func(tx *sql.Tx) error { return s.insertOrder(t.Context(), tx, o) },
			func(tx *sql.Tx) error { return s.finish(t.Context(), tx, c, o.made()) })
	}
	if err := claim(&slow); err != nil {
		t.Fatal(err)
	}
	if err := claim(&quick); !errors.Is(err, errInFlight) {
		t.Fatalf("within the lease: %v", err)
	}
	age(t, s, "k", s.lease)
	if err := claim(&quick); err != nil {
		t.Fatalf("after the lease: %v", err)
	}
	if err := finish(slow); !errors.Is(err, errLost) {
		t.Errorf("the late owner: %v", err)
	}
	if n := count(t, s, "orders"); n != 0 {
		t.Errorf("the late owner left %d orders", n)
	}
	if err := finish(quick); err != nil {
		t.Errorf("the new owner: %v", err)
	}
	// Neither before nor after its key was forgotten, swept and claimed anew.
	if err := finish(slow); !errors.Is(err, errLost) {
		t.Errorf("the late owner, after the result: %v", err)
	}
	age(t, s, "k", s.retention)
	if n, err := s.Sweep(t.Context()); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if err := claim(&quick); err != nil {
		t.Fatal(err)
	}
	if err := finish(slow); !errors.Is(err, errLost) {
		t.Errorf("the late owner, of a key that is new: %v", err)
	}
}

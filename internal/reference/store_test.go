package reference

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var (
	ctx   = context.Background()
	start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	scope = Scope{Caller: "c", Method: "POST", Path: "/v1/charges", Query: ""}
)

const (
	lease     = 10 * time.Second
	retention = time.Minute
)

// asking is an ask for a key at a time after start.
func asking(key, fingerprint string, after time.Duration) Ask {
	now := start.Add(after)
	return Ask{
		Key: key, Scope: scope, Fingerprint: fingerprint, Owner: fmt.Sprint("owner-", owners.Add(1)),
		Now: now, LeaseUntil: now.Add(lease), Expires: now.Add(retention),
	}
}

var owners atomic.Int64

func mustClaim(t testing.TB, s Store, a Ask) Record {
	t.Helper()
	rec, won, err := s.Claim(ctx, a)
	if err != nil || !won {
		t.Fatalf("claim of %q: won %v, %v", a.Key, won, err)
	}
	return rec
}

func mustFind(t testing.TB, s Store, key string) Record {
	t.Helper()
	rec, found, err := s.Find(ctx, scope.ID(key))
	if err != nil || !found {
		t.Fatalf("record of %q: found %v, %v", key, found, err)
	}
	return rec
}

// paying is the change that finishes an operation with one effect.
func paying(rec Record, order string, after time.Duration) Change {
	p := Payment{ID: "p-" + rec.Lease.Owner, Kind: Charge, Caller: "c", OrderID: order,
		Amount: 1999, Currency: "EUR", Created: start.Add(after), Doc: []byte(`{"a":1}`)}
	return Change{
		Lease: rec.Lease, Keep: true, Payment: &p, Effect: p.Effect(),
		Answer: &Answer{Status: 201, Header: []Field{{"Location", "/x"}}, Body: []byte("body")},
		Now:    start.Add(after), Extend: start.Add(after + retention),
	}
}

func effectsOf(t testing.TB, s Store, order string) int {
	t.Helper()
	list, err := s.Effects(ctx, order, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// race runs f n times at once.
func race(n int, f func(i int)) {
	var ready, done sync.WaitGroup
	begin := make(chan struct{})
	ready.Add(n)
	for i := range n {
		done.Go(func() {
			ready.Done()
			<-begin
			f(i)
		})
	}
	ready.Wait()
	close(begin)
	done.Wait()
}

func TestHundredsOfClaimsOfOneKeyHaveOneWinner(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		stores := []Store{open(), open()}
		// Free at first, then expired, then left by a dead owner.
		for round, after := range []time.Duration{0, retention + lease, retention + 3*lease} {
			var wins atomic.Int64
			leases := make([]Lease, 300)
			race(len(leases), func(i int) {
				rec, won, err := stores[i%2].Claim(ctx, asking("k", "f", after))
				if err != nil {
					t.Error(err)
				}
				if won {
					wins.Add(1)
				}
				leases[i] = rec.Lease
			})
			if wins.Load() != 1 {
				t.Fatalf("round %d: %d winners", round, wins.Load())
			}
			for _, l := range leases {
				if l != leases[0] || l.Generation != int64(round+1) {
					t.Fatalf("round %d: lease %+v among %+v", round, l, leases[0])
				}
			}
		}
	})
}

func TestHundredsOfClaimsOfManyKeysHaveAWinnerEach(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		const keys, copies = 100, 4
		var wins [keys]atomic.Int64
		race(keys*copies, func(i int) {
			key := i % keys
			rec, won, err := s.Claim(ctx, asking(fmt.Sprint("k", key), "f", 0))
			if err != nil {
				t.Error(err)
			}
			if !won {
				return
			}
			wins[key].Add(1)
			if err := s.Commit(ctx, paying(rec, fmt.Sprint("o", key), 0)); err != nil {
				t.Error(err)
			}
		})
		for key := range wins {
			if n, e := wins[key].Load(), effectsOf(t, s, fmt.Sprint("o", key)); n != 1 || e != 1 {
				t.Errorf("key %d: %d winners, %d effects", key, n, e)
			}
		}
	})
}

func TestALostLeaseCanDoNothing(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		first := mustClaim(t, s, asking("k", "f", 0))
		second := mustClaim(t, s, asking("k", "f", lease))
		if second.Lease.Generation != 2 || !second.Created.Equal(first.Created) || !second.Expires.Equal(first.Expires) {
			t.Fatalf("taken over as %+v", second)
		}
		before := mustFind(t, s, "k")
		for what, err := range map[string]error{
			"renew":  s.Renew(ctx, first.Lease, start.Add(time.Hour)),
			"intend": s.Intend(ctx, first.Lease, []byte("x")),
			"commit": s.Commit(ctx, paying(first, "o", lease)),
		} {
			if !errors.Is(err, ErrLost) {
				t.Errorf("%s: %v, want ErrLost", what, err)
			}
		}
		if err := errors.Join(s.Release(ctx, first.Lease), s.Yield(ctx, first.Lease, start)); err != nil {
			t.Error(err)
		}
		if after := mustFind(t, s, "k"); !reflect.DeepEqual(before, after) {
			t.Errorf("the record changed from %+v to %+v", before, after)
		}
		if n := effectsOf(t, s, "o"); n != 0 {
			t.Errorf("%d effects by the owner that lost", n)
		}
		if err := s.Commit(ctx, paying(second, "o", lease)); err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(ctx, paying(second, "o", lease)); !errors.Is(err, ErrLost) {
			t.Errorf("a second commit: %v", err)
		}
		if n := effectsOf(t, s, "o"); n != 1 {
			t.Errorf("%d effects", n)
		}
	})
}

func TestAReleasedKeyIsFreeAndItsOldOwnerStaysOut(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		first := mustClaim(t, s, asking("k", "f", 0))
		if err := s.Release(ctx, first.Lease); err != nil {
			t.Fatal(err)
		}
		second := mustClaim(t, s, asking("k", "another", time.Second))
		// The generation counts anew; only the owner tells the two apart.
		if err := s.Commit(ctx, paying(first, "o", time.Second)); !errors.Is(err, ErrLost) {
			t.Errorf("the first owner's commit: %v", err)
		}
		if err := s.Commit(ctx, paying(second, "o", time.Second)); err != nil {
			t.Error(err)
		}
	})
}

func TestAChangeIsWrittenWholeOrNotAtAll(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		done := paying(mustClaim(t, s, asking("done", "f", 0)), "o", 0)
		if err := s.Commit(ctx, done); err != nil {
			t.Fatal(err)
		}
		rec := mustClaim(t, s, asking("k", "f", 0))
		change := paying(rec, "o2", 0)
		change.Effect = done.Effect // its id is taken: the last insert fails
		if err := s.Commit(ctx, change); err == nil || errors.Is(err, ErrLost) {
			t.Fatalf("commit with a taken id: %v", err)
		}
		if now := mustFind(t, s, "k"); now.State != InProgress || now.Lease != rec.Lease {
			t.Errorf("half done: %+v", now)
		}
		if list, err := s.Payments(ctx, Charge, "c", "o2", 10); err != nil || len(list) != 0 {
			t.Errorf("half done: %v, %v", list, err)
		}
	})
}

func TestAnAnswerComesBackAsItWas(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		n := 0
		rapid.Check(t, func(rt *rapid.T) {
			n++
			key := fmt.Sprint("k", n)
			rec := mustClaim(t, s, asking(key, "f", 0))
			change := paying(rec, "o", 0)
			change.Answer.Status = rapid.IntRange(200, 599).Draw(rt, "status")
			change.Answer.Body = rapid.SliceOf(rapid.Byte()).Draw(rt, "body")
			change.Answer.Header = nil
			for _, v := range rapid.SliceOfN(rapid.StringMatching(`[ -~]{0,40}`), 0, 5).Draw(rt, "values") {
				change.Answer.Header = append(change.Answer.Header, Field{"X-A", v})
			}
			if err := s.Commit(ctx, change); err != nil {
				rt.Fatal(err)
			}
			got := mustFind(t, s, key)
			want := map[bool]State{false: Succeeded, true: Failed}[change.Answer.Status >= 400]
			if got.State != want || got.Answer.Status != change.Answer.Status ||
				string(got.Answer.Body) != string(change.Answer.Body) ||
				fmt.Sprint(got.Answer.Header) != fmt.Sprint(change.Answer.Header) {
				rt.Fatalf("got %+v, want %v and %+v", got, want, *change.Answer)
			}
		})
	})
}

// TestTheStatementClaimsWhatClaimableSays holds the SQL against Record.Claimable
// in every state and at every age.
func TestTheStatementClaimsWhatClaimableSays(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		n := 0
		rapid.Check(t, func(rt *rapid.T) {
			n++
			key := fmt.Sprint("k", n)
			rec := mustClaim(t, s, asking(key, "f", 0))
			var err error
			switch rapid.SampledFrom([]string{"busy", "intent", "finished", "renewed"}).Draw(rt, "state") {
			case "intent":
				err = s.Intend(ctx, rec.Lease, []byte("{}"))
			case "finished":
				err = s.Commit(ctx, paying(rec, key, 0))
			case "renewed":
				err = s.Renew(ctx, rec.Lease, start.Add(retention+lease))
			}
			if err != nil {
				rt.Fatal(err)
			}
			after := rapid.SampledFrom([]time.Duration{0, lease - 1000, lease, retention - 1000, retention,
				retention + lease - 1000, retention + lease}).Draw(rt, "after")
			ask := asking(key, rapid.SampledFrom([]string{"f", "other"}).Draw(rt, "fingerprint"), after)
			before := mustFind(t, s, key)
			got, won, err := s.Claim(ctx, ask)
			if err != nil || won != before.Claimable(ask) {
				rt.Fatalf("won %v, %v of %+v", won, err, before)
			}
			if !won && !reflect.DeepEqual(got, before) {
				rt.Fatalf("a claim that failed changed %+v to %+v", before, got)
			}
			anew := !before.Expires.After(ask.Now) && before.Intent == nil
			if won && (got.Created.Equal(ask.Now) != anew || got.Expires.Equal(ask.Expires) != anew ||
				got.Lease.Owner != ask.Owner || got.State != InProgress || got.Answer.Status != 0 ||
				string(got.Intent) != string(before.Intent)) {
				rt.Fatalf("won %+v after %+v", got, before)
			}
		})
	})
}

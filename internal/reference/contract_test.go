package reference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestADuplicateGetsTheFirstAnswer(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		r := newRig(t, open(), newTestClock(), nil)
		for _, path := range []string{"/v1/charges", "/v1/refunds"} {
			for _, shape := range []string{"full", "large", "minimal", "redirect", "declined"} {
				id := strings.ReplaceAll(path, "/", "") + shape
				body := fmt.Sprintf(`{"order_id":%q,"amount":5,"currency":"EUR","metadata":{"é\u0000":["<&>"]},"answer":%q}`, id, shape)
				effects, status := 1, map[string]int{"full": 201, "large": 201, "minimal": 204, "redirect": 303}[shape]
				if shape == "declined" {
					body = fmt.Sprintf(`{"order_id":%q,"amount":5,"currency":"EUR","payment_method":"declined"}`, id)
					effects, status = 0, 402
				}
				first := r.do("POST", path, body, "Idempotency-Key: "+shape)
				first.want(t, status, "")
				for range 3 {
					r.do("POST", path, body, "Idempotency-Key: "+shape).replayed(t, first)
				}
				r.wantEffects(id, effects)
				if effects == 0 {
					continue
				}
				if shown := r.do("GET", first.header.Get("Location"), ""); shown.status != 200 ||
					status == 201 && shown.body != first.body {
					t.Errorf("%s: shown as %d %s", shape, shown.status, shown.body)
				}
			}
		}
	})
}

func TestAnotherRequestUnderTheKeyIsRefusedAndHarmsNothing(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		for _, status := range []int{400, 409, 422} {
			r := newRig(t, s, newTestClock(), func(o *Options) { o.Conflict = status })
			key := fmt.Sprint("k", status)
			id := "o" + key
			first := r.charge(key, order(id)).want(t, 201, "")
			for _, changed := range []string{
				`{"order_id":"` + id + `","amount":2000,"currency":"EUR"}`,
				`{"order_id":"` + id + `","amount":1999,"currency":"EUR","note":null}`,
				`{"order_id":"` + id + `","amount":1999,"currency":"EUR","metadata":[1,2]}`,
				`{"order_id":"` + id + `","amount":1999,"currency":"EUR","metadata":[2,1]}`,
				order(id + "x"),
			} {
				r.charge(key, changed).want(t, status, "key-conflict")
				r.charge(key, order(id)).replayed(t, first)
			}
			r.wantEffects(id, 1)
			r.wantEffects(id+"x", 0)
		}
	})
}

func TestTheFingerprintCoversMeaningNotSpelling(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		r := newRig(t, open(), newTestClock(), nil)
		first := r.charge("k", `{"order_id":"o","amount":1999,"currency":"EUR","metadata":{"a":[1,"é"],"b":{}}}`).want(t, 201, "")
		for _, same := range []string{
			` { "currency":"EUR", "metadata":{"b":{},"a":[1.0,"é"]},"amount":1999 ,"order_id":"o" } `,
			`{"order_id":"\u006f","amount":19.99e2,"currency":"EUR","metadata":{"a":[1,"\u00e9"],"b":{}}}`,
		} {
			r.charge("k", same).replayed(t, first)
		}
		r.charge("k", `{"order_id":"o","amount":1999,"currency":"EUR","metadata":{"a":["é",1],"b":{}}}`).want(t, 422, "key-conflict")
		// A form is compared by its bytes.
		form := []string{"Content-Type: application/x-www-form-urlencoded", "Idempotency-Key: f"}
		first = r.do("POST", "/v1/charges", "order_id=o2&amount=5&currency=EUR&metadata[a]=b", form...).want(t, 201, "")
		r.do("POST", "/v1/charges", "order_id=o2&amount=5&currency=EUR&metadata[a]=b", form...).replayed(t, first)
		r.do("POST", "/v1/charges", "amount=5&order_id=o2&currency=EUR&metadata[a]=b", form...).want(t, 422, "key-conflict")
		r.wantEffects("o", 1)
		r.wantEffects("o2", 1)
	})
}

func TestAKeyIsUniqueWithinCallerMethodPathAndQuery(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		r := newRig(t, open(), newTestClock(), nil)
		seen := map[string]string{}
		for i, request := range [][]string{
			{"/v1/charges"},
			{"/v1/charges", "Authorization: Bearer alice"},
			{"/v1/charges", "Authorization: Bearer bob"},
			{"/v1/refunds"},
			{"/v1/charges?a=1"},
			{"/v1/charges?a=\xff"},
		} {
			got := r.do("POST", request[0], order("o"), append(request[1:], "Idempotency-Key: same")...).want(t, 201, "")
			if earlier, taken := seen[got.body]; taken {
				t.Errorf("%v was answered with the result of %s", request, earlier)
			}
			seen[got.body] = request[0]
			r.wantEffects("o", i+1)
		}
		// The scheme's name has no case, and a token's white space is not its own.
		r.do("POST", "/v1/charges", order("o"), "Authorization: bearer  alice", "Idempotency-Key: same").want(t, 201, "")
		r.wantEffects("o", 6)
		// What a caller made is that caller's to see.
		mine := r.do("GET", "/v1/charges?order_id=o", "", "Authorization: Bearer alice")
		var page struct{ Data []struct{ ID string } }
		if err := json.Unmarshal([]byte(mine.body), &page); err != nil || len(page.Data) != 1 {
			t.Fatalf("alice sees %s", mine.body)
		}
		r.do("GET", "/v1/charges/"+page.Data[0].ID, "", "Authorization: Bearer bob").want(t, 404, "not-found")
		r.do("GET", "/v1/refunds/"+page.Data[0].ID, "", "Authorization: Bearer alice").want(t, 404, "not-found")
	})
}

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

func TestAWaiterWaitsOnlySoLong(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		g := newGate()
		r := newRig(t, open(), newTestClock(), func(o *Options) { g.use(o); o.WaitMax = 5 * time.Second })
		done := make(chan reply)
		go func() { done <- r.charge("k", order("o")) }()
		<-g.entered
		refused := make(chan reply)
		go func() { refused <- r.charge("k", order("o")) }()
		for {
			select {
			case got := <-refused:
				got.want(t, 409, "in-flight")
				close(g.open)
				(<-done).want(t, 201, "")
				return
			default:
				r.clock.Advance(100 * time.Millisecond)
				time.Sleep(time.Millisecond)
			}
		}
	})
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
		r := newRig(t, store, clock, func(o *Options) { g.use(o); o.InFlight = "reject" })
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
		(<-done).want(t, 201, "")
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

func TestWhatFailedIsStoredOrReleasedByItsStatus(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		r := newRig(t, s, newTestClock(), func(o *Options) { o.Admin = true })
		for _, mode := range []string{"once", "panic"} {
			r.charge(mode, order(mode), "X-Test-Fail: "+mode).want(t, 500, "handler-failed")
			r.wantEffects(mode, 0)
			first := r.charge(mode, order(mode), "X-Test-Fail: "+mode).want(t, 201, "")
			r.charge(mode, order(mode), "X-Test-Fail: "+mode).replayed(t, first)
			r.wantEffects(mode, 1)
		}
		for range 2 {
			r.charge("always", order("always"), "X-Test-Fail: always").want(t, 500, "handler-failed")
		}
		// What is refused before the claim is stored nowhere.
		r.charge("v", `{"order_id":"v","amount":0,"currency":"EUR"}`).want(t, 422, "body-invalid")
		r.charge("v", order("v")).want(t, 201, "")
		declined := `{"order_id":"d","amount":5,"currency":"EUR","payment_method":"declined"}`
		first := r.charge("d", declined).want(t, 402, "declined")
		r.charge("d", declined).replayed(t, first)
		r.charge("d", order("d")).want(t, 422, "key-conflict")
		// Without --admin the header is one that nobody knows.
		plain := newRig(t, s, newTestClock(), nil)
		plain.charge("p", order("p"), "X-Test-Fail: once").want(t, 201, "")
		plain.do("POST", "/admin/advance?seconds=1", "").want(t, 404, "not-found")
	})
}

func TestKeylessRequestsAreRefusedOrRunEachTime(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		r := newRig(t, s, newTestClock(), nil)
		r.do("POST", "/v1/charges", order("o")).want(t, 400, "key-missing")
		r = newRig(t, s, newTestClock(), func(o *Options) { o.Keyless = "execute" })
		race(10, func(int) { r.do("POST", "/v1/charges", order("o")).want(t, 201, "") })
		r.wantEffects("o", 10)
		if n := records(t, s); n != 0 {
			t.Errorf("%d records of requests without a key", n)
		}
	})
}

func TestTheAdvanceHookAgesRecordsOnAllReplicasAndAfterARestart(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		clock := newTestClock()
		admin := func(o *Options) { o.Admin = true }
		a, b := newRig(t, open(), clock, admin), newRig(t, open(), clock, admin)
		a.charge("k", order("o")).want(t, 201, "")
		b.charge("k", order("o2")).want(t, 422, "key-conflict")
		a.do("POST", "/admin/advance?seconds=86400", "").want(t, 200, "")
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
			eventually(t, "the sweeper's sleep", func() bool { return clock.waiting() == 1 })
			clock.Advance(time.Second)
			most = max(most, records(t, s))
		}
		// What retention holds, and what came since the last sweep.
		if bound := perSecond * (10 + 2); most > bound || most < perSecond*10 {
			t.Errorf("up to %d records, want at most %d and at least what retention holds", most, bound)
		}
		eventually(t, "the last sweep", func() bool { return records(t, s) <= perSecond*11 })
		r.wantEffects("0-0", 1)
	})
}

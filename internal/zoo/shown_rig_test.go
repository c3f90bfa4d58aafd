package zoo

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

// What the faults of the extended steps are shown with: owners that work beyond
// their lease, callers that hang up, and other callers, keys and replicas.

// record is the record of the charge's key.
func (r *rig) record() (rec reference.Record, found bool) {
	rec, found, err := r.store.Find(r.Context(), reference.Scope{Caller: "anonymous", Method: "POST", Path: "/v1/charges"}.ID("k"))
	return rec, found && err == nil
}

// blocked says that somebody has claimed the key and has not finished.
func (r *rig) blocked() bool {
	rec, found := r.record()
	return found && rec.State == reference.InProgress && rec.LeaseUntil.After(r.clock.Now())
}

// inBackground sends, and gives what will be answered.
func inBackground(send func() reply) <-chan reply {
	answered := make(chan reply, 1)
	go func() { answered <- send() }()
	return answered
}

func (r *rig) receive(what string, answered <-chan reply) (got reply) {
	r.Helper()
	r.eventually(what, func() bool {
		select {
		case got = <-answered:
			return true
		default:
			return false
		}
	})
	return got
}

// atWork sends the charge and waits until its handler is at work, which it is
// until release.
func (r *rig) atWork(send func() reply) (answered <-chan reply, release func()) {
	r.Helper()
	r.gate.shut()
	answered = inBackground(send)
	r.eventually("the first is at work", func() bool { return r.gate.entered() == 1 })
	return answered, r.gate.letOthers()
}

// renewed lets the owner at work renew its claim until it has worked longer
// than its lease. What was due may have been another's timer, and the owner not
// yet at its own: then time passes once more, still within the lease.
func (r *rig) renewed() {
	r.Helper()
	for range 4 {
		r.eventually("the owner waits for its next renewal", func() bool { return r.clock.due(testLease) })
		before, _ := r.record()
		r.pass(testLease / 3)
		began, again := time.Now(), false
		r.eventually("the owner renews its claim", func() bool {
			if !again && time.Since(began) > 2*time.Second {
				again = true
				r.pass(testLease / 3)
			}
			rec, found := r.record()
			return found && rec.LeaseUntil.After(before.LeaseUntil)
		})
	}
}

// overtaken has the charge's owner work beyond its lease without a sign of
// life, and a duplicate come then. It gives what both are answered.
func (r *rig) overtaken() (owner, duplicate reply) {
	r.Helper()
	first, release := r.atWork(r.charge)
	defer release()
	r.pass(testLease + time.Second)
	duplicate = r.receive("the duplicate is answered", inBackground(r.charge))
	release()
	return r.receive("the owner answers", first), duplicate
}

// refusesAtOnce serves so that what is in flight is refused and not waited for,
// since a wait ends by the clock, which stands.
func (r *rig) refusesAtOnce() {
	r.Helper()
	r.variant.Options = func(o *reference.Options) { o.InFlight = "reject" }
	r.restart()
}

// hungUp has the charge's caller hang up while it is worked on; then is done
// before the work is.
func (r *rig) hungUp(then func()) {
	r.Helper()
	ctx, hangUp := context.WithCancel(r.Context())
	defer hangUp()
	_, release := r.atWork(func() reply {
		return r.sendWith(ctx, http.Header{"Idempotency-Key": {"k"}}, "POST", "/v1/charges", order("o"))
	})
	defer release()
	hangUp()
	r.eventually("the service sees it", func() bool { return gone(r.gate.first()) })
	then()
	release()
}

// by sends the charge as another caller.
func (r *rig) by(caller string) reply {
	return r.sendWith(context.Background(), http.Header{"Idempotency-Key": {"k"}, "Authorization": {"Bearer " + caller}}, "POST", "/v1/charges", order("o"))
}

// keyed sends the charge with so many key fields.
func (r *rig) keyed(keys ...string) reply {
	return r.sendWith(context.Background(), http.Header{"Idempotency-Key": keys}, "POST", "/v1/charges", order("o"))
}

// failing sends the charge so that its handler fails the first time.
func (r *rig) failing() reply {
	return r.sendWith(context.Background(), http.Header{"Idempotency-Key": {"k"}, "X-Test-Fail": {"once"}}, "POST", "/v1/charges", order("o"))
}

// replica is another process that serves on the same store.
func (r *rig) replica() *rig {
	r.Helper()
	other := *r
	other.restart()
	return &other
}

// store takes the record store away, or brings it back.
func (r *rig) storeIs(up string) {
	r.Helper()
	r.want(r.send("POST", "/admin/store?up="+up, "", ""), 200)
}

// due says that something waits for the clock that comes within a time.
func (c *clock) due(within time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.timers {
		if t.at.Sub(c.now) <= within {
			return true
		}
	}
	return false
}

// letOthers opens the gate to all that come from now on; those that it holds go
// on at release.
func (g *gate) letOthers() (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	held := g.closed
	g.closed = nil
	return sync.OnceFunc(func() { close(held) })
}

// first is the call that came to the gate first since it was shut.
func (g *gate) first() *reference.Call {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.came
}

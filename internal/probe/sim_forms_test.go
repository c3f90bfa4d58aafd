package probe_test

import (
	"cmp"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

// What the simulated API does with requests of other forms (slow ones, those
// that fail, those whose answers are large, empty or redirect), and with
// callers that hang up.

// enabled is the contract with all of them in it.
var enabled = strings.Replace(changed(`stored: {"2xx": replay, "3xx": replay, "4xx": replay, "5xx": release}`), "      fresh: [/order_id]\n",
	`      fresh: [/order_id]
      failing: {"4xx": {body: {order_id: "o-1", amount: 1999, currency: EUR, method: declined}}, "5xx": {headers: {X-Test-Fail: once}}}
      slow: {body: {order_id: "o-1", amount: 1999, currency: EUR, work_ms: 1800}}
      variants: {large: {body: {order_id: "o-1", amount: 1999, currency: EUR, answer: large}}, redirect: {body: {order_id: "o-1", amount: 1999, currency: EUR, answer: redirect}}, empty: {body: {order_id: "o-1", amount: 1999, currency: EUR, answer: empty}}}
`, 1)

// with changes lines of it.
func with(lines ...string) string { return changedOf(enabled, lines...) }

// text reads a member that says how something is to be done.
func (k *call) text(name string) string {
	s, _ := k.fields[name].(string)
	return s
}

func (k *call) work() time.Duration {
	ms, _ := k.fields["work_ms"].(float64)
	return k.before + time.Duration(ms)*time.Millisecond
}

// fail answers a request that is to fail; false where it is not.
func (k *call) fail(r *record) bool {
	refused := k.text("method") == "declined"
	broken := false
	if refused {
		k.failedOnce["refused "+k.key] = true
	}
	if v := trace.Get(k.c.request.Header, "X-Test-Fail"); len(v) > 0 {
		broken = v[0] == "always" || !k.failedOnce[k.key]
		k.failedOnce[k.key] = true
	}
	if !refused && !broken {
		return false
	}
	r.status, r.charge = 402, map[string]any{"error": "declined"}
	if broken {
		r.status, r.charge = k.failsWith, map[string]any{"error": "broken"}
	}
	if k.is("failures name their time") {
		r.charge["at"] = k.now
	}
	if broken && k.is("fails after its effect") || refused && k.is("attempts are effects") {
		k.effect(0)
	}
	if k.attempts && refused {
		k.effect(0)
	}
	switch {
	case broken && k.is("a failure keeps its key"), refused && k.is("a refusal keeps its key"):
		r.stuck = true
	case broken && k.is("a failure keeps its key for the lease"):
		r.dead = true
	case broken && k.stores5xx, refused && !k.frees4xx:
		k.finish(r)
	case broken && k.is("panics"):
		delete(k.records, k.slot(k))
		k.c.reset(trace.Reset)
		return true
	default:
		delete(k.records, k.slot(k))
		k.freed(r)
	}
	r.told = true
	k.send(r.status, r.charge, false)
	return true
}

// freed lets those who wait for a record look again.
func (k *call) freed(r *record) {
	for _, p := range r.waiting {
		k.wake(p)
	}
	r.waiting = nil
}

// shaped gives the result the form that was asked for.
func (k *call) shaped(r *record) {
	switch k.text("answer") {
	case "large":
		r.charge["statement"] = strings.Repeat("line ", 20_000)
	case "redirect":
		r.status = 303
	case "empty":
		r.status = 204
	}
}

// lost says that a result of this form is not recorded, and is to be forgotten.
func (k *call) lost(r *record) bool {
	size := 0
	if s, ok := r.charge["statement"].(string); ok {
		size = len(s)
	}
	if k.failedOnce["refused "+k.key] && k.is("corrected requests are not recorded") {
		return true
	}
	return size > 0 && k.is("large answers are not stored") || r.status == 303 && k.is("redirects are not stored") ||
		r.status == 204 && k.is("empty answers are not stored")
}

// replayed is a stored result as it is given again.
func (k *call) replayed(r *record) (status int, charge map[string]any) {
	status, charge = r.status, r.charge
	switch s, _ := charge["statement"].(string); {
	case s != "" && k.is("large replays are cut"):
		charge = map[string]any{"id": charge["id"], "statement": s[:1000]}
	case status == 303 && k.is("redirects are replayed as 200"):
		status = 200
	case status == 303 && k.is("replayed redirects lead nowhere"):
		charge = nil
	}
	if status >= 400 && k.is("a stored failure is replayed as 200") {
		status = 200
	}
	return status, charge
}

// left does what the service does when it sees that its caller hung up, before
// the effect or after it; true where the request ends there.
func (k *call) left(r *record, effect bool) bool {
	if !k.c.gone {
		return false
	}
	switch {
	case !effect && k.is("a hang-up cancels"):
		delete(k.records, k.slot(k))
		k.freed(r)
		return true
	case !effect && k.is("a hang-up cancels and leaves the claim to its lease"):
		r.dead = true
		return true
	case !effect && k.is("a hang-up is stored as a failure"):
		r.status, r.charge = 500, map[string]any{"error": "cancelled"}
		k.finish(r)
		return true
	case effect && k.is("a hang-up cancels the record"):
		delete(k.records, k.slot(k))
		k.freed(r)
		return true
	case effect && k.is("a hang-up leaves the key in flight"):
		r.stuck = true
		k.freed(r)
		return true
	case effect && k.is("a hang-up empties the record"):
		r.charge = map[string]any{}
	case effect && k.is("a hang-up is recorded as 499"):
		r.status, r.charge = 499, map[string]any{"error": "gone"}
	}
	return false
}

// abandoned says that a record's claim is not held any more though its process
// lives: its owner has died, or worked too long.
func (s *charges) abandoned(r *record, k *call) bool {
	age := s.now - r.claimed
	switch {
	case r.done || r.stuck:
		return false
	case r.dead:
		return age >= int64(s.lease)
	case s.is("live owners lose their claim"):
		return age >= int64(s.lease)
	case s.is("live owners renew five times"):
		return age >= int64(s.lease*9/4)
	case s.is("a hang-up frees the key") && r.conn != nil && r.conn.gone:
		return true
	case s.ownerMax > 0:
		return age >= int64(s.ownerMax)
	}
	return false
}

// superseded ends an owner that lost its claim, where claims are fenced: what
// the new owner does is the result.
func (k *call) superseded(r *record) bool {
	now := k.records[k.slot(k)]
	if now == r || now == nil || !k.fenced {
		return false
	}
	switch {
	case k.is("a fenced owner answers what it would have"):
		k.send(201, k.newCharge(k.fields), false)
	case k.is("a fenced owner answers 500"):
		k.send(500, nil, false)
	case k.is("a fenced owner waits"):
		for !now.done {
			k.pause(time.Millisecond)
			now = cmp.Or(k.records[k.slot(k)], now)
		}
		k.again(now)
	default:
		k.underWayOrDone(now)
	}
	return true
}

// underWayOrDone answers for an owner that lost its claim. It never takes one
// over itself, or two owners that are too slow would do so for ever.
func (k *call) underWayOrDone(r *record) {
	if k.inFlight != 0 {
		k.underWay(r)
		return
	}
	for !r.done {
		k.pause(50 * time.Millisecond)
		r = k.records[k.slot(k)]
	}
	k.again(r)
}

// waits parks a copy until the first is done, or its key is free again: then it
// looks anew, and all is answered.
func (k *call) waits(r *record) bool {
	for !r.done && !r.stuck {
		r.waiting = append(r.waiting, k.current)
		k.park(k.looks())
		k.pause(0)
		if k.find(k) == nil {
			k.handle()
			return false
		}
	}
	if r.stuck {
		k.send(409, nil, false)
		return false
	}
	return true
}

// looks is how often a waiting copy looks at its key by itself; 0: it is woken
// only.
func (k *call) looks() time.Duration {
	if k.ownerMax > 0 || k.is("live owners lose their claim", "a hang-up frees the key", "a hang-up cancels and leaves the claim to its lease", "a failure keeps its key for the lease") {
		return 50 * time.Millisecond
	}
	return 0
}

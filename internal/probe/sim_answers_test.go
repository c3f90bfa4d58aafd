package probe_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

// call is one request at the simulated API.
type call struct {
	*charges
	c      *conn
	epoch  int
	lapsed bool // its key's record was there, and over
	request
}

// aborted ends a call whose process was killed.
type aborted struct{}

// pause works for a time; a killed process does not go on.
func (k *call) pause(d time.Duration) {
	k.sleep(d)
	if k.epoch != k.charges.epoch {
		panic(aborted{})
	}
}

func (s *charges) serve(c *conn) {
	k := &call{charges: s, c: c, epoch: s.epoch, request: s.read(c.request)}
	s.conns = append(s.conns, c)
	defer func() {
		if broken := recover(); broken != nil && broken != (aborted{}) {
			panic(broken)
		}
	}()
	s.served++
	if s.is("dies in the volley") && s.epoch == 0 && strings.HasPrefix(c.request.ID, "crash/kill-1/9") {
		s.kill()
		return
	}
	unknown := s.is("looks before the body") && s.find(k) == nil
	var own *record
	if s.eager {
		if r := s.find(k); r != nil && !r.done && k.inFlight != 0 {
			k.send(k.inFlight, map[string]any{"error": "in progress"}, false)
			return
		} else if r == nil {
			own = s.claim(k)
		}
	}
	c.body()
	if s.headFirst {
		c.head = s.now + int64(oneWay)
	}
	s.taken = max(s.taken, s.now) + int64(s.intake)
	k.pause(time.Duration(s.taken - s.now))
	switch {
	case s.busy != nil && s.busy(s, c):
		k.send(cmp.Or(s.busyWith, 503), nil, false)
	case s.early && k.invalid(), k.is("refuses other spellings") && !strings.HasPrefix(string(c.request.Body), `{"order_id":"`):
		k.send(422, map[string]any{"error": "not taken"}, false)
	case k.is("ignores keys"):
		k.perform(&record{print: k.print})
	case own != nil:
		k.perform(own)
	case unknown:
		k.perform(s.claim(k))
	case s.is("copies get 500", "copies keep each other off") && k.crowded():
		k.send(map[bool]int{true: 500, false: 409}[s.is("copies get 500")], nil, false)
	case s.is("refuses all races") && strings.HasPrefix(c.request.ID, "concurrent/"):
		k.send(500, nil, false)
	default:
		k.handle()
	}
}

func (k *call) handle() {
	r := k.find(k)
	switch {
	case k.outlasts(r), k.haunted():
	case k.lapsed && k.expired != 0:
		k.send(k.expired, nil, false)
	case r == nil && k.writes():
		k.handle() // who has waited looks again
	case r == nil:
		if k.is("check then act") || k.lapsed && k.is("three runs after expiry") {
			k.pause(cmp.Or(k.lets, time.Millisecond))
		}
		k.perform(k.claim(k))
	case k.unlike(r) && k.mismatch != "replay" && !(r.done && r.status >= 400 && k.is("stored refusals hide conflicts")):
		k.conflicting(r)
	case r.stuck:
		k.send(409, nil, false)
	case !r.done && r.epoch != k.charges.epoch && k.is("refused after crash"):
		k.send(400, nil, false)
	case !r.done:
		k.underWay(r)
	default:
		k.again(r)
	}
}

// find gives the live record of the call's key. A dead owner's claim ends with
// its lease.
func (s *charges) find(k *call) *record {
	r := s.records[s.slot(k)]
	switch {
	case k.lapsed && k.expired != 0:
		k.send(k.expired, nil, false)
	case r == nil:
		return nil
	case s.forgotten(r) && !(k.c.target != "" && s.is("a replica never forgets")),
		k.c.target != "" && r.done && s.is("a replica forgets early") && s.clock()-r.claimed > int64(s.retention/2):
		k.lapsed = true
		return nil
	case !r.done && r.epoch != s.epoch && !s.is("key without result", "refused after crash") && s.now >= r.claimed+int64(s.lease):
		return nil
	case s.abandoned(r, k):
		return nil
	}
	return r
}

func (s *charges) slot(k *call) string {
	if s.mismatch == "execute" {
		return k.key + " " + k.print
	}
	return k.key
}

func (s *charges) claim(k *call) *record {
	r := &record{print: k.print, epoch: s.epoch, claimed: s.clock(), conn: k.c}
	s.records[s.slot(k)] = r
	return r
}

// perform makes the effect, records it and answers.
func (k *call) perform(r *record) {
	if k.invalid() {
		delete(k.records, k.slot(k))
		k.send(422, map[string]any{"error": "only 1999 EUR"}, false)
		return
	}
	if k.unique && k.known(k.order) {
		delete(k.records, k.slot(k))
		k.send(409, map[string]any{"error": "order exists"}, false)
		return
	}
	k.pause(k.work())
	if k.superseded(r) || k.fail(r) || k.left(r, false) {
		return
	}
	r.charge, r.status = k.newCharge(k.fields), 201
	k.shaped(r)
	if k.echo {
		r.charge["key"] = k.key
	}
	if k.is("receipt before effect") {
		r.done = true
		k.pause(k.after / 2)
	}
	if !k.is("effect missing") || !strings.HasPrefix(k.c.request.ID, "duplicate/") && !strings.HasPrefix(k.c.request.ID, "concurrent/") {
		k.effect(0)
	}
	if k.is("every operation runs again late") {
		k.effect(1500 * time.Millisecond)
	}
	if k.window > 0 {
		k.pause(k.window)
		k.finish(r)
	}
	if k.left(r, true) {
		return
	}
	if k.lost(r) {
		k.freed(r)
		delete(k.records, k.slot(k))
		k.send(r.status, r.charge, false)
		return
	}
	if k.is("slow results are not recorded") && k.work() > k.lease {
		r.stuck = true
		k.freed(r)
		k.send(r.status, r.charge, false)
		return
	}
	if !k.charges.late && !k.is("effect before record") {
		k.finish(r)
	}
	k.pause(k.after)
	k.finish(r)
	r.told = true
	status := r.status
	if k.is("first answers are empty") {
		status = 204
	}
	k.send(status, r.charge, k.is("marker on first"))
}

// invalid says that plain validation refuses a body under any key.
func (k *call) invalid() bool {
	return k.plain && (k.fields["amount"] != 1999.0 || k.fields["currency"] != "EUR")
}

func (k *call) known(order string) bool {
	for _, e := range k.effects {
		if e.order == order {
			return true
		}
	}
	return false
}

func (k *call) effect(after time.Duration) {
	for i := range k.unit {
		at := k.appears + after
		if k.slowly && i > 0 {
			at += 400 * time.Millisecond
		}
		k.effects = append(k.effects, effect{k.order, k.now + int64(at)})
	}
}

func (k *call) finish(r *record) {
	if r.done && r.ended != 0 {
		return
	}
	r.done, r.ended = true, k.clock()
	for _, p := range r.waiting {
		k.wake(p)
	}
	r.waiting = nil
}

// underWay answers a copy whose first is not done.
func (k *call) underWay(r *record) {
	switch {
	case k.is("loser gets 500"):
		k.send(500, nil, false)
	case k.is("loser gets 503"):
		k.send(503, nil, false)
	case k.is("loser is cut off"):
		k.c.reset(trace.Reset)
	case r.epoch != k.charges.epoch || k.inFlight != 0 && !k.is("results differ"):
		r.stuck = r.stuck || k.is("stuck after a race")
		k.send(k.inFlightStatus(), map[string]any{"error": "in progress"}, false)
	case k.is("waiters fail after the lease") && k.work() > k.lease:
		k.pause(k.lease)
		k.send(500, nil, false)
	default:
		if !k.waits(r) {
			return
		}
		if k.is("results differ") {
			k.send(201, k.newCharge(k.fields), false)
			return
		}
		k.again(r)
	}
}

func (k *call) inFlightStatus() int {
	if k.inFlight == 0 {
		return 409
	}
	return k.inFlight
}

// again answers a duplicate of what is done.
func (k *call) again(r *record) {
	r.used = k.clock()
	r.unprinted = r.unprinted || k.is("compares until replayed")
	if r.half > 0 {
		r.half++
	}
	switch {
	case r.half > 1 && k.is("every retry after crash differs"):
		k.send(r.status, k.newCharge(r.charge), k.marker)
	case r.half == 3 && k.is("second retry after crash runs"):
		k.effect(0)
		k.send(r.status, r.charge, k.marker)
	case k.is("duplicate gets 500"):
		k.send(500, nil, false)
	case k.is("duplicate stays in flight"):
		k.send(k.inFlightStatus(), nil, false)
	case k.is("duplicate gets another answer"):
		k.send(r.status, k.newCharge(r.charge), k.marker)
	case k.is("duplicate gets 429"):
		k.send(429, nil, false)
	case r.status >= 400:
		status, charge := k.replayed(r)
		k.send(status, charge, k.marker && !k.is("stored failures are unmarked"))
	case k.duplicate == "refused" && k.is("link missing"):
		k.send(409, nil, false)
	case k.duplicate == "refused" && !k.is("duplicate not refused"):
		k.send(k.refusal, map[string]any{"links": map[string]any{"id": "/v1/charges/" + r.charge["id"].(string)}}, false)
	case k.duplicate == "current":
		now := maps.Clone(r.charge)
		now["state"] = "settled"
		if k.is("current of another") {
			now["id"] = "ch_other"
		}
		if k.is("present state without id") {
			delete(now, "id")
		}
		k.send(200, now, k.marker)
	default:
		if k.is("marker while it ran twice") {
			k.effect(0)
		}
		if k.is("a late second effect") {
			k.effect(300 * time.Millisecond)
		}
		if k.is("a second effect after the settle") {
			k.effect(1500 * time.Millisecond)
		}
		status, charge := k.replayed(r)
		k.send(status, charge, k.marker && !k.is("marker missing"))
		if k.is("answers, then runs") {
			k.pause(time.Millisecond)
			k.effect(0)
		}
	}
}

// conflicting answers another body under a key that is taken.
func (k *call) conflicting(r *record) {
	refusal := map[string]any{"error": map[string]any{"type": "idempotency_error"}}
	switch {
	case k.is("changed body runs"):
		k.perform(k.claim(k))
		return
	case k.is("changed body runs and is refused"):
		k.effect(0)
	case k.is("record replaced by the conflict"):
		r.print = k.print
	case k.is("record dropped by the conflict"):
		delete(k.records, k.slot(k))
	case k.is("a conflict extends"):
		r.moved += time.Hour
	case k.is("a conflict shortens"):
		r.moved -= time.Second
	case k.is("conflict gets 500"):
		k.send(500, nil, false)
		return
	}
	k.send(k.conflict, refusal, false)
}

// send answers.
func (k *call) send(status int, body map[string]any, marked bool) {
	header := [][2]string{{"Date", "Mon, 30 Nov 2026 12:00:00 GMT"}, {"X-Request-Id", time.Duration(k.now).String()}}
	if body == nil {
		body = map[string]any{"error": status}
	}
	if k.volatile {
		body = maps.Clone(body)
		body["served_at"] = k.now
	}
	if status == 429 || status == 503 {
		header = append(header, [2]string{"Retry-After", "1"})
	}
	if k.graphql {
		if status >= 400 {
			body = map[string]any{"errors": []any{map[string]any{"code": status}}}
		}
		status = 200
	}
	raw, _ := json.Marshal(body)
	if status == 204 || status == 303 {
		raw = nil
	} else {
		header = append(header, [2]string{"Content-Type", "application/json"})
	}
	if place := k.place(body); place != "" || status != 303 {
		host := ""
		if k.is("redirects are absolute at times") && k.served%2 == 0 {
			host = "http://127.0.0.1:8080"
		}
		header = append(header, [2]string{"Location", host + "/v1/charges/" + place})
	}
	if marked {
		header = append(header, [2]string{"Idempotent-Replayed", "true"})
	}
	k.c.answer(status, header, raw)
}

// place is the end of the Location field.
func (k *call) place(body map[string]any) string {
	if k.is("location counts requests") {
		return strconv.Itoa(k.served)
	}
	id, _ := body["id"].(string)
	switch {
	case id != "" && k.is("redirects lead elsewhere"):
		return id + "/" + strconv.Itoa(k.served)
	case id != "" && k.is("redirects are signed anew"):
		return id + "?signature=" + strconv.Itoa(k.served)
	}
	return id
}

// crowded says that another copy with the call's key is under way.
func (k *call) crowded() bool {
	for _, c := range k.conns {
		if c != k.c && !c.over && c.request.Key == k.key {
			return true
		}
	}
	return false
}

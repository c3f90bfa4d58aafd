package probe_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// trade is the contract that the simulated market keeps; tests change lines of it.
const trade = `idem: contract/v1
name: market
target:
  base_urls: ["http://127.0.0.1:8080", "http://127.0.0.1:8081"]
  allow_hosts: [127.0.0.1]
  timeout: 2s
  auth: {header: Authorization, env: ONE}
  other_auth: {header: Authorization, env: OTHER}
  instance: {header: X-Served-By}
operations:
  - name: create-charge
    request:
      method: POST
      path: /v1/charges
      headers: {Content-Type: application/json}
      body: {order_id: "o-1", amount: 1999}
      fresh: [/order_id]
    sibling: {method: POST, path: /v1/refunds, effects: {http: {path: "/v1/refunds?order_id={fresh:/order_id}", count: "$.data[*]"}, settle: 100ms}}
    key: {header: Idempotency-Key, generate: uuid4, rules: {min_length: 1, max_length: 100, pattern: "^[!-~]*$", case: sensitive, repeated: {status: [400]}, too_long: {status: [400]}}}
    promise:
      duplicate: replay
      same_headers: [Location]
      conflict: {status: [422]}
      in_flight: {wait: true}
      missing_key: {status: [400]}
      retention: 60s
      lease: 1s
      scope: [caller, method, path, query]
      binding: independent
    effects: {http: {path: "/v1/charges?order_id={fresh:/order_id}", count: "$.data[*]"}, settle: 100ms}
    store_down: {down: [./down], up: [./up]}
`

// ways are what a simulated market does. The zero ways keep every promise of
// trade.
type ways struct {
	fault   string // ways to break, joined by " + "
	execute bool   // requests without a key run
	unique  bool   // an order that is known to a caller and endpoint is refused, 409
	blind   bool   // the counter shows the first caller's effects alone
	both    bool   // the counter shows the effects of both endpoints
	alike   bool   // answers carry nothing of their own
	noName  bool   // answers do not tell who gave them
	binding string // empty: independent; "conflict", "replay"
	shared  bool   // keys are one space for all callers
	folds   bool   // keys in another case are the same
	present bool   // duplicates get the present state
	cached  bool   // finished results are given in an outage too
	stamped bool   // answers carry the second of their making, and no id
	echoes  bool   // answers tell the key
	derived bool   // ids are made of the order's
	longer  bool   // every id begins with the one before it
	marked  bool   // replays carry a marker
	apart   string // what handles one request at a time: "all", "callers"
	hook    string // "down", "up" fails; "nothing": it takes nothing away

	balancer  string        // who chooses the replica: "turns", "sticky", "idle" (the first that has nothing to do), "keys"
	shy       bool          // refusals do not tell who gave them
	lag       time.Duration // how long a result is in flight elsewhere
	exclusive bool          // a replay in progress keeps others off its key, 409
	limited   int           // every so many requests the balancer refuses one, 429
	signature bool          // replicas differ in other fields of their answers

	unlucky func(*conn) bool // answered 500 instead, whoever asks
}

// market is a simulated API with two endpoints, two callers, two replicas and a
// record store that can be taken away.
type market struct {
	*world
	ways
	op      *contract.Operation
	records map[string]*deal
	made    []sale
	away    bool
	ids     int
	seen    map[string]string // what faults remember
	waiting map[string][]*process
	turn    int    // of the balancer
	served  int    // by it
	atWork  [2]int // requests at each replica behind it
}

// deal is the record of a key.
type deal struct {
	print, caller, path string
	target              string // the replica that made it
	done                bool
	madeAt, doneAt      int64
	status              int
	body                map[string]any
	place               string
}

// sale is one effect.
type sale struct{ order, caller, path string }

func newMarket(w *world, op *contract.Operation, how ways) *market {
	return &market{world: w, ways: how, op: op, records: map[string]*deal{}, seen: map[string]string{}, waiting: map[string][]*process{}}
}

func (m *market) is(faults ...string) bool {
	return slices.ContainsFunc(strings.Split(m.fault, " + "), func(own string) bool { return slices.Contains(faults, own) })
}

func (m *market) up() bool            { return true }
func (m *market) kill() trace.Process { return trace.Process{Error: "nothing can be killed"} }
func (m *market) start(time.Duration) trace.Process {
	return trace.Process{Error: "nothing can be started"}
}
func (m *market) advance(time.Duration) trace.Process {
	return trace.Process{Error: "there is no clock"}
}
func (m *market) count(s probe.Subject) (int64, error) { return m.counts(s, "/v1/charges"), nil }
func (m *market) countSibling(s probe.Subject) int64   { return m.counts(s, "/v1/refunds") }

func (m *market) counts(s probe.Subject, path string) (n int64) {
	for _, e := range m.made {
		if e.order == s.Fresh["/order_id"] && (e.path == path || m.both) && (e.caller == "one" || !m.blind) {
			n++
		}
	}
	return n
}

// store is the hook.
func (m *market) store(up bool) trace.Process {
	p := trace.Process{Hook: true, Store: map[bool]string{false: "down", true: "up"}[up]}
	if m.hook == p.Store {
		p.Error = "exit 3"
		return p
	}
	if m.away = !up && m.hook != "nothing"; up && m.is("comes back empty") {
		m.records = map[string]*deal{}
	}
	return p
}

// bid is a request as the market reads it.
type bid struct {
	*market
	c                        *conn
	keys                     []string
	caller, path, query, key string
	order, print             string
	work                     time.Duration
	header                   [][2]string // more of the answer
}

func (m *market) serve(c *conn) {
	c.body()
	defer m.balance(c)()
	if c.over {
		return
	}
	b := &bid{market: m, c: c, keys: trace.Get(c.request.Header, "Idempotency-Key"), caller: "one"}
	if c.other {
		b.caller = "other"
	}
	u, _ := url.Parse(c.request.Target)
	b.path, b.query = u.Path, u.RawQuery
	var fields map[string]any
	if err := json.Unmarshal(c.request.Body, &fields); err != nil {
		panic(err)
	}
	b.order, _ = fields["order_id"].(string)
	b.print = string(c.request.Body)
	ms, _ := fields["work_ms"].(float64)
	b.work = time.Duration(ms) * time.Millisecond
	m.sleep(2 * time.Millisecond)
	if m.unlucky != nil && m.unlucky(c) {
		b.answer(500, nil, "")
		return
	}
	if b.refused() {
		return
	}
	if late := 400 * time.Millisecond; b.is("locks are taken late") && b.work > late {
		m.sleep(late)
		b.work -= late
	}
	for _, lock := range b.locks() {
		if by := m.seen[lock]; by != "" && by != b.caller+b.path && b.is("refused by the lock") {
			b.answer(409, nil, "")
			return
		}
		for m.seen[lock] != "" {
			m.waiting[lock] = append(m.waiting[lock], m.current)
			m.park(0)
		}
		m.seen[lock] = b.caller + b.path
		defer m.unlock(lock)
	}
	b.handle()
}

// unlock lets all who wait for a lock try to take it, in their order.
func (m *market) unlock(lock string) {
	delete(m.seen, lock)
	for _, p := range m.waiting[lock] {
		m.wake(p)
	}
	delete(m.waiting, lock)
}

// locks are what a request takes while it is at work, beside its record.
func (b *bid) locks() (out []string) {
	switch b.apart {
	case "all":
		out = append(out, "lock")
	case "callers":
		out = append(out, "lock of "+b.caller)
	}
	if b.is("callers share a lock") {
		out = append(out, "lock "+b.path+b.key)
	}
	if b.is("endpoints share a lock") {
		out = append(out, "lock "+b.caller+b.key)
	}
	return out
}

// refused answers requests whose key cannot be used.
func (b *bid) refused() bool {
	long := 100
	switch {
	case len(b.keys) == 0 && b.is("keyless share a key"):
		b.key, b.print = "none", ""
	case len(b.keys) == 0 && b.is("keyless run twice"):
		b.sell()
		b.key = b.unnamed()
	case len(b.keys) == 0 && b.is("keyless answered by body"):
		b.key = "body " + b.print
	case len(b.keys) == 0 && (b.execute || b.is("keyless run")):
		b.key = b.unnamed()
	case len(b.keys) == 0:
		if b.is("keyless run and are refused") {
			b.sell()
		}
		b.answer(map[bool]int{true: 500, false: 400}[b.is("keyless get 500")], nil, "")
		return true
	case len(b.keys) > 1 && !b.is("first of two keys"):
		b.answer(400, nil, "")
		return true
	case len(b.keys[0]) > 1000 && b.is("endless keys are cut off"):
		b.c.reset(trace.Reset)
		return true
	case len(b.keys[0]) > 1000 && b.is("endless keys get 500"), len(b.keys[0]) > 60 && b.is("long keys get 500"):
		b.answer(500, nil, "")
		return true
	case len(b.keys[0]) > long && !b.is("long keys are cut"), b.keys[0] == "" && !b.is("empty keys are taken"):
		b.answer(map[bool]int{true: 422, false: 400}[b.is("long keys get 422")], nil, "")
		return true
	default:
		b.key = b.keys[0]
	}
	if b.is("long keys are cut") {
		b.key = b.key[:min(len(b.key), long)]
	}
	if b.is("keys are cut") {
		b.key = b.key[:min(len(b.key), 40)]
	}
	switch end := strings.TrimLeft(b.key, plainKey); {
	case b.is("keys are cut at special characters"):
		b.key = strings.TrimSuffix(b.key, end)
	case b.is("special characters are left out"):
		b.key = strings.Map(func(r rune) rune { return map[bool]rune{true: r, false: -1}[strings.ContainsRune(plainKey, r)] }, b.key)
	case b.is("keys are their ends"):
		b.key = b.key[max(0, len(b.key)-60):]
	case b.is("UUIDs are folded") && len(b.key) == 36 && strings.Count(b.key, "-") == 4:
		b.key = strings.ToLower(b.key)
	}
	if b.folds || b.is("keys are folded") {
		b.key = strings.ToLower(b.key)
	}
	return false
}

// plainKey are the characters that no server reads anything into.
const plainKey = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

func (b *bid) unnamed() string {
	b.ids++
	return fmt.Sprint("unnamed ", b.ids)
}

// slot is the record that a request meets.
func (b *bid) slot() string {
	caller, path, query := b.caller, b.path, b.query
	if b.shared || b.is("callers share", "callers conflict", "callers get 500", "last caller wins", "others unprotected", "link for callers") {
		caller = ""
	}
	if b.binding != "" || b.is("endpoints share", "endpoints conflict", "endpoint takes over") {
		path = ""
	}
	if b.is("queries share") {
		query = ""
	}
	where := strings.Join([]string{caller, path, query, b.key}, "|")
	if b.is("keys per replica") || b.is("claims per replica") && b.records[where+"done"] == nil {
		where += b.c.target
	}
	return where
}

func (b *bid) handle() {
	at := b.slot()
	if b.away && !(b.cached && b.records[at] != nil && b.records[at].done) {
		b.without(at)
		return
	}
	if b.seen["hangs "+at] != "" {
		b.c.s.sleep(time.Hour)
	}
	if stuck := b.seen["stuck "+at]; stuck != "" {
		b.answer(409, nil, "")
		return
	}
	b.forget(at)
	r := b.records[at]
	switch {
	case r == nil && b.elsewhere():
	case r == nil, b.is("long keys unprotected") && len(b.key) > 60:
		b.perform(at)
	case r.caller == "other" && r.target != b.c.target && b.is("others unprotected elsewhere"):
		b.perform(at)
	case r.target != b.c.target && b.stuckElsewhere(at, r), r.target != b.c.target && r.done && b.now-r.doneAt < int64(b.lag):
		b.answer(409, nil, "")
	case r.target != b.c.target && r.done && b.is("500 elsewhere"):
		b.answer(500, nil, "")
	case r.target != b.c.target && r.done && b.is("in flight elsewhere"):
		b.answer(409, nil, "")
	case r.caller != b.caller && b.is("callers conflict"):
		b.answer(422, nil, "")
	case r.caller != b.caller && b.is("callers get 500"):
		b.answer(500, nil, "")
	case r.caller != b.caller && b.is("link for callers"):
		b.answer(422, map[string]any{"see": r.place}, "")
	case r.caller != b.caller && b.is("others unprotected"):
		b.sell()
		b.answer(201, b.charge(), "")
	case r.caller != b.caller && b.is("last caller wins"), r.path != b.path && b.is("endpoint takes over"):
		b.perform(at)
	case r.path != b.path && (b.binding == "conflict" || b.is("endpoints conflict")):
		b.answer(422, nil, "")
	case !b.same(r):
		b.answer(422, nil, "")
	default:
		b.replay(r)
	}
}

// forget drops a finished record whose retention is over.
func (b *bid) forget(at string) {
	atLeast, _, known := b.op.EffectiveRetention()
	if r := b.records[at]; known && r != nil && r.done && b.now-r.madeAt >= int64(atLeast) {
		delete(b.records, at)
	}
}

func (b *bid) same(r *deal) bool {
	if b.is("prints per replica") && b.seen["print "+b.slot()+b.c.target] == "" {
		return true
	}
	if b.is("prints are not compared at home") && r.target != "" && b.c.target == "" {
		return true
	}
	if b.is("replays are cached without their print") && b.seen["cached "+b.slot()+b.c.target] != "" {
		return true
	}
	return r.print == b.print
}

// without handles a request while the record store is away.
func (b *bid) without(at string) {
	switch {
	case b.is("runs without store"):
		b.sell()
		b.answer(201, b.charge(), "")
		return
	case b.is("runs without store and fails"):
		b.sell()
	case b.is("stuck after outage"):
		b.seen["stuck "+at] = "yes"
	case b.is("outage is stored"):
		b.seen["outage "+at] = "yes"
	case b.is("hangs after an outage"):
		b.seen["hangs "+at] = "yes"
	case b.is("waits for its store"):
		for b.away {
			b.c.s.sleep(20 * time.Millisecond)
		}
		b.handle()
		return
	case b.is("hangs without store"):
		b.c.s.sleep(time.Hour)
	case b.is("409 without store"):
		b.answer(409, nil, "")
		return
	case b.is("404 without store"):
		b.answer(404, nil, "")
		return
	}
	b.answer(503, nil, "")
}

func (b *bid) perform(at string) {
	if b.seen["outage "+at] != "" {
		b.answer(500, nil, "")
		return
	}
	if b.unique && b.sold() {
		b.answer(409, nil, "")
		return
	}
	r := &deal{print: b.print, caller: b.caller, path: b.path, target: b.c.target, madeAt: b.now}
	if b.is("a field tells of the first") {
		b.tellsOfTheFirst()
	}
	b.records[at] = r
	b.seen["print "+at+b.c.target] = "yes"
	b.sleep(8*time.Millisecond + b.work)
	if !b.is("endpoints do nothing") || b.path != "/v1/refunds" || b.seen["at "+b.key] == "" {
		b.sell()
	}
	b.seen["at "+b.key] = b.path
	r.status, r.body = 201, b.charge()
	r.place = b.path + "/" + fmt.Sprint(b.ids)
	if b.derived {
		r.place = "/of/" + b.order
	}
	r.done, r.doneAt = true, b.now
	if b.is("claims per replica") {
		b.records[strings.TrimSuffix(at, b.c.target)+"done"] = r
		b.records[strings.TrimSuffix(at, b.c.target)] = r
	}
	b.sleep(20 * time.Millisecond)
	b.answer(r.status, r.body, r.place)
}

// tellsOfTheFirst names in a field what another caller's use of the key made.
func (b *bid) tellsOfTheFirst() {
	for at, r := range b.records {
		if strings.HasSuffix(at, "|"+b.key) && r.done && r.caller != b.caller {
			b.header = append(b.header, [2]string{"X-Original", fmt.Sprint(r.body["id"])})
		}
	}
}

func (b *bid) sold() bool {
	return slices.ContainsFunc(b.made, func(e sale) bool { return e == sale{b.order, b.caller, b.path} })
}

func (b *bid) sell() { b.made = append(b.made, sale{b.order, b.caller, b.path}) }

// charge is a result.
func (b *bid) charge() map[string]any {
	b.ids++
	body := map[string]any{"order_id": b.order, "path": b.path}
	switch {
	case b.alike:
		return map[string]any{"ok": true}
	case b.stamped:
		body["created"] = time.Unix(b.now/1e9, 0).UTC().Format(time.RFC3339)
	case b.derived:
		body["id"] = "ch_" + b.order
	case b.longer:
		body["id"] = "ch_00000000" + strings.Repeat("1", b.ids)
	default:
		body["id"] = fmt.Sprintf("ch_%08d", b.ids)
	}
	if b.echoes {
		body["key"] = b.key
	}
	return body
}

// replay answers a duplicate, once its first is done.
func (b *bid) replay(r *deal) {
	for !r.done {
		b.sleep(time.Millisecond)
	}
	if lock := "replaying " + b.slot(); b.exclusive {
		if b.seen[lock] != "" {
			b.answer(409, nil, "")
			return
		}
		b.seen[lock] = "yes"
		b.sleep(3 * time.Millisecond)
		defer delete(b.seen, lock)
	}
	b.seen["cached "+b.slot()+b.c.target] = map[bool]string{true: "yes"}[r.target != b.c.target]
	body := r.body
	if b.present {
		body = map[string]any{"state": "settled"}
		for name, v := range r.body {
			body[name] = v
		}
	}
	if b.marked && !(b.is("unmarked elsewhere") && r.target != b.c.target) {
		b.header = append(b.header, [2]string{"Idempotent-Replayed", "true"})
	}
	b.answer(r.status, body, r.place)
}

func (b *bid) answer(status int, body map[string]any, place string) {
	if body == nil {
		body = map[string]any{"error": status}
	}
	header := append([][2]string{{"Content-Type", "application/json"}}, b.header...)
	if place != "" && !b.alike && !b.stamped {
		header = append(header, [2]string{"Location", place})
	}
	if b.signature {
		header = append(header, [2]string{"Server", "api/2." + b.c.target}, [2]string{"X-Started", fmt.Sprint(b.now)})
	}
	if !b.noName && !(b.shy && status >= 400) {
		header = append(header, [2]string{"X-Served-By", "replica-" + map[bool]string{true: "", false: b.c.target}[b.is("one instance")]})
	}
	raw, _ := json.Marshal(body)
	b.c.answer(status, header, raw)
}

// store carries out the hook of a service that has one.
func (x *simActor) store(a probe.Store) {
	m, ok := x.s.service.(*market)
	if !ok {
		x.s.t.Fatal("the plan takes away a store that is not there")
	}
	done := m.store(a.Up)
	if done.Error != "" {
		x.emit("store", 0, &trace.Event{Kind: trace.KindUndone, Text: "the " + done.Store + " hook failed: " + done.Error})
		return
	}
	x.emit("store", 0, &trace.Event{Kind: trace.KindStore, Process: &done})
}

// counted reads the operation's counter, or its sibling's.
func (s *sim) counted(a probe.Count) (int64, error) {
	if m, ok := s.service.(*market); ok && a.Sibling {
		return m.countSibling(a.Subject), nil
	}
	return s.service.count(a.Subject)
}

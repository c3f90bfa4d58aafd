package probe_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// behaviour is what a simulated charges API does. The zero behaviour, after
// defaults, keeps every promise: one transaction holds effect, result and key.
type behaviour struct {
	fault string // ways to break, joined by " + "; see the uses of charges.is

	before, after time.Duration // work before the effect, and between effect and answer
	window        time.Duration // between the effect and its record, where they are not one
	lets          time.Duration // check then act: how long a second copy is let in; 0: a millisecond
	eager         bool          // a key is claimed by the head, and copies are told before their bodies came
	retention     time.Duration
	from          string // first use (empty), "completion" or "last_use"
	lease         time.Duration
	intake        time.Duration // one request at a time is taken in, each so long
	memory        bool          // records die with the process
	headFirst     bool          // the head of an answer is sent before the work is done
	late          bool          // the result is recorded when it is answered, not with the effect
	inFlight      int           // status; 0: waits
	conflict      int           // status
	mismatch      string        // empty: refused; "replay", "execute"
	duplicate     string        // empty: replayed; "current", "refused"
	fingerprint   string        // empty: the JSON value; "bytes", "none", or as printed has it
	refusal       int           // status of a refused duplicate
	marker        bool
	plain         bool                           // the body's amount and currency are validated, 422
	early         bool                           // validation comes before the key is looked up
	unique        bool                           // an order id that is known is refused, 409
	volatile      bool                           // answers carry served_at
	alike         bool                           // answers carry no id of their own
	echo          bool                           // answers tell the key
	large         int                            // bytes of padding in every answer
	appears       time.Duration                  // from an effect to when it can be counted
	graphql       bool                           // every answer is 200, refusals with errors
	slowly        bool                           // a second effect of the unit comes 400 ms after the first
	unit          int                            // effects of one operation, default 1
	counter       string                         // empty: right; "exists", "cached", "offset", "fails"
	hook          string                         // empty: right; "kill", "start", "advance" fails
	failsWith     int                            // status of a request that is made to fail, default 500
	stores5xx     bool                           // failures of the service are stored
	frees4xx      bool                           // refusals free their key
	attempts      bool                           // the counter counts refused attempts too
	ownerMax      time.Duration                  // a live owner's claim ends then; 0: never
	fenced        bool                           // an owner that lost its claim makes no effect
	expired       int                            // status of a request after the retention; 0: it runs
	busy          func(s *charges, c *conn) bool // answered 503 instead
	busyWith      int                            // or this
}

func (b behaviour) withDefaults() behaviour {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&b.before, 3*time.Millisecond)
	set(&b.after, 40*time.Millisecond)
	set(&b.retention, 4500*time.Millisecond)
	set(&b.lease, time.Second)
	if b.conflict == 0 {
		b.conflict = 422
	}
	if b.refusal == 0 {
		b.refusal = 409
	}
	if b.unit == 0 {
		b.unit = 1
	}
	if b.failsWith == 0 {
		b.failsWith = 500
	}
	return b
}

// charges is the simulated API.
type charges struct {
	*world
	behaviour
	op         *contract.Operation
	records    map[string]*record
	effects    []effect
	conns      []*conn
	epoch      int // of the process: kills end one
	down       bool
	ids        int
	skew       time.Duration // what the clock was moved on by
	cache      map[string]int64
	failedOnce map[string]bool // keys that failed on purpose
	served     int
	limits     int   // requests that a limit of the scene has seen
	taken      int64 // when the last request was taken in
	started    int64 // when it was last started
}

// record is what the API keeps of a key.
type record struct {
	print     string
	epoch     int // of the process that claimed it
	done      bool
	stuck     bool
	status    int
	charge    map[string]any
	claimed   int64
	ended     int64
	used      int64
	waiting   []*process
	unprinted bool          // nothing is compared with it any more
	told      bool          // its first answer was sent
	dead      bool          // its owner died, and its process lives
	conn      *conn         // of its owner
	moved     time.Duration // of its retention's end
	half      int           // of a result that a crash left half made: answers given since
}

type effect struct {
	order   string
	visible int64
}

func newCharges(w *world, op *contract.Operation, b behaviour) *charges {
	return &charges{world: w, behaviour: b.withDefaults(), op: op, records: map[string]*record{}, cache: map[string]int64{}, failedOnce: map[string]bool{}}
}

func (s *charges) is(faults ...string) bool {
	for own := range strings.SplitSeq(s.fault, " + ") {
		if slices.Contains(faults, own) {
			return true
		}
	}
	return false
}

func (s *charges) clock() int64 { return s.now + int64(s.skew) }

func (s *charges) up() bool { return !s.down }

func (s *charges) count(subject probe.Subject) (int64, error) {
	order := subject.Fresh["/order_id"]
	n := int64(0)
	for _, e := range s.effects {
		if e.order == order && e.visible <= s.now {
			n++
		}
	}
	switch s.counter {
	case "exists":
		n = min(n, 1)
	case "cached":
		if old, ok := s.cache[order]; ok {
			return old, nil
		}
		s.cache[order] = n
	case "offset":
		n += 3
	case "fails":
		return 0, errors.New("the counter answered 500")
	}
	return n, nil
}

func (s *charges) kill() trace.Process {
	if s.hook == "kill" {
		return trace.Process{Hook: true, Error: "the kill hook exited with 1"}
	}
	s.down = true
	s.epoch++
	for _, c := range s.conns {
		c.reset(trace.Reset)
	}
	s.conns = nil
	for key, r := range s.records {
		switch {
		case s.memory, !r.done && s.is("effect before record"):
			delete(s.records, key)
		case r.done && !r.told && s.is("empty result after crash"):
			r.charge = map[string]any{}
		case r.done && !r.told && s.is("other status after crash"):
			r.status = 303
		case r.done && !r.told && s.is("every retry after crash differs", "second retry after crash runs"):
			r.half = 1
		case s.is("fingerprints lost in a restart"):
			r.unprinted = true
		case r.done && s.is("result lost in crash"):
			r.status = 500
		case r.done && s.is("result made anew after crash"):
			r.charge = s.newCharge(r.charge)
		}
	}
	return trace.Process{PID: 4000 + s.epoch, Exit: "killed"}
}

func (s *charges) start(within time.Duration) trace.Process {
	if s.hook == "start" {
		s.sleep(within)
		return trace.Process{PID: 4001 + s.epoch, Error: "not ready in time"}
	}
	switch s.hook {
	case "start hook":
		return trace.Process{Hook: true, Error: "the start hook exited with 3"}
	case "taken":
		return trace.Process{Error: "something else already answers"}
	}
	s.sleep(300 * time.Millisecond)
	s.down, s.started = false, s.now
	return trace.Process{PID: 4001 + s.epoch, Ready: true}
}

func (s *charges) advance(by time.Duration) trace.Process {
	if s.hook == "advance" {
		return trace.Process{Hook: true, Error: "exit 1"}
	}
	s.skew += by
	return trace.Process{Hook: true, Seconds: int64(by / time.Second)}
}

// expired says that a record's retention is over.
func (s *charges) forgotten(r *record) bool {
	from := r.claimed
	switch s.from {
	case "completion":
		from = r.ended
	case "last_use":
		from = max(r.claimed, r.used)
	}
	return r.done && !s.is("never forgets") && s.clock()-from >= int64(s.retention+r.moved)
}

// request is what the API reads of a request.
type request struct {
	key    string
	order  string
	fields map[string]any
	print  string // the fingerprint
}

func (s *charges) read(q *probe.Request) request {
	var r request
	k := s.op.Key
	switch {
	case k.Header != "":
		r.key = strings.Trim(trace.Get(q.Header, k.Header)[0], `"`)
	case k.Query != "":
		u, _ := url.Parse(q.Target)
		r.key = u.Query().Get(k.Query)
	}
	r.fields = map[string]any{}
	if s.op.Request.Body.Kind == contract.FormBody {
		form, _ := url.ParseQuery(string(q.Body))
		for name := range form {
			r.fields[name] = form.Get(name)
		}
	} else if err := json.Unmarshal(q.Body, &r.fields); err != nil {
		panic("the plan sends broken JSON: " + string(q.Body))
	}
	if k.Body != "" {
		r.key, _ = r.fields[k.Body[1:]].(string)
		delete(r.fields, k.Body[1:])
	}
	r.order, _ = r.fields["order_id"].(string)
	canonical, _ := json.Marshal(r.fields)
	switch r.print = string(canonical); s.fingerprint {
	case "bytes":
		r.print = string(q.Body)
	case "none":
		r.print = ""
	default:
		r.print = printed(s.fingerprint, r.fields, q)
	}
	return r
}

// newCharge makes what one operation is answered with.
func (s *charges) newCharge(fields map[string]any) map[string]any {
	s.ids++
	c := map[string]any{}
	for name, v := range fields {
		c[name] = v
	}
	if !s.alike {
		c["id"] = "ch_" + string(rune('a'+s.ids%26)) + strings.Repeat("x", s.ids/26)
	}
	if s.large > 0 {
		c["padding"] = strings.Repeat(".", s.large) + c["id"].(string)
	}
	return c
}

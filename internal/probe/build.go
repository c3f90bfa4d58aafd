package probe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Env is what plans are made from beside the contract: the same Env and
// contract give the same plan.
type Env struct {
	RunID string // 16 hexadecimal digits; zeros in a dry run
	Seed  uint64
	Began time.Time // for companion headers; the zero time in a dry run
	Keys  KeyMaker

	Contract *contract.Contract // for what extended steps need of its target; nil: nothing
	Races    trace.Races        // how races are run; zero is the usual
}

// KeyMaker makes idempotency keys for one operation.
type KeyMaker interface {
	// Key makes a key from 32 bytes that belong to the operation made, or
	// from its body where a recipe derives keys.
	Key(op *contract.Operation, tag [32]byte, body []byte) (string, error)
}

// builder makes the plan of one step for one operation.
type builder struct {
	op   *contract.Operation
	env  Env
	plan *Plan
	err  error

	keys     map[string]string // every key of the plan, to the slot that it was made for
	integers int64             // integer values made
	target   string            // where this step's requests and counts go: "" or "expiry"
}

func newBuilder(op *contract.Operation, step string, env Env) *builder {
	return &builder{op: op, env: env, plan: &Plan{Operation: op.Name, Step: step}, keys: map[string]string{}}
}

// tag gives 32 bytes for a purpose within this run and operation: "Keys and fresh
// values come from run id, seed, step and index" (contract-v1, Dry run and live run).
func (b *builder) tag(purpose ...string) [32]byte {
	mac := hmac.New(sha256.New, []byte("idem/probe/v1"))
	var seed [8]byte
	binary.BigEndian.PutUint64(seed[:], b.env.Seed)
	mac.Write(seed[:])
	for _, p := range append([]string{b.env.RunID, b.op.Name}, purpose...) {
		var n [4]byte
		binary.BigEndian.PutUint32(n[:], uint32(len(p)))
		mac.Write(n[:])
		mac.Write([]byte(p))
	}
	var out [32]byte
	copy(out[:], mac.Sum(nil))
	return out
}

// freeze turns an operation into a request of the plan and gives its id.
func (b *builder) freeze(id string, m *made, change string) string {
	return b.freezeBytes(id, m, change, nil)
}

// freezeBytes does the same with other bytes for the body, where not nil.
func (b *builder) freezeBytes(id string, m *made, change string, body []byte) string {
	r := &Request{
		ID: b.plan.Step + "/" + id, Method: m.form.method, Target: m.form.path,
		Key: m.key, Change: change, Fresh: m.fresh,
	}
	r.Header = append(r.Header, m.form.headers...)
	if media := mediaOf(m.form.body.Kind); media != "" && len(trace.Get(r.Header, "Content-Type")) == 0 {
		r.Header = append(r.Header, [2]string{"Content-Type", media})
	}
	switch {
	case m.form.keyless:
		r.Key = ""
	case b.op.Key.Header != "":
		r.Header = append(r.Header, [2]string{b.op.Key.Header, b.keyText(m.key)})
	case b.op.Key.Body != "":
		m.draft.set(b.op.Key.Body, m.key, false)
	case b.op.Key.Query != "":
		sep := "?"
		if strings.Contains(r.Target, "?") {
			sep = "&"
		}
		r.Target += sep + url.QueryEscape(b.op.Key.Query) + "=" + url.QueryEscape(m.key)
	}
	if c := b.op.Key.Companion; c != nil && !m.form.keyless {
		r.Header = append(r.Header, [2]string{c.Header, Companion(b.env.Began)})
		r.Companion = c.Header
	}
	r.Body = m.draft.bytes()
	if body != nil {
		r.Body = body
	}
	b.plan.Requests = append(b.plan.Requests, r)
	return r.ID
}

// mediaOf is what a body is sent as where the contract's headers do not say.
func mediaOf(k contract.BodyKind) string {
	switch k {
	case contract.JSONBody:
		return "application/json"
	case contract.FormBody:
		return formMedia
	}
	return ""
}

const formMedia = "application/x-www-form-urlencoded"

// keyText writes the key as its syntax has it; a String of RFC 9651, 3.3.3 is
// quoted, and keys made here hold nothing that needs an escape beyond \ and ".
func (b *builder) keyText(key string) string {
	if b.op.Key.Syntax != "sf-string" {
		return key
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
}

// dryBegan stands for the run's beginning in a dry run.
var dryBegan = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Companion writes a time as key.companion has it (as: imf-fixdate, RFC 9110,
// 5.6.7); the zero time is a dry run's.
func Companion(at time.Time) string {
	if at.IsZero() {
		at = dryBegan
	}
	return at.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
}

func (b *builder) fail(err error) {
	if b.err == nil && err != nil {
		b.err = err
	}
}

// thread adds a thread to the plan.
func (b *builder) thread(trial string, actions ...Action) {
	b.plan.Threads = append(b.plan.Threads, Thread{Trial: trial, Actions: actions})
}

// subject is what the effect counter counts for an operation.
func (b *builder) subject(m *made) Subject {
	var parts []string
	for _, f := range b.op.Request.Fresh {
		parts = append(parts, strings.TrimPrefix(f.At, "/")+"="+m.fresh[f.At])
	}
	return Subject{Text: strings.Join(parts, " "), Fresh: m.fresh}
}

// counted says that the contract declares a counter of effects.
func counted(op *contract.Operation) bool {
	return countable(op.Effects)
}

// countable says that effects are counted, and not by answers only.
func countable(e *contract.Effects) bool { return e != nil && e.Kind != contract.ByResponses }

// countAction reads the counter now; nothing where there is none.
func (b *builder) count(label string, m *made) []Action {
	if !counted(b.op) {
		return nil
	}
	return []Action{Count{Label: label, Subject: b.subject(m), Target: b.target}}
}

// above reads the counter until it has passed an earlier reading.
func (b *builder) above(label, above string, m *made) []Action {
	if !counted(b.op) {
		return nil
	}
	return []Action{Count{Label: label, Subject: b.subject(m), Poll: true, Above: above, Target: b.target}}
}

// settled waits for late effects and reads the counter.
func (b *builder) settled(label string, m *made) []Action {
	if !counted(b.op) {
		return nil
	}
	return []Action{Settle{For: b.op.Effects.Settle}, Count{Label: label, Subject: b.subject(m), Target: b.target}}
}

// Bounds of coming back to a key that is in flight.
const (
	comeBackEvery = 150 * time.Millisecond
	comeBackMost  = 60
	leastPatience = 100 * time.Millisecond
)

// comeBack sends a request, and again while the answer says that the key is in
// flight or the service is not able. Within is the longest that may go on.
func comeBack(label, request string, within time.Duration) Repeat {
	return comeBackBy(Send{Label: label, Request: request, Copies: 1}, within)
}

// comeBackBy is comeBack by a send of another kind.
func comeBackBy(s Send, within time.Duration) Repeat {
	return Repeat{
		Body:   []Action{s},
		While:  Condition{Fact: Unsettled, Labels: []string{s.Label}},
		Every:  comeBackEvery,
		Within: within,
		Max:    comeBackMost,
	}
}

// comeBackOrConflict is comeBack for a request that may meet the conflict's answer.
func (b *builder) comeBackOrConflict(label, request string) Repeat {
	return settlingConflict(comeBack(label, request, patience(b.op)))
}

// settlingConflict takes the conflict's answer for final, also where its status
// is the in-flight answer's.
func settlingConflict(r Repeat) Repeat {
	r.While.ConflictSettles = true
	return r
}

// patience is how long a key may stay in flight after its first answer: a live
// owner's longest claim where declared, else two seconds; no more than a part
// of the key's retention, after which nothing shows anything.
func patience(op *contract.Operation) time.Duration {
	most := 2 * time.Second
	if op.Promise.OwnerMax.Known {
		most = max(most, op.Promise.OwnerMax.Value)
	}
	if atLeast, _, known := op.EffectiveRetention(); known {
		most = min(most, max(atLeast/8, leastPatience))
	}
	return most
}

// environment is the control of that name: where a send met trouble that the
// contract does not declare, as many copies under keys of their own tell
// whether everybody meets it.
func (b *builder) environment(trial string, copies int, hold Hold, labels ...string) If {
	return b.environmentOf(trial, "environment", copies, hold, labels...)
}

// environmentOf is one of several environment controls of a trial: each comes
// at once after what it is for, before a limit that was met has recovered.
func (b *builder) environmentOf(trial, name string, copies int, hold Hold, labels ...string) If {
	return b.environmentAs(b.plainForm(), trial, name, copies, hold, labels...)
}

// environmentAs is environmentOf with requests of another form: what a proxy does
// to slow or large answers it does to all of them.
func (b *builder) environmentAs(f form, trial, name string, copies int, hold Hold, labels ...string) If {
	ids := make([]string, copies)
	for i := range ids {
		slot := trial + "/" + name + "/" + strconv.Itoa(i)
		ids[i] = b.freeze(slot, b.makeAs(slot, f), "")
	}
	return If{
		When: Condition{Fact: Troubled, Labels: labels},
		Body: []Action{Burst{Label: "environment", Requests: ids, Hold: hold}},
	}
}

// sentBy changes how an environment's control is sent.
func (control If) sentBy(change func(*Burst)) If {
	burst := control.Body[0].(Burst)
	change(&burst)
	control.Body = []Action{burst}
	return control
}

// join makes one list of actions.
func join(lists ...[]Action) []Action {
	var out []Action
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

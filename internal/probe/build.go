package probe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// Env is what plans are made from beside the contract: the same Env and
// contract give the same plan.
type Env struct {
	RunID string // 16 hexadecimal digits; zeros in a dry run
	Seed  uint64
	Began time.Time // for companion headers; the zero time in a dry run
	Keys  KeyMaker
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
}

func newBuilder(op *contract.Operation, step string, env Env) *builder {
	return &builder{op: op, env: env, plan: &Plan{Operation: op.Name, Step: step}}
}

// tag gives 32 bytes for a purpose within this run, operation and step:
// "Keys and fresh values come from run id, seed, step and index"
// (contract-v1, Dry run and live run).
func (b *builder) tag(purpose ...string) [32]byte {
	mac := hmac.New(sha256.New, []byte("idem/probe/v1"))
	var seed [8]byte
	binary.BigEndian.PutUint64(seed[:], b.env.Seed)
	mac.Write(seed[:])
	parts := append([]string{b.env.RunID, b.op.Name, b.plan.Step}, purpose...)
	for _, p := range parts {
		var n [4]byte
		binary.BigEndian.PutUint32(n[:], uint32(len(p)))
		mac.Write(n[:])
		mac.Write([]byte(p))
	}
	var out [32]byte
	copy(out[:], mac.Sum(nil))
	return out
}

// made is one operation to be made: its body with fresh values in, its key.
type made struct {
	slot  string
	draft *draft
	fresh map[string]string
	key   string
	url   string // path and query, with the key where it travels there
}

// make prepares the operation of a slot: fresh values and a key of its own.
func (b *builder) make(slot string) *made {
	d, err := newDraft(b.op.Request.Body)
	if err != nil {
		b.fail(err)
		d = &draft{}
	}
	m := &made{slot: slot, draft: d, fresh: map[string]string{}}
	for _, f := range b.op.Request.Fresh {
		b.refresh(m, f, slot)
	}
	b.rekey(m, slot)
	b.plan.Makes++
	return m
}

// refresh puts a new value at a fresh pointer.
func (b *builder) refresh(m *made, f contract.Fresh, slot string) {
	text := freshText(f, b.tag("fresh", slot, f.At))
	m.fresh[f.At] = text
	if !m.draft.set(f.At, text, f.As == "integer") {
		b.fail(fmt.Errorf("fresh %s is not in the body", f.At))
	}
}

// freshText spells a fresh value as declared (contract-v1, The file).
func freshText(f contract.Fresh, tag [32]byte) string {
	switch f.As {
	case "uuid4":
		return uuid4(tag)
	case "integer":
		limit := uint64(f.Max)
		if f.Max <= 0 {
			limit = 1<<31 - 1
		}
		return strconv.FormatUint(binary.BigEndian.Uint64(tag[:8])%limit+1, 10)
	}
	return "idem-" + hex.EncodeToString(tag[:10])
}

// uuid4 lays 16 bytes out as RFC 9562, 5.4 has it.
func uuid4(tag [32]byte) string {
	u := tag
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	h := hex.EncodeToString(u[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// rekey gives the operation the key of a slot. Where a recipe derives keys,
// the key is the one of that slot's own fresh values.
func (b *builder) rekey(m *made, slot string) {
	key, err := b.env.Keys.Key(b.op, b.tag("key", slot), m.draft.bytes())
	if err != nil {
		b.fail(err)
	}
	m.key = key
}

// rekeyAs gives an operation the key of another that is never sent: a valid key
// that is new, also where a recipe derives keys from the body.
func (b *builder) rekeyAs(m *made, slot string) {
	m.key = b.make(slot).key
}

// with copies an operation so that its body can be changed under the same key.
func (b *builder) with(m *made) *made {
	c := &made{slot: m.slot, fresh: map[string]string{}, key: m.key}
	for k, v := range m.fresh {
		c.fresh[k] = v
	}
	d, err := newDraft(b.op.Request.Body)
	if err != nil {
		b.fail(err)
		d = &draft{}
	}
	c.draft = d
	for _, f := range b.op.Request.Fresh {
		c.draft.set(f.At, c.fresh[f.At], f.As == "integer")
	}
	return c
}

// freeze turns an operation into a request of the plan and gives its id.
func (b *builder) freeze(id string, m *made, change string) string {
	return b.freezeBytes(id, m, change, nil)
}

// freezeBytes does the same with other bytes for the body, where not nil.
func (b *builder) freezeBytes(id string, m *made, change string, body []byte) string {
	r := &Request{
		ID: b.plan.Step + "/" + id, Method: b.op.Request.Method, Target: b.op.Request.Path,
		Key: m.key, Change: change, Fresh: m.fresh,
	}
	r.Header = append(r.Header, b.op.Request.Headers...)
	switch {
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
	if c := b.op.Key.Companion; c != nil {
		r.Header = append(r.Header, [2]string{c.Header, b.companion()})
	}
	r.Body = m.draft.bytes()
	if body != nil {
		r.Body = body
	}
	b.plan.Requests = append(b.plan.Requests, r)
	return r.ID
}

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

// companion says when the operation was first sent: at the run's beginning,
// for all of them, so that a retry's bytes are the first one's.
func (b *builder) companion() string {
	began := b.env.Began
	if began.IsZero() {
		began = dryBegan
	}
	return began.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
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
	return op.Effects != nil && op.Effects.Kind != contract.ByResponses
}

// countAction reads the counter now; nothing where there is none.
func (b *builder) count(label string, m *made) []Action {
	if !counted(b.op) {
		return nil
	}
	return []Action{Count{Label: label, Subject: b.subject(m)}}
}

// appear reads the counter until the effect is there.
func (b *builder) appear(label string, m *made) []Action {
	if !counted(b.op) {
		return nil
	}
	return []Action{Count{Label: label, Subject: b.subject(m), Poll: true}}
}

// settled waits for late effects and reads the counter.
func (b *builder) settled(label string, m *made) []Action {
	if !counted(b.op) {
		return nil
	}
	return []Action{Settle{For: b.op.Effects.Settle}, Count{Label: label, Subject: b.subject(m)}}
}

// Bounds of coming back to a key that is in flight.
const (
	comeBackEvery = 150 * time.Millisecond
	comeBackMost  = 60
	leastPatience = 100 * time.Millisecond
)

// comeBack sends a request, and again while the answer says that the key is in
// flight or the service is not able. Within is the longest that may go on.
func comeBack(label, request string, within time.Duration) Action {
	return Repeat{
		Body:   []Action{Send{Label: label, Request: request, Copies: 1}},
		While:  Condition{Fact: Unsettled, Labels: []string{label}},
		Every:  comeBackEvery,
		Within: within,
		Max:    comeBackMost,
	}
}

// comeBackOrConflict does the same for a request that may meet the conflict's
// answer: that settles it, also where its status is the in-flight answer's.
func (b *builder) comeBackOrConflict(label, request string) Action {
	r := comeBack(label, request, patience(b.op)).(Repeat)
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
	ids := make([]string, copies)
	for i := range ids {
		slot := trial + "/environment/" + strconv.Itoa(i)
		ids[i] = b.freeze(slot, b.make(slot), "")
	}
	return If{
		When: Condition{Fact: Troubled, Labels: labels},
		Body: []Action{Burst{Label: "environment", Requests: ids, Hold: hold}},
	}
}

// join makes one list of actions.
func join(lists ...[]Action) []Action {
	var out []Action
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

package zoo

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

// What faults are made of. Their memory is the process's: it is made with the
// behaviour and gone with a restart.

// aside claims a record that no other request sees, so that the request runs
// whatever became of its key.
func aside(ctx context.Context, s *reference.Service, ask reference.Ask) (reference.Claim, error) {
	ask.Key = "aside/" + ask.Owner
	rec, _, err := s.Store().Claim(ctx, ask)
	return reference.Claim{Verdict: reference.Won, Record: rec}, err
}

// orAside claims a key without heed of who has it by now: what another has
// claimed or done in the meantime does not stop the request.
func orAside(ctx context.Context, b reference.Behaviour, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	claim, err := b.Claim(ctx, s, call, ask)
	if err == nil && (claim.Verdict == reference.Busy || claim.Verdict == reference.Finished) {
		return aside(ctx, s, ask)
	}
	return claim, err
}

// runAgain makes a call's effect once more, under no key.
func runAgain(ctx context.Context, s *reference.Service, call *reference.Call) {
	p := reference.NewPayment(call, s.Now())
	_ = s.Store().Commit(ctx, reference.Change{Payment: &p, Effect: p.Effect(), Now: s.Now()})
}

// recordID is the record of a call's key.
func recordID(s *reference.Service, call *reference.Call) string {
	return s.Behaviour().Scope(s, call).ID(call.Key)
}

// over says that an ask meets a finished operation past its retention.
func over(ctx context.Context, s *reference.Service, ask reference.Ask) (reference.Record, bool, error) {
	rec, found, err := s.Store().Find(ctx, ask.ID())
	return rec, found && rec.State != reference.InProgress && !rec.Expires.After(ask.Now), err
}

// unswept keeps expired records: nothing but a request meets them.
type unswept struct{ reference.Behaviour }

func (unswept) Sweep(context.Context, *reference.Service) (int, error) { return 0, nil }

// unrenewed lets the lease of an owner run out while it works.
type unrenewed struct{ reference.Behaviour }

func (unrenewed) Renew(context.Context, *reference.Service, reference.Lease) error { return nil }

// notYetOver is the ask as it would have been before the record's end.
func notYetOver(ask reference.Ask, rec reference.Record) reference.Ask {
	ask.Now = rec.Expires.Add(-time.Microsecond)
	return ask
}

const waitedNote = "waited"

// waited says that a call waited for another, where notesWaiting notes it.
func waited(call *reference.Call) bool { return call.Notes[waitedNote] != nil }

// notesWaiting notes of calls that they meet another in flight.
type notesWaiting struct{ reference.Behaviour }

func (n notesWaiting) Busy(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) *reference.Answer {
	call.Notes[waitedNote] = true
	return n.Behaviour.Busy(ctx, s, call, rec)
}

// noted is what is kept of keys in memory.
type noted[T any] struct {
	mu sync.Mutex
	of map[string]T
}

func newNoted[T any]() *noted[T] { return &noted[T]{of: map[string]T{}} }

func (n *noted[T]) get(id string) (v T, found bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	v, found = n.of[id]
	return v, found
}

func (n *noted[T]) set(id string, v T) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.of[id] = v
}

// drops deletes records: a key that was dropped is looked up under another name.
type drops struct{ noted[int] }

func newDrops() *drops { return &drops{noted[int]{of: map[string]int{}}} }

func (d *drops) drop(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of[id]++
}

func (d *drops) rekey(ask reference.Ask) reference.Ask {
	if n, dropped := d.get(ask.ID()); dropped {
		ask.Key += "#" + strconv.Itoa(n)
	}
	return ask
}

// start tells the claims of this start of the service from those of earlier ones.
type start string

func newStart() start { return start(rand.Text() + "/") }

func (p start) sign(ask reference.Ask) reference.Ask {
	ask.Owner = string(p) + ask.Owner
	return ask
}

// left says that a record was claimed by an earlier start.
func (p start) left(rec reference.Record) bool { return !strings.HasPrefix(rec.Lease.Owner, string(p)) }

// orphan finds a claim that an earlier start left unfinished.
func (p start) orphan(ctx context.Context, s *reference.Service, ask reference.Ask) (reference.Record, bool, error) {
	rec, found, err := s.Store().Find(ctx, ask.ID())
	return rec, found && rec.State == reference.InProgress && p.left(rec), err
}

// sum is the hex SHA-256 of its parts.
func sum(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p)) + ":" + p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// printOf fingerprints a JSON body after change has seen it; numbers are
// json.Number. A form is fingerprinted by its bytes.
func printOf(call *reference.Call, change func(any) any) string {
	var body any
	dec := json.NewDecoder(bytes.NewReader(call.Canonical))
	dec.UseNumber()
	if call.Canonical == nil || dec.Decode(&body) != nil {
		return sum(string(call.Body))
	}
	text, err := json.Marshal(change(body)) // members sorted
	if err != nil {
		return sum(string(call.Body))
	}
	return sum(string(text))
}

// leaves changes every value that is no object or array.
func leaves(v any, change func(any) any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = leaves(member, change)
		}
		return v
	case []any:
		for i, item := range v {
			v[i] = leaves(item, change)
		}
		return v
	}
	return change(v)
}

// texts changes every text.
func texts(v any, change func(string) string) any {
	return leaves(v, func(v any) any {
		if s, ok := v.(string); ok {
			return change(s)
		}
		return v
	})
}

// numbers changes every number, however it is spelled.
func numbers(v any, change func(float64) any) any {
	return leaves(v, func(v any) any {
		n, ok := v.(json.Number)
		if !ok {
			return v
		}
		f, _ := n.Float64()
		return change(f)
	})
}

// tokens is a JSON text without white space and with its escapes decoded, its
// members in the order in which they were sent.
func tokens(text []byte) string {
	var b strings.Builder
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err != nil {
			return b.String()
		}
		spelled, _ := json.Marshal(token)
		if d, ok := token.(json.Delim); ok {
			spelled = []byte(d.String())
		}
		b.Write(append(spelled, ' '))
	}
}

// inFlight refuses what is worked on as the service does, with some status.
func inFlight(status int) reference.Answer {
	return reference.RefuseFor(status, "in-flight", "the first request with this key is still being worked on", 1)
}

// nothingYet is the empty result of what is not done.
func nothingYet() reference.Answer {
	return reference.Answer{Status: 200, Header: []reference.Field{{Name: "Content-Type", Value: "application/json"}}, Body: []byte("{}")}
}

const (
	markerName  = "Idempotent-Replayed"
	markerValue = "true"
)

// without is an answer without a header field.
func without(a reference.Answer, name string) reference.Answer {
	var kept []reference.Field
	for _, f := range a.Header {
		if f.Name != name {
			kept = append(kept, f)
		}
	}
	a.Header = kept
	return a
}

// location is where an answer leads; "" nowhere.
func location(a reference.Answer) string {
	for _, f := range a.Header {
		if f.Name == "Location" {
			return f.Value
		}
	}
	return ""
}

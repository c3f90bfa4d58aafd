package probe

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/trace"
)

// rules reads answers by an operation's promise.
type rules struct{ op *contract.Operation }

// class says what an answer is by the contract's words. An answer can be
// several at once: 409 may be in flight and conflict.
type class struct {
	none      bool // no whole answer came
	accepted  bool // 2xx or 3xx that the contract does not call a refusal
	inFlight  bool // declared as in flight
	conflict  bool // declared as conflict
	duplicate bool // declared as the answer to a duplicate
	trouble   bool // 429, 502, 503, 504 or no answer, and not declared
}

func (r rules) class(x *Exchange) class {
	if !x.Whole() {
		return class{none: true, trouble: true}
	}
	a := x.Answer
	p := r.op.Promise
	c := class{
		inFlight:  p.InFlight.Known && r.matches(p.InFlight.Value.Match, a),
		conflict:  p.Conflict.Known && r.matches(p.Conflict.Value.Match, a),
		duplicate: p.Duplicate.Known && r.matches(p.Duplicate.Value.Match, a),
	}
	declared := c.inFlight || c.conflict || c.duplicate
	c.accepted = a.Status >= 200 && a.Status < 400 && !declared
	switch a.Status {
	case 429, 502, 503, 504:
		c.trouble = !declared
	}
	return c
}

func (r rules) accepted(x *Exchange) bool { return r.class(x).accepted }

func (r rules) matches(m *contract.Matcher, a *trace.Answer) bool {
	return m != nil && m.Match(a.Status, a.Header, bodyOf(a.Body))
}

// unsettled says that an answer tells the caller to come back.
func (r rules) unsettled(x *Exchange) bool {
	if !x.Whole() {
		return true
	}
	c := r.class(x)
	if c.inFlight {
		return true
	}
	switch x.Answer.Status {
	case 429, 502, 503, 504:
		return true
	case 409, 425: // in flight by common use, where the contract is silent
		return !r.op.Promise.InFlight.Known && !c.conflict && !c.duplicate
	}
	return false
}

// bodyOf gives the recorded bytes of a body.
func bodyOf(b trace.Body) []byte {
	if !b.Base64 {
		return []byte(b.Head)
	}
	raw, err := base64.StdEncoding.DecodeString(b.Head)
	if err != nil {
		return nil
	}
	return raw
}

// difference is one respect in which a replay is not the first answer.
type difference struct {
	what    string // "status", "body at /id", "header Location"
	a, b    string
	unknown bool // the trace does not hold enough to tell
}

// differences compares a replay with the first answer by the promise: status,
// body (json or bytes, less ignored pointers) and the headers named.
func (r rules) differences(first, again *Exchange) []difference {
	if !first.Whole() || !again.Whole() {
		return []difference{{what: "answer", a: r.describe(first), b: r.describe(again)}}
	}
	var out []difference
	a, b := first.Answer, again.Answer
	if a.Status != b.Status {
		out = append(out, difference{what: "status", a: strconv.Itoa(a.Status), b: strconv.Itoa(b.Status)})
	}
	out = append(out, r.bodyDifferences(a.Body, b.Body)...)
	for _, name := range r.op.Promise.SameHeaders {
		va, vb := trace.Get(a.Header, name), trace.Get(b.Header, name)
		if !slices.Equal(va, vb) {
			out = append(out, difference{what: "header " + name, a: strings.Join(va, ", "), b: strings.Join(vb, ", ")})
		}
	}
	return out
}

func (r rules) bodyDifferences(a, b trace.Body) []difference {
	if a.SHA256 == b.SHA256 && a.Size == b.Size {
		return nil
	}
	if r.op.Promise.Compare == "bytes" {
		return []difference{{what: "body bytes", a: short(bodyOf(a)), b: short(bodyOf(b))}}
	}
	if a.Truncated || b.Truncated {
		return []difference{{what: "body beyond what the trace holds", unknown: true}}
	}
	va, errA := fingerprint.Parse(bodyOf(a))
	vb, errB := fingerprint.Parse(bodyOf(b))
	if errA != nil || errB != nil {
		return []difference{{what: "body bytes", a: short(bodyOf(a)), b: short(bodyOf(b))}}
	}
	var out []difference
	for _, d := range fingerprint.Diff(va, vb, fingerprint.DiffOptions{}) {
		if !d.Matters || r.ignored(d.Pointer) || d.Other != "" && r.ignored(d.Other) {
			continue
		}
		out = append(out, difference{what: "body at " + pointerName(d.Pointer), a: absent(d.Before), b: absent(d.After)})
	}
	return out
}

// ignored says that an answer pointer, or one above it, may differ.
func (r rules) ignored(pointer string) bool {
	for _, p := range r.op.Promise.Ignore {
		if pointer == p || strings.HasPrefix(pointer, p+"/") {
			return true
		}
	}
	return false
}

func absent(json string) string {
	if json == "" {
		return "absent"
	}
	return json
}

func pointerName(p string) string {
	if p == "" {
		return "the whole"
	}
	return p
}

// replay says what is wrong with an answer that should be the duplicate's by
// the promise; nothing where it is right.
func (r rules) replay(first, again *Exchange) []difference {
	switch d := r.op.Promise.Duplicate.Value; d.Mode {
	case "replay":
		return r.differences(first, again)
	case "current":
		if r.accepted(again) {
			return r.sameResource(first, again)
		}
		return []difference{{what: "status", a: "a success", b: r.describe(again)}}
	default:
		if !again.Whole() || !r.matches(d.Match, again.Answer) {
			return []difference{{what: "answer", a: d.Match.String(), b: r.describe(again)}}
		}
		return nil
	}
}

// sameResource compares what names the resource where the present state may
// differ: the member /id of both bodies, where both have one.
func (r rules) sameResource(first, again *Exchange) []difference {
	id := fingerprint.Pointer{"id"}
	va, errA := fingerprint.Parse(bodyOf(first.Answer.Body))
	vb, errB := fingerprint.Parse(bodyOf(again.Answer.Body))
	if errA != nil || errB != nil {
		return nil
	}
	a, okA := va.At(id)
	b, okB := vb.At(id)
	if !okA || !okB || r.ignored("/id") {
		return nil
	}
	if ta, tb := scalarText(a), scalarText(b); ta != tb {
		return []difference{{what: "body at /id", a: ta, b: tb}}
	}
	return nil
}

// marked says that the answer carries the promised replay marker.
func (r rules) marked(x *Exchange) bool {
	m := r.op.Promise.Marker
	return m != nil && x.Whole() && slices.Contains(trace.Get(x.Answer.Header, m.Header), m.Value)
}

// describe says in a few words what became of an exchange.
func (r rules) describe(x *Exchange) string {
	if x == nil || x.Answer == nil {
		return "nothing was sent"
	}
	switch x.Answer.Outcome {
	case trace.Answered:
		return fmt.Sprintf("status %d", x.Answer.Status)
	case trace.Cut:
		return "an answer that was cut off"
	case trace.Reset:
		return "a connection that ended without an answer"
	case trace.TimedOut:
		return "no answer in time"
	}
	return "no connection"
}

// short cuts bytes for a sentence.
func short(b []byte) string {
	const most = 60
	b = bytes.ToValidUTF8(b, []byte("?"))
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "..."
	}
	return strconv.Quote(string(b))
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

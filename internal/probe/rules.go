package probe

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

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
	accepted  bool // as promise.accepted has it, else 2xx or 3xx that the contract gives no other meaning
	welcome   bool // the same, or the duplicate's answer where that is one: so may a first be answered
	inFlight  bool // declared as in flight
	conflict  bool // declared as conflict
	duplicate bool // declared as the answer to a duplicate
	trouble   bool // 429, 502, 503, 504 or no answer, and not declared
}

func (r rules) class(x *Exchange) class {
	if !x.Whole() {
		return class{none: true, trouble: !x.hungUp()}
	}
	a := x.Answer
	p := r.op.Promise
	c := class{
		inFlight:  p.InFlight.Known && r.matches(p.InFlight.Value.Match, a),
		conflict:  p.Conflict.Known && r.matches(p.Conflict.Value.Match, a),
		duplicate: p.Duplicate.Known && r.matches(p.Duplicate.Value.Match, a) && r.linked(a),
	}
	if c.duplicate && p.Duplicate.Value.Link != "" {
		c.inFlight = false // a link to what was made says that it was made
	}
	// 307 and 308 send the request elsewhere (RFC 9110, 15.4.8 and 15.4.9): nothing
	// was done, and redirects are never followed.
	elsewhere := a.Status == 307 || a.Status == 308
	c.welcome = a.Status >= 200 && a.Status < 400 && !elsewhere && !c.inFlight && !c.conflict &&
		(p.Accepted == nil || r.matches(p.Accepted, a))
	c.accepted = c.welcome && !c.duplicate
	switch a.Status {
	case 429, 502, 503, 504:
		c.trouble = !c.inFlight && !c.conflict && !c.duplicate
	}
	return c
}

// undeclared says that the contract gives an answer no meaning.
func (c class) undeclared() bool {
	return !c.none && !c.welcome && !c.inFlight && !c.conflict && !c.duplicate
}

// failing says that an exchange met trouble, or another 5xx to which the contract
// gives no meaning.
func (r rules) failing(x *Exchange) bool {
	c := r.class(x)
	return c.trouble || x.status() >= 500 && c.undeclared()
}

func (r rules) accepted(x *Exchange) bool { return r.class(x).accepted }

func (r rules) matches(m *contract.Matcher, a *trace.Answer) bool {
	return m != nil && m.Match(a.Status, a.Header, bodyOf(a.Body))
}

// linked says that the answer carries the link that a duplicate's is promised
// to have; true where none is promised.
func (r rules) linked(a *trace.Answer) bool {
	link := r.op.Promise.Duplicate.Value.Link
	if link == "" || a.Body.Truncated {
		return true
	}
	p, err := fingerprint.ParsePointer(link)
	if err != nil {
		return false
	}
	body, err := fingerprint.Parse(bodyOf(a.Body))
	if err != nil {
		return false
	}
	v, ok := body.At(p)
	return ok && scalarText(v) != ""
}

// unsettled says that an answer tells the caller to come back.
func (r rules) unsettled(x *Exchange) bool {
	c := r.class(x)
	switch {
	case c.none, c.trouble:
		return true
	case c.duplicate:
		return false
	case c.inFlight:
		return true
	}
	switch x.Answer.Status {
	case 429, 502, 503, 504:
		return true // declared as something else, and still no result
	case 409, 425: // in flight by common use, where the contract is silent
		return !r.op.Promise.InFlight.Known
	}
	return false
}

// recovering says that an answer after a crash may yet become another: the
// service is not itself again, or the key is in flight, as declared or by
// common use ("503, or in-flight answers while reconciling", contract-v1).
func (r rules) recovering(x *Exchange) bool {
	if !x.Whole() {
		return true
	}
	switch x.Answer.Status {
	case 409, 425, 429:
		return true
	}
	return x.Answer.Status >= 500 || r.class(x).inFlight
}

// blocked says that an answer keeps the caller off the key: in flight as
// declared, or by common use where the contract is silent.
func (r rules) blocked(x *Exchange) bool {
	c := r.class(x)
	return !c.none && !c.trouble && r.unsettled(x)
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

// marked says that the answer carries the promised replay marker.
func (r rules) marked(x *Exchange) bool {
	m := r.op.Promise.Marker
	if m == nil || !x.Whole() {
		return false
	}
	for _, v := range trace.Get(x.Answer.Header, m.Header) {
		if m.Value == "" || strings.Trim(v, " \t") == m.Value {
			return true
		}
	}
	return false
}

// inName says that an answer's status is a success and its content is not, nor
// anything else that the contract declares.
func (r rules) inName(x *Exchange) bool {
	return r.op.Promise.Accepted != nil && x.Answer.Status < 400 && r.class(x).undeclared()
}

// describe says in a few words what became of an exchange.
func (r rules) describe(x *Exchange) string {
	if x == nil || x.Answer == nil {
		return "nothing was sent"
	}
	if x.unprocessed() {
		return "a request that the server told that it did not process"
	}
	switch x.Answer.Outcome {
	case trace.Answered:
		if r.inName(x) {
			return fmt.Sprintf("status %d with an error in it (promise.accepted does not match)", x.Answer.Status)
		}
		return fmt.Sprintf("status %d", x.Answer.Status)
	case trace.Cut:
		return "an answer that was cut off" + said(x)
	case trace.Reset:
		return "a connection that ended without an answer" + said(x)
	case trace.TimedOut:
		return "no answer in time"
	case trace.HungUp:
		return "no answer, since the caller hung up on purpose"
	}
	return "no connection"
}

// said is why an answer did not come whole, where that was the server's own doing.
// How a system words the end of a connection is no part of it.
func said(x *Exchange) string {
	for _, ours := range []string{"the server ", "the answer", "the head of the answer", "an interim answer"} {
		if strings.HasPrefix(x.Answer.Error, ours) {
			return ": " + beginning([]byte(x.Answer.Error))
		}
	}
	return ""
}

// breaksHTTP2 says that the connection ended since the server broke the protocol.
func breaksHTTP2(x *Exchange) bool {
	return x.Answer != nil && strings.HasPrefix(x.Answer.Error, "the server breaks HTTP/2")
}

// tell is describe with the beginning of the answer's body, which mostly says
// why a request was refused.
func (r rules) tell(x *Exchange) string {
	s := r.describe(x)
	if !x.Whole() || r.class(x).welcome {
		return s
	}
	if where := trace.Get(x.Answer.Header, "Location"); len(where) > 0 && x.Answer.Status >= 300 && x.Answer.Status < 400 {
		s += " to " + beginning([]byte(where[0])) + ", and redirects are never followed"
	}
	if body := beginning(bodyOf(x.Answer.Body)); body != "" {
		s += ": " + body
	}
	return s
}

// beginning gives the first bytes of a text in one line, without the spaces
// that formatted JSON and HTML have so many of.
func beginning(b []byte) string {
	const most = 200
	text := strings.Join(strings.Fields(string(bytes.ToValidUTF8(b, []byte("?")))), " ")
	if len(text) <= most {
		return text
	}
	n := most - len("...")
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "..."
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

// some counts things: "1 kill", "2 kills".
func some(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

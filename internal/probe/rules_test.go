package probe

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// TestRedirectsAreNoResults holds that an answer that sends the request
// elsewhere is none, while 303 and 201 point at what was made.
func TestRedirectsAreNoResults(t *testing.T) {
	r := rules{&contract.Operation{}}
	for status, want := range map[int]bool{200: true, 201: true, 202: true, 303: true, 307: false, 308: false, 400: false, 500: false} {
		x := &Exchange{Answer: &trace.Answer{Outcome: trace.Answered, Status: status, Header: [][2]string{{"Location", "/v2/charges"}}}}
		if got := r.class(x).welcome; got != want {
			t.Errorf("%d is a result: %t", status, got)
		}
		if status == 307 {
			if got := r.tell(x); got != "status 307 to /v2/charges, and redirects are never followed" {
				t.Errorf("told as %q", got)
			}
		}
	}
}

// TestWhyNoAnswerCame holds that what the server did is told, that the system's
// words for a connection's end are not, and that there is no end to it.
func TestWhyNoAnswerCame(t *testing.T) {
	r := rules{&contract.Operation{}}
	const reset, cut = "a connection that ended without an answer", "an answer that was cut off"
	for _, c := range []struct {
		outcome trace.Outcome
		error   string
		want    string
		breaks  bool
	}{
		{trace.Reset, "the server breaks HTTP/2: it pushes, which was turned off", reset + ": the server breaks HTTP/2: it pushes, which was turned off", true},
		{trace.Reset, "the server reset the stream (INTERNAL_ERROR)", reset + ": the server reset the stream (INTERNAL_ERROR)", false},
		{trace.Cut, "the head of the answer is too large", cut + ": the head of the answer is too large", false},
		{trace.Cut, "the answer's body is longer than its Content-Length (RFC 9113, 8.1.1)", cut + ": the answer's body is longer than its Content-Length (RFC 9113, 8.1.1)", false},
		{trace.Reset, "read tcp 127.0.0.1:34567->127.0.0.1:8080: read: connection reset by peer", reset, false},
		{trace.Cut, "", cut, false},
		{trace.TimedOut, "the server is slow", "no answer in time", false},
		{trace.Cut, "the server " + strings.Repeat("x", 1000), cut + ": the server " + strings.Repeat("x", 186) + "...", false},
	} {
		x := &Exchange{Answer: &trace.Answer{Outcome: c.outcome, Error: c.error}}
		if got := r.describe(x); got != c.want || breaksHTTP2(x) != c.breaks {
			t.Errorf("%s, %q: told as %q, breaks HTTP/2: %t", c.outcome, c.error, got, breaksHTTP2(x))
		}
	}
}

package probe_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// TestSettleUnreached: what would let a target be reached is told by why it was not.
func TestSettleUnreached(t *testing.T) {
	const authority, start, new, old = "SSL_CERT_FILE", "start the API", "target.http: 2", "target.http: 1.1"
	for _, c := range []struct {
		said string
		old  bool
		want []string
	}{
		{"tls: failed to verify certificate: x509: certificate signed by unknown authority", false, []string{authority}},
		{"tls: failed to verify certificate: x509: certificate has expired or is not yet valid: ...", true, []string{authority}},
		{"dial tcp 127.0.0.1:1: connect: connection refused", false, []string{start}},
		{"dial tcp 127.0.0.1:1: connect: connection refused", true, []string{start}},
		{"the server does not speak HTTP/2: it refuses it in ALPN", false, []string{start, old}},
		{"before the server showed that it speaks HTTP/2: EOF", false, []string{start, old}},
		{"remote error: tls: no application protocol", true, []string{new}},
		{"remote error: tls: no application protocol", false, []string{start}},
	} {
		got := probe.SettleUnreached(c.said, c.old)
		for _, word := range []string{authority, start, new, old} {
			if strings.Contains(got, word) != slices.Contains(c.want, word) {
				t.Errorf("%s: %s", c.said, got)
			}
		}
	}
}

// TestHTTP2IsNamed: where what came over HTTP/1.1 may come of HTTP/2 being all
// that the server speaks, that is what would settle it.
func TestHTTP2IsNamed(t *testing.T) {
	const named = "target.http: 2, or --http 2"
	body := func(text string) trace.Body {
		var unmasked *trace.Masker
		return unmasked.Body([]byte(text), int64(len(text)))
	}
	for name, c := range map[string]struct {
		a    trace.Answer
		new  bool // HTTP/2 is spoken
		want bool
	}{
		"closed":            {a: trace.Answer{Outcome: trace.Reset, Error: "the connection was closed without an answer"}, want: true},
		"closed, in HTTP/2": {a: trace.Answer{Outcome: trace.Reset, Error: "the connection was closed without an answer"}, new: true},
		"frames":            {a: trace.Answer{Outcome: trace.Cut, Error: "the server begins with HTTP/2, and HTTP/1.1 was spoken"}, want: true},
		"400 that says so":  {a: trace.Answer{Outcome: trace.Answered, Status: 400, Body: body("this port takes HTTP/2 alone")}, want: true},
		"426":               {a: trace.Answer{Outcome: trace.Answered, Status: 426, Header: [][2]string{{"Upgrade", "h2c"}}}, want: true},
		"505":               {a: trace.Answer{Outcome: trace.Answered, Status: 505}, want: true},
		"another 400":       {a: trace.Answer{Outcome: trace.Answered, Status: 400, Body: body("no such account")}},
		"426 to TLS":        {a: trace.Answer{Outcome: trace.Answered, Status: 426, Header: [][2]string{{"Upgrade", "TLS/1.2"}}}},
		"timed out":         {a: trace.Answer{Outcome: trace.TimedOut, Error: "no answer in time"}},
	} {
		t.Run(name, func(t *testing.T) {
			sc := scene{http2: c.new, only: []string{"duplicate"}, refuses: ends(func(*conn, leg) bool { return true }, c.a)}
			if c.new {
				sc.contract = overHTTP2
			}
			r, _ := play(t, sc)
			s := r.Operations[0].Steps[0]
			if s.Step != "duplicate" || s.Verdict != probe.Inconclusive {
				t.Fatalf("%s is %s", s.Step, s.Verdict)
			}
			got := slices.ContainsFunc(s.Reasons, func(r probe.Reason) bool { return strings.Contains(r.Settle, named) })
			if got != c.want {
				t.Errorf("%+v", s.Reasons)
			}
		})
	}
}

// TestResetsThatAreNotOfHTTP2: a server that answers its control is told nothing
// of HTTP/2 where it then ends connections.
func TestResetsThatAreNotOfHTTP2(t *testing.T) {
	later := func(c *conn, _ leg) bool { return strings.HasPrefix(c.request.ID, "duplicate/") }
	r, _ := play(t, scene{only: []string{"duplicate"},
		refuses: ends(later, trace.Answer{Outcome: trace.Reset, Error: "the connection was closed without an answer"})})
	for _, reason := range r.Operations[0].Steps[0].Reasons {
		if strings.Contains(reason.Settle, "HTTP/2") {
			t.Errorf("%+v", reason)
		}
	}
}

// TestUnaskedReplicas: a choice of steps that leaves base URLs unasked is told of.
func TestUnaskedReplicas(t *testing.T) {
	one, err := contract.Parse("contract.yaml", []byte(charge), nil)
	if err != nil {
		t.Fatal(err)
	}
	two, err := contract.Parse("contract.yaml", []byte(strings.Replace(charge, `["http://127.0.0.1:8080"]`,
		`["http://127.0.0.1:8080", "http://127.0.0.1:8081"]`, 1)), nil)
	if err != nil || len(two.Target.BaseURLs) != 2 {
		t.Fatal(err)
	}
	some, skip := []string{"duplicate", "concurrent"}, []string{"replicas"}
	for _, c := range []struct {
		of   *contract.Contract
		by   probe.Selection
		want string
	}{
		{two, probe.Selection{Only: some}, "only the first of 2 base URLs is asked: the step replicas, which asks the others, is left out by --only"},
		{two, probe.Selection{Skip: skip}, "only the first of 2 base URLs is asked: the step replicas, which asks the others, is left out by --skip"},
		{two, probe.Selection{}, ""},
		{two, probe.Selection{Only: append(slices.Clone(some), skip...)}, ""},
		{one, probe.Selection{Only: some}, ""},
	} {
		if got := probe.UnaskedNote(c.of, c.by); got != c.want {
			t.Errorf("%+v: %q", c.by, got)
		}
	}
}

package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// TestScriptSendsAsWhoeverSent: each request under its own principal's
// credential and to its own replica, or the script shows what never was.
func TestScriptSendsAsWhoeverSent(t *testing.T) {
	shells := shell(t)
	one, two := listen(t), listen(t)
	neighbours := func() probe.Finding {
		f := probe.Finding{Expected: "nothing of the first caller's result", Actual: "status 201"}
		for i, other := range []bool{false, true, false} {
			x := exchange("x", int64(100*i+1), post(bodyOne), 201, "ok")
			x.Sent.Other = other
			f.Exchanges = append(f.Exchanges, x)
		}
		f.Exchanges[2].Sent.Target = "1"
		return f
	}
	o := ContractOptions(&contract.Contract{Target: contract.Target{BaseURLs: []string{one.url, two.url},
		Auth:      &contract.Auth{Header: "Authorization", Env: "TOK_A", Prefix: "Bearer "},
		OtherAuth: &contract.Auth{Header: "X-Who", Env: "TOK_B"}}})
	script := Repro(Source{File: "c.yaml", Step: "scope", Options: o}, neighbours())
	for _, sh := range shells {
		got := append(runScript(t, sh, script, one, "TOK_A=alpha", "TOK_B=beta"), two.taken()...)
		if len(got) != 3 {
			t.Fatalf("%d requests arrived\n%s", len(got), script)
		}
		for i, want := range []string{"Authorization: Bearer alpha", "X-Who: beta", "Authorization: Bearer alpha"} {
			text := strings.Join(got[i].header, "\n")
			if !strings.Contains(text, want) || strings.Contains(text, "alpha") == strings.Contains(text, "beta") {
				t.Errorf("%s, request %d: %q, want %s", sh, i+1, text, want)
			}
		}
	}
	for _, want := range []string{"'2 x, to replica 1, as the other caller; recorded: 201 ok'", "to replica 2; recorded", "BASE_URL_2=",
		"'expected: nothing of the first caller'", "'recorded: status 201'"} {
		if !strings.Contains(script, want) {
			t.Errorf("no %s in\n%s", want, script)
		}
	}
	if o.OtherAuth = nil; strings.Contains(Repro(Source{Step: "scope", Options: o}, neighbours()), "TOK_B") {
		t.Error("a credential that no contract names")
	}
}

// TestScriptNamesTheKeysToRenew: one that is kept is answered from its record.
func TestScriptNamesTheKeysToRenew(t *testing.T) {
	key := func(i int) *trace.Request {
		q := post(bodyOne, [2]string{"Idempotency-Key", fmt.Sprint("k-", i)})
		q.Key = fmt.Sprint("k-", i)
		return q
	}
	for n, want := range []string{"begin with an empty target, or let", ", set KEY_A to a new value, or", ", set KEY_A and KEY_B to new values, or",
		", set KEY_A, KEY_B and KEY_C to new values, or"} {
		f := probe.Finding{Exchanges: []probe.Exchange{exchange("keyless", 1, &trace.Request{Method: "GET", Target: "/"}, 200, "")}}
		for i := range n {
			f.Exchanges = append(f.Exchanges, exchange("x", int64(100*i+100), key(i), 201, "ok"))
		}
		if script := Repro(Source{Step: "conflict"}, f); !strings.Contains(script, want) {
			t.Errorf("%d keys: no %q in\n%s", n, want, script)
		}
		if script := Repro(Source{Step: "key-rules"}, f); n > 0 && !strings.Contains(script, "of the same kind") {
			t.Errorf("keys of a kind: %s", script)
		}
	}
}

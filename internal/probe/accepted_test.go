package probe

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/trace"
)

// TestAnswersThatAllAre200 holds how answers are told apart that have one
// status, as GraphQL's have.
func TestAnswersThatAllAre200(t *testing.T) {
	code := func(c string) *contract.Matcher {
		return &contract.Matcher{Status: []int{200}, JSON: []contract.JSONExpectation{{Pointer: "/errors/0/extensions/code", Value: []byte(`"` + c + `"`)}}}
	}
	op := &contract.Operation{}
	op.Promise.Conflict = contract.Promised[contract.Conflict]{Known: true, Value: contract.Conflict{Mode: "answer", Match: code("REUSED")}}
	op.Promise.InFlight = contract.Promised[contract.InFlight]{Known: true, Value: contract.InFlight{Match: code("IN_PROGRESS")}}
	accepted := &contract.Matcher{Status: []int{200}, JSON: []contract.JSONExpectation{{Pointer: "/data/made", Value: []byte("true")}}}
	const made, reused = `{"data":{"made":true}}`, `{"errors":[{"extensions":{"code":"REUSED"}}]}`
	const progress, other = `{"errors":[{"extensions":{"code":"IN_PROGRESS"}}]}`, `{"errors":[{"extensions":{"code":"INTERNAL"}}]}`
	for _, c := range []struct {
		body                                   string
		with                                   *contract.Matcher
		welcome, conflict, inFlight, unsettled bool
	}{
		{made, accepted, true, false, false, false},
		{reused, accepted, false, true, false, false},
		{progress, accepted, false, false, true, true},
		{other, accepted, false, false, false, false},
		// Without promise.accepted a success is told by its status.
		{made, nil, true, false, false, false},
		{reused, nil, false, true, false, false},
		{progress, nil, false, false, true, true},
		{other, nil, true, false, false, false},
	} {
		op.Promise.Accepted = c.with
		r, x := rules{op}, &Exchange{Answer: &trace.Answer{Outcome: trace.Answered, Status: 200, Body: trace.Body{Size: 1, Head: c.body}}}
		got := r.class(x)
		if got.welcome != c.welcome || got.accepted != c.welcome || got.conflict != c.conflict || got.inFlight != c.inFlight || r.unsettled(x) != c.unsettled {
			t.Errorf("%s, accepted %v: %+v, unsettled %t", c.body, c.with, got, r.unsettled(x))
		}
		if named := strings.Contains(r.describe(x), "promise.accepted does not match"); named != (c.body == other && c.with != nil) {
			t.Errorf("%s: told as %q", c.body, r.describe(x))
		}
	}
}

const formsContract = `idem: contract/v1
name: t
target: {base_urls: ["http://127.0.0.1:1"]}
operations:
  - name: charge
    request:
      method: POST
      path: /v1/charges?source=web
      %s
      fresh: [%s]
    key: {%s, generate: uuid4}
    promise: {duplicate: replay, conflict: {status: [400]}}
`

// TestFreshValuesOfEveryKind stand in JSON and in forms, whatever the field's
// name holds, beside a key in each of its places.
func TestFreshValuesOfEveryKind(t *testing.T) {
	const fresh = `{at: "%sa~1b[x y]", as: text}, {at: %sn, as: integer, max: 99999}, {at: %su, as: uuid4}`
	const uuid = `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`
	jsonBody, form := `body: {in: {"a/b[x y]": "", n: 0, u: ""}, note: "né"}`, `form: {"a/b[x y]": "", n: "0", u: "", note: "né"}`
	jsonFresh, formFresh := strings.ReplaceAll(fresh, "%s", "/in/"), strings.ReplaceAll(fresh, "%s", "/")
	inJSON := `\{"in":\{"a/b\[x y\]":"idem-[0-9a-f]{20}","n":[1-9][0-9]{0,4},"u":"` + uuid + `"\},"note":"né"`
	inForm := `a%2Fb%5Bx\+y%5D=idem-[0-9a-f]{20}&n=[1-9][0-9]{0,4}&u=` + uuid + `&note=n%C3%A9`
	for _, c := range []struct{ body, fresh, key, target, media, want string }{
		{jsonBody, jsonFresh, "header: Idempotency-Key", `/v1/charges\?source=web`, "application/json", inJSON + `\}`},
		{jsonBody, jsonFresh, "body: /in/key", `/v1/charges\?source=web`, "application/json", strings.Replace(inJSON, `"\},`, `","key":"`+uuid+`"\},`, 1) + `\}`},
		{jsonBody, jsonFresh, "query: request_id", `/v1/charges\?source=web&request_id=` + uuid, "application/json", inJSON + `\}`},
		{form, formFresh, "header: Idempotency-Key", `/v1/charges\?source=web`, formMedia, inForm},
		{form, formFresh, "body: /token~1key", `/v1/charges\?source=web`, formMedia, inForm + "&token%2Fkey=" + uuid},
		{form, formFresh, "query: request_id", `/v1/charges\?source=web&request_id=` + uuid, formMedia, inForm},
	} {
		q := firstRequest(t, c.body, c.fresh, c.key)
		if !matches(c.want, string(q.Body)) {
			t.Errorf("%s, key in %s: body %s", c.media, c.key, q.Body)
		}
		if !matches(c.target, q.Target) {
			t.Errorf("key in %s: target %s", c.key, q.Target)
		}
		if got := trace.Get(q.Header, "Content-Type"); len(got) != 1 || got[0] != c.media {
			t.Errorf("content type %q, want %s", got, c.media)
		}
	}
	q := firstRequest(t, `headers: {content-type: "application/x-www-form-urlencoded; charset=utf-8"}
      `+form, formFresh, "header: Idempotency-Key")
	if got := trace.Get(q.Header, "Content-Type"); len(got) != 1 || got[0] != "application/x-www-form-urlencoded; charset=utf-8" {
		t.Errorf("the contract's own content type became %q", got)
	}
}

// TestFormFieldsAreHidden: a form's sensitive field is masked as a member is.
func TestFormFieldsAreHidden(t *testing.T) {
	plans := plansOf(t, `form: {"card[number]": "4242424242424242", "ref": r-1}`, "/ref", "header: Idempotency-Key")
	var m trace.Masker
	plans[0].Hide(&m, pointersOf(t, "/card[number]", "/none", "/ref/deeper"))
	if got := m.Text("card%5Bnumber%5D=4242424242424242&ref=r-1"); got != "card%5Bnumber%5D=«/card[number]»&ref=r-1" {
		t.Error(got)
	}
}

// TestCompanionIsFilledInLater: the plan names the header, and the same Env
// gives the same bytes.
func TestCompanionIsFilledInLater(t *testing.T) {
	q := firstRequest(t, "form: {ref: r-1}", "/ref", "header: Repeatability-Request-ID, companion: {header: Repeatability-First-Sent, as: imf-fixdate}")
	if got := trace.Get(q.Header, "Repeatability-First-Sent"); q.Companion != "Repeatability-First-Sent" || len(got) != 1 || got[0] != "Thu, 01 Jan 2026 00:00:00 GMT" {
		t.Errorf("%s: %q", q.Companion, got)
	}
}

func plansOf(t *testing.T, body, fresh, key string) []*Plan {
	t.Helper()
	c, err := contract.Parse("t.yaml", fmt.Appendf(nil, formsContract, body, fresh, key), nil)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := Plans(c.Operations[0], Env{RunID: "0000000000000000", Seed: 1, Keys: GeneratedKeys{}, Contract: c}, Selection{Only: []string{"duplicate"}})
	if err != nil {
		t.Fatal(err)
	}
	return plans
}

func firstRequest(t *testing.T, body, fresh, key string) *Request {
	t.Helper()
	return plansOf(t, body, fresh, key)[0].Requests[0]
}

func pointersOf(t *testing.T, texts ...string) []fingerprint.Pointer {
	t.Helper()
	var out []fingerprint.Pointer
	for _, text := range texts {
		p, err := fingerprint.ParsePointer(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// matches says whether all of a text is of a form.
func matches(form, text string) bool {
	return regexp.MustCompile("^(?:" + form + ")$").MatchString(text)
}

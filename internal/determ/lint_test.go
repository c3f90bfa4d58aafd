package determ

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"
)

// lint gives the slugs of a recipe in words: "slug:level" or, for a finding
// about one field, "slug:level:field".
func lint(t *testing.T, src string, o LintOptions) (string, []Finding) {
	t.Helper()
	findings, err := Lint("r.yaml", []byte(src), o)
	if err != nil {
		t.Fatal(err)
	}
	var slugs []string
	for _, f := range findings {
		s := f.Slug + ":" + string(f.Level)
		if f.Field != "" {
			s += ":" + f.Field
		}
		slugs = append(slugs, s)
		if f.Where != fmt.Sprintf("r.yaml:%d:%d", f.Line, f.Column) || f.Message == "" {
			t.Errorf("%+v", f)
		}
	}
	return sorted(strings.Join(slugs, " ")), findings
}

func sorted(words string) string {
	list := strings.Fields(words)
	sort.Strings(list)
	return strings.Join(list, " ")
}

// linted puts an identity, and payload and inputs, into a recipe without
// other findings; the example's id is left for lint to tell.
func linted(identity, rest string) string {
	return "idem: recipe/v1\nnamespace: n\noperation: o\nversion: 1\nprefix: p\nboundary: One of each.\nidentity: " + identity + "\nkey: {kid: k1, env: K}\n" + rest
}

func TestLintNames(t *testing.T) {
	const example = "example-missing:warning"
	for identity, want := range map[string]string{
		"{cart: /cart/id, cart_version: /cart/version, tenant: {input: tenant}}": "",
		"{order: /order_id, customer: /customer/id, amount: /amount}":            "",
		"{invoice: /invoice/number, amount: /amount/value}":                      "",
		"{payment_request_id: /payment_request_id}":                              "",
		"{account_transfer_id: /id, amount: /amount}":                            "",
		"{fee_id: /fee_id, user: /user}":                                         "",
		"{customer: /customer/id, billing_period: /period}":                      "",
		"{updates: /updates, at: /counter}":                                      "",

		"{customer: /customer/id, amount: /amount}":                             "customer-and-amount:error",
		"{a: /customer/id, b: /order/total}":                                    "customer-and-amount:error",
		"{userId: /userId, amountInCents: /amountInCents, currency: /currency}": "customer-and-amount:error",
		"{tenant: {input: tenant}, user_email: /email, price: /price}":          "customer-and-amount:error",
		"{iban: /creditor/iban, amount: /amount/value, ccy: /amount/currency}":  "customer-and-amount:error",
		"{amount: /amount}":                         "customer-and-amount:error",
		"{order: /order, created_at: /created_at}":  "volatile-time:error:created_at",
		"{order: /order, when: /sentAt}":            "volatile-time:error:when",
		"{order: /order, t: /meta/timestamp}":       "volatile-time:error:t",
		"{order: /order, ts: {input: ts}}":          "volatile-time:error:ts",
		"{order: /order, due_at: /due_at}":          "volatile-time:warning:due_at",
		"{order: /order, booking-date: /x}":         "volatile-time:warning:booking-date",
		"{order: /order, request_id: /request_id}":  "volatile-id:error:request_id",
		"{order: /order, x: /headers/X-Request-Id}": "volatile-id:error:x",
		"{order: /order, n: /nonce}":                "volatile-id:error:n",
		"{order: /order, attempt: /retryCount}":     "volatile-id:error:attempt",
		"{order: /order, card: /card_token}":        "volatile-id:warning:card",
		"{order: /order, card: /card_encrypted}":    "volatile-ciphertext:error:card",
		"{order: /order, c: /payment/ciphertext}":   "volatile-ciphertext:error:c",
		`{all: ""}`: "whole-payload:warning:all",
		"{a: {pointer: /order, when_absent: omit}}":                                         "identity-may-be-empty:error",
		"{a: {pointer: /order, when_absent: omit}, b: {pointer: /line, when_absent: omit}}": "identity-may-be-empty:error",
		"{a: {pointer: /order, when_absent: omit}, b: /line}":                               "",
	} {
		want = sorted(example + " " + want)
		if got, _ := lint(t, linted(identity, ""), LintOptions{}); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", identity, got, want)
		}
	}
}

func TestLintValues(t *testing.T) {
	uuid4, uuid7, ulid := "f81d4fae-7dec-41d0-a765-00a0c91e6bf6", "019078e5-d29f-7b9e-8d2b-1c2f3a4b5c6d", "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	jwe := "eyJhbGciOiJSU0EtT0FFUCJ9.OKOawDo13gRp2ojaHV7LFpZcgV7T6DVZKTyKOMTYUmKoTCVJRgckCL9.48V1_ALb6US04U3b.5eym8TW_c8SuK0lt.XFBoMYUZodetZdvT"
	for _, c := range []struct{ identity, rest, want string }{
		{"{a: /x}", "example: {payload: {x: c_1}}", ""},
		{"{a: /x}", "example: {payload: {x: 2026-11-30}}", ""},
		{"{a: /x}", "example: {payload: {x: 1767225600}}", ""}, // a number like any other
		{"{cart: /cart/id}", "example: {payload: {cart: {id: " + uuid4 + "}}}", ""},
		{"{order_uuid: /order_uuid}", "example: {payload: {order_uuid: " + uuid7 + "}}", ""},
		{"{id: /id}", "example: {payload: {id: 6fa459ea-ee8a-3ca4-894e-db77e160355e}}", ""}, // version 3, of a name

		{"{a: /x}", "example: {payload: {x: 2026-11-30T10:00:00Z}}", "volatile-time:error:a"},
		{"{a: /x}", "example: {payload: {x: '2026-11-30 10:00:00'}}", "volatile-time:error:a"},
		{"{a: /x}", `example: {payload: {x: "Mon, 30 Nov 2026 10:00:00 GMT"}}`, "volatile-time:error:a"},
		{"{a: /x}", "example: {payload: {x: {y: [1, 2026-11-30T10:00:00.123+02:00]}}}", "volatile-time:error:a"},
		{"{a: /time}", "example: {payload: {time: 1767225600}}", "volatile-time:warning:a"},
		{"{appointment: /slot}", "example: {payload: {slot: 2026-11-30T10:00:00Z}}", "volatile-time:warning:appointment"},
		{"{id: /id}", "example: {payload: {id: " + uuid4 + "}}", "volatile-id:warning:id"},
		{"{id: {input: key}}", "example: {payload: 1, inputs: {key: " + ulid + "}}", "volatile-id:warning:id"},
		{"{a: /x}", "example: {payload: {x: " + jwe + "}}", "volatile-ciphertext:error:a"},
		{"{a: /x}", "example: {payload: {x: 'vault:v1:8SDd3WHDOjf7mq69CyCqYjBXAiQQAVZRkFM13ok481zoCmHnSeDX9vyf7w=='}}", "volatile-ciphertext:error:a"},
		{"{a: /x}", "example: {payload: {x: gAAAAABhZ0xxkE3vQ0o1b2V4YW1wbGU=}}", "volatile-ciphertext:error:a"},

		{"{a: /x}", "example: {payload: {x: ''}}", "empty-value:error:a"},
		{"{a: /x}", "example: {payload: {x: ' '}}", "empty-value:error:a"},
		{"{a: /x}", "example: {payload: {x: []}}", "empty-value:error:a"},
		{"{a: /x}", "example: {payload: {x: {}}}", "empty-value:error:a"},
		{"{a: {pointer: /x, transform: [trim/v1]}}", `example: {payload: {x: "\n"}}`, "empty-value:error:a"},
		{"{a: {pointer: /x, when_null: allow}, b: /y}", "example: {payload: {x: null, y: 1}}", "empty-value:warning:a"},
		{"{a: /x}", "example: {payload: {x: N/A}}", "empty-value:warning:a"},

		{"{a: /x}", "example: {payload: {x: payer@example.com}}", "private-value:error:a"},
		{"{a: /x}", "example: {payload: {x: {card: 4111111111111111}}}", "private-value:error:a"},
		{"{a: /x}", "example: {payload: {x: '4111 1111 1111 1111'}}\nsensitive: [/x]", ""},
		{"{a: /x}", "example: {payload: {x: {card: 4111111111111111}}}\nsensitive: [/x/card]", ""},
		{"{a: /x}", "example: {payload: {x: payer@example.com}}\nsensitive: [/y]", "private-value:error:a sensitive-nowhere:warning"},
		{"{a: /x}", "example: {payload: {x: 1, mail: payer@example.com}}", "private-value:warning"},
		{"{a: /x}", "example: {payload: {x: 1, mail: payer@example.com}}\nsensitive: []", "private-value:error"},
		{"{a: /x}", "example: {payload: {x: 1, mail: payer@example.com, iban: DE89370400440532013000}}\nsensitive: [/mail]", "private-value:error"},
		{"{a: /x}", "example: {payload: {x: 1, l: [payer@example.com, al@example.com]}}\nsensitive: [/l]", ""},
	} {
		want := sorted("example-id-missing:error " + c.want)
		got, _ := lint(t, linted(c.identity, c.rest), LintOptions{})
		if got != want {
			t.Errorf("%s with %s:\ngot  %s\nwant %s", c.identity, c.rest, got, want)
		}
	}
}

func TestLintBoundary(t *testing.T) {
	for _, line := range []string{"boundary:", "boundary: ''"} {
		got, findings := lint(t, with(t, line), LintOptions{})
		if !strings.Contains(got, "missing-boundary:error") || findings[0].Hint == "" {
			t.Errorf("%q: %s", line, got)
		}
	}
}

// TestLintTellsTheExampleID: the hint is the very line to write, and with it
// nothing is left to say.
func TestLintTellsTheExampleID(t *testing.T) {
	without := linted("{cart: /cart/id}", "example: {payload: {cart: {id: c_1}}}")
	_, findings := lint(t, without, LintOptions{})
	if len(findings) != 1 || findings[0].Slug != "example-id-missing" || !strings.HasPrefix(findings[0].Hint, "id: p_1_") {
		t.Fatalf("%+v", findings)
	}
	right := strings.Replace(without, "}}}", "}}, "+findings[0].Hint+"}", 1)
	if got, _ := lint(t, right, LintOptions{}); got != "" {
		t.Error(got)
	}
	r := mustParse(t, right)
	d, err := r.DeriveText([]byte(`{"cart":{"id":"c_1"}}`), nil, TestSecret("k1"))
	if err != nil || "id: "+d.ID != findings[0].Hint {
		t.Error(d.ID, err)
	}
	for _, change := range []string{"prefix: p|prefix: q", "operation: o|operation: q", "version: 1|version: 3", "{cart: /cart/id}|{basket: /cart/id}"} {
		old, changed, _ := strings.Cut(change, "|")
		got, findings := lint(t, strings.Replace(right, old, changed, 1), LintOptions{})
		if got != "example-wrong:error" || !strings.Contains(findings[0].Hint, "id: ") {
			t.Errorf("%s: %s", change, got)
		}
	}
}

func TestLintExampleFails(t *testing.T) {
	for _, c := range []struct{ identity, example, want string }{
		{"{a: /x}", "{payload: {y: 1}}", `the example has no ID: /x: identity field "a" is absent`},
		{"{a: /x}", "{payload: {x: 9007199254740993}}", "the example has no ID: /x: "},
		{"{a: /x}", "{payload: {x: 1, y: 1e400}}", "the example has no ID: payload: /y: "},
		{"{a: /x}", "{payload: {x: 1}, inputs: {t: a}}", `the example has no ID: input "t": the recipe names no such input`},
		{"{a: {input: t}}", "{payload: {x: 1}}", `the example has no ID: input "t": identity field "a" is absent`},
		{"{a: {input: t}}", "{payload: {x: 1}, inputs: {t: 1e400}}", `the example has no ID: input "t": `},
	} {
		got, findings := lint(t, linted(c.identity, "example: "+c.example), LintOptions{})
		if got != "example-fails:error" || !strings.HasPrefix(findings[0].Message, c.want) {
			t.Errorf("%s: %s %+v", c.example, got, findings)
		}
	}
}

func TestLintTheRest(t *testing.T) {
	now := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	base := linted("{cart: /cart/id}", "")
	for _, c := range []struct {
		rest, want string
		o          LintOptions
	}{
		{"limits: {max_length: 36}", "version-outgrows-limits:warning", LintOptions{}}, // p_1_ and 32 are 36
		{"limits: {max_length: 38}", "", LintOptions{}},
		{"limits: {max_length: 32}\nencode: short", "", LintOptions{}},
		{"previous: [{version: 2, until: 2026-12-31T00:00:00Z}]", "previous-expired:warning", LintOptions{Now: now}},
		{"previous: [{version: 2, until: 2027-12-31T00:00:00Z}]", "", LintOptions{Now: now}},
		{"next: [{version: 2, identity: {customer: /c, amount: /a}}]", "customer-and-amount:error", LintOptions{}},
		{"previous: [{version: 2, until: 2027-12-31T00:00:00Z, identity: {customer: /c, amount: /a}}]", "", LintOptions{Now: now}}, // history
		{"next: [{version: 2}]", "lock-missing:warning lock-missing:warning", LintOptions{Lock: NewLock("idem.lock")}},
	} {
		want := sorted("example-missing:warning " + c.want)
		if got, _ := lint(t, base+c.rest, c.o); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.rest, got, want)
		}
	}
	lock := NewLock("idem.lock")
	if _, err := lock.Add(mustParse(t, base)); err != nil {
		t.Fatal(err)
	}
	if got, _ := lint(t, base, LintOptions{Lock: lock}); got != "example-missing:warning" {
		t.Error(got)
	}
	if got, _ := lint(t, strings.Replace(base, "prefix: p", "prefix: q", 1), LintOptions{Lock: lock}); got != "example-missing:warning lock-changed:error" {
		t.Error(got)
	}
	if _, err := Lint("r.yaml", []byte("a: 1"), LintOptions{}); err == nil {
		t.Error("what is no recipe is linted")
	}
}

// TestLintShowsNoPrivateValue: findings name places.
func TestLintShowsNoPrivateValue(t *testing.T) {
	_, findings := lint(t, linted("{a: /x, b: /y}", "example: {payload: {x: payer@example.com, y: '4111111111111111', z: '+49 170 1234567'}}"), LintOptions{})
	for _, f := range findings {
		for _, private := range []string{"payer@", "4111", "1234567"} {
			if strings.Contains(f.Message+f.Hint, private) {
				t.Errorf("%+v", f)
			}
		}
	}
	if len(findings) < 4 {
		t.Errorf("%+v", findings)
	}
}

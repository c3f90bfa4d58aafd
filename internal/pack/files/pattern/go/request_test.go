package main

import (
	"strings"
	"testing"
)

func mustRead(t *testing.T, text string) Checkout {
	t.Helper()
	c, err := readCheckout([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return c
}

// TestSpellingsOfOneRequestHaveOneFingerprint: a retry need not be written by
// the same program.
func TestSpellingsOfOneRequestHaveOneFingerprint(t *testing.T) {
	want := fingerprint("POST", "/v1/checkouts", mustRead(t, body))
	for name, text := range map[string]string{
		"spaces":         strings.ReplaceAll(body, `,"`, " ,\n\t\""),
		"escapes":        strings.Replace(body, "acme", `\u0061cm\u0065`, 1),
		"an exponent":    strings.Replace(body, "1999", "1.999e+3", 1),
		"a fraction":     strings.Replace(body, "1999", "1999.000", 1),
		"sent later":     strings.Replace(body, "10:15", "10:16", 1),
		"sent any time":  strings.Replace(body, `,"sent_at":"2026-11-30T10:15:00Z"`, "", 1),
		"another order":  `{"sent_at":"x","currency":"EUR",` + strings.Replace(strings.Replace(body[1:], `,"sent_at":"2026-11-30T10:15:00Z"`, "", 1), `"currency":"EUR",`, "", 1),
		"other brackets": " " + body + "\n",
	} {
		if got := fingerprint("POST", "/v1/checkouts", mustRead(t, text)); got != want {
			t.Errorf("%s: another fingerprint", name)
		}
	}
}

// TestEveryValueIsInTheFingerprint, and so are method and target.
func TestEveryValueIsInTheFingerprint(t *testing.T) {
	seen := map[string]string{}
	add := func(name, fp string) {
		if other := seen[fp]; other != "" {
			t.Errorf("%s has the fingerprint of %s", name, other)
		}
		seen[fp] = name
	}
	add("the request", fingerprint("POST", "/v1/checkouts", mustRead(t, body)))
	add("another method", fingerprint("PUT", "/v1/checkouts", mustRead(t, body)))
	add("another path", fingerprint("POST", "/v1/payments", mustRead(t, body)))
	add("another query", fingerprint("POST", "/v1/checkouts?a=b", mustRead(t, body)))
	for _, edit := range [][2]string{{"acme", "acme2"}, {"c_1042", "c_1043"}, {`"version":3`, `"version":4`}, {"1999", "2000"}, {"1999", "19990"},
		{"EUR", "USD"}, {"customer@", "Customer@"}, {"acme", "ac\u00e9me"}, {"acme", "ace\u0301me"}, {`,"customer":{"email":"customer@example.com"}`, ""},
		{`"email":"customer@example.com"`, `"email":""`}} {
		add(edit[0]+" as "+edit[1], fingerprint("POST", "/v1/checkouts", mustRead(t, strings.Replace(body, edit[0], edit[1], 1))))
	}
}

// TestBodiesThatAreRefused: what two readers could understand differently, and
// what this one does not understand.
func TestBodiesThatAreRefused(t *testing.T) {
	swap := func(old, new string) string {
		if !strings.Contains(body, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(body, old, new, 1)
	}
	malformed := map[string]string{
		"nothing": "", "a word": "true", "a list": "[" + body + "]", "two": body + body, "torn": body[:50],
		"a name twice":            swap(`"amount":1999`, `"amount":1,"amount":1999`),
		"a name twice, escaped":   swap(`"amount":1999`, `"\u0061mount":1,"amount":1999`),
		"2^53+1":                  swap("1999", "9007199254740993"),
		"a hair above":            swap("1999", "1999.0000000000000000001"),
		"too large for a double":  swap("1999", "1e400"),
		"too small for a double":  swap("1999", "1e-400"),
		"an exponent without end": swap("1999", "1e"+strings.Repeat("9", 100)),
		"half a surrogate pair":   swap("acme", `\ud83d`),
		"no UTF-8":                swap("acme", "\xff"),
		"deep":                    swap("1999", strings.Repeat("[", 1000)+strings.Repeat("]", 1000)),
	}
	invalid := map[string]string{
		"an unknown name":   swap(`"amount"`, `"x":1,"amount"`),
		"another case":      swap(`"amount"`, `"Amount"`),
		"no amount":         swap(`"amount":1999,`, ""),
		"null":              swap(`{"email":"customer@example.com"}`, "null"),
		"a text for amount": swap("1999", `"1999"`),
		"a fraction":        swap("1999", "19.5"),
		"nothing to pay":    swap("1999", "0"),
		"less":              swap("1999", "-1"),
		"minus zero":        swap("1999", "-0"),
		"2^53":              swap("1999", "9007199254740992"),
		"a small currency":  swap("EUR", "eur"),
		"no tenant":         swap("acme", ""),
		"a control":         swap("acme", `a\u0000b`),
		"a long id":         swap("c_1042", strings.Repeat("é", 65)),
		"version 0":         swap(`"version":3`, `"version":0`),
		"a customer's more": swap(`"email":`, `"name":"x","email":`),
	}
	for status, all := range map[int]map[string]string{400: malformed, 422: invalid} {
		for name, text := range all {
			_, err := readCheckout([]byte(text))
			if r, ok := err.(refusal); !ok || r.status != status {
				t.Errorf("%s: %v, want %d", name, err, status)
			}
		}
	}
}

func TestNumbersThatSurviveADouble(t *testing.T) {
	for _, n := range []string{"0", "-0", "0.0", "0e9", "1", "10", "100e-2", "0.1", "1e23", "1.7976931348623157e308", "9007199254740992", "5e-324", "0.00001", "123456789012345680000"} {
		if !exact(n) {
			t.Errorf("%s is refused", n)
		}
	}
	for _, n := range []string{"9007199254740993", "0.1000000000000000055", "1e309", "1e-324", "123456789012345678901", "1.00000000000000000001"} {
		if exact(n) {
			t.Errorf("%s is taken", n)
		}
	}
}

// FuzzBodies: what is taken has a canonical form that is taken too, with the same
// fingerprint.
func FuzzBodies(f *testing.F) {
	for _, text := range []string{body, "{}", "[1]", `{"tenant":1e1}`, strings.Replace(body, "1999", "1.999e3", 1)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := readCheckout([]byte(text))
		if err != nil {
			return
		}
		again, err := readCheckout(canonical(c))
		if err != nil || fingerprint("POST", "/", again) != fingerprint("POST", "/", c) {
			t.Errorf("%q: %v", text, err)
		}
	})
}

package reference

import (
	"bytes"
	"encoding/json"
	"math/big"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestExactNumbers(t *testing.T) {
	for number, want := range map[string]bool{
		"0": true, "-0": true, "0.0": true, "0e999": true, "1": true, "-1.50": true, "1e2": true, "100": true,
		"0.1": true, "1E+2": true, "123.40": true, "9007199254740992": true, "9007199254740994": true,
		"5e-324": true, "1.7976931348623157e308": true, "1e-7": true, "100000000000000000000": true,
		"9007199254740993": false, "0.30000000000000001": false, "1e309": false, "4e-324": false, "1e-400": false,
		"123456789012345678901": false, "1e99999999999999999999": false, "1e-99999999999999999999": false,
	} {
		if exact(number) != want {
			t.Errorf("exact(%s) is %v", number, !want)
		}
	}
}

// TestExactIsTheShortestFormsValue holds exact against exact arithmetic.
func TestExactIsTheShortestFormsValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][-+]?[0-9]{1,2})?`).Draw(t, "number")
		given, _ := new(big.Rat).SetString(number)
		var f float64
		if err := json.Unmarshal([]byte(number), &f); err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(f) // the shortest digits
		short, _ := new(big.Rat).SetString(string(text))
		if want := given.Cmp(short) == 0; exact(number) != want {
			t.Fatalf("exact(%s) is %v, shortest %s", number, !want, text)
		}
	})
}

// FuzzBody: whatever is accepted has one canonical form with the same meaning,
// and nothing panics.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		order("o"), `{}`, `{"a":1,"a":1}`, `{"a":"\ud800"}`, `{"a":1e400}`, `{"a":[[[[]]]],"b":-0}`, "{\"\xff\":1}",
		`[{}]`, `{"order_id":"\u00e9","amount":1.0,"currency":"EUR"}`, ` {"a" : 1 } x`, `{"a":9007199254740993}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := canonical(text)
		if err != nil {
			if strings.Contains(err.Error(), "%!") {
				t.Errorf("message %q", err)
			}
			return
		}
		twice, err := canonical(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%q gives %q, that gives %q, %v", text, once, twice, err)
		}
		var a, b any
		if json.Unmarshal(text, &a) != nil || json.Unmarshal(once, &b) != nil {
			t.Fatalf("accepted %q as %q", text, once)
		}
		given, _ := json.Marshal(a)
		kept, _ := json.Marshal(b)
		// -0 and 0 are one value and, to RFC 8785, one text.
		if !bytes.Equal(bytes.ReplaceAll(given, []byte("-0"), []byte("0")), bytes.ReplaceAll(kept, []byte("-0"), []byte("0"))) {
			t.Fatalf("%q became %q", text, once)
		}
		op, wrong := parseOperation(once)
		if len(wrong) == 0 && (op.Amount < 1 || op.OrderID == "" || len(op.Currency) != 3) {
			t.Fatalf("accepted %+v", op)
		}
	})
}

// FuzzForm: a form is refused or read, and what is read is one flat object.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{"order_id=o&amount=1&currency=EUR", "a=1&a=2", "metadata[a]=b&metadata[]=c", "%zz", "a;b", "amount=x", "\xff=1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		object, err := formObject(body)
		if err != nil {
			return
		}
		values, _ := url.ParseQuery(string(body))
		for name, list := range values {
			if len(list) != 1 {
				t.Fatalf("%q has %q twice", body, name)
			}
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(object, &members); err != nil || len(members) > len(values) {
			t.Fatalf("%q became %s", body, object)
		}
	})
}

func TestDigestsKeepTheirPartsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("ab\x00")), 0, 3, -1), 0, 3)
		a, b := parts.Draw(t, "a"), parts.Draw(t, "b")
		same := len(a) == len(b) && strings.Join(a, "|") == strings.Join(b, "|")
		if (digest(a...) == digest(b...)) != same {
			t.Fatalf("%q and %q", a, b)
		}
	})
}

func TestQueriesAreKeptAsText(t *testing.T) {
	for raw, want := range map[string]string{"": "", "a=%C3%A9&b": "a=%C3%A9&b", "a=\xc3\xa9\xff": "a=%C3%A9%FF"} {
		if got := asciiOnly(raw); got != want {
			t.Errorf("%q: %q", raw, got)
		}
	}
}

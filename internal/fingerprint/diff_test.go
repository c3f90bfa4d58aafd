package fingerprint

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func parse(t testing.TB, src string) *Value {
	t.Helper()
	v, err := Parse([]byte(src))
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return v
}

// told writes differences one a line, as tests compare them.
func told(differences []Difference) string {
	var lines []string
	for _, d := range differences {
		line := fmt.Sprintf("%s %s", d.Pointer, d.Change)
		if d.Other != "" {
			line += " (now " + d.Other + ")"
		}
		line += fmt.Sprintf(" [%s] [%s]", d.Before, d.After)
		if !d.Matters {
			line += " does not matter"
		}
		if d.Note != "" {
			line += "; " + d.Note
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"equal but for order and white space", `{"a":1,"b":[true,null]}`, ` { "b": [true , null],"\u0061":1}`, ""},
		{"changed leaf", `{"a":{"b":[1,2]}}`, `{"a":{"b":[1,3]}}`, "/a/b/1 changed [2] [3]"},
		{"whole value", `1`, `2`, " changed [1] [2]"},
		{"bool", `[true]`, `[false]`, "/0 changed [true] [false]"},
		{"added and removed", `{"a":1,"b":{"x":1}}`, `{"b":{},"c":[1,2]}`,
			"/a removed [1] []\n/b/x removed [1] []\n/c added [] [array of 2]"},
		{"null against absent", `{"a":null}`, `{}`, "/a removed [null] []; absent and null are different"},
		{"text against number", `{"a":"10.0"}`, `{"a":10}`,
			`/a type changed ["10.0"] [10]; string became number: the same digits, once as text and once as a number`},
		{"number against other text", `[10]`, `["ten"]`, `/0 type changed [10] ["ten"]; number became string`},
		{"object against null", `[{"a":1}]`, `[null]`, `/0 type changed [object of 1] [null]; object became null`},
		{"spelling", `{"a":10,"z":-0.0}`, `{"a":1.0e1,"z":0}`,
			"/a spelling [10] [1.0e1] does not matter; one number in two spellings\n" +
				"/z spelling [-0.0] [0] does not matter; one number in two spellings"},
		{"precision", `{"a":9007199254740993}`, `{"a":9007199254740992}`,
			"/a precision lost [9007199254740993] [9007199254740992]; a double cannot tell them apart: " +
				"a server that reads numbers so sees 9007199254740992 in both"},
		{"lossy in both", `[9007199254740993]`, `[9007199254740993]`,
			"/0 precision lost [9007199254740993] [9007199254740993] does not matter; " +
				"equal in both, but a double cannot hold it: strict gives it no fingerprint"},
		{"composed", `["é"]`, `["e\u0301"]`,
			`/0 unicode form ["\u00e9"] ["e\u0301"]; it looks the same, in composed and decomposed letters`},
		{"composed names", `{"é":1}`, `{"e\u0301":1}`,
			"/é removed [1] []; the other payload has the name \"e\\u0301\" there: it looks the same, in composed and decomposed letters\n" +
				"/e\u0301 added [] [1]; the other payload has the name \"\\u00e9\" there: it looks the same, in composed and decomposed letters"},
		{"name in other case", `{"cartId":1}`, `{"cartID":1}`,
			"/cartId removed [1] []; the other payload has the name \"cartID\" there: only upper and lower case differ\n" +
				"/cartID added [] [1]; the other payload has the name \"cartId\" there: only upper and lower case differ"},
		{"white space", `["a b "]`, `["a b"]`, `/0 changed ["a b "] ["a b"]; only white space at the ends differs`},
		{"no-break space", `["a b"]`, `["a\u00a0b"]`, `/0 changed ["a b"] ["a\u00a0b"]; only the kind or the amount of white space differs`},
		{"invisible", `["ab"]`, `["a\u200bb"]`, `/0 changed ["ab"] ["a\u200bb"]; only invisible characters differ`},
		{"case", `["EUR"]`, `["eur"]`, `/0 changed ["EUR"] ["eur"]; only upper and lower case differ`},
		{"width", `["1"]`, `["１"]`, `/0 changed ["1"] ["\uff11"]; only the width or style of letters differs`},
		{"amount as text", `["10.0"]`, `["10.00"]`, `/0 changed ["10.0"] ["10.00"]; the same number as text, but text counts character by character`},
		{"one instant", `["2026-11-30T10:00:00Z"]`, `["2026-11-30T11:00:00+01:00"]`,
			`/0 changed ["2026-11-30T10:00:00Z"] ["2026-11-30T11:00:00+01:00"]; one instant in two spellings, but text counts character by character`},
		{"one instant, with a fraction", `["2026-11-30T10:00:00Z"]`, `["2026-11-30 10:00:00.000+00:00"]`,
			`/0 changed ["2026-11-30T10:00:00Z"] ["2026-11-30 10:00:00.000+00:00"]; one instant in two spellings, but text counts character by character`},
		{"one instant, without seconds", `["2026-11-30T10:00Z"]`, `["2026-11-30T02:00-0800"]`,
			`/0 changed ["2026-11-30T10:00Z"] ["2026-11-30T02:00-0800"]; one instant in two spellings, but text counts character by character`},
		{"two instants", `["2026-11-30T10:00:00Z"]`, `["2026-11-30T10:00:00+01:00"]`, `/0 changed ["2026-11-30T10:00:00Z"] ["2026-11-30T10:00:00+01:00"]`},
		{"a time without offset is no instant", `["2026-11-30T10:00:00"]`, `["2026-11-30T10:00:00Z"]`, `/0 changed ["2026-11-30T10:00:00"] ["2026-11-30T10:00:00Z"]`},
		{"a date is no instant", `["2026-11-30"]`, `["2026-11-30T00:00:00Z"]`, `/0 changed ["2026-11-30"] ["2026-11-30T00:00:00Z"]`},
		{"truth as text", `{"a":true,"b":"null","c":false}`, `{"a":"true","b":null,"c":"no"}`,
			`/a type changed [true] ["true"]; boolean became string: the same word, once as text` + "\n" +
				`/b type changed ["null"] [null]; string became null: the same word, once as text` + "\n" +
				`/c type changed [false] ["no"]; boolean became string`},
		{"list order", `{"l":[1,2,{"a":3}]}`, `{"l":[{"a":3},1,2]}`,
			"/l order changed [] []; the same 3 items in another order; the order of a list counts"},
		{"taken out in front", `[1,2,3,4]`, `[2,3,4]`, "/0 removed [1] []"},
		{"put in between", `[1,2,3]`, `[1,9,2,3]`, "/1 added [] [9]"},
		{"item moved and changed", `[{"id":1},{"id":2,"q":1}]`, `[{"id":2,"q":2}]`,
			"/0 removed [object of 1] []\n/1/q changed (now /0/q) [1] [2]"},
		{"changed behind one taken out", `["x",{"q":1},"z"]`, `[{"q":2},"z"]`,
			"/0 removed [\"x\"] []\n/1/q changed (now /0/q) [1] [2]"},
		{"two lists inside", `[[1],[2],[3,4]]`, `[[1],[3,5]]`, "/1 removed [array of 1] []\n/2/1 changed (now /1/1) [4] [5]"},
		{"spelling behind one put in", `["a",1]`, `["b","a",1.0]`,
			"/0 added [] [\"b\"]\n/1 spelling (now /2) [1] [1.0] does not matter; one number in two spellings"},
		{"long text", `["` + strings.Repeat("x", 60) + `A` + strings.Repeat("y", 60) + `"]`, `["` + strings.Repeat("x", 60) + `B"]`,
			`/0 changed [..."xxxxxxxxxxA` + strings.Repeat("y", 29) + `"...] [..."xxxxxxxxxxB"]`},
		{"control characters", `["\u001b[31m"]`, `["x"]`, `/0 changed ["\x1b[31m"] ["x"]`},
		{"masked by looks", `{"to":"payer@example.com","n":1}`, `{"to":"joe@example.com","n":2}`,
			"/to changed [«masked»] [«masked»]\n/n changed [1] [2]"},
		{"masked name", `{"payer@example.com":1}`, `{}`, "/«masked» removed [1] []"},
	} {
		if got := told(Diff(parse(t, c.a), parse(t, c.b), DiffOptions{})); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestDiffUnderIEEE754(t *testing.T) {
	a, b := parse(t, `{"l":[9007199254740993,{"x":0.1}]}`), parse(t, `{"l":[9007199254740992,{"x":0.10000000000000000001}]}`)
	want := "/l/0 precision lost [9007199254740993] [9007199254740992] does not matter; a double cannot tell them apart: " +
		"a server that reads numbers so sees 9007199254740992 in both\n" +
		"/l/1/x precision lost [0.1] [0.10000000000000000001] does not matter; a double cannot tell them apart: " +
		"a server that reads numbers so sees 0.1 in both"
	got := Diff(a, b, DiffOptions{Numbers: IEEE754})
	if told(got) != want || !SameOperation(got) {
		t.Errorf("got %s", told(got))
	}
	if SameOperation(Diff(a, b, DiffOptions{})) {
		t.Error("strict calls them the same")
	}
}

func TestDiffMasks(t *testing.T) {
	a := parse(t, `{"customer":{"name":"Jane","age":41,"n":9007199254740993},"cards":["4111111111111111"],"x":"a"}`)
	b := parse(t, `{"customer":{"name":"June","age":42,"n":9007199254740992},"cards":["5500000000000004","x"],"x":"b"}`)
	secrets := []string{"Jane", "June", "41", "42", "90071", "4111", "5500"}

	out := told(Diff(a, b, DiffOptions{Sensitive: []Pointer{{"customer"}, {"cards"}}}))
	for _, s := range secrets {
		if strings.Contains(out, s) {
			t.Errorf("%s is shown:\n%s", s, out)
		}
	}
	if strings.Count(out, masked) < 8 || !strings.Contains(out, `/x changed ["a"] ["b"]`) {
		t.Errorf("got\n%s", out)
	}
	if out := told(Diff(a, b, DiffOptions{})); strings.Contains(out, "4111") || !strings.Contains(out, "Jane") {
		t.Errorf("by looks:\n%s", out)
	}
	if out := told(Diff(a, b, DiffOptions{Public: true})); !strings.Contains(out, "4111") {
		t.Errorf("public:\n%s", out)
	}
	// A sensitive place of the list hides the item in either position.
	moved := told(Diff(parse(t, `["k","s3cret"]`), parse(t, `["n","k","s3cre7"]`), DiffOptions{Sensitive: []Pointer{{"1"}}}))
	if strings.Contains(moved, "s3cret") || strings.Contains(moved, "s3cre7") {
		t.Errorf("got\n%s", moved)
	}
}

// TestDiffMasksNamesBelow: the names of a map by token are tokens. What the
// pointers of recipe or contract name themselves is told all the same.
func TestDiffMasksNamesBelow(t *testing.T) {
	a := parse(t, `{"sessions":{"tok_1":1,"tok_2":{"inner":1},"known":{"id":1},"tok_5":1},"list":[{"tok_6":1}],"open":{"name":1}}`)
	b := parse(t, `{"sessions":{"tok_3":1,"tok_2":{"inner":2},"known":{"id":2},"TOK_5":1},"list":["new",{"tok_6":2}],"open":{"name":2}}`)
	out := told(Diff(a, b, DiffOptions{Sensitive: []Pointer{{"sessions"}, {"list", "0"}}, Named: []Pointer{{"sessions", "known", "id"}}}))
	for _, token := range []string{"tok_", "TOK_", "inner"} {
		if strings.Contains(out, token) {
			t.Errorf("%s is shown:\n%s", token, out)
		}
	}
	for _, named := range []string{"/sessions/known/id changed", "/sessions/" + masked + "/" + masked + " changed", "/open/name changed"} {
		if !strings.Contains(out, named) {
			t.Errorf("%s is not told:\n%s", named, out)
		}
	}
}

func TestDiffIsBounded(t *testing.T) {
	list := func(first, n int) *Value {
		v := Array()
		for i := range n {
			v.Items = append(v.Items, &Value{Kind: KindNumber, Number: fmt.Sprint((first + i*7919) % 1_000_003)})
		}
		return v
	}
	got := Diff(list(1, 60_000), list(2, 60_001), DiffOptions{})
	if len(got) != 60_001 || SameOperation(got) {
		t.Errorf("%d differences", len(got))
	}
}

func TestDifferenceAsJSON(t *testing.T) {
	out, err := json.Marshal(Diff(parse(t, `{"a":1}`), parse(t, `{"a":"1"}`), DiffOptions{}))
	want := `[{"pointer":"/a","change":"type changed","before":"1","after":"\"1\"",` +
		`"note":"number became string: the same digits, once as text and once as a number","matters":true}]`
	if err != nil || string(out) != want {
		t.Errorf("got %s, %v", out, err)
	}
}

// Nothing that matters differs exactly where the canonical forms are equal.
func TestDiffAgreesWithFingerprints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := values(3).Draw(t, "a")
		b := a
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			b = values(3).Draw(t, "b")
		case 1:
			b = mutated(t, a)
		}
		ca, errA := a.Canonical(IEEE754, "")
		cb, errB := b.Canonical(IEEE754, "")
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		for _, n := range []Numbers{Strict, IEEE754} {
			differences := Diff(a, b, DiffOptions{Numbers: n})
			same := SameOperation(differences)
			if n == IEEE754 && same != (string(ca) == string(cb)) {
				t.Fatalf("%s\n%s\nsame: %v\n%s", ca, cb, same, told(differences))
			}
			_, strictA := a.Canonical(Strict, "")
			_, strictB := b.Canonical(Strict, "")
			if n == Strict && strictA == nil && strictB == nil && same != (string(ca) == string(cb)) {
				t.Fatalf("strict: %s\n%s\nsame: %v\n%s", ca, cb, same, told(differences))
			}
			for _, d := range differences {
				wantPlaces(t, d, a, b)
			}
		}
	})
}

// wantPlaces follows the pointers of a difference into both payloads.
func wantPlaces(t *rapid.T, d Difference, a, b *Value) {
	if strings.Contains(d.Pointer, masked) {
		return
	}
	p, err := ParsePointer(d.Pointer)
	if err != nil {
		t.Fatal(err)
	}
	other := p
	if d.Other != "" {
		if other, err = ParsePointer(d.Other); err != nil {
			t.Fatal(err)
		}
	}
	_, inA := a.At(p)
	_, inB := b.At(other)
	if (d.Change != Added && !inA) || (d.Change != Removed && !inB) {
		t.Fatalf("%+v is nowhere", d)
	}
}

package fingerprint

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/problem"
)

func TestRefusalsSayWhere(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", "byte 0: there is no JSON value"},
		{" \n\t", "byte 3 (line 2, column 2): there is no JSON value"},
		{"\xEF\xBB\xBF{}", "byte 0: the text starts with a byte order mark of UTF-8"},
		{"\xFF\xFE{\x00", "byte 0: the text starts with a byte order mark of UTF-16 or UTF-32"},
		{`{"a":1} x`, "byte 8: something follows the JSON value"},
		{"{\n \"a\": [1,\n  2 3]}", "byte 16 (line 3, column 5): unexpected '3': a comma or ] belongs here"},
		{`{"a":1,}`, "byte 7: unexpected '}': a name in double quotes belongs here"},
		{`{"a" 1}`, "byte 5: unexpected '1': a colon belongs here"},
		{`{'a':1}`, `byte 1: unexpected "'": a name in double quotes belongs here`},
		{`{a:1}`, "byte 1: unexpected 'a': a name in double quotes belongs here"},
		{`[1,]`, "byte 3: unexpected ']': a value belongs here"},
		{`[1,,2]`, "byte 3: unexpected ',': a value belongs here"},
		{`}`, "byte 0: unexpected '}': a value belongs here"},
		{"[\x01]", `byte 1: unexpected '\u0001': a value belongs here`},
		{"[\u00a0]", `byte 1: unexpected '\u00a0': a value belongs here`},
		{"[\xff]", "byte 1: the bytes are not UTF-8"},
		{`{"a":1`, "byte 6: the text ends too early: a comma or } belongs here"},
		{`["ab`, "byte 4: the text ends inside the string that starts at byte 1"},
		{`["\u12`, "byte 6: the text ends inside an escape"},
		{`["\`, "byte 3: the text ends inside an escape"},
		{`["\u12x4"]`, `byte 6: \u takes four hexadecimal digits`},
		{`["\x41"]`, "byte 2: JSON has no such escape"},
		{`["é` + "\n" + `"]`, "byte 4: a control character stands in a string without being escaped"},
		{`["\udc00"]`, "byte 2: half of a surrogate pair stands alone"},
		{`["\ud800A"]`, "byte 2: half of a surrogate pair stands alone"},
		{`[tru`, "byte 4: the text ends inside true, false or null"},
		{`[True]`, "byte 1: JSON has no True"},
		{`[s3cret]`, "byte 1: a bare word is no JSON value"},
		{`[-]`, "byte 1: this is not how JSON writes a number"},
		{`[-Infinity]`, "byte 1: this is not how JSON writes a number"},
		{`[1e]`, "byte 1: this is not how JSON writes a number"},
		{`[1_000]`, "byte 2: something follows the number that starts at byte 1"},
		{`{"pin":12345x}`, "byte 12: something follows the number that starts at byte 7"},
		{`[1.2.3]`, "byte 4: something follows the number that starts at byte 1"},
		{`[2026-11-30]`, "byte 5: something follows the number that starts at byte 1"},
		{`[0x1F]`, "byte 2: something follows the number that starts at byte 1"},
		{`[012]`, "byte 1: this is not how JSON writes a number"},
		{`[1.5`, "byte 4: the text ends too early: a comma or ] belongs here"},
		{`[1.`, "byte 3: the text ends inside a number"},
		{`{"a":{"b":[0,1e400]}}`, "/a/b/1: number beyond the double range: 1e400"},
		{`1e400`, "byte 0: number beyond the double range: 1e400"},
		{`{"a":{"k":1,"\u006b":2}}`, "/a/k: the object has this name twice (again at byte 12)"},
		{`{"a/b~":1,"a/b~":2}`, "/a~1b~0: the object has this name twice (again at byte 10)"},
		{`{"":1,"":2}`, "/: the object has this name twice (again at byte 6)"},
	} {
		err := Admit([]byte(c.src))
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.src, err, c.want)
		}
		if v, perr := Parse([]byte(c.src)); v != nil || perr == nil || perr.Error() != c.want {
			t.Errorf("%q: Parse gives %v, %v", c.src, v, perr)
		}
		if json.Valid([]byte(c.src)) && !strings.Contains(c.want, "twice") && !strings.Contains(c.want, "range") && !strings.Contains(c.want, "surrogate") {
			t.Errorf("%q is JSON after all", c.src)
		}
	}
}

func TestStrictSaysPointerAndLiteral(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`{"amount":9007199254740993}`, "/amount: number that the canonical form would change: 9007199254740993 would become 9007199254740992"},
		{`[0,{"x":1e-400}]`, "/1/x: number that the canonical form would change: 1e-400 would become 0"},
		{`1152921504606846976`, "byte 0: number that the canonical form would change: 1152921504606846976 would become 1152921504606847000"},
		{`[0.` + strings.Repeat("1", 60) + `]`, "/0: number that the canonical form would change: 0." + strings.Repeat("1", 38) + "... would become 0.1111111111111111"},
	} {
		_, err := Canonical([]byte(c.src), Strict)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.src, err, c.want)
		}
		if hint := problem.Hint(err); !strings.Contains(hint, "ieee754") || !strings.Contains(hint, "string") {
			t.Errorf("%s: hint %q", c.src, hint)
		}
		if _, err := Canonical([]byte(c.src), IEEE754); err != nil {
			t.Errorf("%s: ieee754: %v", c.src, err)
		}
	}
}

// What is not admitted is told before what is only lossy.
func TestAdmissionBeforeNumbers(t *testing.T) {
	_, err := Canonical([]byte(`[9007199254740993,1,]`), Strict)
	var e *Error
	if !errors.As(err, &e) || e.Class != Syntax {
		t.Errorf("got %v", err)
	}
}

func TestMaskKeepsSensitiveValuesOut(t *testing.T) {
	_, err := Parse([]byte(`{"card":{"n":41111111111111111e400},"x":1}`))
	sensitive := []Pointer{{"other"}, {"card"}}
	if err == nil || !strings.Contains(err.Error(), "4111") {
		t.Fatalf("got %v", err)
	}
	if got := Mask(err, sensitive).Error(); got != "/card/«masked»: number beyond the double range" {
		t.Errorf("masked: %s", got)
	}
	if got := Mask(err, sensitive[:1]); got != err {
		t.Errorf("masked without need: %v", got)
	}
	other := errors.New("other")
	if Mask(other, sensitive) != other || Mask(nil, sensitive) != nil {
		t.Error("a foreign error changed")
	}
}

// What looks sensitive is not shown either, whoever forgets to mask.
func TestErrorsHideWhatLooksSensitive(t *testing.T) {
	src := []byte(`{"n":6304000001000000008}`)
	v, err := Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	_, byText := Canonical(src, Strict)
	_, byTree := v.Canonical(Strict, "")
	_, byRequest := RequestFingerprint(Request{Method: "POST", MediaType: "application/json", Body: src}, Rules{}, Policy{Public: true})
	for _, err := range []error{byText, byTree, byRequest} {
		if err == nil || strings.Contains(err.Error(), "63040") || !strings.Contains(err.Error(), "/n: number that") {
			t.Errorf("got %v", err)
		}
	}
}

func TestParseKeepsWhatWasWritten(t *testing.T) {
	v, err := Parse([]byte(" {\"b\\u0041\" : [1.50, null, true, \"x\\n\\ud83d\\ude02\"], \"\":{}} "))
	if err != nil {
		t.Fatal(err)
	}
	if v.Kind != KindObject || v.Offset != 1 || len(v.Members) != 2 || v.Members[0].Name != "bA" {
		t.Fatalf("%+v", v)
	}
	list := v.Members[0].Value
	if list.Items[0].Number != "1.50" || list.Items[0].Offset != 15 || list.Items[1].Kind != KindNull ||
		!list.Items[2].Bool || list.Items[3].Str != "x\n😂" {
		t.Errorf("%+v", list.Items)
	}
	if empty := v.Member(""); empty == nil || empty.Kind != KindObject || v.Member("b") != nil {
		t.Errorf("%+v", empty)
	}
}

func TestDepth(t *testing.T) {
	for _, pair := range []string{"[]", "{}"} {
		opening := pair[:1]
		if pair == "{}" {
			opening = `{"a":`
		}
		deep := func(n int) []byte {
			return []byte(strings.Repeat(opening, n-1) + pair + strings.Repeat(pair[1:], n-1))
		}
		if _, err := Canonical(deep(MaxDepth), Strict); err != nil {
			t.Errorf("%s at the bound: %v", pair, err)
		}
		e := wantRefused(t, deep(MaxDepth+1), Strict, TooDeep)
		if e != nil && e.Offset != int64(len(opening)*MaxDepth) {
			t.Errorf("offset %d", e.Offset)
		}
		if len(e.Error()) > 200 {
			t.Errorf("the message has %d bytes", len(e.Error()))
		}
	}
}

// Hostile texts end in an answer or an error; a reader that is not linear in
// them, or recurses, would not end here at all.
func TestHostileTexts(t *testing.T) {
	wantRefused(t, []byte(strings.Repeat("[", 50_000_000)), Strict, TooDeep)
	wantRefused(t, []byte(strings.Repeat(`{"a":`, 1_000_000)), Strict, TooDeep)
	wantRefused(t, []byte(strings.Repeat("9", 1_000_000)), Strict, OutOfRange)
	wantRefused(t, []byte("1e"+strings.Repeat("9", 1_000_000)), Strict, OutOfRange)
	wantRefused(t, []byte("1e-"+strings.Repeat("9", 1_000_000)), Strict, LossyNumber)
	wantRefused(t, []byte("0."+strings.Repeat("3", 1_000_000)), Strict, LossyNumber)
	// A long mantissa undoes a long exponent: the value is 1 all the same.
	one := "1" + strings.Repeat("0", 200_000) + "e-200000"
	wantCanonical(t, []byte("["+one+"]"), Strict, "[1]")
	wantCanonical(t, []byte("[0."+strings.Repeat("0", 199_999)+"1e200000]"), Strict, "[1]")
	wantCanonical(t, []byte("[0."+strings.Repeat("0", 1_000_000)+"]"), Strict, "[0]")

	var names strings.Builder
	for i := range 300_000 {
		names.WriteString(`,"` + strings.Repeat("k", i%7) + string(rune('a'+i%26)))
		names.WriteString("000" + strconv.Itoa(300_000-i) + `":0`)
	}
	wide := "{" + names.String()[1:]
	if err := Admit([]byte(wide + "}")); err != nil {
		t.Error(err)
	}
	wantRefused(t, []byte(wide+`,"\u0061`+"000"+strconv.Itoa(300_000)+`":0}`), Strict, DuplicateName)
}

func TestBuiltValues(t *testing.T) {
	deep := Null()
	for range maxBuiltDepth + 1 {
		deep = Array(deep)
	}
	for _, c := range []struct {
		v     *Value
		class Class
		want  string
	}{
		{Object(Member{"a", String("x")}, Member{"a", Null()}), DuplicateName, "/at/a: the object has this name twice"},
		{Object(Member{"a", String("\xff")}), InvalidUTF8, "/at/a: the bytes are not UTF-8"},
		{Object(Member{"\xff", Null()}), InvalidUTF8, `/at/\xff: the bytes are not UTF-8`},
		{Array(&Value{Kind: KindNumber, Number: "01"}), NumberSyntax, "/at/0: this is not how JSON writes a number"},
		{Array(&Value{Kind: KindNumber, Number: ""}), NumberSyntax, "/at/0: this is not how JSON writes a number"},
		{Array(&Value{Kind: KindNumber, Number: "1e999"}), OutOfRange, "/at/0: number beyond the double range: 1e999"},
		{Array(&Value{Kind: KindNumber, Number: "0.30000000000000000001"}), LossyNumber, "/at/0: number that the canonical form would change: 0.30000000000000000001 would become 0.3"},
		{Array(&Value{Kind: Kind(9)}), Syntax, "/at/0: a value of no JSON kind"},
		{deep, TooDeep, ""},
	} {
		_, err := c.v.Canonical(Strict, "/at")
		var e *Error
		if !errors.As(err, &e) || e.Class != c.class || (c.want != "" && err.Error() != c.want) {
			t.Errorf("got %v; want %s", err, c.want)
		}
	}
	got, err := Object(Member{"z", Array(String("\"\\\x00\u2028"), Null())}, Member{"\U0001F602", Object()}).Canonical(Strict, "")
	if want := `{"z":["\"\\\u0000` + "\u2028" + `",null],"😂":{}}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

package fingerprint

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"
)

// texts are strings with what JSON, UTF-16 and people trip over.
func texts() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[a-c]{0,3}`),
		rapid.SampledFrom([]string{"", "é", "e\u0301", "\uFB33", "😂", "\U0001F602z", "\uE000", "\uFFFF", "\u2028", "\x00", "\x7f", "\"", `\`, "/", "~", "<&>", "a b "}),
		rapid.String(),
	)
}

// values are JSON values, depth levels deep at most.
func values(depth int) *rapid.Generator[*Value] {
	leaf := rapid.OneOf(
		rapid.Just(Null()),
		rapid.Map(rapid.Bool(), func(b bool) *Value { return &Value{Kind: KindBool, Bool: b} }),
		rapid.Map(literals().Filter(inRange), func(s string) *Value { return &Value{Kind: KindNumber, Number: s} }),
		rapid.Map(texts().Filter(utf8.ValidString), String),
	)
	if depth == 0 {
		return leaf
	}
	below := rapid.Deferred(func() *rapid.Generator[*Value] { return values(depth - 1) })
	return rapid.OneOf(
		leaf,
		rapid.Map(rapid.SliceOfN(below, 0, 5), func(items []*Value) *Value { return Array(items...) }),
		rapid.Custom(func(t *rapid.T) *Value {
			v := Object()
			for _, name := range rapid.SliceOfNDistinct(texts().Filter(utf8.ValidString), 0, 15, rapid.ID).Draw(t, "names") {
				v.Members = append(v.Members, Member{name, below.Draw(t, "value")})
			}
			return v
		}),
	)
}

// mutated changes one place below v, or v itself.
func mutated(t *rapid.T, v *Value) *Value {
	c := *v
	c.Items, c.Members = slices.Clone(v.Items), slices.Clone(v.Members)
	switch {
	case len(c.Items) > 0:
		i := rapid.IntRange(0, len(c.Items)-1).Draw(t, "item")
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
			c.Items = slices.Delete(c.Items, i, i+1)
		case 1:
			c.Items = slices.Insert(c.Items, i, values(1).Draw(t, "new"))
		case 2:
			c.Items[0], c.Items[i] = c.Items[i], c.Items[0]
		default:
			c.Items[i] = mutated(t, c.Items[i])
		}
	case len(c.Members) > 0:
		i := rapid.IntRange(0, len(c.Members)-1).Draw(t, "member")
		if rapid.Bool().Draw(t, "take out") {
			c.Members = slices.Delete(c.Members, i, i+1)
		} else {
			c.Members[i].Value = mutated(t, c.Members[i].Value)
		}
	default:
		return values(1).Draw(t, "other")
	}
	return &c
}

// spelled writes v as JSON in a way that never matters: members in any order,
// white space anywhere, characters escaped or not, numbers respelled.
func spelled(t *rapid.T, v *Value) string {
	space := func() string { return rapid.SampledFrom([]string{"", "", " ", "\n\t", "\r\n"}).Draw(t, "space") }
	var parts []string
	switch v.Kind {
	case KindNull:
		return space() + "null" + space()
	case KindBool:
		return space() + strconv.FormatBool(v.Bool) + space()
	case KindNumber:
		number := v.Number
		if d := readDecimal(number); rapid.Bool().Draw(t, "respell") && d.digits != "" {
			number = d.String()
		}
		return space() + number + space()
	case KindString:
		return space() + spelledString(t, v.Str) + space()
	case KindArray:
		for _, item := range v.Items {
			parts = append(parts, spelled(t, item))
		}
		return space() + "[" + strings.Join(parts, ",") + space() + "]" + space()
	}
	members := v.Members
	if len(members) > 0 {
		members = rapid.Permutation(members).Draw(t, "order")
	}
	for _, m := range members {
		parts = append(parts, space()+spelledString(t, m.Name)+space()+":"+spelled(t, m.Value))
	}
	return space() + "{" + strings.Join(parts, ",") + space() + "}" + space()
}

func spelledString(t *rapid.T, s string) string {
	if rapid.Bool().Draw(t, "escaped") {
		return strconv.QuoteToASCII(s)[:1] + escapedUnits(s) + `"`
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(quoted)
}

// escapedUnits writes every UTF-16 code unit as \uXXXX.
func escapedUnits(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		b.WriteString(`\u` + strings.ToUpper(strconv.FormatInt(0x10000+int64(u), 16)[1:]))
	}
	return b.String()
}

// Order, white space and spelling never matter, and the canonical form of a
// canonical form is itself.
func TestSpellingNeverMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(3).Draw(t, "value")
		want, err := v.Canonical(IEEE754, "")
		if err != nil {
			t.Fatal(err)
		}
		text := spelled(t, v)
		got, err := Canonical([]byte(text), IEEE754)
		if err != nil || string(got) != string(want) {
			t.Fatalf("%s\n got %s, %v\nwant %s", text, got, err, want)
		}
		again, err := Canonical(want, Strict)
		if err != nil || string(again) != string(want) {
			t.Fatalf("again: %s, %v", again, err)
		}
		p := Policy{Numbers: IEEE754, Public: true}
		a, errA := Payload([]byte(text), p)
		b, errB := Payload(want, p)
		if errA != nil || errB != nil || Compare(a, b) != Same {
			t.Fatalf("%s and %s, %v, %v", a, b, errA, errB)
		}
		if read, err := Parse([]byte(text)); err != nil || len(Diff(read, read, DiffOptions{Numbers: IEEE754})) != 0 {
			t.Fatalf("differs from itself, %v", err)
		}
	})
}

// A change anywhere changes the fingerprint, unless it changed nothing.
func TestEveryPlaceMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(3).Draw(t, "value")
		w := mutated(t, v)
		cv, errV := v.Canonical(IEEE754, "")
		cw, errW := w.Canonical(IEEE754, "")
		if errV != nil || errW != nil {
			t.Fatal(errV, errW)
		}
		p := Policy{Numbers: IEEE754, Public: true}
		a, _ := v.Fingerprint(p)
		b, _ := w.Fingerprint(p)
		if (string(cv) == string(cw)) != (Compare(a, b) == Same) {
			t.Fatalf("%s and %s: %s", cv, cw, Compare(a, b))
		}
	})
}

func FuzzCanonical(f *testing.F) {
	for _, c := range []string{"", "{}", "[1e2,-0.0,1e400,9007199254740993]", `{"b":1,"a":{"\u0061":"\ud83d\ude02"}}`, `{"a":1,"a":2}`,
		`["\ud800"]`, "\xEF\xBB\xBF{}", `[01]`, `{"a":[1,2`, ` 42 `, "[1e10000000000,0e99999]", "[0." + strings.Repeat("0", 400) + "1e401]",
		`{"é":1,"e\u0301":2}`, `["payer@example.com","4111 1111 1111 1111","+49 170 1234567","DE89370400440532013000","123-45-6789"]`,
		strings.Repeat("[", 1001), "nul", "[\"\x01\"]", "\"\xff\"", "{\"\\\"\":tru"} {
		f.Add([]byte(c))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, err := Canonical(src, IEEE754)
		if (err == nil) != (Admit(src) == nil) {
			t.Fatalf("canonical: %v, admit: %v", err, Admit(src))
		}
		v, perr := Parse(src)
		if (err == nil) != (perr == nil) || (err != nil && err.Error() != perr.Error()) {
			t.Fatalf("canonical: %v, parse: %v", err, perr)
		}
		if err != nil {
			if len(err.Error()) > 2000 {
				t.Fatalf("the message has %d bytes", len(err.Error()))
			}
			return
		}
		wantValid(t, src, out, v)
	})
}

// wantValid holds an accepted text against encoding/json, jcs and itself.
func wantValid(t *testing.T, src, out []byte, v *Value) {
	if !json.Valid(src) || !json.Valid(out) {
		t.Fatalf("%q gives %q", src, out)
	}
	if again, err := Canonical(out, Strict); err != nil || string(again) != string(out) {
		t.Fatalf("again: %q, %v", again, err)
	}
	if tree, err := v.Canonical(IEEE754, ""); err != nil || string(tree) != string(out) {
		t.Fatalf("by tree: %q, %v; text: %q", tree, err, out)
	}
	if other, err := jcs.Transform(src); !strings.Contains(string(src), "00000") && (err != nil || string(other) != string(out)) {
		t.Fatalf("jcs: %q, %v; here %q", other, err, out)
	}
	strict, err := Canonical(src, Strict)
	if lossy := firstLossy(v, nil); (err == nil) != (lossy == nil) || (err == nil && string(strict) != string(out)) {
		t.Fatalf("strict: %q, %v, %v", strict, err, lossy)
	}
	if f, found := v.FindSensitive(nil); found {
		if _, err := ParsePointer(f.Pointer); err != nil {
			t.Fatal(err)
		}
	}
	if len(Diff(v, v, DiffOptions{Numbers: IEEE754})) != 0 {
		t.Fatal("differs from itself")
	}
}

package fingerprint

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// aText draws a JSON text of few names, so that pointers meet something.
func aText(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 7).Draw(t, "kind")
	if depth == 0 && kind > 5 {
		kind = 1
	}
	switch kind {
	case 6, 7:
		n := rapid.IntRange(0, 4).Draw(t, "n")
		var parts []string
		for i := range n {
			part := aText(t, depth-1)
			if kind == 6 {
				part = `"` + []string{"a", `\u0062`, "0", "~/"}[i] + `":` + part
			}
			parts = append(parts, part)
		}
		if kind == 6 {
			return "{" + strings.Join(parts, " , ") + "}"
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return []string{"null", "true", "1.50", `"x"`, `""`, "1e400"}[kind]
}

// TestParseAt: at the places that are asked for stands what stands there in
// the whole value, and a text is refused as it is as a whole.
func TestParseAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := aText(t, 4)
		token := rapid.SampledFrom([]string{"a", "b", "0", "1", "3", "01", "-", "~/", ""})
		places := rapid.SliceOfN(rapid.Map(rapid.SliceOfN(token, 0, 4), func(tokens []string) Pointer { return tokens }), 0, 4).Draw(t, "places")
		whole, err := Parse([]byte(text))
		some, perr := ParseAt([]byte(text), places)
		if (err == nil) != (perr == nil) || err != nil && err.Error() != perr.Error() {
			t.Fatalf("%s: %v, by itself %v", text, perr, err)
		}
		if err != nil {
			return
		}
		for _, p := range places {
			want, found := whole.At(p)
			got, there := some.At(p)
			if there != found {
				t.Fatalf("%s at %s of %v: found is %v", text, p, places, there)
			}
			if !found {
				continue
			}
			a, aerr := want.Canonical(Strict, "")
			b, berr := got.Canonical(Strict, "")
			if string(a) != string(b) || aerr != nil || berr != nil || got.Offset != want.Offset {
				t.Fatalf("%s at %s: %s, %v, want %s, %v", text, p, b, berr, a, aerr)
			}
		}
	})
}

func TestParseAtLeavesOut(t *testing.T) {
	v, err := ParseAt([]byte(`{"a":[1,2,3,4],"b":{"c":5,"d":6},"e":[{"f":7},8]}`), []Pointer{{"a", "1"}, {"b", "d"}, {"e", "0", "f"}, {"none"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Members) != 3 || len(v.Members[0].Value.Items) != 2 || len(v.Members[1].Value.Members) != 1 || len(v.Members[2].Value.Items) != 1 {
		t.Errorf("%+v", v)
	}
	for _, p := range []Pointer{{"a", "0"}, {"a", "0", "x"}, {"a", "2"}, {"b", "c"}, {"e", "1"}} {
		if got, ok := v.At(p); ok {
			t.Errorf("%s was not asked for: %+v", p, got)
		}
	}
	if v, err = ParseAt([]byte(`[1,{"a":2}]`), nil); err != nil || v.Kind != KindArray || len(v.Items) != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err = ParseAt([]byte(`"x"`), []Pointer{{"a"}}); err != nil || v.Str != "x" {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestLookingBuildsNothing: what looks private is found in a text as in its
// value; which of several is named first may differ.
func TestLookingBuildsNothing(t *testing.T) {
	for _, text := range []string{
		`{"a":"x@example.com"}`, `{"a":[1,{"b":["y",{"card":4111111111111111}]}]}`, `{"x@example.com":1}`, `{"a":{"b":{"x@example.com":[]}}}`,
		`"x@example.com"`, `["a","DE89370400440532013000"]`, `{"phone":"+49 30 1234567"}`, `{"phones":[["+49 30 1234567"]]}`, `{"a":"\u0078@example.com"}`,
		`{"a":"x","b":[1,2,{"c":null}]}`, `[]`, `4111111111111112`, `{"email":""}`,
	} {
		v, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		want, wantFound := v.FindSensitive(nil)
		got, found := looksPrivate([]byte(text))
		if found != wantFound || got != want {
			t.Errorf("%s: %v %v, want %v %v", text, got, found, want, wantFound)
		}
	}
	deep := strings.Repeat(`{"a":[`, 400) + `"x@example.com"` + strings.Repeat("]}", 400)
	if _, found := looksPrivate([]byte(deep)); !found {
		t.Error("nothing is found at the bottom")
	}
}

// TestPartsAreSmall: what is left out of a value takes no memory, however
// much of it there is.
func TestPartsAreSmall(t *testing.T) {
	const n = 200_000
	var b strings.Builder
	b.WriteString(`{"id":"c_1","lines":[`)
	for i := range n {
		b.WriteString(`{"n":` + strconv.Itoa(i) + `},`)
	}
	b.WriteString(`{}]}`)
	text := []byte(b.String())
	counted := func(f func()) float64 { return testing.AllocsPerRun(1, f) }
	whole := counted(func() {
		if _, err := Parse(text); err != nil {
			t.Error(err)
		}
	})
	some := counted(func() {
		if v, err := ParseAt(text, []Pointer{{"id"}, {"lines", "7", "n"}}); err != nil || v.Members[1].Value.Items[7] == nil {
			t.Error(err)
		}
	})
	if whole < 2*n || some > n+n/2 {
		t.Errorf("%d values: %g allocations for all, %g for two", n, whole, some)
	}
	if _, err := ParseAt(text[:len(text)-1], []Pointer{{"id"}}); !errors.As(err, new(*Error)) {
		t.Error(err)
	}
}

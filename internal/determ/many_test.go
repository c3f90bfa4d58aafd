package determ

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// shortWay is the identity of a recipe, and whether the short way takes the
// payload of TestShortWays.
type shortWay struct {
	identity string
	taken    bool
}

// shortWays are recipes that take every turn of the short way, and some that
// have none.
var shortWays = []shortWay{
	{`identity: {a: /in/a, b: /in/b}`, true},
	{`identity: {z: /a, é: {pointer: /b, type: integer}, "\uFB33": /list/1, "😂": {pointer: /n, when_null: allow}, "q\"\n": /in}`, true},
	{`identity: {whole: ""}`, true},
	{`identity: {a: /a, in: {pointer: /in, type: string}, odd: "/x~1y/~0"}, numbers: ieee754`, false},
	{`identity: {a: {pointer: /a, when_absent: omit}, b: /b}`, true},
	{`identity: {a: {pointer: /gone, when_absent: omit}, b: {pointer: /gone/0, when_absent: omit}, c: /b}`, true},
	{`identity: {a: {pointer: /gone, when_absent: omit}}`, false},
	{`identity: {a: /gone, b: /b}`, false},
	{`identity: {a: /n}`, false},
	{`identity: {a: /a, t: {input: tenant}}`, true},
	{`identity: {a: /a, t: {input: other, when_absent: omit}}`, true},
	{`identity: {t: {input: tenant}}`, true},
	{`identity: {a: /a, t: {input: other}}`, false},
	{`identity: {a: {pointer: /a, type: string, transform: [trim/v1]}}`, false},
	{`identity: {b: {pointer: /b, type: integer}, f: {pointer: /f, type: integer}}`, false},
	{`identity: {b: {pointer: /b, type: number}, y: {pointer: /yes, type: boolean}, a: {pointer: /a, type: string}}, encode: uuid`, true},
	{`identity: {b: /f}, numbers: ieee754, encode: short`, true},
	{`identity: {b: {pointer: /b, type: integer}}, numbers: ieee754, encode: hex`, true},
	{`identity: {b: /b}, limits: {min_length: 1, max_length: 255}, encode: base64url`, true},
}

// shortRecipe reads one of them.
func shortRecipe(t testing.TB, identity string) *Recipe {
	t.Helper()
	r, err := Parse("r.yaml", []byte(`{idem: recipe/v1, namespace: n, operation: o, version: 1, prefix: p, boundary: b, key: {kid: k1, env: K}, `+identity+`}`))
	if err != nil {
		t.Fatal(identity, err)
	}
	return r
}

// shortInputs are the inputs that it names.
func shortInputs(identity string) Inputs {
	if !strings.Contains(identity, "tenant") {
		return nil
	}
	return Inputs{"tenant": fingerprint.String("acm\u00e9")}
}

// FuzzDeriver: many payloads by one deriver, each as by itself, whatever the
// engine.
func FuzzDeriver(f *testing.F) {
	for _, s := range []string{`{"in":{"a":1,"b":"x"},"a":[1,{"b":2}],"b":3}`, `{"a":" x ","b":1.0,"list":[0,{"k":"v"}],"n":null,"in":{}}`,
		`{"x/y":{"~":true},"a":"a\"","in":"s"}`, `{"a":9007199254740993,"in":"s","b":1}`, `{"a":9007199254740993,"x/y":{"~":1e-400},"in":"s","b":1e-400}`, `{"b":1e400}`, `{"a":1,"a":2}`, `[]`, `"x"`, ``,
		`{"a":null,"b":2,"t":3}`, `{"b":9007199254740992.0,"f":1.5}`, `{"f":0.1000000000000000055511151231257827,"b":30e-1}`, `{"gone":[1],"b":"\ud83d\ude02"}`} {
		for i := range shortWays {
			f.Add([]byte(s), uint8(i))
		}
	}
	secret := TestSecret("k1")
	var derivers [][3]*Deriver
	for _, way := range shortWays {
		var each [3]*Deriver
		for i, engine := range []fingerprint.Engine{fingerprint.Own, fingerprint.Reference, fingerprint.CrossCheck} {
			r := shortRecipe(f, way.identity)
			err := r.Use(engine)
			if err == nil {
				each[i], err = r.Deriver(shortInputs(way.identity), secret)
			}
			if err != nil {
				f.Fatal(err)
			}
		}
		derivers = append(derivers, each)
	}
	f.Fuzz(func(t *testing.T, payload []byte, which uint8) {
		for i, d := range derivers[int(which)%len(derivers)] {
			got, err := d.Append([]byte("x"), payload)
			want, werr := d.recipe.DeriveText(payload, d.inputs, secret)
			switch {
			case werr != nil:
				if err == nil || err.Error() != werr.Error() || string(got) != "x" {
					t.Fatalf("%q, engine %d: %q, %v, want %v", payload, i, got, err, werr)
				}
			case err != nil || string(got) != "x"+want.ID:
				t.Fatalf("%q, engine %d: %q, %v, want %s", payload, i, got, err, want.ID)
			}
		}
	})
}

// TestShortWays sees that the short way is what is taken, where there is one.
func TestShortWays(t *testing.T) {
	payload := []byte(`{"in":{"a":1,"b":"x"},"a":"v","b":3.0,"list":[0,{"k":"v"}],"n":null,"x/y":{"~":true},"f":1.50,"yes":true}`)
	for _, way := range shortWays {
		r, inputs := shortRecipe(t, way.identity), shortInputs(way.identity)
		d, err := r.Deriver(inputs, TestSecret("k1"))
		if err != nil {
			t.Fatal(err)
		}
		if got := len(d.parts) > 0 && d.canonical(payload); got != way.taken {
			t.Errorf("%s: the short way is taken: %v", way.identity, got)
		}
		if !way.taken {
			continue
		}
		selected, err := r.Select(readPayload(t, payload), inputs)
		if err != nil || string(d.text) != string(selected.Canonical) {
			t.Errorf("%s: %s, want %s, %v", way.identity, d.text, selected.Canonical, err)
		}
		out, err := d.Append(nil, payload)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(50, func() { out, _ = d.Append(out[:0], payload) }); n != 0 {
			t.Errorf("%s: %g allocations", way.identity, n)
		}
	}
}

func readPayload(t testing.TB, text []byte) *fingerprint.Value {
	t.Helper()
	v, err := fingerprint.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A rounded number takes the short way under ieee754 alone, and never where
// its literal must be an integer.
func TestRoundedNumbers(t *testing.T) {
	payload := []byte(`{"a":9007199254740993,"b":1}`)
	for identity, want := range map[string]bool{
		`identity: {b: /b}`: false, `identity: {a: /a}, numbers: ieee754`: true, `identity: {b: /b}, numbers: ieee754`: true,
		`identity: {a: {pointer: /a, type: number}}, numbers: ieee754`: true, `identity: {a: {pointer: /a, type: integer}}, numbers: ieee754`: false,
	} {
		r := shortRecipe(t, identity)
		d, err := r.Deriver(nil, TestSecret("k1"))
		if err != nil {
			t.Fatal(err)
		}
		if got := d.canonical(payload); got != want {
			t.Errorf("%s: the short way is taken: %v", identity, got)
		}
		if _, err := d.Append(nil, payload); err != nil {
			t.Errorf("%s: %v", identity, err)
		}
	}
}

func TestDeriverRefuses(t *testing.T) {
	r := shortRecipe(t, `identity: {a: /a, t: {input: tenant}}`)
	if _, err := r.Deriver(shortInputs("tenant"), TestSecret("other")); err == nil {
		t.Error("another secret's kid is taken")
	}
	if _, err := r.Deriver(Inputs{"nobody": fingerprint.Null()}, TestSecret("k1")); err == nil {
		t.Error("an input that no recipe names is taken")
	}
	// An ID outside the limits is refused each time, and named.
	r = shortRecipe(t, `identity: {a: /a}, limits: {max_length: 255, alphabet: "0-9a-z_"}`)
	if d, err := r.Deriver(nil, TestSecret("k1")); err != nil || len(d.parts) == 0 {
		t.Errorf("%v", err)
	}
}

// A cross-check holds the short way to the long one.
func TestDeriverIsCrossChecked(t *testing.T) {
	payload := []byte(`{"a":"secret","b":2}`)
	for _, engine := range []fingerprint.Engine{fingerprint.CrossCheck, fingerprint.Reference} {
		r := shortRecipe(t, `identity: {a: /a}`)
		if err := r.Use(engine); err != nil {
			t.Fatal(err)
		}
		d, err := r.Deriver(nil, TestSecret("k1"))
		if err != nil {
			t.Fatal(err)
		}
		if engine == fingerprint.Reference {
			if len(d.parts) > 0 {
				t.Error("the reference takes the own engine's short way")
			}
			continue
		}
		d.parts[0].name = []byte(`"b":`) // a short way that is broken
		got, err := d.Append([]byte("x"), payload)
		if !fingerprint.IsDisagreement(err) || string(got) != "x" || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s, %v", got, err)
		}
	}
}

func BenchmarkDeriver(b *testing.B) {
	r := shortRecipe(b, `identity: {a: /order_id, b: /amount, c: /customer/email}`)
	d, err := r.Deriver(nil, TestSecret("k1"))
	if err != nil {
		b.Fatal(err)
	}
	payload := []byte(`{"order_id": "o-123456789", "amount": 123.40, "currency": "EUR", "customer": {"name": "Zoë X", "email": "u1@example.com", "vip": true}, "items": [{"sku": "A-1", "qty": 2, "price": 3.5}], "note": null}`)
	var out []byte
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if out, err = d.Append(out[:0], payload); err != nil {
			b.Fatal(err)
		}
	}
}

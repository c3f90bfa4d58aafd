package determ

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// lawRecipe takes two of the fields that payloads below have.
func lawRecipe(t testing.TB) *Recipe {
	r, err := Parse("r.yaml", []byte(`{idem: recipe/v1, namespace: n, operation: o, version: 1, prefix: p, boundary: b,
  identity: {a: /in/a, b: /in/b}, key: {kid: k1, env: K}}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// scalar draws a JSON value in canonical spelling, none of them null.
func scalar() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return fmt.Sprint(rapid.IntRange(-1<<40, 1<<40).Draw(t, "number"))
		case 1:
			return fmt.Sprint(rapid.Bool().Draw(t, "bool"))
		}
		v := fingerprint.String(strings.ToValidUTF8(rapid.String().Draw(t, "text"), ""))
		b, err := v.Canonical(fingerprint.Strict, "")
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	})
}

func derive(t interface{ Fatal(...any) }, r *Recipe, payload string) string {
	d, err := r.DeriveText([]byte(payload), nil, TestSecret("k1"))
	if err != nil {
		t.Fatal(payload, err)
	}
	return d.ID
}

func TestLawOutsideNeverMatters(t *testing.T) {
	r := lawRecipe(t)
	rapid.Check(t, func(t *rapid.T) {
		a, b := scalar().Draw(t, "a"), scalar().Draw(t, "b")
		in := fmt.Sprintf(`{"a":%s,"b":%s`, a, b)
		first := fmt.Sprintf(`{"in":%s,"c":%s},"z":%s}`, in, scalar().Draw(t, "c"), scalar().Draw(t, "z"))
		second := fmt.Sprintf(`{"in":%s,"c":%s,"d":null},"y":[%s]}`, in, scalar().Draw(t, "c2"), scalar().Draw(t, "y"))
		if x, y := derive(t, r, first), derive(t, r, second); x != y {
			t.Fatalf("%s of %s\n%s of %s", x, first, y, second)
		}
	})
}

func TestLawInsideAlwaysMatters(t *testing.T) {
	r := lawRecipe(t)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := scalar().Draw(t, "a"), scalar().Draw(t, "b"), scalar().Draw(t, "c")
		if a == c {
			t.Skip()
		}
		payload := `{"in":{"a":%s,"b":%s}}`
		id := derive(t, r, fmt.Sprintf(payload, a, b))
		if id == derive(t, r, fmt.Sprintf(payload, c, b)) {
			t.Fatalf("a: %s and %s make one ID", a, c)
		}
		if a != b && id == derive(t, r, fmt.Sprintf(payload, b, a)) {
			t.Fatalf("%s and %s may change places", a, b)
		}
	})
}

func TestLawOrderAndSpaceNeverMatter(t *testing.T) {
	r := lawRecipe(t)
	rapid.Check(t, func(t *rapid.T) {
		members := []string{`"a":` + scalar().Draw(t, "a"), `"b":` + scalar().Draw(t, "b"), `"c":` + scalar().Draw(t, "c")}
		space := rapid.SampledFrom([]string{"", " ", "\n", "\t\r\n  "})
		spaced := func(list []string) string {
			s := `{` + space.Draw(t, "s") + `"in"` + space.Draw(t, "s") + ":{"
			for i, m := range list {
				if i > 0 {
					s += space.Draw(t, "s") + "," + space.Draw(t, "s")
				}
				s += strings.Replace(m, ":", space.Draw(t, "s")+":"+space.Draw(t, "s"), 1)
			}
			return s + "}" + space.Draw(t, "s") + "}" + space.Draw(t, "s")
		}
		first := spaced(members)
		second := spaced(rapid.Permutation(members).Draw(t, "order"))
		if x, y := derive(t, r, first), derive(t, r, second); x != y {
			t.Fatalf("%s of %q\n%s of %q", x, first, y, second)
		}
	})
}

// TestLawEntryOrderNeverMatters: the identity is an object; so is the recipe.
func TestLawEntryOrderNeverMatters(t *testing.T) {
	payload := `{"in":{"a":1,"b":"x"}}`
	want := derive(t, lawRecipe(t), payload)
	rapid.Check(t, func(t *rapid.T) {
		members := []string{"idem: recipe/v1", "namespace: n", "operation: o", "version: 1", "prefix: p", "boundary: anything", "identity: {b: /in/b, a: {pointer: /in/a}}", "key: {env: K2, kid: k1}"}
		r, err := Parse("r.yaml", []byte("{"+strings.Join(rapid.Permutation(members).Draw(t, "order"), ", ")+"}"))
		if err != nil {
			t.Fatal(err)
		}
		if got := derive(t, r, payload); got != want {
			t.Fatal(got)
		}
	})
}

// TestLawSeparation: another namespace, operation, version or secret makes
// another ID, and moving a character from one name to the next does.
func TestLawSeparation(t *testing.T) {
	seen := map[string]string{}
	for _, ns := range []string{"a", "ab", "a.b"} {
		for _, op := range []string{"c", "bc", "b"} {
			for _, version := range []int{1, 11, 2} {
				for _, secret := range []*Secret{TestSecret("k1"), secretOf(t, "k1", strings.Repeat("ab", 32))} {
					src := fmt.Sprintf(`{"idem":"recipe/v1","namespace":%q,"operation":%q,"version":%d,"prefix":"p","boundary":"b","identity":{"a":"/a"},"key":{"kid":"k1","env":"K"},"encode":"hex"}`, ns, op, version)
					r, err := Parse("r.json", []byte(src))
					if err != nil {
						t.Fatal(err)
					}
					d, err := r.DeriveText([]byte(`{"a":1}`), nil, secret)
					if err != nil {
						t.Fatal(err)
					}
					where := fmt.Sprint(ns, op, version)
					if other, ok := seen[d.ID]; ok {
						t.Errorf("%s and %s make one ID", other, where)
					}
					seen[d.ID] = where
				}
			}
		}
	}
}

// TestLawTypesNeverMeet: absent, null, "" and their like share no identity.
func TestLawTypesNeverMeet(t *testing.T) {
	r, err := Parse("r.yaml", []byte(`{idem: recipe/v1, namespace: n, operation: o, version: 1, prefix: p, boundary: b,
  identity: {a: {pointer: /a, when_null: allow, when_absent: omit}, b: /b}, key: {kid: k1, env: K}}`))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, payload := range []string{`{"b":1}`, `{"a":null,"b":1}`, `{"a":"","b":1}`, `{"a":0,"b":1}`, `{"a":"0","b":1}`, `{"a":false,"b":1}`, `{"a":"false","b":1}`,
		`{"a":[],"b":1}`, `{"a":{},"b":1}`, `{"a":[0],"b":1}`, `{"a":"null","b":1}`, `{"a":[null],"b":1}`} {
		id := derive(t, r, payload)
		if other, ok := seen[id]; ok {
			t.Errorf("%s and %s make one ID", other, payload)
		}
		seen[id] = payload
	}
}

// TestMatchIsExact: the very characters, and nothing shorter.
func TestMatch(t *testing.T) {
	ids := []*Derived{{ID: "chg_1_aa"}, {ID: "chg_2_bb"}, {ID: "chg_2_bb"}}
	for id, want := range map[string]int{"chg_1_aa": 0, "chg_2_bb": 1, "CHG_2_BB": -1, "chg_2_b": -1, "chg_2_bbb": -1, "": -1} {
		if got := Match(ids, id); got != want {
			t.Errorf("%q: %d, want %d", id, got, want)
		}
	}
}

// TestSelectNames: every refusal names its place, and no sensitive value.
func TestSelectNames(t *testing.T) {
	const secretText = "payer@example.com"
	for _, c := range []struct{ identity, payload, want string }{
		{`{"a":"/x/a"}`, `{"x":{"b":1}}`, `/x/a: identity field "a" is absent`},
		{`{"a":"/x/-"}`, `{"x":[1]}`, `/x/-: identity field "a" is absent`},
		{`{"a":"/x/1"}`, `{"x":[1]}`, `/x/1: identity field "a" is absent`},
		{`{"a":""}`, `null`, `the payload: identity field "a" is null`},
		{`{"a":{"pointer":"/a","type":"integer"}}`, `{"a":1.5}`, `/a: identity field "a" is of type number, and the recipe says integer`},
		{`{"a":{"pointer":"/a","type":"boolean"}}`, `{"a":"payer@example.com"}`, `/a: identity field "a" is of type string, and the recipe says boolean`},
		{`{"a":{"pointer":"/a","transform":["trim/v1"]}}`, `{"a":["payer@example.com"]}`, `/a: identity field "a" is an array, and transforms work on strings`},
		{`{"a":{"pointer":"/a","transform":["nfc/v1"]}}`, "{\"a\":\"payer@example.com \u0378\"}", `/a: identity field "a" holds a character that nfc/v1 cannot take`},
		{`{"a":{"pointer":"/b","transform":["nfc/v1"]}}`, "{\"b\":\"x\u0378\"}", `/b: identity field "a" cannot be changed by nfc/v1: U+0378 is not assigned in Unicode 15.0.0, so nfc/v1 cannot take it`},
		{`{"a":"/x"}`, `{"x":{"y":[1,9007199254740993]}}`, `/x/y/1: `},
		{`{"a":{"pointer":"/a","when_absent":"omit"}}`, `{}`, `nothing is left in the identity`},
	} {
		src := fmt.Sprintf(`{"idem":"recipe/v1","namespace":"n","operation":"o","version":1,"prefix":"p","boundary":"b","identity":%s,"sensitive":["/a"],"key":{"kid":"k1","env":"K"}}`, c.identity)
		r, err := Parse("r.json", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.DeriveText([]byte(c.payload), nil, TestSecret("k1"))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), secretText) {
			t.Errorf("%s of %s: %v\nwant %s", c.identity, c.payload, err, c.want)
		}
	}
}

func TestSensitiveNumbersStayHidden(t *testing.T) {
	src := `{"idem":"recipe/v1","namespace":"n","operation":"o","version":1,"prefix":"p","boundary":"b","identity":{"a":"/a","t":{"input":"t"}},"sensitive":["/a"],"key":{"kid":"k1","env":"K"}}`
	r, err := Parse("r.json", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	big := &fingerprint.Value{Kind: fingerprint.KindNumber, Number: "9007199254740993"}
	for name, got := range map[string]error{
		"lossy":    second(r.DeriveText([]byte(`{"a":9007199254740993}`), Inputs{"t": fingerprint.String("x")}, TestSecret("k1"))),
		"overflow": second(r.DeriveText([]byte(`{"a":9007199254740993e400}`), Inputs{"t": fingerprint.String("x")}, TestSecret("k1"))),
		"input":    second(r.DeriveText([]byte(`{"a":1}`), Inputs{"t": big}, TestSecret("k1"))),
	} {
		if got == nil || strings.Contains(got.Error(), "9007199254740993") {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func second[A any](_ A, err error) error { return err }

func TestExplainMasks(t *testing.T) {
	for _, c := range []struct{ sensitive, payload, canonical string }{
		{"", `{"a":{"mail":"payer@example.com","n":1},"b":"x"}`, `{"f":{"mail":"«sensitive»","n":1},"g":"x","t":"«sensitive»"}`},
		{"", `{"a":{"n":["payer@example.com",2]},"b":"x"}`, `{"f":{"n":["«sensitive»",2]},"g":"x","t":"«sensitive»"}`},
		{"", `{"a":{"payer@example.com":1},"b":"x"}`, `{"f":{"«sensitive» 0":1},"g":"x","t":"«sensitive»"}`},
		{`"sensitive":["/a"],`, `{"a":{"n":1},"b":"payer@example.com"}`, `{"f":"«sensitive»","g":"payer@example.com","t":"«sensitive»"}`},
		{`"sensitive":["/a/n/1"],`, `{"a":{"n":[1,2]},"b":"x"}`, `{"f":{"n":[1,"«sensitive»"]},"g":"x","t":"«sensitive»"}`},
		{`"sensitive":[],`, `{"a":{"n":"payer@example.com"},"b":"x"}`, `{"f":{"n":"payer@example.com"},"g":"x","t":"«sensitive»"}`},
		{`"sensitive":[""],`, `{"a":{"n":1},"b":"x"}`, `{"f":"«sensitive»","g":"«sensitive»","t":"«sensitive»"}`},
	} {
		src := `{"idem":"recipe/v1","namespace":"n","operation":"o","version":1,"prefix":"p","boundary":"b","identity":{"f":"/a","g":"/b","t":{"input":"t"},"u":{"pointer":"/u","when_absent":"omit"}},` +
			c.sensitive + `"key":{"kid":"k1","env":"K"}}`
		r, err := Parse("r.json", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		d, err := r.DeriveText([]byte(c.payload), Inputs{"t": fingerprint.String("alice@example.com")}, TestSecret("k1"))
		if err != nil {
			t.Fatal(err)
		}
		e, err := d.Explain()
		if err != nil {
			t.Fatal(err)
		}
		if e.Canonical != c.canonical || !e.Masked || e.Fields[3].Type != "absent" || strings.Contains(fmt.Sprint(e), "alice@") {
			t.Errorf("%s of %s:\ngot  %s\nwant %s", c.sensitive, c.payload, e.Canonical, c.canonical)
		}
		if !strings.Contains(string(d.Selected.Canonical), "alice@example.com") {
			t.Error("the mask got into the identity itself")
		}
	}
}

func TestDocumentLimitsHold(t *testing.T) {
	long := strings.Replace(whole, "One charge", strings.Repeat("x", document.MaxSize), 1)
	if _, err := Parse("r.yaml", []byte(long)); err == nil {
		t.Error("no bound on the size of a recipe")
	}
}

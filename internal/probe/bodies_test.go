package probe_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/probe"
)

// drawJSON draws a value with names and texts that pointers and escapes have
// to do with.
func drawJSON(depth int) *rapid.Generator[any] {
	texts := rapid.SampledFrom([]string{"", "a", "z", "Z9", "EUR", "usd", "a/b", "~", "é", "\"", "\\", "日本", "x y", "0", "o-1", "f", "\u0001", "<&>"})
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 6
		if depth == 0 {
			kinds = 4
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return texts.Draw(t, "text")
		case 1:
			return json.Number(rapid.SampledFrom([]string{"0", "-1", "1999", "0.5", "1e21", "1.5e300", "4503599627370496", "-0"}).Draw(t, "number"))
		case 2:
			return rapid.Bool().Draw(t, "bool")
		case 3:
			return nil
		case 4:
			return rapid.SliceOfN(drawJSON(depth-1), 0, 3).Draw(t, "items")
		default:
			return rapid.MapOfN(texts, drawJSON(depth-1), 0, 3).Draw(t, "members")
		}
	})
}

// withBody gives the contract with another body.
func withBody(body any) string {
	text, err := json.Marshal(map[string]any{"order_id": "o-1", "rest": body})
	if err != nil {
		panic(err)
	}
	return changed("body: " + string(text))
}

func plansFor(t *rapid.T, text string) (*contract.Operation, map[string]*probe.Plan) {
	c, err := contract.Parse("contract.yaml", []byte(text), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out := map[string]*probe.Plan{}
	for _, p := range plansOf(t, c, probe.Env{RunID: "00000000000000a1", Keys: probe.GeneratedKeys{}}) {
		out[p.Step] = p
	}
	return c.Operations[0], out
}

func parsed(t *rapid.T, body []byte) *fingerprint.Value {
	v, err := fingerprint.Parse(body)
	if err != nil {
		t.Fatalf("the plan sends broken JSON: %v\n%s", err, body)
	}
	return v
}

// TestChangesOfPlans: every changed body differs from its original as its name
// tells, one value's change keeps that value's type, and no two changes of a
// plan are the same.
func TestChangesOfPlans(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		_, plans := plansFor(rt, withBody(drawJSON(3).Draw(rt, "body")))
		original := map[string]*probe.Request{}
		names := map[string]bool{}
		for _, q := range plans["conflict"].Requests {
			switch {
			case strings.HasSuffix(q.ID, "/original"):
				original[family(q)] = q
			case strings.HasSuffix(q.ID, "/changed") && strings.HasPrefix(q.ID, "conflict/change-"):
				first := original[family(q)]
				isNamed(rt, q.Change, parsed(rt, first.Body), parsed(rt, q.Body))
				if names[q.Change] {
					rt.Fatalf("%s twice", q.Change)
				}
				names[q.Change] = true
			}
		}
		if !names["/order_id changed"] {
			rt.Fatalf("the fresh value is not changed: %v", names)
		}
	})
}

type fatal interface {
	Fatalf(format string, args ...any)
}

// isNamed holds that two values differ, and nowhere but where a change's name says.
func isNamed(t fatal, name string, one, other *fingerprint.Value) {
	ds := fingerprint.Diff(one, other, fingerprint.DiffOptions{Public: true})
	if !slices.ContainsFunc(ds, func(d fingerprint.Difference) bool { return d.Matters }) {
		t.Fatalf("%q changes nothing: %+v", name, ds)
	}
	pointer, single := strings.CutSuffix(name, " changed")
	if single && !strings.HasSuffix(pointer, " values)") {
		if len(ds) != 1 || pointer != nameOf(ds[0].Pointer) || ds[0].Change == fingerprint.TypeChanged && ds[0].Before != "null" {
			t.Fatalf("%q changes %+v", name, ds)
		}
	}
	for _, d := range ds {
		inside := single && strings.HasSuffix(pointer, " values)") || name == "an unknown member added" && strings.HasPrefix(d.Pointer, "/idem_unknown")
		for p := d.Pointer; !inside; p = p[:strings.LastIndexByte(p, '/')] {
			inside = strings.HasPrefix(name, nameOf(p)) || strings.Contains(name, " and "+nameOf(p)+" with ")
			if p == "" {
				break
			}
		}
		if !inside {
			t.Fatalf("%q changes %+v", name, d)
		}
	}
}

func nameOf(pointer string) string {
	if pointer == "" {
		return "the whole"
	}
	return pointer
}

// FuzzMutations changes any JSON body: each change is valid JSON that the
// contract would admit, another value, and another one only where its name says.
func FuzzMutations(f *testing.F) {
	for _, body := range []string{`{}`, `[]`, `1`, `"x"`, `null`, `{"a":1,"b":"1","c":null,"d":"","e":[1,2,2],"f":{"g":[{"h":0.1},{"h":0.2}]}}`,
		`{"":{"":""},"~/":[true,false],"a b":1e21,"n":-0}`, `{"idem_unknown":1,"n":9007199254740991,"m":[[],{}]}`, `{"t":"` + strings.Repeat("x", 700) + `"}`,
		`[` + strings.Repeat(`{"k":"v"},`, 60) + `0]`, `{"d":"2026-11-30T10:00:00Z","f":"ff","é":"日本"}`,
		`{"a":"1","b":"11","c":12.5,"d":0.09,"e":-3,"f":100,"g":"é","h":"日"}`, `["ab",10,""," ",1.50,-0.0]`} {
		for _, types := range []bool{false, true} {
			f.Add([]byte(body), uint64(7), types)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, seed uint64, strict bool) {
		op := operationOf(body, strict)
		if op == nil {
			return
		}
		all, err := probe.Mutations(op, seed)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) > 160 {
			t.Fatalf("%d changes", len(all))
		}
		for _, m := range all {
			one, err1 := fingerprint.Canonical(m.Original, fingerprint.Strict)
			other, err2 := fingerprint.Canonical(m.Change, fingerprint.Strict)
			if err1 != nil || err2 != nil {
				t.Fatalf("%q: %v, %v\n%s\n%s", m.Name, err1, err2, m.Original, m.Change)
			}
			if string(one) == string(other) {
				t.Fatalf("%q changes nothing: %s", m.Name, one)
			}
			a, _ := fingerprint.Parse(m.Original)
			b, _ := fingerprint.Parse(m.Change)
			isNamed(t, m.Name, a, b)
		}
	})
}

// operationOf gives an operation with a body; nil where a contract would not
// admit it.
func operationOf(body []byte, strict bool) *contract.Operation {
	if _, err := fingerprint.Canonical(body, fingerprint.Strict); err != nil {
		return nil
	}
	op := &contract.Operation{Request: contract.Request{Body: contract.Body{Kind: contract.JSONBody, JSON: body}}}
	if strict {
		op.Promise.Conflict.Value.Types = "strict"
	}
	return op
}

// FuzzSpellings spells any JSON body otherwise: other bytes, the same value.
func FuzzSpellings(f *testing.F) {
	for _, body := range []string{`{}`, `1`, `-0`, `[100,-1200,0]`, `{"b":1,"a":{"d":"x/y","c":[{"f":1,"e":"😀"}]}}`, `"\u2028\u001f\"\\"`, `{"é":"日本","z":"<&>"}`,
		`{"a":{"b":{"c":{"x":1,"y":2},"d":1},"e":1},"f":1}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		op := operationOf(body, false)
		if op == nil {
			return
		}
		plain, all, err := probe.Spellings(op)
		if err != nil || len(all) > 20 {
			t.Fatalf("%d spellings, %v", len(all), err)
		}
		want, err := fingerprint.Canonical(plain, fingerprint.Strict)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]string{string(plain): "as it is"}
		for _, s := range all {
			if got, err := fingerprint.Canonical(s.Body, fingerprint.Strict); err != nil || string(got) != string(want) {
				t.Fatalf("%s: %v\n%s\nwant %s", s.Name, err, s.Body, want)
			}
			if other := seen[string(s.Body)]; other != "" {
				t.Fatalf("%s is spelled as %s: %s", s.Name, other, s.Body)
			}
			seen[string(s.Body)] = s.Name
		}
	})
}

// TestManyValues: of a body with many values each is changed, most on their
// own, the others in groups; the seed chooses which.
func TestManyValues(t *testing.T) {
	var body strings.Builder
	body.WriteString(`{"order_id":"o-1"`)
	for i := range 150 {
		fmt.Fprintf(&body, `,"v%d":%d`, i, i)
	}
	op := operationOf([]byte(body.String()+"}"), false)
	op.Request.Fresh = []contract.Fresh{{At: "/order_id", As: "text"}}
	choices := map[string]bool{}
	for seed := range uint64(3) {
		all, err := probe.Mutations(op, seed)
		if err != nil {
			t.Fatal(err)
		}
		alone, groups := "", 0
		changed := map[string]int{}
		for _, m := range all {
			if !strings.HasSuffix(m.Name, " changed") {
				continue
			}
			a, _ := fingerprint.Parse(m.Original)
			b, _ := fingerprint.Parse(m.Change)
			ds := fingerprint.Diff(a, b, fingerprint.DiffOptions{Public: true})
			for _, d := range ds {
				changed[d.Pointer]++
			}
			if len(ds) > 1 {
				groups++
			} else {
				alone += " " + m.Name
			}
		}
		for i := range 150 {
			if n := changed[fmt.Sprintf("/v%d", i)]; n != 1 {
				t.Errorf("seed %d: /v%d is changed %d times", seed, i, n)
			}
		}
		if n := strings.Count(alone, " changed"); n != 39 || groups != 8 { // the fortieth is the fresh value
			t.Errorf("seed %d: %d changed on their own, %d groups", seed, n, groups)
		}
		choices[alone] = true
	}
	if len(choices) != 3 {
		t.Errorf("three seeds give %d choices", len(choices))
	}
}

// TestSpellingsOfPlans: what the step sends besides originals is the same
// value in other bytes, key and fresh values in it, and its control too.
func TestSpellingsOfPlans(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		_, plans := plansFor(rt, withBody(drawJSON(3).Draw(rt, "body")))
		var first *probe.Request
		kinds := map[string]int{}
		for _, q := range plans["reorder"].Requests {
			switch {
			case strings.HasSuffix(q.ID, "/original"):
				first = q
			case strings.HasSuffix(q.ID, "/control"):
				parsed(rt, q.Body)
				kinds["control"]++
			case strings.HasSuffix(q.ID, "/respelt"):
				kinds["respelt"]++
				if string(q.Body) == string(first.Body) {
					rt.Fatalf("%s is spelled alike", q.ID)
				}
				for _, d := range fingerprint.Diff(parsed(rt, first.Body), parsed(rt, q.Body), fingerprint.DiffOptions{}) {
					if d.Matters {
						rt.Fatalf("%s is another value: %+v", q.ID, d)
					}
				}
			}
		}
		if kinds["respelt"] < 5 || kinds["respelt"] != kinds["control"] {
			rt.Fatalf("%v", kinds)
		}
	})
}

// TestFormChanges: a change of a form is one of one field.
func TestFormChanges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		fields := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b c", "d&e", "é", "f/g", "h~i", "amount[0]"}), rapid.SampledFrom([]string{"", "1", "x=y", "ü&", "EUR"}), 0, 5).Draw(rt, "fields")
		fields["order_id"] = "o-1"
		form, _ := json.Marshal(fields)
		text := strings.ReplaceAll(changed("reorder: any", "headers: {Content-Type: application/x-www-form-urlencoded}"),
			`body: {order_id: "o-1", amount: 1999, currency: EUR}`, "form: "+string(form))
		_, plans := plansFor(rt, text)
		first := map[string]url.Values{}
		changes := 0
		for _, q := range plans["conflict"].Requests {
			form, err := url.ParseQuery(string(q.Body))
			if err != nil {
				rt.Fatalf("form %q: %v", q.Body, err)
			}
			switch {
			case strings.HasSuffix(q.ID, "/original"):
				first[family(q)] = form
			case strings.HasSuffix(q.ID, "/changed"):
				was := first[family(q)]
				var differ []string
				for name := range maps.Keys(was) {
					if !slices.Equal(form[name], was[name]) {
						differ = append(differ, name)
					}
				}
				for name := range form {
					if was[name] == nil {
						differ = append(differ, name)
					}
				}
				escape := strings.NewReplacer("~", "~0", "/", "~1")
				named := len(differ) == 1 && strings.HasPrefix(q.Change, "/"+escape.Replace(differ[0]))
				pair := len(differ) == 2 && strings.HasSuffix(q.Change, " with one character moved")
				if !named && !pair && (len(differ) != 1 || q.Change != "an unknown member added") {
					rt.Fatalf("%q changes %v", q.Change, differ)
				}
				if strings.HasPrefix(q.ID, "conflict/change-") {
					changes++
				}
			}
		}
		if want := len(fields) + 2; changes < len(fields) || changes > want*2 {
			rt.Fatalf("%d changes of %d fields", changes, len(fields))
		}
	})
}

// oneKey gives every operation the same key, as a recipe without a fresh value does.
type oneKey struct{}

func (oneKey) Key(*contract.Operation, [32]byte, []byte) (string, error) { return "chg_1_always", nil }

// noKey cannot make keys.
type noKey struct{}

func (noKey) Key(*contract.Operation, [32]byte, []byte) (string, error) {
	return "", fmt.Errorf("/customer/id is absent")
}

// TestPlansRefused: what cannot be planned is an error, not a run that shows nothing.
func TestPlansRefused(t *testing.T) {
	for _, c := range []struct {
		name, contract string
		keys           probe.KeyMaker
		want           string
	}{
		{"a recipe without a fresh value", charge, oneKey{}, "get one key: the recipe's identity holds no fresh value"},
		{"a recipe that cannot be followed", charge, noKey{}, "/customer/id is absent"},
		{"too few integers", changed("fresh: [{at: /amount, as: integer, max: 999}]", `effects: {http: {path: "/c?a={fresh:/amount}", count: "$[*]"}}`),
			probe.GeneratedKeys{}, "fresh /amount has 999 values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			parsed, err := contract.Parse("contract.yaml", []byte(c.contract), nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = probe.Plans(parsed.Operations[0], probe.Env{RunID: "00000000000000a1", Keys: c.keys}, probe.Selection{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

package probe_test

import (
	"encoding/json"
	"fmt"
	"net/url"
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

// TestChangesAreOne: every changed body differs from its original in the one
// value that its name tells, keeps that value's type, and no two changes of a
// plan are the same.
func TestChangesAreOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		_, plans := plansFor(rt, withBody(drawJSON(3).Draw(rt, "body")))
		original := map[string]*probe.Request{}
		names := map[string]bool{}
		for _, q := range plans["conflict"].Requests {
			switch {
			case strings.HasSuffix(q.ID, "/original"):
				original[family(q)] = q
			case strings.HasSuffix(q.ID, "/changed"):
				first := original[family(q)]
				ds := fingerprint.Diff(parsed(rt, first.Body), parsed(rt, q.Body), fingerprint.DiffOptions{Public: true})
				if len(ds) != 1 || q.Change != ds[0].Pointer+" changed" {
					rt.Fatalf("%s: %q changes %+v", q.ID, q.Change, ds)
				}
				if ds[0].Change == fingerprint.TypeChanged && ds[0].Before != "null" {
					rt.Fatalf("%s: the type of %s changes: %+v", q.ID, ds[0].Pointer, ds)
				}
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

// TestSpellingsAreSame: every other spelling of a body is the same JSON value
// in other bytes, with its numbers spelled as they were.
func TestSpellingsAreSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		_, plans := plansFor(rt, withBody(drawJSON(3).Draw(rt, "body")))
		var first *probe.Request
		respelt := 0
		for _, q := range plans["reorder"].Requests {
			switch {
			case strings.HasSuffix(q.ID, "/original"):
				first = q
			case strings.HasSuffix(q.ID, "/respelt"):
				respelt++
				if string(q.Body) == string(first.Body) {
					rt.Fatalf("%s is spelled alike", q.ID)
				}
				if ds := fingerprint.Diff(parsed(rt, first.Body), parsed(rt, q.Body), fingerprint.DiffOptions{}); len(ds) > 0 {
					rt.Fatalf("%s is another value: %+v", q.ID, ds)
				}
			}
		}
		if respelt != 4 {
			rt.Fatalf("%d spellings", respelt)
		}
	})
}

// TestFormChanges holds the same of form fields.
func TestFormChanges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		fields := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b c", "d&e", "é", "f/g", "h~i", "amount[0]"}), rapid.SampledFrom([]string{"", "1", "x=y", "ü&", "EUR"}), 0, 5).Draw(rt, "fields")
		fields["order_id"] = "o-1"
		form, _ := json.Marshal(fields)
		text := strings.ReplaceAll(changed("reorder: any", "headers: {Content-Type: application/x-www-form-urlencoded}"),
			`body: {order_id: "o-1", amount: 1999, currency: EUR}`, "form: "+string(form))
		_, plans := plansFor(rt, text)
		var first url.Values
		changes := 0
		for _, q := range plans["conflict"].Requests {
			form, err := url.ParseQuery(string(q.Body))
			if err != nil || len(form) != len(fields) {
				rt.Fatalf("form %q: %v", q.Body, err)
			}
			switch {
			case strings.HasSuffix(q.ID, "/original"):
				first = form
			case strings.HasSuffix(q.ID, "/changed"):
				changes++
				var differ []string
				for name := range form {
					if form.Get(name) != first.Get(name) {
						differ = append(differ, name)
					}
				}
				want := strings.NewReplacer("~1", "/", "~0", "~").Replace(strings.TrimSuffix(strings.TrimPrefix(q.Change, "/"), " changed"))
				if len(differ) != 1 || differ[0] != want {
					rt.Fatalf("%q changes %v", q.Change, differ)
				}
			}
		}
		if changes != len(fields) {
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

package pack

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/document"
)

func carry(t *testing.T, contract string, bodies map[string]string) (*Carried, error) {
	t.Helper()
	o := Own{File: "c.yaml", Contract: []byte(contract), Payload: []byte("the payload"), Bodies: map[string][]byte{}}
	for name, body := range bodies {
		o.Bodies[name] = []byte(body)
	}
	return o.Carry()
}

// TestOnlyNamesChange: every other byte of the contract stays.
func TestOnlyNamesChange(t *testing.T) {
	for from, to := range map[string]string{
		"operations: [{key: {recipe: recipe.yaml}}]":                                                                "operations: [{key: {recipe: recipe.yaml}}]",
		"operations: [{key: {recipe: a.yaml}}]":                                                                     "operations: [{key: {recipe: recipe.yaml}}]",
		"operations: [{key: {recipe: 'it''s.yaml' }}] # it's":                                                       "operations: [{key: {recipe: 'recipe.yaml' }}] # it's",
		`{"operations":[{"key":{"recipe":"\u0061\".yaml"}}]}`:                                                       `{"operations":[{"key":{"recipe":"recipe.yaml"}}]}`,
		"operations:\r\n- key:\r\n    recipe: a.yaml\r\n":                                                           "operations:\r\n- key:\r\n    recipe: recipe.yaml\r\n",
		"é: 漢\noperations: [{\"é漢🛒\": x, key: {recipe: a}}, {key: {recipe: a}}]":                                    "é: 漢\noperations: [{\"é漢🛒\": x, key: {recipe: recipe.yaml}}, {key: {recipe: recipe.yaml}}]",
		"recipe: a\noperations: [{request: {body: {recipe: a, body_file: b}}}]":                                     "recipe: a\noperations: [{request: {body: {recipe: a, body_file: b}}}]",
		"operations: [{request: {body_file: p.json, variants: {large: {body_file: q/r.json}}}}]":                    "operations: [{request: {body_file: payload.json, variants: {large: {body_file: bodies/1.json}}}}]",
		"operations: [{request: {body_file: q/r.json, variants: {a: {body_file: q/r.json}, b: {body_file: con}}}}]": "operations: [{request: {body_file: bodies/1.json, variants: {a: {body_file: bodies/1.json}, b: {body_file: bodies/2}}}}]",
	} {
		got, err := carry(t, from, map[string]string{"p.json": "the payload", "q/r.json": "large"})
		if err != nil || string(got.Contract) != to {
			t.Errorf("%s: %v, %+v", from, err, got)
		}
		if want := min(1, strings.Count(from, "q/r.json")) + strings.Count(from, "con}"); len(got.Further) != want {
			t.Errorf("%s: %v", from, got.Further)
		}
	}
}

func TestNamesThatCannotChange(t *testing.T) {
	for _, contract := range []string{
		"operations:\n- key:\n    recipe: >-\n      a.yaml\n", "operations:\n- key:\n    recipe: |-\n      a.yaml\n", "operations: [{key: {recipe: \"a\\\n  b\"}}]", "operations: [{key: {recipe: a\n  b}}]",
		"operations: [{request: {body_file: ../x}}]", "operations: [{request: {body_file: /x}}]", "operations: [{request: {body_file: .env}}]", "operations: [{request: {body_file: a/.git/config}}]", `operations: [{request: {body_file: '..\x'}}]`, "operations: [{request: {body_file: 'c:x'}}]", "operations: [",
	} {
		if got, err := carry(t, contract, nil); err == nil {
			t.Errorf("%q gave %q", contract, got.Contract)
		} else if !strings.HasPrefix(err.Error(), "c.yaml:") {
			t.Errorf("%q: %v", contract, err)
		}
	}
}

// TestABodyIsDataAlone: no name that a contract gives a body is that of a
// program, a setting or a workflow in the pack, and every body is told.
func TestABodyIsDataAlone(t *testing.T) {
	for name, want := range map[string]string{
		"pattern/go/zz.go": "bodies/1", "pattern/go/zz_test.go": "bodies/1", "idem.yaml": "bodies/1", "go.work": "bodies/1", "compose.override.yaml": "bodies/1",
		"Makefile": "bodies/1", "README.md": "bodies/1", "package.json": "bodies/1.json", "LARGE.JSON": "bodies/1.json", "a.xml": "bodies/1.xml", "a.sh": "bodies/1",
		"bodies/1.json": "bodies/1.json", "漢字/é.csv": "bodies/1.csv", "a.txt": "bodies/1.txt", "-rf": "bodies/1",
	} {
		got, err := carry(t, "operations: [{request: {body_file: \""+name+"\"}}]", map[string]string{name: "package main"})
		if err != nil || len(got.Further) != 1 || got.Further[0].Name != want || got.Further[0].Executable || string(got.Further[0].Content) != "package main" {
			t.Errorf("%s: %v, %+v", name, err, got)
			continue
		}
		if got.Renamed[name] != want || !strings.Contains(string(got.Contract), want) {
			t.Errorf("%s: %v, %s", name, got.Renamed, got.Contract)
		}
	}
}

// TestAPayloadFromElsewhere is the caller's to name, and not the contract's.
func TestAPayloadFromElsewhere(t *testing.T) {
	for _, given := range []bool{true, false} {
		o := Own{File: "c.yaml", Contract: []byte("operations: [{request: {body_file: ../x.json}}]"), Payload: []byte("{}"), Given: given,
			Bodies: map[string][]byte{"../x.json": []byte("{}")}}
		if got, err := o.Carry(); (err == nil) != given {
			t.Errorf("given: %v, %+v, %v", given, got, err)
		}
	}
}

// TestTheRestOfAnyContractStays, whatever its names are.
func TestTheRestOfAnyContractStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		note, recipe := texts().Draw(t, "note"), texts().Draw(t, "recipe")
		text := func(recipe string) []byte {
			b, err := json.Marshal(map[string]any{"a": note, "operations": []any{map[string]any{note + "x": note, "key": map[string]any{"recipe": recipe}, "z": note}}, "z": note})
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		if _, err := document.Parse("c.yaml", text(recipe)); err != nil {
			t.Skip("no document")
		}
		o := Own{File: "c.yaml", Contract: text(recipe)}
		got, err := o.Carry()
		if err != nil || !bytes.Equal(got.Contract, text(RecipeName)) {
			t.Fatalf("%v: %s", err, text(recipe))
		}
	})
}

func TestWhatALiveRunNeeds(t *testing.T) {
	got, err := Needs("c.yaml", []byte(`target: {auth: {command: [./sign, x/y]}, other_auth: {file: token.key}}
limits: {cleanup: {run: ["${HOME}/x"]}}
operations:
- request: {body: {run: [./not], file: a/b}, headers: {file: a/b}}
  effects: {command: {run: [count, a/b]}}
  crash: {hooks: {kill: [scripts/kill.sh], start: [/usr/bin/api]}}
  expiry: {advance: [sh, -c, "./x"]}
`))
	want := []string{`c.yaml:1:27: "./sign"`, `c.yaml:1:61: "token.key"`, `c.yaml:6:26: "scripts/kill.sh"`}
	if err != nil || len(got) != len(want) {
		t.Fatal(err, got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("%s, not %s", got[i], want[i])
		}
	}
	if _, err := Needs("c.yaml", []byte("[")); err == nil {
		t.Error("no document was taken for one")
	}
}

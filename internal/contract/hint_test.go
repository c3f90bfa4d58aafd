package contract

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// A hint is what one types next: put in the place of what was wrong, every
// form that it offers must be read.
func TestHintsOfAnswersAreRight(t *testing.T) {
	places := []struct{ file, old, name string }{
		{"example.yaml", "duplicate: replay", "duplicate"},
		{"example.yaml", `conflict: {status: [409, 422], covers: [""], ignore: [/note], types: advisory}`, "conflict"},
		{"example.yaml", "in_flight: {status: [409], wait: true}", "in_flight"},
		{"example.yaml", "missing_key: {status: [400]}", "missing_key"},
		{"example.yaml", "after_retention: any", "after_retention"},
		{"example.yaml", `"409": any`, `"409"`},
		{"example.yaml", "repeated: {status: [400]}", "repeated"},
		{"example.yaml", "too_long: {status: [400]}", "too_long"},
	}
	wrong := []string{"reject", "refuse", "wait", "error", "locked", "none", `"409"`, "425", "[409]", "[409, 422]", "true", "false", "null", "{}", "{status: 409}", "{status: []}"}
	for _, place := range places {
		src, err := os.ReadFile(filepath.Join(contracts, "good", place.file))
		if err != nil || strings.Count(string(src), place.old) != 1 {
			t.Fatalf("%s does not hold %q once: %v", place.file, place.old, err)
		}
		with := func(value string) error {
			_, err := Parse(place.file, []byte(strings.Replace(string(src), place.old, place.name+": "+value, 1)), beside)
			return err
		}
		for _, value := range wrong {
			err := with(value)
			if err == nil {
				continue
			}
			hint := problem.Hint(err)
			if hint == "" {
				t.Errorf("%s: %s: no hint: %s", place.name, value, err)
			}
			if strings.HasPrefix(hint, "known keys: ") || strings.HasPrefix(hint, "did you mean ") {
				continue
			}
			for _, form := range forms(place.name, hint) {
				if err := with(form); err != nil {
					t.Errorf("%s: %s: the hint %q offers %q: %s", place.name, value, hint, form, err)
				}
			}
		}
	}
}

// forms takes the values that a hint offers for a name.
func forms(name, hint string) []string {
	var out []string
	for form := range strings.SplitSeq(hint, ", or ") {
		value, named := strings.CutPrefix(form, name+": ")
		if !named && strings.HasPrefix(value, "status: ") {
			value = "{" + value + "}"
		}
		out = append(out, value)
	}
	return out
}

// Where an answer may stand, it is offered to whoever writes a word for it.
func TestTheAnswerIsOffered(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"duplicate: reject", "duplicate: {status: [409]}, or replay, or current"},
		{"conflict: reject", "conflict: {status: [409]}, or replay, or execute"},
		{`conflict: "422"`, "conflict: {status: [422]}, or replay, or execute"},
		{"conflict: [409, 422]", "conflict: {status: [409, 422]}"},
		{"conflict: excute", `did you mean "execute"?`},
		{"in_flight: wait", "in_flight: {wait: true}, or {status: [409]}"},
		{"in_flight: true", "in_flight: {wait: true}, or {status: [409]}"},
		{"in_flight: reject", "in_flight: {status: [409]}, or {wait: true}"},
		{`in_flight: "425"`, "in_flight: {status: [425]}, or {wait: true}"},
		{"in_flight: {}", "in_flight: {wait: true}, or {status: [409]}"},
		{"missing_key: reject", "missing_key: {status: [400]}, or execute"},
		{"after_retention: reject", "after_retention: {status: [412]}, or any, or execute"},
		{`stored: {"4xx": reject}`, `"4xx": {status: [422]}, or replay, or release, or any`},
		{`stored: {"4xx": 400}`, `"4xx": {status: [400]}`},
	} {
		src := strings.Replace(smallest, "    promise: {}", "    promise: {"+c.line+"}", 1)
		_, err := Parse("c.yaml", []byte(src), nil)
		if got := problem.Hint(err); got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}

const smallest = `idem: contract/v1
name: smallest
target: {base_urls: [http://localhost:8080]}
operations:
  - name: create
    request: {method: POST, path: /a}
    key: {header: Idempotency-Key, generate: uuid4}
    promise: {}
`

func TestOneWordIsNoChoice(t *testing.T) {
	n, err := document.Parse("c.yaml", []byte("as: x"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = n.Lookup("as").AsEnum("as", "imf-fixdate")
	if problem.Hint(err) != "as: imf-fixdate" {
		t.Error(problem.Hint(err))
	}
}

package fingerprint

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/problem"
)

// canonicalCase is one entry of testdata/cases/canonical.json: canonical is
// accepted always, strict and ieee754 part ways, error is refused always.
type canonicalCase struct {
	Why       string
	Input     []byte `json:"input_base64"`
	Canonical *string
	Strict    string
	IEEE754   *string `json:"ieee754"`
	Error     Class
}

func readCases(t *testing.T) []canonicalCase {
	t.Helper()
	var cases []canonicalCase
	readJSON(t, "../../testdata/cases/canonical.json", &cases)
	if len(cases) < 40 {
		t.Fatalf("only %d cases", len(cases))
	}
	return cases
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(src, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func TestCanonicalCases(t *testing.T) {
	for _, c := range readCases(t) {
		t.Run(strings.ReplaceAll(c.Why, " ", "_"), func(t *testing.T) {
			switch {
			case c.Canonical != nil:
				wantCanonical(t, c.Input, Strict, *c.Canonical)
				wantCanonical(t, c.Input, IEEE754, *c.Canonical)
			case c.Error != "":
				wantRefused(t, c.Input, Strict, c.Error)
				wantRefused(t, c.Input, IEEE754, c.Error)
			case c.Strict == "refused" && c.IEEE754 != nil:
				wantRefused(t, c.Input, Strict, LossyNumber)
				wantCanonical(t, c.Input, IEEE754, *c.IEEE754)
			default:
				t.Fatal("a case of no known form")
			}
		})
	}
}

// wantCanonical tries the text and, since it must come out the same, its tree.
func wantCanonical(t *testing.T, src []byte, n Numbers, want string) {
	t.Helper()
	got, err := Canonical(src, n)
	if err != nil || string(got) != want {
		t.Errorf("%s: got %s, %v; want %s", n, got, err, want)
	}
	if err := Admit(src); err != nil {
		t.Errorf("not admitted: %v", err)
	}
	v, err := Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v.Canonical(n, ""); err != nil || string(got) != want {
		t.Errorf("%s, tree: got %s, %v; want %s", n, got, err, want)
	}
}

func wantRefused(t *testing.T, src []byte, n Numbers, class Class) *Error {
	t.Helper()
	_, err := Canonical(src, n)
	var e *Error
	if !errors.As(err, &e) || e.Class != class {
		t.Fatalf("%s: got %v; want %s", n, err, class)
	}
	var p *problem.Error
	if !errors.As(err, &p) || p.Where == "" {
		t.Errorf("%s: %q names no place", n, err)
	}
	if !strings.HasPrefix(p.Where, "/") && !strings.HasPrefix(p.Where, "byte ") {
		t.Errorf("%s: %q names neither pointer nor offset", n, err)
	}
	if class != LossyNumber {
		if err := Admit(src); !errors.As(err, &e) || e.Class != class {
			t.Errorf("admit: got %v; want %s", err, class)
		}
	}
	return e
}

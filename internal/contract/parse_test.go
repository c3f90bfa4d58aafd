package contract

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/problem"
)

func TestGoodFiles(t *testing.T) {
	for _, name := range goodFiles {
		c := good(t, name)
		golden(t, "good/"+name+".golden", dump(c, true))
		src, _ := os.ReadFile(filepath.Join(contracts, "good", name))
		if !bytes.Equal(c.Source, src) || len(c.SHA256) != 64 || c.File != name {
			t.Errorf("%s: source, digest or name is not kept", name)
		}
	}
	found, err := filepath.Glob(filepath.Join(contracts, "good", "*.yaml"))
	if err != nil || len(found)+1 != len(goodFiles) {
		t.Errorf("%d files, %d tried", len(found)+1, len(goodFiles))
	}
}

// A trace carries the contract's bytes and none of the files beside it.
func TestWithoutFiles(t *testing.T) {
	for _, name := range goodFiles {
		whole := good(t, name)
		bare, err := Parse(name, whole.Source, nil)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for line := range strings.Lines(dump(whole, true)) {
			if !strings.Contains(line, ".Raw = ") && !(strings.Contains(line, "[large].Body.JSON") || strings.Contains(line, "Operations[1].Request.Body.JSON") && name == "references.yaml") {
				want = append(want, line)
			}
		}
		if got := dump(bare, true); got != strings.Join(want, "") {
			t.Errorf("%s: read without files, it says something else:\n%s", name, got)
		}
		if _, err := bare.Resolve(func(string) (string, bool) { return "7", true }); name == "example.yaml" && err != nil {
			t.Error(err)
		}
	}
}

func TestPlaces(t *testing.T) {
	c := good(t, "example.yaml")
	p := c.Operations[0].Promise
	for got, want := range map[string]string{
		c.Where(p.Conflict.Pos):          "example.yaml:44",
		c.Where(p.Lease.Pos):             "example.yaml:53",
		c.Where(p.Stored[2].Pos):         "example.yaml:49",
		c.Where(c.Operations[0].Pos):     "example.yaml:14",
		c.Where(c.Operations[0].Key.Pos): "example.yaml:32",
		c.Where(Pos{}):                   "example.yaml",
	} {
		if got != want {
			t.Errorf("got %s want %s", got, want)
		}
	}
	words := good(t, "words.yaml").Operations
	if got, want := good(t, "words.yaml").NotStated(words[1].Promise.Duplicate.Pos, "promise.duplicate"), "words.yaml:13: promise.duplicate is not stated"; got != want {
		t.Errorf("got %s want %s", got, want)
	}
	small := good(t, "minimal.yaml")
	if got, want := small.NotStated(small.Operations[0].Promise.Conflict.Pos, "promise.conflict"), "minimal.yaml:6: promise.conflict is not stated"; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

// The bytes of a body are those of the file: members in its order, numbers as
// spelled there.
func TestBodyBytes(t *testing.T) {
	c := good(t, "replicas.json")
	want := `{"idempotency_key":"k","amount":10.50,"big":123456789012345678901234567890,"id":"😀"}`
	if got := string(c.Operations[0].Request.Body.JSON); got != want {
		t.Errorf("got %s want %s", got, want)
	}
	c = good(t, "references.yaml")
	if b := c.Operations[3].Request.Body; b.Kind != RawBody || !bytes.Equal(b.Raw, []byte{0, 1, 0xff}) {
		t.Errorf("%+v", b)
	}
	if b := c.Operations[1].Request.Body; b.Kind != JSONBody || !bytes.Equal(b.Raw, b.JSON) || !bytes.HasSuffix(b.JSON, []byte("}\n")) {
		t.Errorf("%+v", b)
	}
	if f := c.Operations[0].Request.Body.Form; len(f) != 3 || f[2] != [2]string{"${not filled}", "${NOR_THIS}"} {
		t.Errorf("a form is data, but it reads %q", f)
	}
}

func TestStoredFor(t *testing.T) {
	p := good(t, "example.yaml").Operations[0].Promise
	for status, want := range map[int]string{200: "replay", 299: "replay", 400: "replay", 409: "any", 500: "release"} {
		if rule, ok := p.StoredFor(status); !ok || rule.Outcome.Mode != want {
			t.Errorf("%d: %v %v", status, rule, ok)
		}
	}
	if rule, ok := p.StoredFor(302); ok {
		t.Errorf("302: %v", rule)
	}
	p.Stored[0], p.Stored[2] = p.Stored[2], p.Stored[0]
	if rule, _ := p.StoredFor(409); rule.Outcome.Mode != "any" {
		t.Errorf("with the exact status first: %v", rule)
	}
}

func TestKeyRulesAdmit(t *testing.T) {
	k := &KeyRules{MinLength: 2, MaxLength: 3, Pattern: "^[a-zé]+$"}
	for key, want := range map[string]string{"ab": "", "abc": "", "ééé": "", "a": "min_length", "abcd": "max_length", "aB": "pattern"} {
		if got := k.Admits(key); got != want {
			t.Errorf("%q: %q", key, got)
		}
	}
	if got := (*KeyRules)(nil).Admits(""); got != "" {
		t.Error(got)
	}
}

// Every bad file is refused with the words of its golden.
func TestBadFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(contracts, "bad", "*.[yj][as][mo][ln]"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var all strings.Builder
	for _, path := range files {
		name := filepath.Base(path)
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Parse(name, src, beside)
		if err == nil {
			t.Errorf("%s is read", name)
			continue
		}
		all.WriteString(told(t, err) + "\n")
	}
	golden(t, "bad/errors.golden", all.String())
}

// told gives an error as the command line shows it.
func told(t *testing.T, err error) string {
	t.Helper()
	var p *problem.Error
	if !errors.As(err, &p) {
		t.Errorf("%v is no problem.Error", err)
		return ""
	}
	s := err.Error() + "\n"
	if hint := problem.Hint(err); hint != "" {
		s += "hint: " + hint + "\n"
	}
	return s
}

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// read has the test's own program described, which is a Go program like any.
func read(t *testing.T, o options) []byte {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.out = filepath.Join(t.TempDir(), "x.cdx.json")
	if err := run(&o, program); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(o.out)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestDocument(t *testing.T) {
	o := options{version: "1.2.3-rc.1+x", date: "2026-11-30T11:15:00+01:00"}
	text := read(t, o)
	if !bytes.Equal(text, read(t, o)) {
		t.Error("the same program gives two documents")
	}
	var got bom
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	self := got.Metadata.Component
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256(content)
	switch {
	case got.Format != "CycloneDX" || got.Spec != "1.6" || got.Version != 1:
		t.Errorf("the head: %+v", got)
	case got.Metadata.Timestamp != "2026-11-30T10:15:00Z":
		t.Errorf("the time: %s", got.Metadata.Timestamp)
	case self.PURL != "pkg:golang/github.com/idem-toolkit/idem@v1.2.3-rc.1+x":
		t.Errorf("purl: %s", self.PURL)
	case self.Hashes[0].Content != hex.EncodeToString(digest[:]):
		t.Errorf("digest: %s", self.Hashes[0].Content)
	case !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(got.Serial):
		t.Errorf("serial: %s", got.Serial)
	}
	refs := map[string]bool{self.Ref: true}
	std := false
	for _, c := range got.Components {
		if refs[c.Ref] || c.Version == "" {
			t.Errorf("named twice, or without a version: %+v", c)
		}
		refs[c.Ref] = true
		std = std || c.Name == "std" && !strings.HasPrefix(c.Version, "go")
	}
	if !std {
		t.Error("the standard library is missing")
	}
	for _, ref := range got.Dependencies[0].On {
		if !refs[ref] {
			t.Errorf("%s is needed and no component", ref)
		}
	}
	if other := read(t, options{version: "1.2.4", date: o.date}); bytes.Contains(other, []byte(got.Serial)) {
		t.Error("another version has the same serial number")
	}
}

func TestPackageURLs(t *testing.T) {
	for path, want := range map[string]string{
		"github.com/jackc/pgx/v5": "pkg:golang/github.com/jackc/pgx/v5@v5.13.0",
		"example.com/a b/c%d":     "pkg:golang/example.com/a%20b/c%25d@v5.13.0",
		"example.com/x?y#z":       "pkg:golang/example.com/x%3Fy%23z@v5.13.0",
	} {
		if got := purl(path, "v5.13.0"); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestWhatIsRefused(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "x.json")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ program, date string }{{text, ""}, {text + "x", ""}, {program, "today"}} {
		if run(&options{out: out, version: "1", date: c.date}, c.program) == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a refused program leaves a document")
	}
}

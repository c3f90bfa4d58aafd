package contract

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/problem"
)

// FuzzParse: nothing that a file holds makes the reader panic, every refusal
// has its place inside the file, and what is read is read alike again.
func FuzzParse(f *testing.F) {
	for _, dir := range []string{"good", "bad"} {
		files, err := filepath.Glob(filepath.Join(contracts, dir, "*.[yj]*"))
		if err != nil || len(files) == 0 {
			f.Fatal(err, files)
		}
		for _, path := range files {
			src, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	for _, e := range edits {
		src, err := os.ReadFile(filepath.Join(contracts, "good", e.file))
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(strings.Replace(string(src), e.old, e.new, 1)))
	}
	files := map[string][]byte{"large.json": []byte(`{"order_id": "o", "ref": 1}`), "bytes.bin": {0, 1}, "empty": nil}
	load := func(path string) ([]byte, error) {
		if src, ok := files[path]; ok {
			return src, nil
		}
		return nil, os.ErrNotExist
	}
	value := func(name string) (string, bool) { return "7", !strings.HasPrefix(name, "UNSET") }
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := Parse("f.yaml", src, load)
		if err != nil {
			inside(t, err, src)
			return
		}
		again, err := Parse("f.yaml", src, load)
		if err != nil || dump(again, true) != dump(c, true) {
			t.Fatalf("read again, it differs: %v", err)
		}
		if _, err := Parse("f.yaml", src, nil); err != nil {
			t.Fatalf("without its files: %v", err)
		}
		if filled, err := c.Resolve(value); err != nil {
			inside(t, err, src)
		} else if len(c.Settings()) == 0 && !bytes.Contains(src, []byte("${")) && dump(filled, true) != dump(c, true) {
			t.Fatal("resolving a file without references changes it")
		}
		for _, o := range c.Operations {
			o.EffectiveRetention()
			o.ExpiryRetention()
			o.Promise.Conflict.Value.Match.Match(409, nil, []byte(`{"error":{"type":"x"}}`))
			_ = o.Promise.Conflict.Value.Match.String()
		}
		if err := c.CheckHosts(); err != nil {
			inside(t, err, src)
		}
	})
}

// inside fails where an error has no place in the file.
func inside(t *testing.T, err error, src []byte) {
	var p *problem.Error
	if !errors.As(err, &p) {
		t.Fatalf("%v is no problem.Error", err)
	}
	parts := strings.Split(p.Where, ":")
	if strings.HasPrefix(p.What, "not valid YAML") {
		return // the place is the YAML library's, just after the end for some
	}
	if len(parts) != 3 || parts[0] != "f.yaml" {
		t.Fatalf("no place: %v", err)
	}
	line, err1 := strconv.Atoi(parts[1])
	column, err2 := strconv.Atoi(parts[2])
	lines := bytes.Split(src, []byte("\n"))
	if err1 != nil || err2 != nil || line < 1 || line > len(lines) || column < 1 || column > utf8.RuneCount(lines[line-1])+1 {
		t.Fatalf("a place outside the file of %d lines: %v", len(lines), err)
	}
	if !utf8.ValidString(p.Error()+p.Hint) || strings.ContainsAny(p.What, "\n\r\x00\x1b") {
		t.Fatalf("an error that does not print: %q", p.Error())
	}
}

func FuzzReferences(f *testing.F) {
	for _, s := range []string{"", "${A}", "$${A}", "${", "${1}", "a${B}c$D", "$$${X}", "{fresh:/a}", "{fresh:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		pieces, bad := references(s)
		if bad != "" {
			if !strings.Contains(s, bad) {
				t.Fatalf("%q is not in %q", bad, s)
			}
			return
		}
		var b strings.Builder
		for _, p := range pieces {
			if p.name != "" {
				b.WriteString("${" + p.name + "}")
				continue
			}
			b.WriteString(strings.ReplaceAll(p.literal, "${", "$${"))
		}
		if b.String() != s {
			t.Fatalf("%q becomes %q", s, b.String())
		}
		if got := FillFresh(s, func(p string) string { return freshOpen + p + "}" }); got != s {
			t.Fatalf("%q becomes %q", s, got)
		}
	})
}

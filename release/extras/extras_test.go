package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/cmd"
	"github.com/idem-toolkit/idem/internal/testneed"
)

// made runs the program once and gives what it wrote, by name.
func made(t *testing.T, o options) map[string]string {
	t.Helper()
	if err := run(&o); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	err := filepath.WalkDir(o.out, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(o.out, path)
		files[filepath.ToSlash(name)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestTheSameBytesTwice(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	day := "2026-11-30T10:15:00Z"
	one := made(t, options{out: t.TempDir(), version: "1.2.3", date: day})
	if two := made(t, options{out: t.TempDir(), version: "1.2.3", date: day}); !maps.Equal(one, two) {
		t.Error("two runs differ")
	}
	for _, name := range []string{"man/idem.1.gz", "man/idem-recipe-lint.1.gz", "completions/_idem", "completions/idem.bash",
		"completions/idem.fish", "completions/idem.ps1", "LICENSES.txt"} {
		if one[name] == "" {
			t.Errorf("%s is missing or empty", name)
		}
	}
	if page := unpacked(t, one["man/idem.1.gz"]); !strings.Contains(page, `.TH "IDEM" "1" "2026\-11\-30" "idem 1.2.3"`) {
		t.Errorf("the page's head: %.100s", page)
	}
	if other := made(t, options{out: t.TempDir(), version: "1.2.4", date: day}); maps.Equal(one, other) {
		t.Error("another version makes the same pages")
	}
	for _, path := range []string{"Go ", "github.com/spf13/cobra v", "modernc.org/sqlite v", "github.com/inconshreveable/mousetrap v"} {
		if !strings.Contains(one["LICENSES.txt"], "\n"+path) {
			t.Errorf("no licence of %s", path)
		}
	}
	if strings.Contains(one["LICENSES.txt"], "pgregory.net/rapid") {
		t.Error("the licence of a module that only tests use")
	}
}

func unpacked(t *testing.T, page string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != "" || !r.ModTime.IsZero() {
		t.Error("the gzip header has a name or a time")
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWhatIsRefused(t *testing.T) {
	for _, o := range []options{
		{out: "", date: "2026-11-30"},
		{out: t.TempDir(), date: ""},
		{out: t.TempDir(), date: "yesterday at ten"},
		{out: t.TempDir(), date: "2026-13-01"},
	} {
		if run(&o) == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	if _, err := (module{Path: "example.com/m", Version: "v1.0.0", Dir: t.TempDir()}).texts(); err == nil {
		t.Error("a module without a licence is taken")
	}
}

// Whatever a command says of itself is on its page, and the formatter of a
// reader's machine has nothing to say against it.
func TestPagesRender(t *testing.T) {
	groff := testneed.Program(t, "groff")
	root := cmd.Tree()
	for name, page := range manual(root, "1.2.3", time.Unix(0, 0).UTC()) {
		format := exec.Command(groff, "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=400n")
		format.Stdin = bytes.NewReader(page)
		var said bytes.Buffer
		format.Stderr = &said
		out, err := format.Output()
		if err != nil || said.Len() > 0 {
			t.Errorf("%s: %v\n%s", name, err, said.String())
		}
		path := strings.Split(strings.TrimSuffix(name, ".1"), "-")
		c, _, err := root.Find(path[1:])
		if err != nil {
			t.Error(err)
			continue
		}
		for _, line := range strings.Split(c.Example, "\n") {
			if line = strings.TrimSpace(line); !bytes.Contains(out, []byte(line)) {
				t.Errorf("%s: the example %q is not on the page", name, line)
			}
		}
		if !bytes.Contains(out, []byte(c.Short)) || c.Runnable() && !bytes.Contains(out, []byte("--help")) {
			t.Errorf("%s says less than the command\n%s", name, out)
		}
	}
}

// The formatter's own signs are text like any other.
func TestNothingOfATextIsARequest(t *testing.T) {
	groff := testneed.Program(t, "groff")
	text := ".so /etc/passwd\n'br\n\\n[x] -- it's `quoted` \"twice\" ~ ^"
	r := &roff{}
	r.request("TH", "X", "1")
	r.section(`A "title" \(co`)
	r.verbatim(text)
	format := exec.Command(groff, "-man", "-Tutf8", "-ww", "-P-cbou")
	format.Stdin = bytes.NewReader(r.Bytes())
	out, err := format.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range append(strings.Split(text, "\n"), `A "title" \(co`) {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not there:\n%s", want, out)
		}
	}
}

// A cask names each page.
func TestTheCaskNamesEveryPage(t *testing.T) {
	config, err := os.ReadFile(filepath.Join("..", "..", ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, m := range regexp.MustCompile(`(?m)^      - man/(\S+)\.gz$`).FindAllStringSubmatch(string(config), -1) {
		named = append(named, m[1])
	}
	if want := slices.Sorted(maps.Keys(manual(cmd.Tree(), "1.2.3", time.Unix(0, 0)))); !slices.Equal(named, want) {
		t.Errorf(".goreleaser.yaml has\n%q\nand the manual\n%q", named, want)
	}
}

func TestHiddenCommandsHaveNoPage(t *testing.T) {
	root := &cobra.Command{Use: "x", Short: "s"}
	root.AddCommand(&cobra.Command{Use: "seen", Run: func(*cobra.Command, []string) {}}, &cobra.Command{Use: "unseen", Hidden: true, Run: func(*cobra.Command, []string) {}})
	pages := manual(root, "1", time.Unix(0, 0))
	if len(pages) != 2 || pages["x-seen.1"] == nil {
		t.Errorf("pages: %v", slices.Collect(maps.Keys(pages)))
	}
}

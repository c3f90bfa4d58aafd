package house

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block is one fenced block of a page with the mark above it, a comment:
//
//	run             its commands are run, in the page's folder, and end with 0
//	run, exit N     and end with N
//	run: NAME       they are run by another test, see told
//	not run: WHY
//	file: NAME      it is written to that file
//	prints          the commands before it print it, and ... is any lines
//
// Two comments are of the whole page: "in: the project", whose commands are of
// the project's root, and "needs: PROGRAM, ..." that not every machine has.
type block struct {
	mark string // empty without
	lang string
	text string
	line int
	said string // the prose before it
}

var marked = regexp.MustCompile(`^<!-- (.*) -->$`)

// blocks reads the fenced blocks of a Markdown page.
func blocks(page string) []block {
	var out []block
	var mark, said string
	var open *block
	n := 0
	for line := range strings.Lines(page) {
		n++
		line = strings.TrimRight(line, "\r\n")
		fence, fenced := strings.CutPrefix(line, "```")
		switch {
		case open != nil && fenced:
			out = append(out, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		case fenced:
			open = &block{mark: mark, lang: fence, line: n, said: said}
			mark, said = "", ""
		case marked.MatchString(line):
			mark = marked.FindStringSubmatch(line)[1]
		case line != "":
			mark = ""
			said = line
		}
	}
	return out
}

// page is one that people read. Those of the pack are templates here, and are
// followed as the pack has them.
type page struct{ path, text string }

// pages gives all of them.
func pages(t *testing.T) []page {
	t.Helper()
	var out []page
	for _, f := range files(t) {
		if strings.HasSuffix(f.path, ".md") {
			out = append(out, page(f))
		}
	}
	err := filepath.WalkDir(filepath.Join(root, "internal", "pack", "files"), func(p string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".md.tmpl") {
			return err
		}
		text, err := os.ReadFile(p)
		rel, _ := filepath.Rel(root, p)
		out = append(out, page{filepath.ToSlash(rel), string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// told are the marks of blocks that another test or script runs, by page.
var told = map[string][]string{
	"README.md":     {"run: first"},                                 // .ci/fresh
	"docs/scale.md": {"run: parts", "run: parallel", "run: mapper"}, // cmd/parts_test.go

	"internal/pack/files/README.md.tmpl": {"run: node"}, // cmd/pack_readme_node_unix_test.go
}

// unmarked gives the command blocks of a page whose mark says nothing known.
func unmarked(p page) []string {
	known := regexp.MustCompile(`^(run|run, exit \d+|not run: .+|file: .+)$`)
	var out []string
	for _, b := range blocks(p.text) {
		switch b.lang {
		case "sh", "bash", "shell", "console":
		default:
			continue
		}
		if !known.MatchString(b.mark) && !slices.Contains(told[p.path], b.mark) {
			out = append(out, fmt.Sprintf("%s: a command block without a mark: %q", place(p.path, b.line), b.mark))
		}
	}
	return out
}

// A command that no test runs is one that is wrong some day.
func TestEveryCommandIsMarked(t *testing.T) {
	all := pages(t)
	for _, p := range all {
		for _, bad := range unmarked(p) {
			t.Error(bad)
		}
	}
	if len(all) < 20 {
		t.Errorf("only %d pages are read", len(all))
	}
}

// A reader sees no comment: the text names the file that a block is.
func TestThePagesSayWhatTheirMarksSay(t *testing.T) {
	for _, p := range pages(t) {
		for _, b := range blocks(p.text) {
			if name, ok := strings.CutPrefix(b.mark, "file: "); ok && !strings.Contains(b.said, "`"+name+"`") {
				t.Errorf("%s: the text before it does not name the file %s", place(p.path, b.line), name)
			}
		}
	}
}

// These two are what a newcomer types; .ci/fresh runs them in a fresh clone.
func TestTheFirstCommandsAreTwo(t *testing.T) {
	first := 0
	for _, b := range blocks(read(t, "README.md")) {
		if b.mark == "run: first" {
			first++
		}
		if b.mark == "run: first" && b.text != "go run . verify --demo\ngo test -timeout 45m ./...\n" {
			t.Errorf("the first commands are\n%s", b.text)
		}
	}
	if first != 1 {
		t.Errorf("README.md marks %d blocks as the first commands, not one", first)
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	all := files(t)
	there := map[string]bool{"LICENSE": true}
	for _, f := range all {
		there[f.path] = true
		for folder := f.path; strings.Contains(folder, "/"); {
			folder = folder[:strings.LastIndex(folder, "/")]
			there[folder] = true
		}
	}
	link := regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
	checked := 0
	for _, f := range all {
		if !strings.HasSuffix(f.path, ".md") {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(f.text, -1) {
			if strings.Contains(m[1], ":") {
				continue
			}
			checked++
			if to := resolve(f.path, m[1]); !there[to] {
				t.Errorf("%s links to %s, which is not there", f.path, m[1])
			}
		}
	}
	if checked == 0 {
		t.Error("no link was found: the pages are not read")
	}
}

// resolve takes a link of a page to a path from the root.
func resolve(page, link string) string {
	folder := ""
	if i := strings.LastIndex(page, "/"); i >= 0 {
		folder = page[:i]
	}
	var out []string
	for part := range strings.SplitSeq(folder+"/"+link, "/") {
		switch part {
		case "", ".":
		case "..":
			out = out[:max(0, len(out)-1)]
		default:
			out = append(out, part)
		}
	}
	return strings.Join(out, "/")
}

func TestUnmarkedCommandsAreSeen(t *testing.T) {
	for text, bad := range map[string]int{
		"```sh\na\n```\n":                               1,
		"<!-- run -->\n```sh\na\n```\n":                 0,
		"<!-- run, exit 1 -->\n\n```sh\na\n```\n":       0,
		"<!-- not run: it is slow -->\n```sh\na\n```\n": 0,
		"<!-- not run: -->\n```sh\na\n```\n":            1,
		"<!-- run: parts -->\n```sh\na\n```\n":          1,
		"<!-- run -->\ntext\n```bash\na\n```\n":         1,
		"```yaml\na: b\n```\n":                          0,
	} {
		if got := unmarked(page{"docs/a.md", text}); len(got) != bad {
			t.Errorf("%q: %v", text, got)
		}
	}
	if got := unmarked(page{"docs/scale.md", "<!-- run: parts -->\n```sh\na\n```\n"}); len(got) > 0 {
		t.Error(got)
	}
}

func TestBlocksAreRead(t *testing.T) {
	page := "<!-- run -->\n\n```sh\na\nb\n```\n\n<!-- stray -->\ntext\n\n```text\nc\n```\n"
	got := blocks(page)
	want := []block{{"run", "sh", "a\nb\n", 3, ""}, {"", "text", "c\n", 11, "text"}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v", got)
	}
}

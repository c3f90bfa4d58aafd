package house

import (
	"regexp"
	"strings"
	"testing"
)

// block is one fenced block of a page with the mark above it.
type block struct {
	mark string // "run", "run, exit 1", "run: first", "file: NAME", "prints", "not run: WHY"; empty without
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

// A command that no test runs is one that is wrong some day.
func TestEveryCommandOfTheReadmeIsMarked(t *testing.T) {
	known := regexp.MustCompile(`^(run|run, exit \d+|run: first|not run: .+)$`)
	first := 0
	for _, b := range blocks(read(t, "README.md")) {
		if b.mark == "run: first" {
			first++
		}
		if b.lang == "sh" && !known.MatchString(b.mark) {
			t.Errorf("README.md:%d: a command block without a mark: %q", b.line, b.mark)
		}
	}
	if first != 1 {
		t.Errorf("README.md marks %d blocks as the first commands, not one", first)
	}
}

// A reader sees no comment: the text names the file that a block is.
func TestTheReadmeSaysWhatItsMarksSay(t *testing.T) {
	for _, b := range blocks(read(t, "README.md")) {
		if name, ok := strings.CutPrefix(b.mark, "file: "); ok && !strings.Contains(b.said, "`"+name+"`") {
			t.Errorf("README.md:%d: the text before it does not name the file %s", b.line, name)
		}
	}
}

// These two are what a newcomer types; .ci/fresh runs them in a fresh clone.
func TestTheFirstCommandsAreTwo(t *testing.T) {
	for _, b := range blocks(read(t, "README.md")) {
		if b.mark == "run: first" && b.text != "go run . verify --demo\ngo test ./...\n" {
			t.Errorf("the first commands are\n%s", b.text)
		}
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

func TestBlocksAreRead(t *testing.T) {
	page := "<!-- run -->\n\n```sh\na\nb\n```\n\n<!-- stray -->\ntext\n\n```text\nc\n```\n"
	got := blocks(page)
	want := []block{{"run", "sh", "a\nb\n", 3, ""}, {"", "text", "c\n", 11, "text"}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v", got)
	}
}

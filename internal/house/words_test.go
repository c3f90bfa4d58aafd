package house

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// unwanted are words that a reader of the project should not meet: notes of
// work undone, and paths of one machine.
var unwanted = []*regexp.Regexp{
	regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`),
	regexp.MustCompile(`(?i)\b(lorem ipsum|not implemented|coming soon)\b`),
	regexp.MustCompile(`(?m)(^|[\s"'(=])/(home|Users)/\w`), // a folder of one machine
}

func TestNoUnwantedWords(t *testing.T) {
	for _, f := range files(t) {
		if f.path == "internal/house/words_test.go" {
			continue
		}
		for _, bad := range wordsIn(f) {
			t.Error(bad)
		}
	}
}

func wordsIn(f file) []string {
	var out []string
	for _, word := range unwanted {
		for _, at := range word.FindAllStringIndex(f.text, -1) {
			line := strings.Count(f.text[:at[1]], "\n") + 1
			out = append(out, place(f.path, line)+": "+strings.TrimSpace(f.text[at[0]:at[1]]))
		}
	}
	return out
}

// Where packages come from is the machine's to say: a mirror's or a registry's
// address in a script or a lock file would break every machine that uses
// another.
func TestPackagesAreNamedWithoutAddresses(t *testing.T) {
	for _, f := range files(t) {
		for _, bad := range addresses(f) {
			t.Error(bad)
		}
	}
}

var address = regexp.MustCompile(`https?://[\w.-]+`)

func addresses(f file) []string {
	if !strings.HasPrefix(f.path, ".ci/") && !packaging[path.Base(f.path)] {
		return nil
	}
	var out []string
	n := 0
	for line := range strings.Lines(f.text) {
		n++
		// What a package's authors say of themselves is not where it comes from.
		if strings.Contains(line, `"url":`) || strings.Contains(line, `"homepage":`) || strings.Contains(line, " homepage: ") {
			continue
		}
		if at := address.FindString(line); at != "" {
			out = append(out, place(f.path, n)+": "+at)
		}
	}
	return out
}

var packaging = map[string]bool{".npmrc": true, "package.json": true, "package-lock.json": true, "go.mod": true,
	"requirements.txt": true, "Dockerfile": true, "pom.xml": true, ".goreleaser.yaml": true}

func TestTheWordsRefuse(t *testing.T) {
	for text, bad := range map[string]int{
		"// TODO later\n":        1,
		"todo lists are fine\n":  0,
		"/home/one/x\n":          1,
		"two\nlines, one HACK\n": 1,
	} {
		if got := wordsIn(file{"x.md", text}); len(got) != bad {
			t.Errorf("%q: %v", text, got)
		}
	}
	lock := `"resolved": "https://packages.example/a.tgz"` + "\n" + `"url": "https://fund.example"` + "\n"
	if got := addresses(file{"testdata/x/package-lock.json", lock}); len(got) != 1 {
		t.Errorf("a lock file with an address: %v", got)
	}
	if got := addresses(file{"docs/x.md", lock}); len(got) != 0 {
		t.Errorf("a page may link: %v", got)
	}
}

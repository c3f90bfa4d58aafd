package report

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fileEnds are the endings of the golden files.
var fileEnds = map[string]string{"human": "txt", "json": "json", "junit": "xml", "sarif": "sarif", "tap": "tap", "markdown": "md", "html": "html", "github": "log"}

var reports = []struct {
	name string
	make func() probe.Report
}{
	{"pass", passing}, {"fail", failing}, {"inconclusive", unsettled}, {"interrupted", interrupted}, {"hostile", hostile},
	{"released", undisturbed},
}

var goldenOptions = Options{BaseURLs: []string{"http://127.0.0.1:8080/api/"},
	Auth: [][2]string{{"Authorization", "Bearer «auth»"}}, Secrets: map[string]string{"auth": "API_TOKEN"}}

// golden compares with a file, or writes it under -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("..", "..", "testdata", "golden", "report", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; look at it with go test -update and git diff\n%s", name, got)
	}
}

func TestGolden(t *testing.T) {
	for _, r := range reports {
		for _, format := range Formats() {
			t.Run(r.name+"/"+format, func(t *testing.T) {
				var b, again bytes.Buffer
				if err := Write(&b, format, r.make(), goldenOptions); err != nil {
					t.Fatal(err)
				}
				if err := Write(&again, format, r.make(), goldenOptions); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(b.Bytes(), again.Bytes()) {
					t.Error("two writes differ")
				}
				golden(t, r.name+"."+fileEnds[format], b.Bytes())
			})
		}
	}
}

func TestGoldenVerboseAndColour(t *testing.T) {
	o := goldenOptions
	o.Verbose, o.Color = true, true
	var b bytes.Buffer
	if err := Write(&b, "human", failing(), o); err != nil {
		t.Fatal(err)
	}
	golden(t, "fail-verbose-colour.txt", b.Bytes())
}

// TestGoldenNarrow: what an 80 by 24 terminal shows.
func TestGoldenNarrow(t *testing.T) {
	o := goldenOptions
	o.Width = 80
	var b bytes.Buffer
	for _, r := range []probe.Report{failing(), unsettled()} {
		if err := Write(&b, "human", r, o); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteDry(&b, "human", dryRun(), o); err != nil {
		t.Fatal(err)
	}
	golden(t, "narrow.txt", b.Bytes())
}

// TestGoldenReleases: how copies were released, for those who ask, on terminals
// of several widths.
func TestGoldenReleases(t *testing.T) {
	var b bytes.Buffer
	for _, columns := range []int{100, 80, 60, 40} {
		b.WriteString(verbose(released(), columns))
	}
	golden(t, "releases-verbose.txt", b.Bytes())
}

func TestGoldenDryVerbose(t *testing.T) {
	o := goldenOptions
	o.Verbose = true
	var b bytes.Buffer
	if err := WriteDry(&b, "human", dryRun(), o); err != nil {
		t.Fatal(err)
	}
	golden(t, "dry-verbose.txt", b.Bytes())
}

func TestGoldenDry(t *testing.T) {
	for _, format := range Formats() {
		t.Run(format, func(t *testing.T) {
			var b bytes.Buffer
			if err := WriteDry(&b, format, dryRun(), goldenOptions); err != nil {
				t.Fatal(err)
			}
			golden(t, "dry."+fileEnds[format], b.Bytes())
		})
	}
}

// TestNoVerdictCallsARaceSafe: that no double came shows no absence of one, in
// whatever format and however many rounds (release, Design).
func TestNoVerdictCallsARaceSafe(t *testing.T) {
	word := regexp.MustCompile(`(?i)\bsafe(ly|ty)?\b`)
	files := 0
	err := fs.WalkDir(os.DirFS(filepath.Join("..", "..", "testdata", "golden")), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "golden", path))
		for line := range strings.Lines(string(text)) {
			if word.MatchString(line) {
				t.Errorf("%s: %q", path, line)
			}
		}
		return err
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files, %v", files, err)
	}
	for _, columns := range []int{40, 80} {
		if text := verbose(released(), columns); word.MatchString(text) {
			t.Error(text)
		}
	}
	if !word.MatchString("this endpoint is safe") {
		t.Error("the word is not seen")
	}
}

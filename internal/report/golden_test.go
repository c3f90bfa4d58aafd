package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fileEnds are the endings of the golden files.
var fileEnds = map[string]string{"human": "txt", "json": "json", "junit": "xml", "sarif": "sarif", "tap": "tap", "markdown": "md", "html": "html"}

var reports = []struct {
	name string
	make func() probe.Report
}{
	{"pass", passing}, {"fail", failing}, {"inconclusive", unsettled}, {"interrupted", interrupted}, {"hostile", hostile},
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

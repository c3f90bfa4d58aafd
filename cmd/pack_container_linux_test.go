package cmd

import (
	"bytes"
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// runLine gives the one RUN of a Dockerfile that has a word in it.
func runLine(t *testing.T, text, word string) string {
	t.Helper()
	for line := range strings.Lines(text) {
		if command, ok := strings.CutPrefix(strings.TrimSpace(line), "RUN "); ok && strings.Contains(command, word) {
			return command
		}
	}
	t.Fatalf("no RUN with %q in\n%s", word, text)
	return ""
}

// buildContext copies into a folder what the Dockerfile copies, less what
// .dockerignore keeps from it.
func buildContext(t *testing.T, dockerfile, dir string) {
	t.Helper()
	ignored := string(readFile(t, "..", ".dockerignore"))
	for line := range strings.Lines(dockerfile) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "COPY" || strings.HasPrefix(words[1], "--") {
			continue
		}
		for _, source := range words[1 : len(words)-1] {
			if !strings.Contains(ignored, "!"+source+"\n") {
				t.Errorf("%s is copied, and .dockerignore keeps it out", source)
			}
			err := filepath.WalkDir(filepath.Join("..", source), func(path string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				to := filepath.Join(dir, strings.TrimPrefix(path, ".."))
				switch {
				case d.Name() == "testdata" && d.IsDir():
					return filepath.SkipDir
				case d.IsDir():
					return os.MkdirAll(to, 0o755)
				case strings.HasSuffix(path, "_test.go"):
					return nil
				}
				b, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				return os.WriteFile(to, b, 0o644)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestDockerfileBuilds runs the project's Dockerfile as far as it is commands:
// what it copies is there and is enough, and what comes out needs nothing else
// and is the same twice.
func TestDockerfileBuilds(t *testing.T) {
	testneed.Long(t, "idem is built twice, from nothing")
	t.Parallel()
	text := string(readFile(t, "..", "Dockerfile"))
	var built [2][]byte
	for i := range built {
		dir := t.TempDir()
		buildContext(t, text, dir)
		c := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(runLine(t, text, "go build"), "/out/", dir+"/out/", 1))
		c.Dir = dir
		c.Env = append(os.Environ(), "TARGETOS=linux", "TARGETARCH="+runtime.GOARCH, "VERSION=9.8.7", "CGO_ENABLED=0", "GOFLAGS=")
		if said, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		built[i] = readFile(t, dir, "out", "idem")
		if said, err := exec.Command(filepath.Join(dir, "out", "idem"), "--version").Output(); err != nil || !strings.Contains(string(said), "9.8.7") {
			t.Errorf("%v: %s", err, said)
		}
	}
	if !bytes.Equal(built[0], built[1]) {
		t.Error("two builds differ")
	}
	file, err := elf.NewFile(bytes.NewReader(built[0]))
	if err != nil {
		t.Fatal(err)
	}
	if libraries, err := file.ImportedLibraries(); len(libraries) > 0 || file.Section(".interp") != nil {
		t.Errorf("an image that is empty has no %v (%v)", libraries, err)
	}
}

// TestPackDockerfileInstalls runs the pack's, with a stand-in for the module's
// download.
func TestPackDockerfileInstalls(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pack")
	if r := runIdem(t, t.TempDir(), nil, "pack", dir); r.code != ExitDone {
		t.Fatal(r.err)
	}
	r := newRunner(t, dir, map[string]string{})
	c := exec.CommandContext(t.Context(), "sh", "-c", runLine(t, string(readFile(t, dir, "compose", "Dockerfile")), "go install"))
	c.Env = []string{"PATH=" + r.bin + string(os.PathListSeparator) + os.Getenv("PATH"), "GOBIN=" + filepath.Join(dir, "out"), "IDEM_REF=v0.1.0", "IDEM_VERSION=0.1.0"}
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if said, err := exec.Command(filepath.Join(dir, "out", "idem"), "--version").Output(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}

package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// scaleBlocks gives the commands that docs/scale.md marks to be run, by name.
func scaleBlocks(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "scale.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]string{}
	for _, part := range strings.Split(string(page), "<!-- run: ")[1:] {
		name, rest, _ := strings.Cut(part, " -->")
		_, rest, found := strings.Cut(rest, "```sh\n")
		text, _, closed := strings.Cut(rest, "```\n")
		if !found || !closed {
			t.Fatalf("the block %s is not as expected", name)
		}
		blocks[name] = text
	}
	return blocks
}

// shell runs commands in a folder, with idem in PATH and the key in the environment.
func shell(t *testing.T, dir, commands string) ([]byte, error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "sh", "-c", commands)
	c.Dir = dir
	c.Env = append(os.Environ(), "PATH="+filepath.Dir(buildIdem(t))+string(os.PathListSeparator)+os.Getenv("PATH"),
		"IDEM_KEY="+strings.TrimSpace(string(readFile(t, dir, "k1.key"))))
	return c.CombinedOutput()
}

// readFile reads a file that a test expects.
func readFile(t *testing.T, path ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestPartsMakeTheWhole: what engines do with a data set. Each part by an idem
// of its own, or cut by GNU parallel, or mapped and sorted, gives what one idem
// gives of all of it; the commands are those of docs/scale.md.
func TestPartsMakeTheWhole(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are of a POSIX shell")
	}
	testneed.Long(t, "a data set is made")
	testneed.Parallel(t)
	dir := t.TempDir()
	parts := dataSet(t, testneed.Python(t), filepath.Join(dir, "reports"), "4000", "8")
	if err := os.WriteFile(filepath.Join(dir, "recipe.yaml"), readFile(t, examplePath("spark", "recipe.yaml")), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := runIdem(t, dir, nil, "key", "new", "--kid", "k1", "--out", "k1.key"); r.code != ExitDone {
		t.Fatal(r.err)
	}
	one, err := shell(t, dir, "cat reports/* | idem derive --ndjson -r recipe.yaml -")
	if err != nil || bytes.Count(one, []byte("\n")) != 4000 {
		t.Fatalf("%v\n%.300s", err, one)
	}
	blocks := scaleBlocks(t)
	for name, want := range map[string][]byte{"parts": one, "parallel": one, "mapper": twice(one)} {
		if said, err := shell(t, dir, "set -eu; "+blocks[name]); blocks[name] == "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, said)
			continue
		}
		if got := readFile(t, dir, name+".out"); !bytes.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: %d bytes, not the %d of one idem", name, len(got), len(want))
		}
	}
	// A record that is refused ends each of them badly.
	if err := os.WriteFile(parts[5], append(readFile(t, parts[5]), `{"tenant":`...), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"parts", "parallel"} {
		if said, err := shell(t, dir, "set -eu; "+blocks[name]); err == nil {
			t.Errorf("%s: a refused record went unnoticed\n%s", name, said)
		}
	}
}

// twice gives the lines that are there more than once, sorted, each once.
func twice(text []byte) []byte {
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	slices.Sort(lines)
	var out strings.Builder
	for i, line := range lines {
		if i > 0 && lines[i-1] == line && (i == 1 || lines[i-2] != line) {
			out.WriteString(line)
		}
	}
	return []byte(out.String())
}

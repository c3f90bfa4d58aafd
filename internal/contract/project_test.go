package contract

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every contract that the project ships, outside its own test data, is good.
func TestShippedContracts(t *testing.T) {
	const root = "../.."
	tried := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what another test is just removing
		}
		if d.IsDir() {
			switch d.Name() {
			case ".git", "node_modules", "contracts":
				return fs.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(path); ext != ".yaml" && ext != ".json" {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(src, []byte("contract/v1")) || !strings.Contains(filepath.Base(path), "contract.") || strings.Contains(path, "schema") {
			return nil
		}
		tried++
		if _, err := Parse(path, src, func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(filepath.Dir(path), name)) }); err != nil {
			t.Error(told(t, err))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d contracts", tried)
}

// The package touches nothing of the world.
func TestPure(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			switch path := strings.Trim(spec.Path.Value, `"`); path {
			case "net", "net/http", "os", "os/exec", "syscall", "io/ioutil", "math/rand", "math/rand/v2", "crypto/rand":
				t.Errorf("%s imports %s", name, path)
			}
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, clock := range []string{"time.Now", "time.Sleep", "time.Since", "time.After", "time.NewTimer"} {
			if strings.Contains(string(src), clock+"(") {
				t.Errorf("%s reads the clock: %s", name, clock)
			}
		}
	}
}

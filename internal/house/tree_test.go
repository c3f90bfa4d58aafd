// Package house holds the project to docs/house.md: which room may import
// which, what a pure room may not touch, how long files are, what a person
// reading the project should never meet. It has tests only.
//
// Read tree_test.go for what is looked at, rooms_test.go for who may lean on
// whom, code_test.go, skips_test.go and compared_test.go for the habits, words_test.go for texts,
// dependencies_test.go for what is pinned, pages_test.go for the commands that
// pages tell a reader to type.
package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/idem-toolkit/idem"
)

// skipped are folders that hold nothing of the project's own.
var skipped = map[string]bool{".git": true, "node_modules": true, "dist": true}

// texts are the endings of the files that people read. A name without an
// ending is a script, a licence or a dotfile, or the built program.
var texts = map[string]bool{".go": true, ".md": true, ".yaml": true, ".yml": true, ".json": true, ".js": true, ".py": true,
	".ts": true, ".txtar": true, ".txt": true, ".mod": true, ".sql": true, ".sh": true, ".golden": true, ".html": true}

// file is one text of the project, its path slashed and from the root.
type file struct {
	path string
	text string
}

// files reads every text of the project.
func files(t *testing.T) []file {
	t.Helper()
	var out []file
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skipped[d.Name()] {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, p)
		if err != nil || !d.Type().IsRegular() || !isText(filepath.ToSlash(rel)) {
			return err
		}
		text, err := os.ReadFile(p)
		out = append(out, file{filepath.ToSlash(rel), string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 50 {
		t.Fatalf("found only %d texts: the walk is broken", len(out))
	}
	return out
}

func isText(p string) bool {
	return texts[path.Ext(p)] || strings.HasPrefix(p, ".ci/") || strings.HasPrefix(path.Base(p), ".")
}

// source is one parsed Go file.
type source struct {
	file
	*ast.File
	set *token.FileSet
}

// goFiles parses the Go files of the module: those under testdata belong to
// modules of their own, or are no code of the project, and those of the pack
// are what it hands out.
func goFiles(t *testing.T) []source {
	t.Helper()
	var out []source
	for _, f := range files(t) {
		if path.Ext(f.path) == ".go" && !strings.Contains("/"+f.path, "/testdata/") && !strings.HasPrefix(f.path, "internal/pack/files/") {
			out = append(out, parse(t, f.path, f.text))
		}
	}
	return out
}

func parse(t *testing.T, name, text string) source {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return source{file{name, text}, f, set}
}

// test says whether the file is compiled for tests only.
func (s source) test() bool {
	return strings.HasSuffix(s.path, "_test.go")
}

// place is "path:line".
func (s source) place(n ast.Node) string {
	return s.path + ":" + strconv.Itoa(s.set.Position(n.Pos()).Line)
}

// room is the first folder under internal that the file lies in; "cmd" and ""
// (main.go) elsewhere.
func (s source) room() string { return roomOf(path.Dir(s.path)) }

func roomOf(folder string) string {
	if rest, ok := strings.CutPrefix(folder, "internal/"); ok {
		name, _, _ := strings.Cut(rest, "/")
		return name
	}
	if folder == "." {
		return ""
	}
	name, _, _ := strings.Cut(folder, "/")
	return name
}

// imports gives the import paths, as written.
func (s source) imports() []string {
	var out []string
	for _, spec := range s.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			out = append(out, p)
		}
	}
	return out
}

// rooms gives the project's own rooms that the file imports.
func (s source) rooms() []string {
	var out []string
	for _, p := range s.imports() {
		if rest, ok := strings.CutPrefix(p, module+"/"); ok {
			out = append(out, roomOf(rest))
		}
	}
	return out
}

func place(path string, line int) string { return path + ":" + strconv.Itoa(line) }

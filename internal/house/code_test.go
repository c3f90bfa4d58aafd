package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// The habit is 300 and 60; what stands here is where a reviewer would not let
// it pass any more. Tests may be longer: tables are.
const (
	maxFile     = 400
	maxTestFile = 600
	maxFunction = 80
)

func TestHabits(t *testing.T) {
	for _, s := range goFiles(t) {
		for _, bad := range slices.Concat(tooLong(s), busyStart(s), ownSkips(s), cgo(s)) {
			t.Error(bad)
		}
	}
}

func tooLong(s source) []string {
	limit, lines := maxFile, strings.Count(s.text, "\n")
	if s.test() {
		limit = maxTestFile
	}
	var out []string
	if lines > limit {
		out = append(out, fmt.Sprintf("%s: %d lines, more than %d", s.path, lines, limit))
	}
	for _, d := range s.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || s.test() {
			continue
		}
		if n := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1; n > maxFunction {
			out = append(out, fmt.Sprintf("%s: %s has %d lines, more than %d", s.place(f), f.Name.Name, n, maxFunction))
		}
	}
	return out
}

// busyStart gives what would run at every start of the program: init functions
// and regular expressions compiled at package level.
func busyStart(s source) []string {
	if s.test() {
		return nil
	}
	var out []string
	for _, d := range s.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				out = append(out, s.place(d)+": init runs at every start; make it a function that is called when needed")
			}
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			inspectOutsideFunctions(d, func(call *ast.CallExpr) {
				if name := called(call); strings.HasPrefix(name, "regexp.") {
					out = append(out, s.place(call)+": "+name+" at package level; use sync.OnceValue")
				}
			})
		}
	}
	return out
}

// inspectOutsideFunctions visits the calls that an initialiser makes at once.
func inspectOutsideFunctions(n ast.Node, visit func(*ast.CallExpr)) {
	ast.Inspect(n, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok {
			visit(call)
		}
		return true
	})
}

// called is the function that a call names: "regexp.MustCompile".
func called(call *ast.CallExpr) string {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := sel.X.(*ast.Ident); ok {
		return x.Name + "." + sel.Sel.Name
	}
	return "." + sel.Sel.Name
}

// cgo gives a file that needs a C compiler: releases are built without.
func cgo(s source) []string {
	if slices.Contains(s.imports(), "C") {
		return []string{s.path + ": imports C"}
	}
	return nil
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range goFiles(t) {
		// A test of the package from outside is no package of its own.
		if strings.HasSuffix(s.Name.Name, "_test") {
			continue
		}
		folder := path.Dir(s.path)
		documented[folder] = documented[folder] || s.Doc != nil && says(s.Name.Name, s.Doc.Text())
	}
	for folder, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment", folder)
		}
	}
}

func says(name, comment string) bool {
	return strings.HasPrefix(comment, "Package "+name+" ") || name == "main" && strings.HasPrefix(comment, "Command ")
}

func TestExportedNamesAreExplained(t *testing.T) {
	for _, s := range goFiles(t) {
		if s.test() || s.room() == "" {
			continue
		}
		for _, bad := range unexplained(s) {
			t.Error(bad)
		}
	}
}

// unexplained gives the exported functions, methods and types of a file that
// have no comment. A method of one line is its own explanation, and so are
// those that everybody knows.
func unexplained(s source) []string {
	var out []string
	for _, d := range s.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			line := s.set.Position(d.Pos()).Line == s.set.Position(d.End()).Line
			if d.Name.IsExported() && d.Doc == nil && !onUnexported(d) && !(d.Recv != nil && (line || known[d.Name.Name])) {
				out = append(out, s.place(d)+": "+d.Name.Name+" has no comment")
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && t.Name.IsExported() && d.Doc == nil && t.Doc == nil {
					out = append(out, s.place(t)+": "+t.Name.Name+" has no comment")
				}
			}
		}
	}
	return out
}

var known = map[string]bool{"String": true, "Error": true, "Unwrap": true}

// onUnexported says whether a method belongs to a type that only the package
// sees: there it satisfies an interface that explains it.
func onUnexported(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return false
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if index, ok := of.(*ast.IndexExpr); ok {
		of = index.X
	}
	name, ok := of.(*ast.Ident)
	return ok && !name.IsExported()
}

func TestTheHabitsRefuse(t *testing.T) {
	long := "package p\n\nfunc f() {\n" + strings.Repeat("\tprint()\n", maxFunction) + "}\n"
	for _, c := range []struct {
		what, path, text string
		check            func(source) []string
		bad              int
	}{
		{"a long function", "a.go", long, tooLong, 1},
		{"a long test", "a_test.go", long, tooLong, 0},
		{"a long file", "a.go", "package p\n" + strings.Repeat("// x\n", maxFile), tooLong, 1},
		{"init", "a.go", "package p\nfunc init() {}", busyStart, 1},
		{"a method init", "a.go", "package p\nfunc (t T) init() {}", busyStart, 0},
		{"an early regexp", "a.go", `package p; var x = regexp.MustCompile("a")`, busyStart, 1},
		{"one in a list", "a.go", `package p; var x = []any{1, regexp.MustCompile("a")}`, busyStart, 1},
		{"a late regexp", "a.go", `package p; var x = sync.OnceValue(func() any { return regexp.MustCompile("a") })`, busyStart, 0},
		{"a skip", "a_test.go", "package p\nfunc f(t T) { t.Skip() }", ownSkips, 1},
		{"a skip for a reason of its own", "a_test.go", "package p\nfunc f(t T) { if windows { t.Skipf(``) } }", ownSkips, 1},
		{"a skip under -short", "a_test.go", "package p\nfunc f(t T) { if testing.Short() { t.Skip() } }", ownSkips, 0},
		{"a skip on Linux", "a_test.go", "package p\nfunc f(t T) { if runtime.GOOS == \"linux\" { t.Skip() } }", ownSkips, 1},
		{"a skip everywhere else", "a_test.go", "package p\nfunc f(t T) { if runtime.GOOS == \"windows\" { t.Log() } else { t.Skip() } }", ownSkips, 1},
		{"a skip elsewhere", "a_test.go", "package p\nfunc f(t T) { if runtime.GOOS != \"linux\" { t.Skip() } }", ownSkips, 0},
		{"a case of a law", "a_test.go", "package p\nfunc f() { check(func(t *rapid.T) { t.Skip() }) }", ownSkips, 0},
		{"testneed's", "internal/testneed/a_test.go", "package p\nfunc f(t T) { t.Skip() }", ownSkips, 0},
		{"cgo", "a.go", `package p; import "C"`, cgo, 1},
		{"a bare function", "a.go", "package p\nfunc F() {}", unexplained, 1},
		{"a bare method", "a.go", "package p\nfunc (t T) F() {\n}", unexplained, 1},
		{"a method of one line", "a.go", "package p\nfunc (t T) F() {}", unexplained, 0},
		{"a bare type", "a.go", "package p\ntype T int", unexplained, 1},
		{"a hidden type's method", "a.go", "package p\nfunc (x *t[int]) F() {}", unexplained, 0},
		{"a function with its comment", "a.go", "package p\n// F does.\nfunc F() {}", unexplained, 0},
	} {
		if got := c.check(parse(t, c.path, c.text)); len(got) != c.bad {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

package house

import (
	"go/ast"
	"go/token"
	"path"
	"strings"
	"testing"
)

// ownSkips gives tests that skip on their own: only testneed may, since what
// it skips fails in CI, which runs on Linux. Where the user asked for -short
// the user skips, and a law's case may be set aside for another.
func ownSkips(s source) []string {
	if !s.test() || s.room() == "testneed" {
		return nil
	}
	var out []string
	var look func(ast.Node) bool
	look = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			if asksShort(n.Cond) || elsewhere(n.Cond) {
				if n.Else != nil {
					ast.Inspect(n.Else, look)
				}
				return false
			}
		case *ast.FuncLit:
			if drawsCases(n) {
				return false
			}
		}
		if call, ok := n.(*ast.CallExpr); ok {
			if name := called(call); strings.HasSuffix(name, ".Skip") || strings.HasSuffix(name, ".Skipf") || strings.HasSuffix(name, ".SkipNow") {
				out = append(out, s.place(call)+": a test skips on its own; say what it needs with testneed")
			}
		}
		return true
	}
	ast.Inspect(s.File, look)
	return out
}

func asksShort(cond ast.Expr) bool {
	call, ok := cond.(*ast.CallExpr)
	return ok && called(call) == "testing.Short"
}

// elsewhere says whether a condition holds on other systems than Linux only.
func elsewhere(cond ast.Expr) bool {
	b, ok := cond.(*ast.BinaryExpr)
	if !ok {
		return false
	}
	x, isSel := b.X.(*ast.SelectorExpr)
	y, isLit := b.Y.(*ast.BasicLit)
	if !isSel || !isLit || x.Sel.Name != "GOOS" {
		return false
	}
	return b.Op == token.NEQ && y.Value == `"linux"` || b.Op == token.EQL && y.Value != `"linux"`
}

// drawsCases says whether a function is the body of a law: func(t *rapid.T).
func drawsCases(f *ast.FuncLit) bool {
	for _, p := range f.Type.Params.List {
		if star, ok := p.Type.(*ast.StarExpr); ok {
			if sel, ok := star.X.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "rapid" {
					return true
				}
			}
		}
	}
	return false
}

func TestScriptsDoNotSkip(t *testing.T) {
	found := 0
	for _, f := range files(t) {
		if path.Ext(f.path) != ".txtar" {
			continue
		}
		found++
		script, _, _ := strings.Cut(f.text, "\n-- ")
		for line := range strings.Lines(script) {
			words := strings.Fields(line)
			for len(words) > 0 && strings.HasPrefix(words[0], "[") && words[0] != "[windows]" {
				words = words[1:]
			}
			if len(words) > 0 && words[0] == "skip" {
				t.Errorf("%s: a script skips on its own: %s", f.path, strings.TrimSpace(line))
			}
		}
	}
	if found == 0 {
		t.Error("there are no scripts")
	}
}

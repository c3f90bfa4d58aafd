package house

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// guarded are the rooms that hold what somebody might guess at: how long a
// comparison takes must not tell how much of a guess was right.
var guarded = []string{"determ", "fingerprint", "keysource", "cmd"}

// telling are the last words of the names of such values.
var telling = []string{"id", "tag", "mac", "hmac", "sum", "sums", "checksum", "crc", "check", "digest", "digests", "hash",
	"fingerprint", "fp", "secret", "subkey", "passphrase", "material"}

// openly are comparisons that tell nothing, and why.
var openly = map[string]string{
	"cmd/fingerprint_diff.go engine and CrossCheck":           "the name of an engine",
	"internal/fingerprint/canonical.go Engine and CrossCheck": "the name of an engine",
	"internal/fingerprint/engine.go Engine and CrossCheck":    "the name of an engine",
	"internal/fingerprint/nationalid.go check":                "the check digit of a number that everybody reckons",
}

// TestSecretsAreComparedInConstantTime: IDs, tags, checksums, check values,
// fingerprints and key material are compared by crypto/subtle.
func TestSecretsAreComparedInConstantTime(t *testing.T) {
	needed := map[string]bool{}
	constantTime := 0
	for _, s := range goFiles(t) {
		if s.test() || !slices.Contains(guarded, s.room()) {
			continue
		}
		constantTime += strings.Count(s.text, "subtle.ConstantTimeCompare(")
		for _, n := range earlyComparisons(s) {
			name := s.path + " " + comparedNames(n)
			if needed[name] = true; openly[name] == "" {
				t.Errorf("%s: %s: compare it in constant time, by crypto/subtle", s.place(n), comparedNames(n))
			}
		}
	}
	for name := range openly {
		if !needed[name] {
			t.Errorf("%s is compared no more", name)
		}
	}
	if constantTime == 0 {
		t.Error("nothing is compared in constant time: the search is broken")
	}
}

// earlyComparisons gives the comparisons of telling values that may end at the
// first difference.
func earlyComparisons(s source) []ast.Node {
	var out []ast.Node
	ast.Inspect(s.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && !constant(n.X) && !constant(n.Y) && (tells(n.X) || tells(n.Y)) {
				out = append(out, n)
			}
		case *ast.CallExpr:
			if slices.Contains(comparers, called(n)) && slices.ContainsFunc(n.Args, tells) {
				out = append(out, n)
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && tells(n.Tag) && slices.ContainsFunc(n.Body.List, hasVariable) {
				out = append(out, n.Tag)
			}
		}
		return true
	})
	return out
}

var comparers = []string{"bytes.Equal", "bytes.EqualFold", "bytes.Compare", "bytes.HasPrefix", "strings.EqualFold", "strings.Compare",
	"strings.HasPrefix", "slices.Equal", "slices.Compare", "slices.Contains", "cmp.Compare", "reflect.DeepEqual"}

func hasVariable(clause ast.Stmt) bool {
	return slices.ContainsFunc(clause.(*ast.CaseClause).List, func(e ast.Expr) bool { return !constant(e) })
}

// constant says whether a value is written in the program for all to read.
func constant(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.UnaryExpr:
		return constant(e.X)
	case *ast.CallExpr:
		return nameIn(e.Fun) == "len"
	case *ast.Ident:
		return e.Name == "nil" || e.Name == "true" || e.Name == "false"
	}
	return false
}

func tells(e ast.Expr) bool {
	word := lastWord(nameIn(e))
	return slices.Contains(telling, word)
}

// nameIn is the name of what a value is: the field, the variable or the
// function that gives it, without conversions and slicing.
func nameIn(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.ParenExpr:
		return nameIn(e.X)
	case *ast.StarExpr:
		return nameIn(e.X)
	case *ast.SliceExpr:
		return nameIn(e.X)
	case *ast.IndexExpr:
		return nameIn(e.X)
	case *ast.CallExpr:
		if _, converts := e.Fun.(*ast.ArrayType); len(e.Args) == 1 && (converts || wraps[called(e)] || nameIn(e.Fun) == "string") {
			return nameIn(e.Args[0])
		}
		return nameIn(e.Fun)
	}
	return ""
}

var wraps = map[string]bool{"hex.EncodeToString": true, "bytes.Clone": true, "strings.ToLower": true, "strings.ToUpper": true,
	"strings.TrimSpace": true, "bytes.TrimSpace": true}

// lastWord gives "sum" of "keySum", "id" of "listedID" and of "id".
func lastWord(name string) string {
	runes := []rune(name)
	at := len(runes) - 1
	for at > 0 && unicode.IsUpper(runes[at]) == unicode.IsUpper(runes[at-1]) {
		at--
	}
	if at > 0 && unicode.IsLower(runes[at]) {
		at-- // its capital
	}
	return strings.ToLower(string(runes[max(at, 0):]))
}

func comparedNames(n ast.Node) string {
	var names []string
	add := func(e ast.Expr) {
		if name := nameIn(e); name != "" {
			names = append(names, name)
		}
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		add(n.X)
		add(n.Y)
	case *ast.CallExpr:
		for _, a := range n.Args {
			add(a)
		}
	case ast.Expr:
		add(n)
	}
	return strings.Join(names, " and ")
}

func TestEarlyComparisonsAreFound(t *testing.T) {
	for _, c := range []struct {
		text string
		bad  int
	}{
		{`l.sum != sumOf(l.text)`, 1}, {`string(again) != derived.ID`, 1}, {`sum[:4] == other`, 1}, {`other == (listedID)`, 1},
		{`hex.EncodeToString(sum[:]) == want`, 1}, {`string(h.Sum(nil)) == want`, 1}, {`want == *k.Check`, 1}, {`a.Digest() == b.Digest()`, 1},
		{`lock.digests[name] == x`, 1}, {`bytes.Equal(mac, want)`, 1}, {`strings.EqualFold(got, fp)`, 1}, {`slices.Contains(ids, string(tag))`, 1},
		{`reflect.DeepEqual(a.Secret, b)`, 1}, {`strings.HasPrefix(want, checkSum)`, 1},
		{`id == ""`, 0}, {`secret != nil`, 0}, {`len(sum) != 4`, 0}, {`a.Kid == b.Kid`, 0}, {`sum > other`, 0}, {`found[id]`, 0},
		{`valid == paid`, 0}, {`subtle.ConstantTimeCompare(sum, other) == 1`, 0}, {`same(sum, other)`, 0}, {`check == 3`, 0}, {`id != -1`, 0},
	} {
		s := parse(t, "internal/determ/x.go", "package p\nvar _ = "+c.text)
		if got := earlyComparisons(s); len(got) != c.bad {
			t.Errorf("%s: %d found", c.text, len(got))
		}
	}
	for text, bad := range map[string]int{
		"switch id { case want: }":    1,
		"switch id { case `a`: }":     0,
		"switch name { case wanted:}": 0,
	} {
		s := parse(t, "internal/determ/x.go", "package p\nfunc f() { "+text+" }")
		if got := earlyComparisons(s); len(got) != bad {
			t.Errorf("%s: %d found", text, len(got))
		}
	}
}

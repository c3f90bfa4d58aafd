package determ

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// locked gives a lock that holds recipes.
func locked(t *testing.T, recipes ...string) *Lock {
	t.Helper()
	l := NewLock("idem.lock")
	for _, src := range recipes {
		if _, err := l.Add(mustParse(t, src)); err != nil {
			t.Fatal(err)
		}
	}
	read, err := ParseLock("idem.lock", l.Bytes())
	if err != nil || string(read.Bytes()) != string(l.Bytes()) {
		t.Fatalf("%v\n%s", err, l.Bytes())
	}
	return read
}

func TestLintAnEarlierVersionIsListed(t *testing.T) {
	now := time.Date(2027, 1, 10, 12, 0, 0, 0, time.UTC)
	version := func(n, rest string) string {
		return strings.Replace(linted("{cart: /cart/id}", rest), "version: 1", "version: "+n, 1)
	}
	one := version("1", "")
	listing := func(n, until string) string { return version(n, "previous: [{version: 1, until: "+until+"}]") }
	for name, c := range map[string]struct {
		lock *Lock
		src  string
		want string
	}{
		"the first version":            {locked(t, one), one, ""},
		"listed":                       {locked(t, one, listing("2", "2027-02-01T00:00:00Z")), listing("2", "2027-02-01T00:00:00Z"), ""},
		"listed and not locked yet":    {locked(t, one), listing("2", "2027-02-01T00:00:00Z"), "lock-missing"},
		"never listed, not locked yet": {locked(t, one), version("2", ""), "lock-missing previous-missing:1"},
		"never listed, locked":         {locked(t, one, version("2", "")), version("2", ""), "previous-missing:1"},
		"listed as the next one":       {locked(t, one), version("2", "next: [{version: 1}]"), "lock-missing"},
		"two versions":                 {locked(t, one, version("2", "")), version("3", ""), "lock-missing previous-missing:1 previous-missing:2"},
		"one of two":                   {locked(t, one, version("2", "")), listing("3", "2027-02-01T00:00:00Z"), "lock-missing previous-missing:2"},
		"taken off too early":          {locked(t, one, listing("2", "2027-02-01T00:00:00Z")), version("2", ""), "previous-missing:1"},
		"taken off in time":            {locked(t, one, listing("2", "2027-01-10T11:00:00Z")), version("2", ""), ""},
		"a later version is locked":    {locked(t, version("2", "")), one, "lock-missing"},
		"another operation is locked":  {locked(t, strings.Replace(one, "operation: o", "operation: p", 1)), version("2", ""), "lock-missing"},
	} {
		_, findings := lint(t, c.src, LintOptions{Now: now, Lock: c.lock})
		var got []string
		for _, f := range findings {
			if f.Slug != "example-missing" {
				got = append(got, f.Allow)
			}
			if f.Level != LevelWarning {
				t.Errorf("%s: %+v", name, f)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

// The hint is the very line to add: with it nothing is missing.
func TestLintTellsTheLineOfPrevious(t *testing.T) {
	now := time.Date(2027, 1, 10, 12, 0, 0, 0, time.UTC)
	one := linted("{cart: /cart/id}", "")
	two := strings.Replace(one, "version: 1", "version: 2", 1)
	find := func(src string, l *Lock) (found Finding) {
		_, findings := lint(t, src, LintOptions{Now: now, Lock: l})
		for _, f := range findings {
			if f.Slug == "previous-missing" {
				found = f
			}
		}
		return found
	}
	lock := locked(t, one, two)
	f := find(two, lock)
	line, rest, _ := strings.Cut(f.Hint, "; ")
	if line != "previous: [{version: 1, until: 2027-02-09T00:00:00Z}]" || !strings.HasPrefix(rest, "until is the switch") || f.Line != 4 {
		t.Fatalf("%+v", f)
	}
	if got := find(two+line, lock); got.Slug != "" {
		t.Errorf("with its hint: %+v", got)
	}
	// Where the version was something else, the line alone is refused, and the hint says so.
	changed := strings.Replace(two, "{cart: /cart/id}", "{cart: /cart/id, line: /line}", 1)
	lock = locked(t, one, changed)
	if f = find(changed, lock); !strings.Contains(f.Hint, "with the prefix, encode, numbers or identity that it had") {
		t.Errorf("%+v", f)
	}
	whole := changed + "previous: [{version: 1, until: 2027-02-09T00:00:00Z, identity: {cart: /cart/id}}]"
	if got := find(whole, lock); got.Slug != "" || lock.Check(mustParse(t, whole)) != nil {
		t.Errorf("with its identity: %+v", got)
	}
	if err := lock.Check(mustParse(t, changed+line)); err == nil || !strings.Contains(err.Error(), "differs") {
		t.Errorf("without its identity: %v", err)
	}
	// One that was taken off too early is told the time that it was promised.
	early := locked(t, one, two+"previous: [{version: 1, until: 2027-03-01T00:00:00+01:00}]")
	if f = find(two, early); !strings.Contains(f.Message, "taken off previous before 2027-03-01T00:00:00+01:00") || !strings.Contains(f.Hint, "until: 2027-03-01T00:00:00+01:00}") {
		t.Errorf("%+v", f)
	}
}

func TestLockKeepsUntil(t *testing.T) {
	one := linted("{cart: /cart/id}", "")
	two := strings.Replace(one, "version: 1", "version: 2", 1)
	l := locked(t, one)
	for _, c := range []struct {
		previous string
		added    int
	}{
		{"previous: [{version: 1, until: 2027-02-01T00:00:00Z}]", 2}, // the version, and the time
		{"previous: [{version: 1, until: 2027-02-01T00:00:00Z}]", 0},
		{"previous: [{version: 1, until: 2027-02-01T01:00:00+01:00}]", 0}, // the same instant
		{"previous: [{version: 1, until: 2027-03-01T00:00:00Z}]", 1},
		{"", 0}, // what was promised stays known
		{"previous: [{version: 1, until: 2027-03-01T00:00:00Z}, {version: 1, until: 2027-01-01T00:00:00Z, key: {kid: k0, env: K}}]", 0}, // the latest counts
		{"previous: [{until: 2027-03-01T00:00:00Z, key: {kid: k0, env: K}}]", 0},                                                        // another key of the current version
	} {
		if added, err := l.Add(mustParse(t, two+c.previous)); err != nil || added != c.added {
			t.Errorf("%s: %d, %v", c.previous, added, err)
		}
	}
	if want := "  \"until\": {\n    \"n/o/1\": \"2027-03-01T00:00:00Z\"\n  }\n}\n"; !strings.HasSuffix(string(l.Bytes()), want) {
		t.Errorf("%s", l.Bytes())
	}
}

func TestTheWayBackOfAChange(t *testing.T) {
	one := linted("{cart: /cart/id}", "")
	l := locked(t, one, strings.Replace(one, "version: 1", "version: 4", 1))
	_, findings := lint(t, strings.Replace(one, "prefix: p", "prefix: q", 1), LintOptions{Lock: l})
	want := "put it back, or make it version: 5 and list what it was: previous: [{version: 1, until: ..., identity: ...}]"
	if !slices.ContainsFunc(findings, func(f Finding) bool { return f.Slug == "lock-changed" && f.Hint == want && f.Allow == "" }) {
		t.Errorf("%+v", findings)
	}
}

// Every slug that the source has is listed, and every listed one is somewhere
// in the source.
func TestLintSlugsAreListed(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "lint") || strings.HasSuffix(e.Name(), "_test.go") || e.Name() == "lint_slugs.go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, at := range slugsOf(n) {
				if lit, ok := at.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					slug, _ := strconv.Unquote(lit.Value)
					used[slug] = true
				} else if id, ok := at.(*ast.Ident); !ok || id.Name != "slug" {
					t.Errorf("%s: a slug that is no literal", e.Name())
				}
			}
			return true
		})
	}
	for slug := range used {
		if !slices.Contains(LintSlugs(), slug) {
			t.Errorf("%s is not listed", slug)
		}
	}
	for i, slug := range LintSlugs() {
		if !used[slug] || slices.Index(LintSlugs(), slug) != i {
			t.Errorf("%s is listed, and nowhere used or listed twice", slug)
		}
	}
}

// slugsOf gives the expressions that a node takes as a slug: l.add's first,
// l.about's second argument, and a Finding's Slug.
func slugsOf(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.CallExpr:
		if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "add" {
			return n.Args[:1]
		} else if ok && sel.Sel.Name == "about" {
			return n.Args[1:2]
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Slug" {
			return []ast.Expr{n.Value}
		}
	}
	return nil
}

package pack

import (
	"io/fs"
	"strings"
	"testing"
	"text/template/parse"
)

// TestEveryValueIsQuoted: what a template writes goes through a quoting
// function last, wherever it comes from.
func TestEveryValueIsQuoted(t *testing.T) {
	templates := 0
	err := fs.WalkDir(embedded, "files", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".tmpl") {
			return err
		}
		templates++
		text, err := embedded.ReadFile(path)
		for _, bad := range unquoted(t, path, string(text)) {
			t.Error(bad)
		}
		return err
	})
	if err != nil || templates == 0 {
		t.Errorf("%d templates looked at: %v", templates, err)
	}
}

// unquoted gives the actions of a template that write something as it is.
func unquoted(t *testing.T, name, text string) []string {
	t.Helper()
	tree, err := parsed(name, text)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, each := range tree.Templates() {
		visit(each.Root, func(a *parse.ActionNode) {
			if len(a.Pipe.Decl) > 0 {
				return // it only sets a variable
			}
			last := a.Pipe.Cmds[len(a.Pipe.Cmds)-1]
			if f, ok := last.Args[0].(*parse.IdentifierNode); !ok || quoting()[f.Ident] == nil {
				out = append(out, name+": "+a.String()+" is not quoted")
			}
		})
	}
	return out
}

func visit(n parse.Node, found func(*parse.ActionNode)) {
	branch := func(b parse.BranchNode) {
		visit(b.List, found)
		if b.ElseList != nil {
			visit(b.ElseList, found)
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, inner := range n.Nodes {
			visit(inner, found)
		}
	case *parse.ActionNode:
		found(n)
	case *parse.IfNode:
		branch(n.BranchNode)
	case *parse.RangeNode:
		branch(n.BranchNode)
	case *parse.WithNode:
		branch(n.BranchNode)
	}
}

func TestUnquotedValuesAreFound(t *testing.T) {
	for text, bad := range map[string]int{
		`[[.Name]]`:                  1,
		`[[gh .Name]]`:               0,
		`[[.Name | gh]]`:             0,
		`[[gh .Name | printf "%s"]]`: 1,
		`[[printf "%s" .Name]]`:      1,
		`[[if .Sample]][[.Operation]][[else]][[.Operation]][[end]]`:     2,
		`[[range .Secrets]][[variable .Name]][[.Kept]][[end]]`:          1,
		`[[with .Operation]][[.]][[end]]`:                               1,
		`[[$x := .Operation]][[sh $x]]`:                                 0,
		`[[define "a"]][[.Operation]][[end]][[if .Sample]]plain[[end]]`: 1,
	} {
		if got := unquoted(t, "x", text); len(got) != bad {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestTemplatesThatDoNotFill(t *testing.T) {
	for _, text := range []string{`[[`, `[[.NoSuchValue]]`, `[[gh .Nothing]]`, `[[file "recipe.yaml" | sh]]`, `[[gh .Secrets]]`, `[[shell .Name]]`} {
		if got, err := (Values{}).fill("x", text); err == nil {
			t.Errorf("%s gave %q", text, got)
		}
	}
}

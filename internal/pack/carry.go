package pack

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// Own is a contract of the caller's own, with what it reads.
type Own struct {
	File     string // the contract's, for errors
	Contract []byte
	Payload  []byte
	Given    bool              // the payload was named by the caller, not by the contract
	Bodies   map[string][]byte // by the path that body_file gives
}

// Carried is a contract as it stands in a pack.
type Carried struct {
	Contract []byte
	Further  []File            // the bodies that it reads
	Renamed  map[string]string // by the path in the caller's contract: the name in the pack; every body
}

// Carry gives the contract as it stands in a pack: the very bytes, but for the
// names of its recipe and of its bodies. A body is data, whoever wrote the
// contract: under a name of its own it could be a program, a workflow or a
// setting to whoever works in the pack's folder, so it gets one of ours.
func (o Own) Carry() (*Carried, error) {
	root, err := document.Parse(o.File, o.Contract)
	if err != nil {
		return nil, err
	}
	out := &Carried{Renamed: map[string]string{}}
	var edits []edit
	rename := func(n *document.Node, to string) {
		if n.Text != to {
			edits = append(edits, edit{n, to})
			out.Renamed[n.Text] = to
		}
	}
	for _, n := range named(root, "recipe") {
		rename(n, RecipeName)
	}
	bodies := map[string]string{}
	for _, n := range named(root, "body_file") {
		body := o.Bodies[n.Text]
		payload := bytes.Equal(body, o.Payload)
		if err := checkBody(n.At(), n.Text); err != nil && !(payload && o.Given) {
			return nil, err
		}
		to, seen := bodies[n.Text]
		switch {
		case payload:
			to = PayloadName
		case !seen:
			to = bodyName(len(out.Further)+1, n.Text)
			out.Further = append(out.Further, File{Name: to, Content: body})
		}
		rename(n, to)
		if !payload {
			bodies[n.Text] = to
		}
	}
	maps.Copy(out.Renamed, bodies)
	out.Contract, err = apply(root, o.Contract, edits)
	return out, err
}

// bodyName is the name in a pack of the n-th body, which a contract names
// otherwise. Of that name only an ending that says nothing but data is left.
func bodyName(n int, was string) string {
	ending := strings.ToLower(path.Ext(was))
	if !slices.Contains([]string{".json", ".xml", ".txt", ".csv"}, ending) {
		ending = ""
	}
	return fmt.Sprintf("bodies/%d%s", n, ending)
}

// named gives the texts under a name in a contract's operations: not those in
// the bodies themselves, and not those in what is expected of answers.
func named(root *document.Node, name string) []*document.Node {
	var out []*document.Node
	var visit func(*document.Node)
	visit = func(n *document.Node) {
		for _, item := range n.Items {
			visit(item)
		}
		for _, m := range n.Members {
			switch {
			case slices.Contains([]string{"body", "form", "json", "headers", "env"}, m.Name):
			case m.Name == name && m.Value.Kind == document.String:
				out = append(out, m.Value)
			default:
				visit(m.Value)
			}
		}
	}
	if operations := root.Lookup("operations"); operations != nil {
		visit(operations)
	}
	return out
}

// edit is another text for a node.
type edit struct {
	node *document.Node
	text string
}

// apply writes texts over those of nodes and leaves every other byte alone. The
// nodes get them too.
func apply(root *document.Node, src []byte, edits []edit) ([]byte, error) {
	if len(edits) == 0 {
		return src, nil
	}
	out := bytes.Clone(src)
	slices.SortFunc(edits, func(a, b edit) int { // from the end: places before stay where they are
		if a.node.Line != b.node.Line {
			return b.node.Line - a.node.Line
		}
		return b.node.Column - a.node.Column
	})
	for _, e := range edits {
		from := offset(src, e.node)
		length := scalar(src[from:], e.node.Text)
		if length == 0 {
			return nil, unwritable(e)
		}
		text := e.text
		if src[from] == '"' || src[from] == '\'' {
			text = string(src[from]) + text + string(src[from])
		}
		out = slices.Concat(out[:from], []byte(text), out[from+length:])
	}
	for _, e := range edits {
		e.node.Text = e.text
	}
	again, err := document.Parse(root.File, out)
	if err != nil || !bytes.Equal(again.JSON(), root.JSON()) {
		return nil, unwritable(edits[0])
	}
	return out, nil
}

func unwritable(e edit) error {
	return e.node.Errorf("this name is %s in a pack, and cannot be changed as it is written", e.text).
		WithHint("write it on one line, without quotes and escapes")
}

// offset is where a node begins in the source.
func offset(src []byte, n *document.Node) int {
	at := 0
	for line := 1; line < n.Line; line++ {
		at += bytes.IndexByte(src[at:], '\n') + 1
	}
	for column := 1; column < n.Column && at < len(src); column++ {
		_, size := utf8.DecodeRune(src[at:])
		at += size
	}
	return at
}

// scalar is how long the text at the beginning of a source is as it is written,
// quotes included; 0 where it is not on one line in one of the three usual ways.
func scalar(src []byte, text string) int {
	if len(src) == 0 {
		return 0
	}
	line, _, _ := strings.Cut(string(src), "\n")
	switch quote := line[:min(1, len(line))]; quote {
	case `"`, `'`:
		for i := 1; i < len(line); i++ {
			switch {
			case quote == `"` && line[i] == '\\':
				i++
			case line[i] == quote[0] && quote == `'` && strings.HasPrefix(line[i+1:], `'`):
				i++
			case line[i] == quote[0]:
				return i + 1
			}
		}
		return 0
	}
	if strings.HasPrefix(line, text) {
		return len(text)
	}
	return 0
}

// Needs says what a live run of a contract needs that a pack does not bring:
// programs and files beside the caller's contract.
func Needs(file string, src []byte) ([]string, error) {
	root, err := document.Parse(file, src)
	if err != nil {
		return nil, err
	}
	var out []string
	add := func(n *document.Node) {
		if n.Kind == document.String && beside(n.Text) {
			out = append(out, problem.New(n.At(), "%s is not in the pack: a live run needs it there", document.Show(n.Text)).Error())
		}
	}
	var visit func(name string, n *document.Node)
	visit = func(name string, n *document.Node) {
		switch {
		case slices.Contains([]string{"body", "form", "json", "headers", "env", "request"}, name):
			return
		case n.Kind == document.Array && slices.Contains(programs, name) && len(n.Items) > 0:
			add(n.Items[0])
			return
		case n.Kind == document.String && slices.Contains([]string{"file", "cert", "key"}, name):
			add(n)
		}
		for _, m := range n.Members {
			visit(m.Name, m.Value)
		}
		for _, item := range n.Items {
			visit("", item)
		}
	}
	visit("", root)
	return out, nil
}

// programs are the members of contracts and recipes that are command lines.
var programs = []string{"command", "run", "kill", "start", "advance", "down", "up"}

// beside says whether a program or file is named by where it is relative to the
// contract.
func beside(name string) bool {
	return !strings.HasPrefix(name, "/") && !strings.Contains(name, "${") && (strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".pem") || strings.HasSuffix(name, ".key"))
}

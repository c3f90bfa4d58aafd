package document

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/idem-toolkit/idem/internal/problem"
)

// parseYAML reads one YAML 1.2 document. The library composes the nodes; what
// a plain scalar means is decided here, since the library still knows some of
// YAML 1.1.
func parseYAML(file string, src []byte) (*Node, error) {
	if err := checkYAMLText(file, src); err != nil {
		return nil, err
	}
	root, err := compose(file, src)
	if err != nil {
		return nil, err
	}
	c := &composer{file: file}
	return c.value(root, 1)
}

// compose gives the root of the only document.
func compose(file string, src []byte) (*yaml.Node, error) {
	src, err := blankDirective(file, src)
	if err != nil {
		return nil, err
	}
	loader, err := yaml.NewLoader(bytes.NewReader(src))
	if err != nil {
		return nil, yamlProblem(file, err)
	}
	var root *yaml.Node
	for {
		var n yaml.Node
		err := loader.Load(&n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, yamlProblem(file, err)
		}
		if root != nil {
			return nil, problem.New(at(file, n.Line, n.Column), "a second YAML document begins here").
				WithHint("keep one document in a file")
		}
		if n.Kind == yaml.DocumentNode && len(n.Content) == 1 {
			root = n.Content[0]
		}
	}
	if root == nil {
		return nil, problem.New(at(file, 1, 1), "the file is empty")
	}
	return root, nil
}

// blankDirective turns a leading %YAML 1.2 line, which the library does not
// know, into a comment, and refuses every other directive.
func blankDirective(file string, src []byte) ([]byte, error) {
	blanked := false
	for i, line := 0, 1; i < len(src); line++ {
		text := src[i:]
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			text = text[:end+1]
		}
		switch trimmed := strings.TrimSpace(string(text)); {
		case trimmed == "" || trimmed[0] == '#':
		case text[0] != '%':
			if blanked && !(strings.HasPrefix(trimmed, "---") && (len(trimmed) == 3 || trimmed[3] == ' ')) {
				return nil, problem.New(at(file, line, 1), "no --- stands between the directive and the document").WithHint("---")
			}
			return src, nil
		case blanked:
			return nil, problem.New(at(file, line, 1), "a second directive; only one %%YAML 1.2 is allowed")
		case strings.Join(strings.Fields(trimmed), " ") == "%YAML 1.2":
			src, blanked = bytes.Clone(src), true
			src[i] = '#'
		case strings.HasPrefix(trimmed, "%YAML"):
			return nil, problem.New(at(file, line, 1), "another YAML version; the file is read as YAML 1.2").
				WithHint("%%YAML 1.2")
		default:
			return nil, problem.New(at(file, line, 1), "a directive; only %%YAML 1.2 is allowed")
		}
		i += len(text)
	}
	return src, nil
}

// yamlProblem gives a library error its place.
func yamlProblem(file string, err error) error {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		return problem.New(file, "not valid YAML")
	}
	where := file
	if load.Mark.Line > 0 {
		where = at(file, load.Mark.Line, max(load.Mark.Column, 1))
	}
	switch load.Message {
	case "found unexpected end of stream":
		if load.ContextMark.Line > 0 {
			return problem.New(at(file, load.ContextMark.Line, max(load.ContextMark.Column, 1)), "not valid YAML: the quote that opens here is never closed")
		}
	case "found unknown escape character":
		return problem.New(where, "not valid YAML: an unknown escape sequence in double quotes").
			WithHint(`put a text with \ in it, such as a Windows path, in single quotes`)
	}
	return problem.New(where, "not valid YAML: %s", load.Message)
}

// checkYAMLText refuses characters that readers of YAML take differently: as
// a line break in 1.1 and text in 1.2, as indentation or not, as nothing.
func checkYAMLText(file string, src []byte) error {
	comment := false // from a # that can start a comment to the end of the line
	previous := '\n'
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		what, hint := "", ""
		switch {
		case r == '\n':
			comment = false
		case r == '#' && (previous == '\n' || previous == ' '):
			comment = true
		case r == '\t' && !comment:
			what, hint = "a tab character", `indent and separate with spaces; inside a text write "\t" in double quotes`
		case r == '\r' && (i+1 == len(src) || src[i+1] != '\n'):
			what, hint = "a carriage return that ends no line", `inside a text write "\r" in double quotes`
		case r == 0x85 || r == 0x2028 || r == 0x2029:
			what, hint = "a line separator that YAML 1.1 and 1.2 read differently", `write "\N", "\L" or "\P" in double quotes`
		case r == 0xFEFF:
			what, hint = "a byte order mark inside the file", `inside a text write "\ufeff" in double quotes`
		case r < 0x20 && r != '\t' && r != '\r' || r >= 0x7F && r < 0xA0 || r == 0xFFFE || r == 0xFFFF:
			what, hint = "a control character", `inside a text write it escaped, such as "\x07", in double quotes`
		}
		if what != "" {
			return problem.New(place(file, src, i), "%s (U+%04X)", what, r).WithHint("%s", hint)
		}
		previous = r
		i += size
	}
	return nil
}

// composer turns the library's nodes into ours.
type composer struct{ file string }

func (c *composer) value(y *yaml.Node, depth int) (*Node, error) {
	n := &Node{File: c.file, Line: y.Line, Column: y.Column}
	switch {
	case y.Kind == yaml.AliasNode:
		return nil, n.Errorf("an alias (*); aliases are not allowed").WithHint("write the value again")
	case y.Anchor != "":
		return nil, n.Errorf("an anchor (&); anchors are not allowed").WithHint("write the value without it")
	case y.Style&yaml.TaggedStyle != 0 || y.Tag == "!":
		return nil, n.Errorf("a tag (!); tags are not allowed").
			WithHint("write the value alone; quote it where it is text")
	case depth > MaxDepth:
		return nil, n.Errorf("nested deeper than %d", MaxDepth)
	}
	switch y.Kind {
	case yaml.ScalarNode:
		return n, resolve(n, y)
	case yaml.SequenceNode:
		n.Kind = Array
		for _, item := range y.Content {
			v, err := c.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, v)
		}
		return n, nil
	case yaml.MappingNode:
		return n, c.mapping(n, y, depth)
	}
	return nil, n.Errorf("not valid YAML")
}

func (c *composer) mapping(n *Node, y *yaml.Node, depth int) error {
	n.Kind = Object
	names := newNames(c.file)
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, err := c.value(y.Content[i], depth+1)
		if err != nil {
			return err
		}
		plain := y.Content[i].Style&quoted == 0
		switch {
		case key.Kind == Array || key.Kind == Object:
			return key.Errorf("a name that is %s; names are strings", key.Kind)
		case key.Kind == Null && y.Content[i].Value == "":
			return key.Errorf("an empty name; names are strings").WithHint(`"": ...`)
		case key.Kind != String:
			return key.Errorf("a name that is %s; names are strings", key.Kind).
				WithHint(`put the name in quotes: "%s": ...`, clip(y.Content[i].Value))
		case plain && key.Text == "<<":
			return key.Errorf("a merge key (<<); merge keys are not allowed").WithHint("write the members out")
		}
		m := Member{Name: key.Text, Line: key.Line, Column: key.Column}
		if err := names.add(m); err != nil {
			return err
		}
		if m.Value, err = c.value(y.Content[i+1], depth+1); err != nil {
			return err
		}
		n.Members = append(n.Members, m)
	}
	return nil
}

const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// resolve gives a scalar its type by the core schema (YAML 1.2.2, section
// 10.3.2). Numbers that JSON cannot spell are refused: 010 is ten in YAML 1.2
// and eight in 1.1, and JSON has no hexadecimal, infinity or leading plus.
func resolve(n *Node, y *yaml.Node) error {
	n.Kind, n.Text = String, y.Value
	if y.Style&quoted != 0 {
		return nil
	}
	switch y.Value {
	case "", "~", "null", "Null", "NULL":
		n.Kind, n.Text = Null, ""
		return nil
	case "true", "True", "TRUE", "false", "False", "FALSE":
		n.Kind, n.Text = Bool, strings.ToLower(y.Value)
		return nil
	}
	switch {
	case isJSONNumber(y.Value):
		n.Kind = Number
	case isCoreNumber(y.Value):
		return n.Errorf("a number that JSON cannot spell").
			WithHint("write a decimal number without leading zero or plus, or put it in quotes where it is text")
	}
	return nil
}

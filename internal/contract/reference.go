package contract

import (
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// A reference is ${NAME}, NAME being [A-Za-z_][A-Za-z0-9_]*. It is filled in
// within target, effects, crash and expiry. There, $${ stands for the text ${
// and any other $ for itself, so that shell commands keep their $NAME. What is
// filled in is not looked through again.

// piece is a literal text, or the name of a reference.
type piece struct{ literal, name string }

// references cuts a text into pieces. bad is the text of the first reference
// that is none, empty where all is well.
func references(s string) (pieces []piece, bad string) {
	literal := func(text string) {
		if text != "" {
			pieces = append(pieces, piece{literal: text})
		}
	}
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			literal(s)
			return pieces, ""
		}
		if i > 0 && s[i-1] == '$' {
			literal(s[:i-1] + "${")
			s = s[i+2:]
			continue
		}
		end := strings.IndexByte(s[i:], '}')
		if end < 0 {
			return nil, s[i:]
		}
		name := s[i+2 : i+end]
		if !isName(name) {
			return nil, s[i : i+end+1]
		}
		literal(s[:i])
		pieces = append(pieces, piece{name: name})
		s = s[i+end+1:]
	}
}

// isName says whether s can be the name of an environment variable.
func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func named(pieces []piece) bool {
	for _, p := range pieces {
		if p.name != "" {
			return true
		}
	}
	return false
}

// pieces cuts a string of the file, which must hold only good references.
func (r *reader) pieces(n *document.Node, what string) []piece {
	pieces, bad := references(n.Text)
	if bad != "" {
		r.fail(n.Errorf("%s in %s is no reference", document.Show(bad), what).
			WithHint("${NAME} takes a variable, $${ is the text ${"))
	}
	return pieces
}

// fill gives a string with its references filled in, or as it stands where
// they are not to be. Elsewhere than where they may stand, they are errors:
// a text sent as ${NAME} is never what was meant.
func (r *reader) fill(n *document.Node, what string) string {
	if !r.within {
		if pieces, bad := references(n.Text); bad == "" && named(pieces) {
			r.fail(n.Errorf("%s holds a reference, which is not filled in here", what).
				WithHint("${NAME} is filled in within target, effects, crash and expiry"))
		}
		return n.Text
	}
	pieces := r.pieces(n, what)
	if r.texts == nil {
		return n.Text
	}
	filled, _ := r.filled(n, pieces, r.texts, true)
	return filled
}

// filled joins pieces. ok is false where a name is unknown, an error where
// must is set.
func (r *reader) filled(n *document.Node, pieces []piece, look lookup, must bool) (s string, ok bool) {
	var b strings.Builder
	for _, p := range pieces {
		if p.name == "" {
			b.WriteString(p.literal)
			continue
		}
		value, ok := look(p.name)
		if !ok {
			if must {
				r.unset(n, p.name)
			}
			return "", false
		}
		if strings.ContainsRune(value, 0) {
			r.fail(n.Errorf("the value of %s holds a NUL character", p.name))
			return "", false
		}
		b.WriteString(value)
	}
	return b.String(), true
}

// isHanded knows the variables that idem itself hands to commands and hooks;
// their shell fills them in.
func isHanded(name string) bool {
	switch name {
	case "IDEM_SECONDS", "IDEM_KEY", "IDEM_OPERATION", "IDEM_RUN_ID",
		"IDEM_METHOD", "IDEM_SCHEME", "IDEM_HOST", "IDEM_TARGET", "IDEM_PRINCIPAL":
		return true
	}
	return name == "IDEM_FRESH" || strings.HasPrefix(name, "IDEM_FRESH_")
}

// unset tells of a name that is not set, and of all others, so that nobody has
// to run once for each.
func (r *reader) unset(n *document.Node, name string) {
	if isHanded(name) {
		r.fail(n.Errorf("the environment variable %s is not set", name).WithHint("in a command write $%s, or $${%s}", name, name))
		return
	}
	names := []string{name}
	for _, other := range r.unsetElsewhere() {
		if !slices.Contains(names, other) {
			names = append(names, other)
		}
	}
	r.fail(Unset(n.At(), names))
}

// Unset is the error for variables that are not set: one or more names, and the
// place in the file.
func Unset(where string, names []string) *problem.Error {
	what := "variable " + names[0] + " is"
	if len(names) > 1 {
		what = "variables " + problem.Enumerated(names) + " are"
	}
	return problem.New(where, "the environment %s not set", what).WithHint("export %s=...", strings.Join(names, "=... "))
}

// unsetElsewhere gives the names that the file reads and nobody set, in its
// order: references, and where a member says which variable to read.
func (r *reader) unsetElsewhere() (names []string) {
	missing := func(name string, empty bool) bool {
		value, ok := r.texts(name)
		return name != "" && !isHanded(name) && !(ok && (empty || value != ""))
	}
	var walk func(n *document.Node)
	walk = func(n *document.Node) {
		if n == nil {
			return
		}
		pieces, _ := references(n.Text)
		for _, p := range pieces {
			if missing(p.name, true) {
				names = append(names, p.name)
			}
		}
		for _, item := range n.Items {
			walk(item)
		}
		for _, m := range n.Members {
			reads := (m.Name == "env" || m.Name == "dsn_env") && m.Value.Kind == document.String
			if reads && isName(m.Value.Text) && missing(m.Value.Text, false) {
				names = append(names, m.Value.Text)
			}
			walk(m.Value)
		}
	}
	walk(r.root.Lookup("target"))
	if list := r.root.Lookup("operations"); list != nil {
		for _, op := range list.Items {
			for _, part := range []string{"sibling", "effects", "crash", "expiry", "store_down"} {
				walk(op.Lookup(part))
			}
		}
	}
	return names
}

// number gives the text of a duration or number, filled in where it can be.
// ok is false where it has a reference that stays open for now.
func (r *reader) number(n *document.Node, what string) (s string, ok bool) {
	if !r.within || n.Kind != document.String {
		return n.Text, true
	}
	pieces := r.pieces(n, what)
	if !named(pieces) {
		return n.Text, true
	}
	for _, p := range pieces {
		if p.name != "" {
			if r.settings == nil {
				r.settings = map[string]bool{}
			}
			r.settings[p.name] = true
		}
	}
	if r.numbers == nil {
		return "", false
	}
	return r.filled(n, pieces, r.numbers, r.texts != nil)
}

// sample gives a text that the rules of its place can be tried on: what was
// filled in, else the text with each reference replaced by a stand-in, in a
// port by a digit. ok is false where nothing can be said, since the text
// begins with a reference.
func (r *reader) sample(n *document.Node, filled, standIn string) (s string, ok bool) {
	if !r.within || r.texts != nil || n == nil {
		return filled, true
	}
	pieces, bad := references(n.Text)
	if bad != "" || len(pieces) > 0 && pieces[0].name != "" {
		return "", false
	}
	var b strings.Builder
	for _, p := range pieces {
		switch {
		case p.name == "":
			b.WriteString(p.literal)
		case strings.HasSuffix(strings.TrimRight(b.String(), "0123456789"), ":"):
			b.WriteString("1")
		default:
			b.WriteString(standIn)
		}
	}
	return b.String(), true
}

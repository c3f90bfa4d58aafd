package contract

import (
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
)

const freshOpen = "{fresh:"

// FreshPointers gives the pointers of {fresh:/pointer} in a text, in order.
// ok is false where one does not end.
func FreshPointers(text string) (pointers []string, ok bool) {
	for {
		i := strings.Index(text, freshOpen)
		if i < 0 {
			return pointers, true
		}
		text = text[i+len(freshOpen):]
		end := strings.IndexByte(text, '}')
		if end < 0 {
			return pointers, false
		}
		pointers = append(pointers, text[:end])
		text = text[end+1:]
	}
}

// FillFresh replaces each {fresh:/pointer} by the value of its pointer. The
// caller escapes values for where the text goes.
func FillFresh(text string, value func(pointer string) string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, freshOpen)
		if i < 0 {
			break
		}
		end := strings.IndexByte(text[i:], '}')
		if end < 0 {
			break
		}
		b.WriteString(text[:i])
		b.WriteString(value(text[i+len(freshOpen) : i+end]))
		text = text[i+end+1:]
	}
	b.WriteString(text)
	return b.String()
}

// checkFresh holds the templates of a text to the declared fresh values.
func (r *reader) checkFresh(n *document.Node, text, what string, fresh []Fresh) {
	if r.err != nil || n == nil {
		return
	}
	pointers, ok := FreshPointers(text)
	if !ok {
		r.fail(n.Errorf("%s has a {fresh: that does not end", what).WithHint("{fresh:/order_id}"))
		return
	}
	for _, p := range pointers {
		r.checkDeclared(n, p, what, fresh)
	}
}

// checkDeclared holds a pointer to the declared fresh values.
func (r *reader) checkDeclared(n *document.Node, pointer, what string, fresh []Fresh) {
	if r.err != nil {
		return
	}
	names := make([]string, len(fresh))
	for i, f := range fresh {
		if names[i] = f.At; f.At == pointer {
			return
		}
	}
	hint := "request.fresh: [" + pointer + "]"
	if len(names) > 0 {
		hint = "request.fresh has " + strings.Join(names, ", ")
	}
	r.fail(n.Errorf("%s names %s, which is not fresh", what, document.Show(pointer)).MeaningOr(pointer, names, "%s", hint))
}

// CounterReads says whether the operation's counter tells two operations apart
// that differ in the fresh value at that pointer alone.
func (o *Operation) CounterReads(pointer string) bool {
	e := o.Effects
	if e == nil {
		return false
	}
	at := slices.Clone(e.SQL.Args)
	for _, text := range append([]string{e.HTTP.Path, e.HTTP.Count}, e.Command...) {
		pointers, _ := FreshPointers(text)
		at = append(at, pointers...)
	}
	isFresh := func(p string) bool {
		return slices.ContainsFunc(o.Request.Fresh, func(f Fresh) bool { return f.At == p })
	}
	if e.Kind == BySink && isFresh(e.Sink.Match) {
		at = append(at, e.Sink.Match)
	}
	// A command that names none has them all in its environment, and a sink that
	// matches another place looks for any of them.
	if len(at) == 0 && (e.Kind == ByCommand || e.Kind == BySink) {
		return true
	}
	return slices.Contains(at, pointer)
}

package contract

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// bodyRead is a body with what is needed to look into it.
type bodyRead struct {
	Body
	node  *document.Node
	value *fingerprint.Value // of JSON; nil where the file was not read
}

// body reads the body, form or body_file of a request or variant; nil where
// there is none. A file without Content-Type is of the media type absent.
func (r *reader) body(b *fields, headers [][2]string, absent string) *bodyRead {
	member := b.choose(false, "body", "form", "body_file")
	if member == "" || r.err != nil {
		return nil
	}
	n := b.Get(member)
	out := &bodyRead{Body: Body{Pos: pos(n)}, node: n}
	media, stated := headerValue(headers, "Content-Type")
	switch member {
	case "body":
		if n.Kind == document.Null {
			r.fail(n.Errorf("body is empty").WithHint("leave body out where the request has none"))
			return nil
		}
		if stated && isForm(media) {
			r.fail(n.Errorf("the body is JSON, its Content-Type is that of a form").WithHint("form: {name: value}"))
			return nil
		}
		out.Kind, out.JSON = JSONBody, n.JSON()
		out.value = r.admit(n, out.JSON, "the body")
	case "form":
		if stated && !isForm(media) {
			r.fail(n.Errorf("the body is a form, its Content-Type is not").
				WithHint("Content-Type: application/x-www-form-urlencoded"))
			return nil
		}
		out.Kind, out.Form = FormBody, r.form(n)
	case "body_file":
		if !stated {
			media = absent
		}
		r.bodyFile(b, media, out)
	}
	return out
}

func (r *reader) form(n *document.Node) [][2]string {
	if n.Kind != document.Object {
		r.fail(n.Errorf("form must be an object of names and texts, not %s", n.Kind))
		return nil
	}
	if len(n.Members) == 0 {
		r.fail(n.Errorf("form is empty"))
		return nil
	}
	out := make([][2]string, len(n.Members))
	for i, m := range n.Members {
		text, err := m.Value.AsString("each of form")
		r.fail(err)
		out[i] = [2]string{m.Name, text}
	}
	return out
}

// bodyFile reads bytes that go out as they are; the media type says whether
// they are JSON, a form or neither.
func (r *reader) bodyFile(b *fields, media string, out *bodyRead) {
	out.File = b.text("body_file")
	out.Kind = RawBody
	switch {
	case isJSON(media):
		out.Kind = JSONBody
	case isForm(media):
		out.Kind = FormBody
	}
	if r.load == nil || r.err != nil {
		return
	}
	out.Raw = r.loaded(out.node, out.File)
	if r.err != nil {
		return
	}
	switch out.Kind {
	case JSONBody:
		out.JSON = out.Raw
		out.value = r.admit(out.node, out.JSON, "the body")
	case FormBody:
		form, ok := parseForm(string(out.Raw))
		if !ok {
			r.fail(out.node.Errorf("%s is no form: names and values, percent-encoded", document.Show(out.File)))
		}
		out.Form = form
	}
}

// parseForm reads application/x-www-form-urlencoded, order kept.
func parseForm(s string) (form [][2]string, ok bool) {
	for _, part := range strings.Split(s, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		n, err1 := url.QueryUnescape(name)
		v, err2 := url.QueryUnescape(value)
		if err1 != nil || err2 != nil {
			return nil, false
		}
		form = append(form, [2]string{n, v})
	}
	return form, true
}

// mediaOf gives the media type that a body has where no header says it.
func mediaOf(k BodyKind) string {
	switch k {
	case JSONBody:
		return "application/json"
	case FormBody:
		return "application/x-www-form-urlencoded"
	}
	return ""
}

// isJSON says whether a media type is JSON's (determ-v1, Fingerprints v1, B).
func isJSON(media string) bool {
	essence := essenceOf(media)
	return essence == "application/json" || strings.HasSuffix(essence, "+json")
}

func isForm(media string) bool { return essenceOf(media) == "application/x-www-form-urlencoded" }

func essenceOf(media string) string {
	essence, _, _ := strings.Cut(media, ";")
	return strings.ToLower(strings.Trim(essence, " \t"))
}

// admit reads JSON as strictly as a payload. n is the value itself, or the
// name of the file that holds it.
func (r *reader) admit(n *document.Node, src []byte, what string) *fingerprint.Value {
	v, err := fingerprint.Parse(src)
	if err != nil {
		r.fail(placedIn(n, err, what))
		return nil
	}
	return v
}

// placedIn gives an error about JSON the place in the contract that it means.
func placedIn(n *document.Node, err error, what string) error {
	var e *fingerprint.Error
	if !errors.As(err, &e) {
		return n.Errorf("%s: %s", what, err)
	}
	found := n
	if e.Pointer != "" {
		if deeper := locate(n, e.Pointer); deeper != nil {
			found = deeper
		}
	}
	wrong := found.Errorf("%s: %s", what, e)
	if hint := problem.Hint(err); hint != "" {
		return wrong.WithHint("%s", hint)
	}
	return wrong
}

// locate gives the node that a pointer leads to, nil where there is none.
func locate(n *document.Node, pointer string) *document.Node {
	p, err := fingerprint.ParsePointer(pointer)
	if err != nil {
		return nil
	}
	for _, token := range p {
		switch n.Kind {
		case document.Object:
			n = n.Lookup(token)
		case document.Array:
			n = itemAt(n, token)
		default:
			return nil
		}
		if n == nil {
			return nil
		}
	}
	return n
}

func itemAt(n *document.Node, token string) *document.Node {
	i := 0
	for _, c := range []byte(token) {
		if c < '0' || c > '9' || i >= len(n.Items) {
			return nil
		}
		i = 10*i + int(c-'0')
	}
	if token == "" || len(token) > 1 && token[0] == '0' || i >= len(n.Items) {
		return nil
	}
	return n.Items[i]
}

// checkFreshIn holds every fresh value to a place in the body.
func (r *reader) checkFreshIn(b *fields, body *bodyRead, fresh []Fresh) {
	for i, f := range fresh {
		if r.err != nil {
			return
		}
		place := b.Node
		if n := b.Get("fresh"); n != nil {
			place = n.Items[i]
		} else if body != nil {
			place = body.node
		}
		if why := missingIn(body, f); why != "" {
			r.fail(place.Errorf("the fresh value %s %s", document.Show(f.At), why).
				WithHint("put it in the body, here and in every variant; what stands there is replaced"))
		}
	}
}

// missingIn says why a fresh value has no place in a body, empty where it has
// one or where the body was not read.
func missingIn(body *bodyRead, f Fresh) string {
	if body == nil {
		return "has no body to stand in"
	}
	switch body.Kind {
	case RawBody:
		return "cannot stand in a body of bytes"
	case FormBody:
		if body.Form == nil {
			return ""
		}
		if name, ok := fieldName(f.At); ok {
			if slices.ContainsFunc(body.Form, func(field [2]string) bool { return field[0] == name }) {
				return ""
			}
		}
		return "is no field of the form"
	}
	if body.value == nil {
		return ""
	}
	p, _ := fingerprint.ParsePointer(f.At)
	v, ok := body.value.At(p)
	switch {
	case !ok:
		return "is not in the body"
	case v.Kind == fingerprint.KindObject || v.Kind == fingerprint.KindArray:
		return "would replace " + document.Kind(kindOf(v)).String()
	}
	return ""
}

func kindOf(v *fingerprint.Value) document.Kind {
	if v.Kind == fingerprint.KindArray {
		return document.Array
	}
	return document.Object
}

// fieldName gives the form field that a pointer of one token names.
func fieldName(pointer string) (string, bool) {
	p, err := fingerprint.ParsePointer(pointer)
	if err != nil || len(p) != 1 {
		return "", false
	}
	return p[0], true
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

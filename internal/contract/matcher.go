package contract

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// matcherAt reads an object that is nothing but a matcher; nil where n is nil.
// name is what stands before the colon.
func (r *reader) matcherAt(n *document.Node, what, name string) *Matcher {
	if n == nil || r.err != nil {
		return nil
	}
	if n.Kind != document.Object {
		r.fail(n.Errorf("%s must say which answers count, not be %s", what, n.Kind).
			WithHint("%s: {status: [%s]}", name, statusHint(n, what)))
		return nil
	}
	var m *Matcher
	r.object(n, "matcher", func(b *fields) { m = r.matcher(b, what) })
	return m
}

// statusHint keeps the statuses that the user wrote without their list or
// their object; else it gives the usual one of a place.
func statusHint(n *document.Node, what string) string {
	if _, ok := statusOf(n.Text); ok {
		return n.Text
	}
	var list []string
	for _, item := range n.Items {
		if _, ok := statusOf(item.Text); ok {
			list = append(list, item.Text)
		}
	}
	if len(list) > 0 {
		return strings.Join(list, ", ")
	}
	switch what {
	case "missing_key", "repeated", "too_long":
		return "400"
	case "accepted":
		return "200"
	case "after_retention":
		return "412"
	case "stored":
		return "422"
	}
	return "409"
}

// matcher reads the members of an object that make a matcher. One of them
// must be there.
func (r *reader) matcher(b *fields, what string) *Matcher {
	m := r.optMatcher(b)
	if m == nil && r.err == nil {
		r.fail(b.Node.Errorf("%s says of no answer that it counts", what).WithHint("status: [%s]", statusHint(b.Node, what)))
	}
	return m
}

func (r *reader) optMatcher(b *fields) *Matcher {
	if !b.Has("status") && !b.Has("header") && !b.Has("json") {
		return nil
	}
	m := &Matcher{
		Status: r.statuses(b.Get("status")),
		Header: r.headers(b.Get("header"), "header"),
		JSON:   r.expectations(b.Get("json")),
		Pos:    b.at,
	}
	if len(m.Status)+len(m.Header)+len(m.JSON) == 0 && r.err == nil {
		r.fail(b.Node.Errorf("every answer would match").WithHint("status: [409]"))
	}
	return m
}

// statusOf reads a final status code (RFC 9110, 15).
func statusOf(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 200 && n <= 599 && len(s) == 3
}

func (r *reader) statuses(n *document.Node) []int {
	if n == nil || r.err != nil {
		return nil
	}
	if n.Kind != document.Array {
		r.fail(n.Errorf("status must be a list of statuses, not %s", n.Kind).WithHint("status: [%s]", statusHint(n, "")))
		return nil
	}
	if len(n.Items) == 0 {
		r.fail(n.Errorf("status is empty").WithHint("status: [409]"))
	}
	var list []int
	for _, item := range n.Items {
		status, ok := statusOf(item.Text)
		if !ok || item.Kind != document.Number {
			r.fail(item.Errorf("%s is no status from 200 to 599", shown(item)).WithHint("status: [%s]", statusHint(item, "")))
			return nil
		}
		list = append(list, status)
	}
	return list
}

// shown gives a scalar as it may be shown, anything else by its kind.
func shown(n *document.Node) string {
	switch n.Kind {
	case document.Number, document.Bool:
		if len(n.Text) <= 40 {
			return n.Text
		}
	case document.String:
		return document.Show(n.Text)
	}
	return n.Kind.String()
}

func (r *reader) expectations(n *document.Node) []JSONExpectation {
	if n == nil || r.err != nil {
		return nil
	}
	if n.Kind != document.Object {
		r.fail(n.Errorf("json must be an object of pointers and values, not %s", n.Kind).
			WithHint("json: {/error/type: idempotency_error}"))
		return nil
	}
	var list []JSONExpectation
	for _, m := range n.Members {
		r.pointer(&document.Node{File: n.File, Line: m.Line, Column: m.Column}, m.Name, "json", true)
		value := m.Value.JSON()
		r.admit(m.Value, value, "json")
		list = append(list, JSONExpectation{Pointer: m.Name, Value: value})
	}
	return list
}

// Match says whether an answer is one of those meant: its status is listed, it
// has each header field with that very value, and each value stands in its
// JSON body, numbers compared by value. A nil matcher matches nothing.
func (m *Matcher) Match(status int, header [][2]string, body []byte) bool {
	if m == nil {
		return false
	}
	if len(m.Status) > 0 && !hasStatus(m.Status, status) {
		return false
	}
	for _, want := range m.Header {
		if !hasField(header, want) {
			return false
		}
	}
	if len(m.JSON) == 0 {
		return true
	}
	whole, err := fingerprint.Parse(body)
	if err != nil {
		return false
	}
	for _, want := range m.JSON {
		if !want.in(whole) {
			return false
		}
	}
	return true
}

func hasStatus(list []int, status int) bool {
	for _, s := range list {
		if s == status {
			return true
		}
	}
	return false
}

func hasField(header [][2]string, want [2]string) bool {
	for _, field := range header {
		if strings.EqualFold(field[0], want[0]) && strings.Trim(field[1], " \t") == want[1] {
			return true
		}
	}
	return false
}

func (e JSONExpectation) in(whole *fingerprint.Value) bool {
	p, err := fingerprint.ParsePointer(e.Pointer)
	if err != nil {
		return false
	}
	got, ok := whole.At(p)
	if !ok {
		return false
	}
	want, err := fingerprint.Canonical(e.Value, fingerprint.IEEE754)
	if err != nil {
		return false
	}
	canonical, err := got.Canonical(fingerprint.IEEE754, "")
	return err == nil && bytes.Equal(canonical, want)
}

// String reads well after "expected": "status 409 or 422 with /error/type =
// "idempotency_error"".
func (m *Matcher) String() string {
	if m == nil {
		return "no answer"
	}
	var b strings.Builder
	if len(m.Status) == 0 {
		b.WriteString("any status")
	}
	for i, s := range m.Status {
		switch {
		case i == 0:
			b.WriteString("status ")
		case i == len(m.Status)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(s))
	}
	joint := " with "
	for _, h := range m.Header {
		b.WriteString(joint + "header " + h[0] + ": " + clip(h[1]))
		joint = " and "
	}
	for _, e := range m.JSON {
		where := e.Pointer
		if where == "" {
			where = "body"
		}
		b.WriteString(joint + where + " = " + clip(string(e.Value)))
		joint = " and "
	}
	return b.String()
}

// clip cuts a value that is shown at 40 characters.
func clip(s string) string {
	if runes := []rune(s); len(runes) > 40 {
		return string(runes[:40]) + "..."
	}
	return s
}

package probe

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/trace"
)

// When an answer gives away another operation's result: "A leak is the first
// result's body or id, never a marker alone" (contract-v1, Steps). What
// identifies a result is found by a control: the answer of a third operation
// that is alike but for key and values. What both have says nothing.

// shortestName is how many characters a name must have to be looked for in
// other places than its own: shorter ones stand anywhere.
const shortestName = 8

// mark of a result: a text that no other result has, and where it stands.
type resultMark struct {
	where string // "/id", "Location", "/order_id"
	text  string
	place func(*trace.Answer) []string // what stands at the same place
}

// leaks says which part of the first's result stands in another's answer, in
// words for a person; "" where none does, or none can be told. Prior, where
// there is one, is an operation with the control's values, and tells the first
// from the control as the first is told from the other: what both of these have
// in one place comes of the values, such as an id that is derived from them.
func (r rules) leaks(first, control, other, prior *Exchange) string {
	if !r.class(first).welcome || !r.class(control).welcome || !other.Whole() {
		return "" // only results can be given away
	}
	for _, m := range r.marks(first, control, prior) {
		if asked(other, m.text) {
			continue // the request itself said so
		}
		for _, text := range m.place(other.Answer) {
			if text == m.text {
				return "the first result's " + m.where + " " + short([]byte(m.text))
			}
		}
		if len(m.text) >= shortestName && standsIn(shownText(other.Answer), m.text) {
			return "the first result's " + m.where + " " + short([]byte(m.text))
		}
	}
	return ""
}

// standsIn says that a text has a name in it that is not the beginning, the end
// or the middle of a longer one: /orders/2 does not stand in /orders/26, nor
// note-1 in note-1-b. Names are counted on, and given a number where they are taken.
func standsIn(text, name string) bool {
	word := func(s string) bool {
		r, _ := utf8.DecodeRuneInString(s)
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		before, after := text[:from+i], text[from+i+len(name):]
		last, _ := utf8.DecodeLastRuneInString(before)
		begins := before == "" || !word(name) || !word(string(last))
		ends := after == "" || !word(after) && !(strings.ContainsAny(after[:1], "-_.~%") && word(after[1:]))
		if begins && ends {
			return true
		}
		from += i + 1
	}
}

// marks gives what identifies the first's result: its id, where it can be
// read, and the values of its own request that it tells. What the control's
// answer has too is none, nor what stands where prior and control have the same.
func (r rules) marks(first, control, prior *Exchange) []resultMark {
	if !first.Whole() || !control.Whole() {
		return nil
	}
	var out []resultMark
	keep := func(where, text string, place func(*trace.Answer) []string) {
		switch {
		case text == "" || strings.Contains(text, "«"): // a mask is the same for everybody
		case asked(first, text) && len(text) < shortestName: // amounts and the like
		case momentText(text), len(text) >= shortestName && strings.Contains(shownText(control.Answer), text):
		default:
			for _, same := range place(control.Answer) {
				if same == text {
					return
				}
			}
			if prior.Whole() && sharesOne(place(prior.Answer), place(control.Answer)) {
				return // another operation of the same values has the same there
			}
			out = append(out, resultMark{where, text, place})
		}
	}
	body, err := fingerprint.Parse(bodyOf(first.Answer.Body))
	if err == nil {
		for _, at := range nearestIDs(body) {
			place := pointedAt(at)
			for _, text := range place(first.Answer) {
				keep(at.String(), text, place)
			}
		}
		var all []leaf
		walkLeaves(body, "", &all)
		for _, l := range all {
			if l.value.Kind == fingerprint.KindString && len(l.value.Str) >= shortestName && asked(first, l.value.Str) && !keyText(first, l.value.Str) {
				keep(l.pointer, l.value.Str, func(*trace.Answer) []string { return nil })
			}
		}
	}
	for _, text := range trace.Get(first.Answer.Header, "Location") {
		keep("Location", text, func(a *trace.Answer) []string { return trace.Get(a.Header, "Location") })
	}
	return out
}

// sharesOne says that two lists have a text in common.
func sharesOne(a, b []string) bool {
	return slices.ContainsFunc(a, func(text string) bool { return slices.Contains(b, text) })
}

// asked says that a text stands in what an exchange's request sent.
func asked(x *Exchange, text string) bool {
	if x.Request == nil {
		return false
	}
	return strings.Contains(string(bodyOf(x.Request.Body)), text) || strings.Contains(x.Request.Target, text) ||
		keyText(x, text)
}

// keyText says that a text is the key of an exchange, or holds it.
func keyText(x *Exchange, text string) bool {
	return x.Request != nil && x.Request.Key != "" && strings.Contains(text, x.Request.Key)
}

// shownText is all of an answer in which a result may be told: a Link, an ETag
// or a field of the service's own gives an id away as its body does.
func shownText(a *trace.Answer) string {
	var b strings.Builder
	b.Write(bodyOf(a.Body))
	for _, f := range a.Header {
		b.WriteString("\n" + f[1])
	}
	return b.String()
}

// pointedAt reads the scalar at a pointer of an answer's body.
func pointedAt(p fingerprint.Pointer) func(*trace.Answer) []string {
	return func(a *trace.Answer) []string {
		v, err := fingerprint.Parse(bodyOf(a.Body))
		if err != nil {
			return nil
		}
		if at, ok := v.At(p); ok && scalarText(at) != "" {
			return []string{scalarText(at)}
		}
		return nil
	}
}

// nearestIDs gives the pointers of the members named id that lie nearest to
// the root: deeper ones may be of other things, such as who answered.
func nearestIDs(v *fingerprint.Value) []fingerprint.Pointer {
	type level struct {
		at fingerprint.Pointer
		v  *fingerprint.Value
	}
	const deepest = 8
	now := []level{{nil, v}}
	for range deepest {
		var found []fingerprint.Pointer
		var next []level
		for _, l := range now {
			for _, m := range l.v.Members {
				at := append(l.at[:len(l.at):len(l.at)], m.Name)
				if strings.EqualFold(m.Name, "id") && scalarText(m.Value) != "" {
					found = append(found, at)
				}
				next = append(next, level{at, m.Value})
			}
		}
		if len(found) > 0 {
			return found
		}
		now = next
	}
	return nil
}

// momentText says that a text is a time: two results may share one.
func momentText(text string) bool {
	for _, layout := range []string{time.RFC3339Nano, time.DateTime, time.RFC1123, time.RFC1123Z, time.DateOnly} {
		if _, err := time.Parse(layout, text); err == nil {
			return true
		}
	}
	return false
}

// tellsApart says that results can be told apart by what they show: the first's
// has something that the control's has not, and that the other one's request did
// not name. Of prior see leaks.
func (r rules) tellsApart(first, control, other, prior *Exchange) bool {
	return slices.ContainsFunc(r.marks(first, control, prior), func(m resultMark) bool {
		return other == nil || !asked(other, m.text)
	})
}

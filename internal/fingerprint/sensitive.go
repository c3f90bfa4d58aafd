package fingerprint

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Finding is a value that an unkeyed hash would give away, since it can be
// guessed: hash every candidate and compare.
type Finding struct {
	Pointer string // where it is, never what it is
	What    string // "is called sensitive", "looks like an email address", ...
}

// shows says that nothing need be looked for: a key hides it, or it is public.
func (p Policy) shows() bool { return p.Key != nil || p.Public }

// byLooks says whether looks decide what is sensitive.
func (p Policy) byLooks() bool { return p.Sensitive == nil || p.Looks }

func calledSensitive(p Pointer) Finding {
	return Finding{Pointer: p.String(), What: "is called sensitive"}
}

// refusal is the error for a finding; place is put before its pointer.
func (f Finding) refusal(place string) error {
	pointer := maskedPointer(f.Pointer)
	p := problem.New(place+Printable(pointer), "%s, and an unkeyed hash of it can be undone by guessing", f.What)
	switch {
	case place == "" && pointer == "":
		p.Where = "the payload"
	case place == "":
		p.Pointer = pointer
	}
	return p.
		WithHint("use the keyed form (--key-env NAME --kid KID --namespace NAMESPACE), or --public if the payload may be known to all")
}

// allowed refuses the unkeyed form where it would give something away of
// everything that a request fingerprint covers.
// Pointers name places of the body; with none, the query and the headers that
// count are looked at too.
func (r *request) allowed(p Policy) error {
	if p.shows() {
		return nil
	}
	if r.received != nil {
		if f, found := findSensitive(r.received, r.ignored, p.Sensitive, p.Looks); found {
			return f.refusal("body ")
		}
	}
	if !p.byLooks() {
		return nil
	}
	for i, segment := range strings.Split(r.path, "/") {
		if plain, err := url.PathUnescape(segment); err == nil {
			segment = plain
		}
		if what := Looks("", String(segment)); what != "" {
			return Finding{Pointer: "segment " + strconv.Itoa(i), What: "looks like " + what}.refusal("path ")
		}
	}
	if what := Looks("", String(r.text)); what != "" {
		return Finding{What: "looks like " + what}.refusal("body")
	}
	for _, pair := range r.pairs {
		if what := Looks(pair.name, String(pair.value)); what != "" && pair.name != r.queryKey {
			return Finding{Pointer: namedPlace(pair.name), What: "looks like " + what}.refusal("query ")
		}
	}
	for _, m := range r.headers.Members {
		if what := Looks(m.Name, m.Value); what != "" {
			return Finding{Pointer: m.Name, What: "looks like " + what}.refusal("header ")
		}
	}
	for _, pair := range r.form {
		if what := Looks(pair.name, String(pair.value)); what != "" {
			return Finding{Pointer: namedPlace(pair.name), What: "looks like " + what}.refusal("form field ")
		}
	}
	return nil
}

// namedPlace shows a name unless it is itself something that must not be shown.
func namedPlace(name string) string {
	if Looks("", String(name)) != "" {
		return masked
	}
	return strconv.Quote(cut(name, shownLength))
}

// masked stands for a value that must not be shown.
const masked = "«masked»"

var errFound = errors.New("found")

// findSensitive gives the first value, of those that are not skipped, that
// pointers name or, where pointers is nil or looksToo, that looks sensitive.
func findSensitive(v *Value, skip map[*Value]bool, pointers []Pointer, looksToo bool) (Finding, bool) {
	for _, p := range pointers {
		if present(v, p, skip) {
			return calledSensitive(p), true
		}
	}
	if pointers != nil && !looksToo {
		return Finding{}, false
	}
	var f Finding
	err := walk(v, nil, skip, func(path []step, v *Value) error {
		if what := Looks(nameOf(path), v); what != "" {
			f = Finding{Pointer: pointerText(path), What: "looks like " + what}
			return errFound
		}
		for _, m := range v.Members {
			if what := Looks("", String(m.Name)); what != "" && !skip[m.Value] {
				f = Finding{Pointer: pointerText(path), What: "has a name that looks like " + what}
				return errFound
			}
		}
		return nil
	})
	return f, err != nil
}

// nameOf is the nearest name on the path: that of a list is that of its items.
func nameOf(path []step) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].index < 0 {
			return path[i].name
		}
	}
	return ""
}

// present says whether p names a value that no skipped one holds.
func present(v *Value, p Pointer, skip map[*Value]bool) bool {
	for i := range len(p) + 1 {
		at, ok := v.At(p[:i])
		if !ok || skip[at] {
			return false
		}
	}
	return true
}

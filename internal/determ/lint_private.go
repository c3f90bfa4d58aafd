package determ

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// guess is a place at which something can be guessed, and how sure that is.
type guess struct {
	pointer fingerprint.Pointer
	what    string // "looks like an email address"
	level   Level
}

// privateValues finds what can be guessed and is not called sensitive: it
// would be printed, and be guessed from an unkeyed fingerprint.
func (l *linter) privateValues(payload *fingerprint.Value) {
	for _, f := range l.selected.Fields {
		if f.Value == nil {
			continue
		}
		name := f.Entry.Input
		if n := len(f.Entry.Pointer); n > 0 {
			name = f.Entry.Pointer[n-1]
		}
		var found *guess
		for _, g := range guesses(f.Value, name, f.Entry.Pointer) {
			open := f.Entry.Input != "" || !covered(l.recipe.Sensitive, g.pointer)
			if open && (found == nil || found.level == LevelWarning && g.level == LevelError) {
				found = &g
			}
		}
		switch {
		case found == nil:
		case f.Entry.Input != "":
			l.about(f.Entry, "private-value", LevelWarning, "--input-file "+f.Entry.Input+"=FILE",
				found.what+": given as --input it stands in the list of processes, where others can read it")
		default:
			l.about(f.Entry, "private-value", found.level, "sensitive: ["+found.pointer.String()+"]",
				found.what+", which can be guessed, and the recipe does not call it sensitive")
		}
	}
	l.otherPrivate(payload)
}

// otherPrivate looks at the payload outside the identity. Where the recipe
// says what is sensitive, nothing else is protected; where it is silent, looks
// decide at run time.
func (l *linter) otherPrivate(payload *fingerprint.Value) {
	at := l.recipe.node.Lookup("example").Lookup("payload")
	for _, g := range guesses(payload, "", nil) {
		if covered(l.recipe.Sensitive, g.pointer) || l.selects(g.pointer) {
			continue
		}
		if l.recipe.Sensitive == nil {
			g.level = LevelWarning
		}
		l.add("private-value", g.level, at, "sensitive: ["+g.pointer.String()+"]",
			g.pointer.String()+" "+g.what+", which can be guessed, and the recipe does not call it sensitive")
		return
	}
}

// guesses finds what can be guessed in a value that has a name and a place.
// Below a member whose very name is private nothing is looked at, since its
// place could not be shown.
func guesses(v *fingerprint.Value, name string, place fingerprint.Pointer) []guess {
	below := func(token string) fingerprint.Pointer { return append(place[:len(place):len(place)], token) }
	if what, level := guessable(name, v); what != "" {
		return []guess{{place, "looks like " + what, level}}
	}
	var list []guess
	for i, item := range v.Items {
		list = append(list, guesses(item, name, below(itoa(i)))...)
	}
	for _, m := range v.Members {
		if what := fingerprint.Looks("", fingerprint.String(m.Name)); what != "" {
			list = append(list, guess{place, "has a name that looks like " + what, LevelError})
			continue
		}
		list = append(list, guesses(m.Value, m.Name, below(m.Name))...)
	}
	return list
}

// guessable says what private thing a value looks like. Digits in groups are a
// phone number for sure where they begin as one or their name says one; under
// an order's name they are its number.
func guessable(name string, v *fingerprint.Value) (what string, level Level) {
	what = fingerprint.Looks(name, v)
	if what == "" && v.Kind == fingerprint.KindString {
		what = regrouped(v.Str)
	}
	if what != "a phone number" || v.Kind != fingerprint.KindString {
		return what, LevelError
	}
	if s := strings.TrimSpace(v.Str); strings.HasPrefix(s, "+") || strings.HasPrefix(s, "tel:") || strings.HasPrefix(s, "00") || strings.HasPrefix(s, "(") {
		return what, LevelError
	}
	rest := significant(words(name))
	if len(rest) == 0 {
		return what, LevelWarning
	}
	switch s := vocabulary()[rest[len(rest)-1]]; {
	case s&party != 0, fingerprint.Looks(name, fingerprint.String("5550199")) != "":
		return what, LevelError
	case s&operation != 0:
		return "", ""
	}
	return what, LevelWarning
}

// regrouped sees a card or an IBAN through separators that nobody expects:
// points, slashes, underscores, dashes and spaces of any kind.
func regrouped(s string) string {
	const longest = 60
	if len(s) > 2*longest {
		return ""
	}
	changed := false
	s = strings.TrimFunc(s, func(r rune) bool { return !isVisible(r) })
	plain := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return r
		case !isVisible(r), strings.ContainsRune("./_-:*‐‑‒–—−·•", r):
			changed = true
			return ' '
		}
		return r
	}, s)
	if !changed {
		return ""
	}
	what := fingerprint.Looks("", fingerprint.String(plain))
	if what == "a payment card number" || what == "an IBAN" {
		return what
	}
	return ""
}

func covered(sensitive []fingerprint.Pointer, place fingerprint.Pointer) bool {
	for _, p := range sensitive {
		if p.Covers(place) {
			return true
		}
	}
	return false
}

func (l *linter) selects(place fingerprint.Pointer) bool {
	for _, e := range l.recipe.Identity {
		if e.Input == "" && e.Pointer.Covers(place) {
			return true
		}
	}
	return false
}

// sensitivePlaces: a mistyped pointer protects nothing, and nobody notices. An
// example may leave out whole parts of the payload, so a place counts only
// where the example has what should hold it, or one that is nearly the same.
func (l *linter) sensitivePlaces(payload *fingerprint.Value) {
	for i, p := range l.recipe.Sensitive {
		if _, found := payload.At(p); found {
			continue
		}
		near := problem.Nearest(p.String(), places(payload))
		if _, held := payload.At(p[:len(p)-1]); !held && near == "" {
			continue
		}
		hint := "correct the pointer, or give the example a value there"
		if near != "" {
			hint = "did you mean " + near + "? Otherwise give the example a value there"
		}
		at := l.recipe.node.Lookup("sensitive").Items[i]
		f := l.add("sensitive-nowhere", LevelWarning, at, hint, "sensitive names a place at which the example has nothing: where it is mistyped, the value is printed")
		if fingerprint.Looks("", fingerprint.String(p.String())) == "" {
			f.Allow = "sensitive-nowhere:" + p.String()
		}
	}
}

// places gives pointers of a payload that may be shown, the first thousand.
func places(payload *fingerprint.Value) []string {
	const most = 1000
	var list []string
	var walk func(v *fingerprint.Value, p fingerprint.Pointer)
	walk = func(v *fingerprint.Value, p fingerprint.Pointer) {
		for _, m := range v.Members {
			if len(list) == most || fingerprint.Looks("", fingerprint.String(m.Name)) != "" {
				continue
			}
			place := append(p[:len(p):len(p)], m.Name)
			list = append(list, place.String())
			walk(m.Value, place)
		}
	}
	walk(payload, nil)
	return list
}

package determ

import "strings"

// boundary: a recipe that does not say when two payloads are the same
// operation cannot be judged by anyone.
func (l *linter) boundary() {
	at := l.recipe.node
	if b := at.Lookup("boundary"); b != nil {
		at = b
	}
	const hint = "boundary: One charge for each tenant, cart and cart version."
	text := l.recipe.Boundary
	said := strings.FieldsFunc(text, func(r rune) bool { return !isWordRune(r) })
	switch {
	case text == "":
		err := noBoundary(l.recipe.node)
		l.add("missing-boundary", LevelError, at, err.Hint, err.What)
	case len(said) == 0, isPlaceholder(text), isLeftover(text), anyOf([]string{strings.ToLower(said[0])}, "todo fixme tbd xxx"):
		l.add("boundary-says-nothing", LevelError, at, hint, "the boundary does not say when two payloads are the same operation")
	case len(said) == 1:
		l.add("boundary-says-nothing", LevelWarning, at, hint, "the boundary is one word, and no sentence that says when two payloads are the same operation")
	}
}

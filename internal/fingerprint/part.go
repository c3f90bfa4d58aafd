package fingerprint

// A tree of values takes many times the memory of the text: a hundred bytes
// for a zero and its comma. So where a few values of a text are all that is
// needed, no more are built.

// ParseAt is Parse for some places: the whole text is admitted, and what is
// neither at one of the places nor on the way to one is left out. Value.At
// finds at the places what it finds in the whole value, and nothing elsewhere.
func ParseAt(src []byte, places []Pointer) (*Value, error) {
	r := reader{text: string(src), part: part{keep: true, chosen: true, places: places}}
	for _, p := range places {
		if len(p) == 0 {
			r.chosen = false
		}
	}
	return r.whole()
}

// part says which of the values within the one that is read are built.
type part struct {
	keep   bool
	chosen bool      // only those at places; else all or none
	places []Pointer // from the value that is read
}

// enter goes on to what is wanted of the value at the end of the path, and
// gives what was wanted around it.
func (r *reader) enter() (outside part) {
	outside = r.part
	if !r.keep || !r.chosen {
		return outside
	}
	s := r.path[len(r.path)-1]
	r.places = nil
	for _, p := range outside.places {
		if !s.is(p[0]) {
			continue
		}
		if len(p) == 1 {
			r.chosen = false
			return outside
		}
		r.places = append(r.places, p[1:])
	}
	r.keep = len(r.places) > 0
	return outside
}

// is says whether a token of a pointer names this step.
func (s step) is(token string) bool {
	if s.index < 0 {
		return s.name == token
	}
	i, ok := arrayIndex(token, s.index+1)
	return ok && i == s.index
}

// looksPrivate gives the first value or name of an admitted text that looks
// private, without building any of it.
func looksPrivate(admitted []byte) (Finding, bool) {
	r := reader{text: string(admitted), looking: true}
	_, err := r.whole()
	return r.private, err == errFound
}

func (r *reader) look(v *Value) error {
	what := Looks(nameOf(r.path), v)
	if what == "" {
		return nil
	}
	r.private = Finding{Pointer: pointerText(r.path), What: "looks like " + what}
	return errFound
}

func (r *reader) lookAtName(name string) error {
	what := Looks("", String(name))
	if what == "" {
		return nil
	}
	r.private = Finding{Pointer: pointerText(r.path[:len(r.path)-1]), What: "has a name that looks like " + what}
	return errFound
}

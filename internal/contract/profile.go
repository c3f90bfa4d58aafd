package contract

import "github.com/idem-toolkit/idem/internal/document"

// profile gives what the built-in profile of that name fills a promise with.
// It is called before the file's own words, which win.
func profile(name string) (fill func(*Promise), ok bool) {
	return nil, false
}

func (r *reader) profile(n *document.Node, name string) {
	if r.err != nil {
		return
	}
	fill, ok := profile(name)
	if !ok {
		r.fail(n.Errorf("no profile named %s is known", document.Show(name)).
			WithHint("leave profile out, and state what the API promises under promise"))
		return
	}
	r.profiled = fill
}

package determ

import (
	"time"

	"github.com/idem-toolkit/idem/internal/document"
)

// State says which of a recipe's versions one is.
type State string

// The states, in the order in which IDs are listed.
const (
	Current  State = "current"
	Next     State = "next"
	Previous State = "previous"
)

// Listed is a version that is looked up beside the current one while a recipe
// or its secret changes (determ-v1, Changing a recipe).
type Listed struct {
	State  State
	Until  time.Time // of a previous version: when it may be taken off the list
	Recipe *Recipe   // whole: the current recipe with members replaced
}

// All gives the versions that a lookup takes: current, next, previous.
func (r *Recipe) All() []Listed {
	all := []Listed{{State: Current, Recipe: r}}
	all = append(all, r.Next...)
	return append(all, r.Previous...)
}

// KeySpecs gives the key of every version, the current one's first.
func (r *Recipe) KeySpecs() []KeySpec {
	var specs []KeySpec
	for _, l := range r.All() {
		specs = append(specs, l.Recipe.Key)
	}
	return specs
}

func (r *Recipe) readListed(f *document.Fields) error {
	for _, state := range []State{Next, Previous} {
		n := f.Get(string(state))
		if n == nil {
			continue
		}
		if n.Kind != document.Array {
			return n.Errorf("%s must be a list, not %s", state, n.Kind).WithHint("%s: %s", state, sample(string(state)))
		}
		for _, item := range n.Items {
			l, err := r.readVersion(state, item)
			if err != nil {
				return err
			}
			if state == Next {
				r.Next = append(r.Next, l)
			} else {
				r.Previous = append(r.Previous, l)
			}
		}
	}
	return r.checkListed()
}

// readVersion reads one entry over the members of the current recipe.
func (r *Recipe) readVersion(state State, n *document.Node) (Listed, error) {
	known := listable
	if state == Previous {
		known = append([]string{"until"}, listable...)
	}
	f, err := readObject(n, "the "+string(state)+" version", known...)
	if err != nil {
		return Listed{}, hinted(err, "%s: %s", state, sample(string(state)))
	}
	l := Listed{State: state}
	if state == Previous {
		until := f.String("until")
		if f.Err() != nil {
			return l, f.Err()
		}
		var ok bool
		if l.Until, ok = parseTime(until); !ok {
			return l, f.Get("until").Errorf("until must be a time of RFC 3339").WithHint("until: 2026-12-31T00:00:00Z")
		}
	}
	whole := *n
	whole.Members = nil
	for _, name := range listable {
		m := n.Member(name)
		if m == nil {
			m = r.node.Member(name)
		}
		if m != nil {
			whole.Members = append(whole.Members, *m)
		}
	}
	merged, err := readObject(&whole, f.What, listable...)
	if err != nil {
		return l, err
	}
	l.Recipe, err = readMembers(merged, r.Boundary != "")
	return l, err
}

// checkListed refuses two identities under one triple, and one version listed
// twice: a triple names one recipe for ever.
func (r *Recipe) checkListed() error {
	all := r.All()
	for i, later := range all {
		for _, earlier := range all[:i] {
			if later.Recipe.Triple != earlier.Recipe.Triple {
				continue
			}
			if !same(later.Recipe.Digest(), earlier.Recipe.Digest()) {
				return later.Recipe.node.Errorf("the %s version is %s like the %s one, with another prefix, encode, numbers or identity",
					later.State, later.Recipe.Triple, earlier.State).WithHint("give it a version of its own")
			}
			if later.Recipe.Key.Kid == earlier.Recipe.Key.Kid {
				return later.Recipe.node.Errorf("the %s version is the %s one again: same version, same kid", later.State, earlier.State).
					WithHint("give it another version or another key")
			}
		}
	}
	return nil
}

// Package zoo holds ways to serve the charges API: faults, which break a
// promise as real implementations do, and styles, which differ from the
// reference service and are right by a contract of their own. The check is
// measured against both: a fault that passes is one that users' servers pass
// with, a style that is accused is a user wrongly accused.
//
// A variant is one file that replaces one behaviour of the reference service
// and leaves the others right. faults.go and styles.go list them; contract.go
// writes the contract that a variant is checked by.
package zoo

import (
	"net/http"

	"github.com/idem-toolkit/idem/internal/reference"
)

// Variant is one way to serve.
type Variant struct {
	Name string
	// What is the promise that a fault breaks, or what a style does that is
	// legal: one sentence, lower case, no full stop.
	What string

	// Caught are the steps that a fault is named for: one of them at least must
	// fail. Styles have none.
	Caught []string
	// Unknowable are the steps that no verifier could judge on a style, each
	// with the reason: they may be inconclusive there.
	Unknowable map[string]string

	// Says changes the standard contract (contract.go) for the variant.
	Says func(*Says)
	// Lasting marks a variant that a store in memory cannot show, since a
	// restart empties it.
	Lasting bool
	// HTTP is the version of HTTP, as target.http names it, that alone shows the
	// variant; empty: any does.
	HTTP string

	// What the variant changes of the service; nil changes nothing. Options see
	// what the flags said. Each is applied once for each replica, so that what
	// it keeps for itself is that replica's alone, as in a process of its own;
	// only Store's argument is what all replicas share.
	Options   func(*reference.Options)
	Behaviour func(reference.Behaviour) reference.Behaviour
	Store     func(reference.Store) reference.Store
	Handler   func(http.Handler) http.Handler
}

// Reference is the reference service as it is, which is right.
func Reference() Variant {
	return Variant{Name: "reference", What: "the reference service as it is"}
}

// Fault finds a fault by name.
func Fault(name string) (Variant, bool) { return find(Faults(), name) }

// Style finds a style by name.
func Style(name string) (Variant, bool) { return find(Styles(), name) }

// IsFault says that the variant breaks a promise.
func (v Variant) IsFault() bool { return len(v.Caught) > 0 }

// Service makes one replica of the variant on a store; the zero Variant is the
// reference service as it is.
func (v Variant) Service(store reference.Store, o reference.Options) (*reference.Service, error) {
	if v.Options != nil {
		v.Options(&o)
	}
	if v.Behaviour != nil {
		o.Behaviour = v.Behaviour(o.Behaviour)
	}
	if v.Store != nil {
		store = v.Store(store)
	}
	if v.Handler != nil {
		o.Handler = v.Handler
	}
	return reference.New(store, o)
}

func find(list []Variant, name string) (Variant, bool) {
	for _, v := range list {
		if v.Name == name {
			return v, true
		}
	}
	return Variant{}, false
}

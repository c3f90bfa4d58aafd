package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var conflict409 = Variant{
	Name:    "conflict-409",
	What:    "a key that another request used is refused with 409",
	Says:    func(s *Says) { s.Promise["conflict"] = "{status: [409]}" },
	Options: func(o *reference.Options) { o.Conflict = 409 },
}

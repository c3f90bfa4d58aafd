package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var conflict400 = Variant{
	Name: "conflict-400",
	What: "a key that another request used is refused with 400 and a code, as plain validation is without it",
	Says: func(s *Says) {
		s.Promise["conflict"] = "{status: [400], json: {/type: /problems/key-conflict}}"
	},
	Options: func(o *reference.Options) { o.Conflict = 400 },
}

package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var stores503 = Variant{
	Name: "stores-503",
	What: "an operation that fails is answered 503, which is stored as declared: the same key gets it again",
	Says: func(s *Says) {
		s.Promise["stored"] = `{"2xx": replay, "3xx": replay, "402": replay, "4xx": any, "503": replay}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return failsWith{b, 503, 600} },
}

package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var refusalTriedAgain = Variant{
	Name: "refusal-tried-again",
	What: "a refusal says when it was made and is not stored: the same request is refused anew, with another time",
	Says: func(s *Says) { s.Promise["stored"] = `{"2xx": replay, "3xx": replay, "4xx": release, "5xx": release}` },
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return keeps{datesRefusals{b}, 400}
	},
}

package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var noMarker = Variant{
	Name:      "no-marker",
	What:      "a replay is the first answer and nothing else: no marker, and no promise of one",
	Says:      func(s *Says) { delete(s.Promise, "marker") },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return unmarked{b} },
}

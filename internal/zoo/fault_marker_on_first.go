package zoo

import (
	"net/http"

	"github.com/idem-toolkit/idem/internal/reference"
)

var markerOnFirst = Variant{
	Name:      "marker-on-first",
	What:      "the marker stands on first answers too, so that it tells nothing",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return marksAll{b} },
}

type marksAll struct{ reference.Behaviour }

func (m marksAll) Deliver(w http.ResponseWriter, s *reference.Service, call *reference.Call, a reference.Answer) {
	m.Behaviour.Deliver(w, s, call, without(a, markerName).With(markerName, markerValue))
}

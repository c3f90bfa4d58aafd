package zoo

import (
	"net/url"

	"github.com/idem-toolkit/idem/internal/reference"
)

var formFields = Variant{
	Name:      "form-fields",
	What:      "requests are forms, and the fingerprint covers their fields, in whatever order and percent-encoding they come",
	Says:      inForms,
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return fieldWise{b} },
}

type fieldWise struct{ reference.Behaviour }

// Fingerprint takes fields sorted by name; those of one name keep their order.
func (f fieldWise) Fingerprint(s *reference.Service, call *reference.Call) string {
	fields, err := url.ParseQuery(string(call.Body))
	if err != nil || call.Canonical != nil {
		return f.Behaviour.Fingerprint(s, call)
	}
	return sum(call.Method, call.Path, call.Query, fields.Encode())
}

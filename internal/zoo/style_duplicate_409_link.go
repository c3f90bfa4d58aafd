package zoo

import (
	"context"
	"encoding/json"

	"github.com/idem-toolkit/idem/internal/reference"
)

var duplicate409Link = Variant{
	Name: "duplicate-409-link",
	What: "a duplicate is refused with 409 and a link to what the first made, and nothing is replayed",
	Says: func(s *Says) {
		s.Promise["duplicate"] = "{status: [409], link: /links/resource}"
		delete(s.Promise, "marker")
		delete(s.Promise, "compare")
		delete(s.Promise, "same_headers")
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return links{b} },
}

// links refuses duplicates and says where the resource is.
type links struct{ reference.Behaviour }

func (links) Replay(_ context.Context, _ *reference.Service, _ *reference.Call, rec reference.Record) reference.Answer {
	where := location(rec.Answer)
	if where == "" {
		return rec.Answer // nothing was made: the refusal itself is all there is
	}
	body, err := json.Marshal(map[string]any{"error": "duplicate", "links": map[string]string{"resource": where}})
	if err != nil {
		return rec.Answer
	}
	return reference.Answer{Status: 409, Header: []reference.Field{{Name: "Content-Type", Value: "application/json"}}, Body: body}
}

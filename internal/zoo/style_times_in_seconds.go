package zoo

import (
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

var timesInSeconds = Variant{
	Name: "times-in-seconds",
	What: "an answer has no id, and tells runs apart by a time in whole seconds alone",
	Says: func(s *Says) { s.Promise["same_headers"] = "[Content-Type]" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return shows{b, func(_ *reference.Call, doc map[string]any) {
			delete(doc, "id")
			if created, err := time.Parse(time.RFC3339Nano, doc["created"].(string)); err == nil {
				doc["created"] = created.Unix()
			}
		}}
	},
}

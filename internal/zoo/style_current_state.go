package zoo

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

var currentState = Variant{
	Name: "current-state",
	What: "a duplicate gets 200 with the resource as it is now, whose status has gone on since, as one vendor does",
	Says: func(s *Says) {
		s.Promise["duplicate"] = "current"
		delete(s.Promise, "marker")
		delete(s.Promise, "compare")
		s.Promise["same_headers"] = "[Content-Type]"
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return settles{b} },
}

// settles answers duplicates with the resource's present state.
type settles struct{ reference.Behaviour }

func (settles) Replay(_ context.Context, s *reference.Service, _ *reference.Call, rec reference.Record) reference.Answer {
	a := rec.Answer
	var doc map[string]any
	if a.Status != http.StatusCreated || json.Unmarshal(a.Body, &doc) != nil {
		return a
	}
	doc["status"] = "settled"
	doc["settled_at"] = s.Now().UTC().Format(time.RFC3339Nano)
	body, err := json.Marshal(doc)
	if err != nil {
		return a
	}
	return reference.Answer{Status: http.StatusOK, Header: a.Header, Body: body}
}

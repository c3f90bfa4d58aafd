package zoo

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

var volatileFields = Variant{
	Name: "volatile-fields",
	What: "every answer, a replay too, holds a request id, a serving time and a Date of its own",
	Says: func(s *Says) {
		s.Promise["compare"] = "json"
		s.Promise["ignore"] = "[/served_at, /request_id]"
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return stamps{b} },
}

// stamps adds to an answer what is of this moment.
type stamps struct{ reference.Behaviour }

func (st stamps) Deliver(w http.ResponseWriter, s *reference.Service, call *reference.Call, a reference.Answer) {
	var doc map[string]json.RawMessage
	if bytes.HasPrefix(a.Body, []byte("{")) && json.Unmarshal(a.Body, &doc) == nil {
		doc["served_at"], _ = json.Marshal(time.Now().UTC())
		doc["request_id"], _ = json.Marshal(rand.Text())
		if body, err := json.Marshal(doc); err == nil {
			a.Body = body
		}
	}
	w.Header().Set("X-Request-Id", rand.Text())
	st.Behaviour.Deliver(w, s, call, a)
}

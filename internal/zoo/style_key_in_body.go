package zoo

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

var keyInBody = Variant{
	Name: "key-in-body",
	What: "the key travels as a member of the body",
	Says: func(s *Says) {
		delete(s.Key, "header")
		s.Key["body"] = "/idempotency_key"
		delete(s.Key, "rules") // a member cannot come twice
	},
	Handler: func(next http.Handler) http.Handler {
		return moves{next, func(r *http.Request) {
			key, body := takeMember(r, "idempotency_key")
			setKey(r, key)
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}}
	},
}

// moves brings the key from where a style has it to where the service reads it.
// What stands there already is not the key.
type moves struct {
	next http.Handler
	move func(*http.Request)
}

func (m moves) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		m.move(r)
	}
	m.next.ServeHTTP(w, r)
}

func setKey(r *http.Request, key *string) {
	r.Header.Del("Idempotency-Key")
	if key != nil {
		r.Header.Set("Idempotency-Key", *key)
	}
}

// takeMember reads a body and takes a text member out of its object; what is
// not such an object stays as it is.
func takeMember(r *http.Request, name string) (*string, []byte) {
	const most = 1<<20 + 1<<10 // the service's own limit says what is too large
	body, err := io.ReadAll(io.LimitReader(r.Body, most))
	var members map[string]json.RawMessage
	if err != nil || json.Unmarshal(body, &members) != nil || members[name] == nil {
		return nil, body
	}
	var key string
	if json.Unmarshal(members[name], &key) != nil {
		return nil, body
	}
	delete(members, name)
	rest, err := json.Marshal(members)
	if err != nil {
		return nil, body
	}
	return &key, rest
}

package zoo

import "net/http"

var keyInQuery = Variant{
	Name: "key-in-query",
	What: "the key travels as a parameter of the query",
	Says: func(s *Says) {
		delete(s.Key, "header")
		s.Key["query"] = "request_id"
		delete(s.Key, "rules")
	},
	Handler: func(next http.Handler) http.Handler {
		return moves{next, func(r *http.Request) {
			q := r.URL.Query()
			var key *string
			if values := q["request_id"]; len(values) == 1 {
				key = &values[0]
			}
			setKey(r, key)
			q.Del("request_id")
			r.URL.RawQuery = q.Encode()
		}}
	},
}

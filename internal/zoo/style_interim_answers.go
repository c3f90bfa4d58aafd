package zoo

import "net/http"

var interimAnswers = Variant{
	Name: "interim-answers",
	What: "an interim answer (103, RFC 8297) precedes every final one",
	Handler: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			next.ServeHTTP(w, r)
		})
	},
}

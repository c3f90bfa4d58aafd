package zoo

import "net/http"

var offersHTTP2 = Variant{
	Name: "offers-http2",
	What: "the port speaks HTTP/2 as well, and every HTTP/1.1 answer offers it by Upgrade, as some servers do",
	Handler: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ProtoMajor == 1 {
				w.Header().Set("Upgrade", "h2c")
				w.Header().Set("Connection", "Upgrade")
			}
			next.ServeHTTP(w, r)
		})
	},
}

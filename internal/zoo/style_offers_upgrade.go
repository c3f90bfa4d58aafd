package zoo

import "net/http"

var offersUpgrade = Variant{
	Name: "offers-upgrade",
	What: "every HTTP/1.1 answer offers HTTP/2 by Upgrade, as some servers do, to whom nobody need listen",
	HTTP: "1.1",
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

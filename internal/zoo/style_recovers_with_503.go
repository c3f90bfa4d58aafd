package zoo

import (
	"net/http"
	"time"
)

var recoversWith503 = Variant{
	Name: "recovers-with-503",
	What: "for a while after its start the service answers 503 with Retry-After, since it reconciles first",
	Handler: func(next http.Handler) http.Handler {
		return reconciling{next, time.Now().Add(600 * time.Millisecond)}
	},
}

type reconciling struct {
	next  http.Handler
	until time.Time
}

func (rc reconciling) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && time.Now().Before(rc.until) {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "reconciling", http.StatusServiceUnavailable)
		return
	}
	rc.next.ServeHTTP(w, r)
}

package zoo

import (
	"net/http"
	"sync/atomic"
)

var resetsSometimes = Variant{
	Name:    "resets-sometimes",
	What:    "a gateway in front loses one request in a hundred: its connection ends without an answer",
	Handler: func(next http.Handler) http.Handler { return &losing{next: next} },
}

type losing struct {
	next http.Handler
	seen atomic.Int64
}

func (l *losing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && l.seen.Add(1)%100 == 0 {
		panic(http.ErrAbortHandler) // the connection ends, and nothing is logged
	}
	l.next.ServeHTTP(w, r)
}

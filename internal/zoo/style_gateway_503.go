package zoo

import (
	"net/http"
	"strings"
	"time"

	"sync/atomic"
)

func gateway503() Variant {
	return Variant{
		Name:       "gateway-503",
		What:       "a gateway in front answers one request in forty with 503 by itself, which is not declared",
		Unknowable: everyStep("the gateway answered what the step had to send"),
		Handler:    func(next http.Handler) http.Handler { return &givesUp{next: next, every: 40} },
	}
}

// givesUp answers one request in so many by itself. With forwards the request
// is done all the same, and only its answer lost.
type givesUp struct {
	next     http.Handler
	every    int64
	forwards bool
	seen     atomic.Int64
}

func (f *givesUp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/v1/") || f.seen.Add(1)%f.every != 0 {
		f.next.ServeHTTP(w, r)
		return
	}
	status := http.StatusServiceUnavailable
	if f.forwards {
		f.next.ServeHTTP(unheard{http.Header{}}, r)
		status = http.StatusGatewayTimeout
	}
	http.Error(w, "the gateway gave up", status)
}

// unheard is an answer that nobody gets.
type unheard struct{ header http.Header }

func (u unheard) Header() http.Header           { return u.header }
func (unheard) Write(b []byte) (int, error)     { return len(b), nil }
func (unheard) WriteHeader(int)                 {}
func (unheard) SetReadDeadline(time.Time) error { return nil }

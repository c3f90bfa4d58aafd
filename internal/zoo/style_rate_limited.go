package zoo

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

func rateLimited() Variant {
	return Variant{
		Name:       "rate-limited",
		What:       "a gateway in front answers 429 with Retry-After to what comes faster than some requests a second, which is not declared",
		Unknowable: everyStep("the rate limit answered what the step had to send"),
		Handler:    func(next http.Handler) http.Handler { return &limiting{next: next, left: rateBurst} },
	}
}

// A limit that a check meets in its bursts, and not in all else it sends.
const (
	ratePerSecond = 60
	rateBurst     = 90
)

type limiting struct {
	next http.Handler
	mu   sync.Mutex
	left float64 // requests that may come at once
	at   time.Time
}

func (l *limiting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/v1/") && !l.take() {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many requests", http.StatusTooManyRequests)
		return
	}
	l.next.ServeHTTP(w, r)
}

func (l *limiting) take() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if !l.at.IsZero() {
		l.left = min(l.left+now.Sub(l.at).Seconds()*ratePerSecond, rateBurst)
	}
	l.at = now
	if l.left < 1 {
		return false
	}
	l.left--
	return true
}

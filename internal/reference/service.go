package reference

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Options are what the service promises and how it runs.
type Options struct {
	InFlight    string        // "wait" (for the first, up to WaitMax) or "reject"
	WaitMax     time.Duration // then a waiter is refused like under "reject"
	Conflict    int           // the status for a key of another request
	Keyless     string        // "reject" or "execute": requests without a key
	Retention   time.Duration // from first use
	Lease       time.Duration // how long a silent owner keeps its claim
	Work        time.Duration // how long the handler takes before it commits
	AnswerDelay time.Duration // between commit and answer
	SweepEvery  time.Duration
	SweepBatch  int    // records deleted by one statement at most
	Instance    string // X-Served-By; empty sends none
	EffectURL   string // another service that moves the money; empty for none
	Admin       bool   // test hooks: POST /admin/advance, POST /admin/store, X-Test-Fail
	HTTP2Only   bool   // no HTTP/1.1 is spoken

	TLS       *tls.Config // with a certificate: https is served; nil: http
	Clock     Clock
	Log       *slog.Logger
	Behaviour Behaviour
	Handler   func(http.Handler) http.Handler // what stands before the service; nil: nothing
}

// Defaults are the options of `idem serve` without flags.
func Defaults() Options {
	return Options{
		InFlight: "wait", WaitMax: 30 * time.Second,
		Conflict: http.StatusUnprocessableEntity, Keyless: "reject",
		Retention: 24 * time.Hour, Lease: 30 * time.Second,
		SweepEvery: time.Minute, SweepBatch: 1000,
		Clock: SystemClock{}, Log: slog.New(slog.DiscardHandler), Behaviour: Correct{},
	}
}

// check names the flag of the first option that cannot be.
func (o Options) check() error {
	switch {
	case o.InFlight != "wait" && o.InFlight != "reject":
		return problem.New("--in-flight", "is not wait or reject").Meaning(o.InFlight, []string{"wait", "reject"})
	case o.Keyless != "reject" && o.Keyless != "execute":
		return problem.New("--keyless", "is not reject or execute").Meaning(o.Keyless, []string{"reject", "execute"})
	case o.Conflict != 400 && o.Conflict != 409 && o.Conflict != 422:
		return problem.New("--conflict", "is not 400, 409 or 422")
	case o.Lease < 10*time.Millisecond:
		return problem.New("--lease", "is below 10ms")
	case o.Retention <= o.Lease:
		return problem.New("--retention", "is not above the lease, so a record could expire under its owner")
	case o.WaitMax < 0 || o.WaitMax > time.Hour:
		return problem.New("--wait-max", "is not between 0 and 1h")
	case o.Work < 0 || o.Work > time.Hour:
		return problem.New("--work", "is not between 0 and 1h")
	case o.AnswerDelay < 0 || o.AnswerDelay > time.Hour:
		return problem.New("--answer-delay", "is not between 0 and 1h")
	case o.SweepEvery < 10*time.Millisecond:
		return problem.New("--sweep-every", "is below 10ms")
	case o.SweepBatch < 1 || o.SweepBatch > 100_000:
		return problem.New("--sweep-batch", "is not between 1 and 100000")
	case strings.ContainsFunc(o.Instance, func(r rune) bool { return r < '!' || r > '~' }):
		return problem.New("--instance", "has characters that a header field cannot have")
	}
	return checkEffectURL(o.EffectURL)
}

func checkEffectURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return problem.New("--effect-url", "is not an http or https URL")
	}
	if u.User != nil {
		return problem.New("--effect-url", "holds a user or password, which every process list shows")
	}
	return nil
}

// Service is the charges API on one store.
type Service struct {
	options Options
	store   Store
	client  *http.Client

	base   context.Context // ends when the service stops
	end    context.CancelFunc
	offset atomic.Int64 // how far the admin hook moved time on, as last read
	slots  chan struct{}

	bodyTime time.Duration // how long a body may take to arrive
	front    http.Handler  // where the address is shared: what chooses the replica
}

// maxRequests bounds the operations that run or wait at once.
const maxRequests = 2048

// New makes a service. It starts nothing: Serve runs it, or a test calls
// ServeHTTP.
func New(store Store, options Options) (*Service, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	if options.Admin {
		store = &outage{Store: store}
	}
	s := &Service{
		options: options, store: store, client: effectClient(),
		slots: make(chan struct{}, maxRequests), bodyTime: 30 * time.Second,
	}
	s.base, s.end = context.WithCancel(context.Background())
	return s, s.syncClock()
}

// Options, Store and Behaviour are for behaviours to use.
func (s *Service) Options() Options     { return s.options }
func (s *Service) Store() Store         { return s.store }
func (s *Service) Behaviour() Behaviour { return s.options.Behaviour }

// Now is the service's time: the clock's, moved on by the admin hook.
func (s *Service) Now() time.Time {
	return s.options.Clock.Now().Add(time.Duration(s.offset.Load()))
}

// syncClock reads how far another replica, or an earlier start, moved time on.
func (s *Service) syncClock() error {
	offset, err := s.store.Offset(s.base)
	if err == nil {
		s.offset.Store(int64(offset))
	}
	return err
}

// ServeHTTP routes a request.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	for _, kind := range []string{Charge, Refund} {
		collection := "/v1/" + kind + "s"
		if path == collection && r.Method == http.MethodPost {
			s.operate(w, r, kind)
			return
		}
		if path == collection {
			s.read(w, r, "GET, HEAD, POST", func() Answer { return s.listPayments(r, kind) })
			return
		}
		if id, ok := strings.CutPrefix(path, collection+"/"); ok {
			s.read(w, r, "GET, HEAD", func() Answer { return s.showPayment(r, kind, id) })
			return
		}
	}
	slug, explains := strings.CutPrefix(path, "/problems/")
	switch {
	case path == "/v1/effects":
		s.read(w, r, "GET, HEAD", func() Answer { return s.listEffects(r) })
	case path == "/healthz":
		s.read(w, r, "GET, HEAD", s.health)
	case explains:
		s.read(w, r, "GET, HEAD", func() Answer { return explain(slug) })
	case path == "/admin/advance" && s.options.Admin:
		s.send(w, s.advance(r))
	case path == "/admin/store" && s.options.Admin:
		s.send(w, s.takeAway(r))
	default:
		s.send(w, notFound())
	}
}

// read answers a request that changes nothing.
func (s *Service) read(w http.ResponseWriter, r *http.Request, allow string, answer func() Answer) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.send(w, Refuse(405, "method", "the path does not have this method").With("Allow", allow))
		return
	}
	s.send(w, answer())
}

// answerTime bounds how long a caller may take to read an answer.
const answerTime = 30 * time.Second

// send writes an answer, and who gave it.
func (s *Service) send(w http.ResponseWriter, a Answer) {
	h := w.Header()
	for _, f := range a.Header {
		h.Add(f.Name, f.Value)
	}
	if s.options.Instance != "" {
		h.Set("X-Served-By", s.options.Instance)
	}
	h.Set("Cache-Control", "no-store")
	if a.Status != http.StatusNoContent {
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime))
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body)
}

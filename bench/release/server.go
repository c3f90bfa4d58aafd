package main

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idem-toolkit/idem/internal/certificate"
)

// most is how many copies of one key the server notes.
const most = 64

// server notes when each copy of a key arrived, and keeps the promise of a key
// well or badly, as the path says. It is a usual Go server, over HTTP/1.1 and
// HTTP/2, with and without TLS.
type server struct {
	began   time.Time
	mu      sync.Mutex
	records map[string]*record
	warm    map[string]*gathering
	alarms  sync.Pool
}

// record is what the server knows of one key. Moments are its own monotonic
// nanoseconds.
type record struct {
	arrived atomic.Int32
	headers [most]int64 // when the handler began
	ready   [most]int64 // when the body had been read
	done    bool        // looked up and set apart, with the server's lock for each
	claimed atomic.Bool // looked up and set in one
	ran     atomic.Int32
	window  atomic.Int64 // from the last look-up to its set
}

// seen is what the server tells of a key, once.
type seen struct {
	Headers []int64 `json:"headers"`
	Ready   []int64 `json:"ready"`
	Ran     int     `json:"ran"`
	Window  int64   `json:"window"`
}

// serve listens with and without TLS and answers for as long as the process
// lives.
func serve() (hello, error) {
	s := &server{began: time.Now(), records: map[string]*record{}, warm: map[string]*gathering{}}
	s.alarms.New = func() any {
		a, err := newAlarm()
		if err != nil {
			return err
		}
		return a
	}
	public, secret, err := certificate.Loopback()
	if err != nil {
		return hello{}, err
	}
	shown, err := tls.X509KeyPair(public, secret)
	if err != nil {
		return hello{}, err
	}
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return hello{}, err
	}
	secure, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return hello{}, err
	}
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	h := &http.Server{Handler: s.handler(), Protocols: protocols, ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:  log.New(io.Discard, "", 0), // a client's broken handshake is the client's to tell
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{shown}, MinVersion: tls.VersionTLS12}}
	go h.Serve(plain)
	go h.ServeTLS(secure, "", "")
	return hello{Plain: plain.Addr().String(), Secure: secure.Addr().String(), Certificate: string(public), Processors: runtime.GOMAXPROCS(0)}, nil
}

func (s *server) handler() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("POST /arrive", s.keyed(func(*record, *http.Request) error { return nil }))
	m.HandleFunc("POST /early", s.early)
	m.HandleFunc("POST /late", s.keyed(s.late))
	m.HandleFunc("POST /claim", s.keyed(s.claim))
	m.HandleFunc("POST /warm", s.gather)
	m.HandleFunc("GET /seen", s.tell)
	return m
}

func (s *server) now() int64 { return int64(time.Since(s.began)) }

func (s *server) record(key string) *record {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.records[key]
	if one == nil {
		one = &record{}
		s.records[key] = one
	}
	return one
}

// keyed makes a handler that notes the arrival and reads the body before the
// key is acted upon.
func (s *server) keyed(act func(*record, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		began := s.now()
		one := s.record(key(r))
		if err := readBody(r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if at := int(one.arrived.Add(1)) - 1; at < most {
			one.headers[at], one.ready[at] = began, s.now()
		}
		if err := act(one, r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer(w)
	}
}

// early looks the key up before it reads the body, and sets it after.
func (s *server) early(w http.ResponseWriter, r *http.Request) {
	began := s.now()
	one := s.record(key(r))
	s.mu.Lock()
	done := one.done
	s.mu.Unlock()
	looked := s.now()
	if err := readBody(r); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !done {
		s.run(one, looked)
	}
	if at := int(one.arrived.Add(1)) - 1; at < most {
		one.headers[at], one.ready[at] = began, s.now()
	}
	answer(w)
}

// run sets the key of one that was looked up, and has its effect.
func (s *server) run(one *record, looked int64) {
	s.mu.Lock()
	one.done = true
	s.mu.Unlock()
	one.window.Store(s.now() - looked)
	one.ran.Add(1)
}

// late looks the key up after the body, and waits for something, as on a disk,
// before it sets it. The query says how long.
func (s *server) late(one *record, r *http.Request) error {
	window, err := time.ParseDuration(r.URL.Query().Get("window"))
	if err != nil || window < 0 || window > time.Second {
		return errors.New("window")
	}
	s.mu.Lock()
	done := one.done
	s.mu.Unlock()
	looked := s.now()
	if done {
		return nil
	}
	if err := s.wait(window); err != nil {
		return err
	}
	s.run(one, looked)
	return nil
}

func (s *server) wait(d time.Duration) error {
	got := s.alarms.Get()
	a, ok := got.(*alarm)
	if !ok {
		return got.(error)
	}
	defer s.alarms.Put(a)
	return a.wait(d)
}

// claim looks up and sets in one.
func (s *server) claim(one *record, _ *http.Request) error {
	if one.claimed.CompareAndSwap(false, true) {
		one.ran.Add(1)
	}
	return nil
}

// tell gives what is known of a key, and forgets it.
func (s *server) tell(w http.ResponseWriter, r *http.Request) {
	k := r.URL.Query().Get("key")
	one := s.record(k)
	s.mu.Lock()
	delete(s.records, k)
	s.mu.Unlock()
	n := min(int(one.arrived.Load()), most)
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(seen{one.headers[:n], one.ready[:n], int(one.ran.Load()), one.window.Load()})
}

func key(r *http.Request) string { return r.Header.Get("Idempotency-Key") }

func answer(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	io.WriteString(w, `{"status":"succeeded"}`+"\n")
}

// bodyLimit is what the server reads of a body.
const bodyLimit = 4 << 10

var buffers = sync.Pool{New: func() any { return new([bodyLimit]byte) }}

// readBody takes the body whole, up to its announced end: more would wait for
// what a client need not say yet.
func readBody(r *http.Request) error {
	if r.ContentLength < 0 || r.ContentLength > bodyLimit {
		return errors.New("the body has no length, or too much of it")
	}
	b := buffers.Get().(*[bodyLimit]byte)
	defer buffers.Put(b)
	_, err := io.ReadFull(r.Body, b[:r.ContentLength])
	return err
}

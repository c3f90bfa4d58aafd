package effect

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Bounds of a sink.
const (
	maxArrival = 8 << 20 // bytes of one body
	maxValues  = 1 << 18 // values that one counter tells apart
)

// sink stands in for a service that the API calls: what arrives there is an
// effect. It answers everything with 200 and an empty JSON object.
type sink struct {
	server   *http.Server
	listener net.Listener

	mu      sync.Mutex
	tallies []*tally
	unread  bool // something arrived that could not be read whole
}

// listen opens a sink at an address, host:port.
func listen(address string) (*sink, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, problem.New("", "the sink cannot listen on %s: %s", address, listenReason(err))
	}
	k := &sink{listener: l}
	k.server = &http.Server{
		Handler:           k,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	go k.server.Serve(l)
	return k, nil
}

func listenReason(err error) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok || inner.Unwrap() == nil {
			return err
		}
		err = inner.Unwrap()
	}
}

// close stops listening and lets what has arrived be answered.
func (k *sink) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if k.server.Shutdown(ctx) != nil {
		return k.server.Close()
	}
	return nil
}

// counter makes a counter of what arrives from now on with a value at a JSON
// Pointer. distinct, where set, names a header whose values are counted once.
func (k *sink) counter(match, distinct string) (Counter, error) {
	path, ok := tokens(match)
	if !ok {
		return nil, problem.New("", "match is no JSON Pointer").WithHint("match: /order_id")
	}
	t := &tally{sink: k, match: match, path: path, distinct: distinct,
		counts: map[digest]int64{}, seen: map[digest]bool{}}
	k.mu.Lock()
	k.tallies = append(k.tallies, t)
	k.mu.Unlock()
	return t, nil
}

func (k *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxArrival))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		k.mu.Lock()
		k.unread = true
		k.mu.Unlock()
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		return // it never arrived whole: the caller saw it fail
	}
	a := arrival{header: r.Header, query: r.URL.Query()}
	a.read(body)
	k.mu.Lock()
	for _, t := range k.tallies {
		t.take(&a)
	}
	k.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, "{}")
}

// arrival is one request to the sink.
type arrival struct {
	header http.Header
	json   any // nil where the body is none
	form   url.Values
	query  url.Values
}

func (a *arrival) read(body []byte) {
	kind, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	if kind == "application/x-www-form-urlencoded" {
		a.form, _ = url.ParseQuery(string(body))
		return
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&a.json) != nil {
		a.json = nil
	}
}

// value finds what stands at a pointer: in the JSON body, else in the form,
// else in the query. For both, /a/b is the name a[b].
func (a *arrival) value(path []string) (string, bool) {
	if value, ok := at(a.json, path); ok {
		return value, true
	}
	if len(path) == 0 {
		return "", false
	}
	name := path[0]
	for _, token := range path[1:] {
		name += "[" + token + "]"
	}
	for _, fields := range []url.Values{a.form, a.query} {
		if values := fields[name]; len(values) > 0 {
			return values[0], true
		}
	}
	return "", false
}

// digest stands for a value, so that a tally's size does not depend on it.
type digest [16]byte

func digestOf(parts ...string) digest {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return digest(sum[:16])
}

// tally is one counter of a sink. Its fields are the sink's to lock.
type tally struct {
	sink     *sink
	match    string
	path     []string
	distinct string
	counts   map[digest]int64
	seen     map[digest]bool
	full     bool
}

func (t *tally) take(a *arrival) {
	value, ok := a.value(t.path)
	if !ok {
		return
	}
	d := digestOf(value)
	if id := a.header.Get(t.distinct); t.distinct != "" && id != "" {
		once := digestOf(value, id)
		if t.seen[once] {
			return
		}
		if len(t.seen) >= maxValues {
			t.full = true
			return
		}
		t.seen[once] = true
	}
	if t.counts[d] == 0 && len(t.counts) >= maxValues {
		t.full = true
		return
	}
	t.counts[d]++
}

// Count gives how often a value of the subject arrived: the one at the same
// pointer of the request, or where there is none there, any of them.
func (t *tally) Count(_ context.Context, s Subject) (int64, error) {
	t.sink.mu.Lock()
	defer t.sink.mu.Unlock()
	switch {
	case t.sink.unread:
		return 0, problem.New("", "something arrived at the sink that is larger than %d MiB", maxArrival>>20)
	case t.full:
		return 0, problem.New("", "more than %d values arrived at the sink", maxValues)
	case len(s.Values) == 0:
		return 0, problem.New("", "the operation has no fresh value that could arrive at the sink")
	}
	if value, ok := s.Values[t.match]; ok {
		return t.counts[digestOf(value)], nil
	}
	different := map[digest]bool{}
	for _, value := range s.Values {
		different[digestOf(value)] = true
	}
	n := int64(0)
	for d := range different {
		n += t.counts[d]
	}
	return n, nil
}

// Close leaves the sink to the set that opened it.
func (t *tally) Close() error { return nil }

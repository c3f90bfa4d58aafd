package wire

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/trace"
)

// recorder keeps what arrives, by the number that each copy bears.
type recorder struct {
	clock Clock
	mu    sync.Mutex
	came  map[int][]arrived
}

type arrived struct {
	method, target, proto string
	header                http.Header
	body                  []byte
	end                   int64 // when the end of the body was read
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	end := r.clock()
	n, _ := strconv.Atoi(q.Header.Get("X-Copy"))
	if err == nil {
		r.mu.Lock()
		r.came[n] = append(r.came[n], arrived{q.Method, q.RequestURI, q.Proto, q.Header, body, end})
		r.mu.Unlock()
	}
	w.Header().Set("X-Copy", strconv.Itoa(n))
	w.Write(body)
}

// Over every protocol and under every hold: as many results as copies, in their
// order; every request arrives once, byte for byte; and no end of one arrives
// before the release.
func TestReleaseLaws(t *testing.T) {
	c := client(Options{})
	rec := &recorder{clock: c.options.Clock}
	limit := func(s *httptest.Server, streams int) {
		s.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: streams}
	}
	secured := secure(t, rec, func(s *httptest.Server) { s.EnableHTTP2 = true; limit(s, 5) })
	plain := cleartext(t, rec)
	endpoints := []Endpoint{plain.Speaking(HTTP1), plain, plain.Speaking(Negotiated),
		secured.Speaking(HTTP1), secured.Speaking(HTTP2), secured.Speaking(Negotiated)}

	rapid.Check(t, func(t *rapid.T) {
		rec.mu.Lock()
		rec.came = map[int][]arrived{}
		rec.mu.Unlock()
		all := make([]Copy, rapid.IntRange(0, 12).Draw(t, "copies"))
		shared := rapid.SampledFrom(endpoints).Draw(t, "endpoint")
		for i := range all {
			to := shared
			if rapid.IntRange(0, 9).Draw(t, "stray") == 0 {
				to = rapid.SampledFrom(endpoints).Draw(t, "endpoint")
			}
			m := Message{Method: rapid.SampledFrom([]string{"POST", "PUT", "DELETE"}).Draw(t, "method"),
				Target: "/" + rapid.StringMatching(`([a-z0-9=&?]|%[0-9A-F]{2}){0,20}`).Draw(t, "target"),
				Header: [][2]string{{"X-Copy", strconv.Itoa(i)}, {"Authorization", secret},
					{"X-Text", rapid.StringMatching(`[!-~]([ -~]{0,60}[!-~])?`).Draw(t, "value")}},
				Body: make([]byte, rapid.SampledFrom([]int{0, 1, 2, 100, 16384, 16385, 40000, 70000}).Draw(t, "size"))}
			for j := range m.Body {
				m.Body[j] = byte(i + j*7)
			}
			all[i] = Copy{Endpoint: to, Message: m, Apart: rapid.IntRange(0, 4).Draw(t, "apart") == 0,
				After: time.Duration(rapid.IntRange(0, 12).Draw(t, "after")/12) * time.Millisecond}
		}
		h := rapid.SampledFrom([]Hold{HoldNothing, HoldBody, HoldHeader}).Draw(t, "hold")
		results := c.Release(background, all, h)
		if len(results) != len(all) {
			t.Fatalf("%d results of %d copies", len(results), len(all))
		}
		rec.mu.Lock()
		defer rec.mu.Unlock()
		for i, r := range results {
			check(t, i, all[i], r, h, rec.came[i])
		}
		streams(t, results)
	})
}

// check holds the result of one copy to what arrived of it.
func check(t *rapid.T, i int, sent Copy, r Result, h Hold, came []arrived) {
	m := sent.Message
	if len(came) != 1 {
		t.Fatalf("copy %d arrived %d times: %+v", i, len(came), r)
	}
	got := came[0]
	if r.Outcome != trace.Answered || !r.Whole || trace.Get(r.Header, "X-Copy")[0] != strconv.Itoa(i) || r.BodySize != int64(len(m.Body)) || !bytes.Equal(r.Body, m.Body) {
		t.Fatalf("copy %d: %s, whole %v, %v", i, r.Outcome, r.Whole, r.Err)
	}
	if got.method != m.Method || got.target != m.Target || !bytes.Equal(got.body, m.Body) {
		t.Fatalf("copy %d arrived as %s %s with %d bytes", i, got.method, got.target, len(got.body))
	}
	want := http.Header{"User-Agent": {"idem"}}
	for _, f := range m.Header {
		want.Add(f[0], f[1])
	}
	if m.announcesLength() {
		want.Set("Content-Length", strconv.Itoa(len(m.Body)))
	}
	if !maps.EqualFunc(got.header, want, slices.Equal[[]string]) {
		t.Fatalf("copy %d arrived with %v, want %v", i, got.header, want)
	}
	protocol := "HTTP/1.1"
	if to := sent.Endpoint; to.speaks == HTTP2 || to.speaks == Negotiated && to.secure && !sent.Apart {
		protocol = "HTTP/2"
	}
	if r.Protocol != protocol || (r.Protocol == "HTTP/2") != (got.proto == "HTTP/2.0") || (r.Stream > 0) != (r.Protocol == "HTTP/2") {
		t.Fatalf("copy %d: %s on stream %d, arrived over %s", i, r.Protocol, r.Stream, got.proto)
	}
	if r.Released == 0 || r.WriteBegan < r.Released+int64(sent.After) || got.end < r.Released {
		t.Fatalf("copy %d: released at %d, written from %d, arrived at %d", i, r.Released, r.WriteBegan, got.end)
	}
	if (r.Hold == HoldNothing) != (h == HoldNothing) {
		t.Fatalf("copy %d: held %q where %q was asked for", i, r.Hold, h)
	}
}

// streams: no two copies are one stream.
func streams(t *rapid.T, results []Result) {
	seen := map[[2]int]bool{}
	for i, r := range results {
		id := [2]int{r.Connection, r.Stream}
		if seen[id] {
			t.Fatalf("copy %d shares stream %d of connection %d", i, r.Stream, r.Connection)
		}
		seen[id] = true
	}
}

package wire

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/idem-toolkit/idem/internal/trace"
)

func TestBlock(t *testing.T) {
	to, _ := ParseEndpoint("https://API.example/v2", nil)
	m := ping
	m.Header = append([][2]string{{"Cookie", "a=1; b=2"}, {"Accept", " x/y\t"}, {"X-Empty", ""}}, m.Header...)
	fields, err := hpack.NewDecoder(0, nil).DecodeFull(encodeBlock(to, m))
	if err != nil {
		t.Fatal(err)
	}
	want := []hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "https"}, {Name: ":authority", Value: "api.example"},
		{Name: ":path", Value: "/v2/v1/charges?x=1", Sensitive: true}, {Name: "user-agent", Value: "idem"},
		{Name: "cookie", Value: "a=1; b=2", Sensitive: true}, {Name: "accept", Value: "x/y"}, {Name: "x-empty", Sensitive: true},
		{Name: "authorization", Value: secret, Sensitive: true}, {Name: "idempotency-key", Value: "k-1", Sensitive: true},
		{Name: "content-length", Value: "15"},
	}
	if !reflect.DeepEqual(fields, want) {
		t.Errorf("got %v\nwant %v", fields, want)
	}
}

// A header that takes many frames, before a body that does, arrives.
func TestLargeRequestOverHTTP2(t *testing.T) {
	var count atomic.Int64
	m := sized(200_000)
	m.Header = append(m.Header, [2]string{"X-Large", strings.Repeat("~", 100_000)}) // in Huffman's code larger than as it is
	got := make(chan int, 2)
	to := cleartext(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got <- len(r.Header.Get("X-Large"))
		echo(&count).ServeHTTP(w, r)
	}))
	for _, h := range []Hold{HoldBody, HoldHeader} {
		for i, r := range client(Options{}).Release(background, copies(1, to, m), h) {
			if n := <-got; r.Outcome != trace.Answered || !r.Whole || n != 100_000 || r.Hold != HoldBody || r.BodySize != 200_000+int64(len(" over HTTP/2.0")) {
				t.Errorf("hold %s, copy %d: %d bytes of the field, %+v", h, i, n, r)
			}
		}
	}
}

// A server whose header table is smaller than the usual is told that none is
// used, in the first block and no other (RFC 7541, 4.2).
func TestSmallHeaderTable(t *testing.T) {
	for size, want := range map[uint32]bool{0: true, 4095: true, 4096: false, 1 << 20: false} {
		var told []bool
		s := serveFrames(t, []http2.Setting{{ID: http2.SettingHeaderTableSize, Val: size}}, func(f *frames) {
			f.ReadMetaHeaders = nil
			for frame := f.next(); frame != nil; frame = f.next() {
				switch one := frame.(type) {
				case *http2.HeadersFrame:
					told = append(told, one.HeaderBlockFragment()[0] == noTable)
				case *http2.DataFrame:
					if one.StreamEnded() {
						f.answer(one.StreamID, "[]")
					}
				}
			}
		})
		for i, r := range client(Options{}).Release(background, copies(3, s.Endpoint, ping), HoldBody) {
			if r.Outcome != trace.Answered {
				t.Errorf("table of %d, copy %d: %+v", size, i, r)
			}
		}
		if !reflect.DeepEqual(told, []bool{want, false, false}) {
			t.Errorf("table of %d: %v", size, told)
		}
	}
}

func TestWhichProtocolIsSpoken(t *testing.T) {
	var count atomic.Int64
	both := secure(t, echo(&count), func(s *httptest.Server) { s.EnableHTTP2 = true })
	old := secure(t, echo(&count), func(s *httptest.Server) { s.Config.ErrorLog = discard })
	plain := cleartext(t, echo(&count))
	for name, c := range map[string]struct {
		to    Endpoint
		apart bool
		want  string // protocol, or the error
		conns int
	}{
		"negotiated, both":         {both.Speaking(Negotiated), false, "HTTP/2", 1},
		"negotiated, both, apart":  {both.Speaking(Negotiated), true, "HTTP/1.1", 3},
		"negotiated, old":          {old.Speaking(Negotiated), false, "HTTP/1.1", 3},
		"negotiated, plain":        {plain.Speaking(Negotiated), false, "HTTP/1.1", 3},
		"HTTP/2, apart":            {both.Speaking(HTTP2), true, "HTTP/2", 3},
		"HTTP/2, plain":            {plain, false, "HTTP/2", 1},
		"HTTP/2, old":              {old.Speaking(HTTP2), false, "does not speak HTTP/2: it refuses", 0},
		"HTTP/1.1, both":           {both, false, "HTTP/1.1", 3},
		"HTTP/1.1, both and apart": {both.Speaking(HTTP1), true, "HTTP/1.1", 3},
	} {
		all := copies(3, c.to, ping)
		for i := range all {
			all[i].Apart = c.apart
		}
		results := client(Options{}).Release(background, all, HoldBody)
		for i, r := range results {
			if c.conns == 0 {
				if r.Outcome != trace.Refused || !strings.Contains(r.Err.Error(), c.want) {
					t.Errorf("%s, copy %d: %+v", name, i, r)
				}
			} else if r.Outcome != trace.Answered || r.Protocol != c.want {
				t.Errorf("%s, copy %d: %+v", name, i, r)
			}
		}
		if got := connections(results); c.conns > 0 && len(got) != c.conns {
			t.Errorf("%s: %d connections, want %d", name, len(got), c.conns)
		}
		if r := client(Options{}).SendCopy(background, all[0]); c.conns > 0 && (r.Protocol != c.want || r.Outcome != trace.Answered) {
			t.Errorf("%s, alone: %+v", name, r)
		}
	}
}

// Copies of different principals or endpoints never share a connection.
func TestWhoSharesAConnection(t *testing.T) {
	var count atomic.Int64
	one := secure(t, echo(&count), func(s *httptest.Server) { s.EnableHTTP2 = true }).Speaking(HTTP2)
	other := one.As(one.tls.Clone())
	below, _ := ParseEndpoint(one.String()+"/v2", one.tls)
	all := append(append(copies(2, one, ping), copies(2, other, ping)...), copies(2, below.Speaking(HTTP2), ping)...)
	r := client(Options{}).Release(background, all, HoldBody)
	if r[0].Connection != r[1].Connection || r[0].Connection == r[2].Connection || r[2].Connection != r[3].Connection || r[4].Connection != r[0].Connection || r[0].Connection == 0 {
		t.Errorf("%v", connections(r))
	}
}

// Nothing goes on once the results are there, and nothing stays.
func TestNothingStaysOfManyBursts(t *testing.T) {
	s := serveFrames(t, nil, func(f *frames) {
		for id := f.request(); id != 0; id = f.request() {
			f.answer(id, strings.Repeat("x", 1000))
		}
	})
	burst := func(n int) (heap uint64, goroutines int) {
		for range n {
			client(Options{}).Release(background, copies(20, s.Endpoint, ping), HoldBody)
		}
		var m runtime.MemStats
		for range 100 {
			runtime.GC()
			runtime.ReadMemStats(&m)
			if goroutines = runtime.NumGoroutine(); goroutines < 20 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		return m.HeapAlloc, goroutines
	}
	before, _ := burst(20)
	after, running := burst(100)
	if after > before+1<<20 || running >= 20 {
		t.Errorf("%d bytes after 20 bursts, %d after 100 more; %d goroutines", before, after, running)
	}
}

// A burst holds the bodies once, and a piece of them at a time.
func TestBodiesAreNotCopiedForEachConnection(t *testing.T) {
	s := serveFrames(t, []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 1 << 30}}, func(f *frames) {
		f.WriteWindowUpdate(0, 1<<30)
		for id := f.request(); id != 0; id = f.request() {
			f.answer(id, "[]")
		}
	})
	m := sized(4 << 20)
	eventually(t, func(late *complaints, _ int) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i, r := range client(Options{}).Release(background, copies(10, s.Endpoint, m), HoldBody) {
			if r.Outcome != trace.Answered || r.Hold != HoldBody {
				late.Errorf("copy %d: %s, held %q, %v", i, r.Outcome, r.Hold, r.Err)
			}
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
			t.Errorf("%d bytes were allocated for 40 MiB of bodies", got)
		}
	})
	if !bytes.Equal(m.Body, make([]byte, 4<<20)) {
		t.Error("the body was changed")
	}
}

package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

func TestAnswersAreRead(t *testing.T) {
	type want struct {
		status int
		body   string
		header [][2]string
	}
	for name, c := range map[string]struct {
		answer string
		want   want
	}{
		"length": {"HTTP/1.1 201 Created\r\nB: 2\r\nA: 1\r\nB: 3\r\nContent-Length: 2\r\n\r\nokextra", want{201, "ok", [][2]string{{"B", "2"}, {"A", "1"}, {"B", "3"}, {"Content-Length", "2"}}}},
		"chunks": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0A\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n", want{200, "abc0123456789", [][2]string{{"Transfer-Encoding", "chunked"}}}},
		"chunks beat length": {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
			want{200, "ab", [][2]string{{"Content-Length", "1"}, {"Transfer-Encoding", "Chunked"}}}},
		"until close":           {"HTTP/1.1 200 OK\r\n\r\nall of it", want{200, "all of it", nil}},
		"until close, JSON":     {"HTTP/1.0 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n\r\n{\"a\":1}", want{200, `{"a":1}`, [][2]string{{"Content-Type", "application/json; charset=utf-8"}}}},
		"until close, encoded":  {"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b", want{200, "\x1f\x8b", [][2]string{{"Content-Type", "application/json"}, {"Content-Encoding", "gzip"}}}},
		"no content":            {"HTTP/1.1 204 No Content\r\n\r\nnot a body", want{204, "", nil}},
		"not modified":          {"HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n", want{304, "", [][2]string{{"Content-Length", "99"}}}},
		"no reason":             {"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", want{200, "", [][2]string{{"Content-Length", "0"}}}},
		"bare line feeds":       {"HTTP/1.1 200 OK\nA: 1\nContent-Length: 2\n\nok", want{200, "ok", [][2]string{{"A", "1"}, {"Content-Length", "2"}}}},
		"folded field":          {"HTTP/1.1 200 OK\r\nA: 1\r\n\t 2 \r\nContent-Length: 0\r\n\r\n", want{200, "", [][2]string{{"A", "1 2"}, {"Content-Length", "0"}}}},
		"same length twice":     {"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\nok", want{200, "ok", [][2]string{{"Content-Length", "2, 2"}, {"Content-Length", "2"}}}},
		"continued":             {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", want{200, "ok", [][2]string{{"Content-Length", "2"}}}},
		"two answers":           {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1HTTP/1.1 500 No\r\nContent-Length: 1\r\n\r\n2", want{200, "1", [][2]string{{"Content-Length", "1"}}}},
		"empty value, no space": {"HTTP/1.1 200 OK\r\nA:\r\nB:x\r\nContent-Length: 0\r\n\r\n", want{200, "", [][2]string{{"A", ""}, {"B", "x"}, {"Content-Length", "0"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := says(t, c.answer)
			r := client(Options{}).Send(background, s.Endpoint, ping)
			if r.Outcome != trace.Answered || r.Err != nil || !r.Whole {
				t.Fatalf("outcome %s, %v", r.Outcome, r.Err)
			}
			if got := (want{r.Status, string(r.Body), r.Header}); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v\nwant %+v", got, c.want)
			}
			if r.BodySize != int64(len(c.want.body)) {
				t.Errorf("size %d", r.BodySize)
			}
			inOrder(t, r.WriteBegan, r.WriteEnded, r.FirstByte, r.LastByte)
		})
	}
}

func TestHeadHasNoBody(t *testing.T) {
	s := says(t, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")
	r := client(Options{}).Send(background, s.Endpoint, Message{Method: "HEAD", Target: "/"})
	if r.Outcome != trace.Answered || r.BodySize != 0 {
		t.Fatalf("%s, %d bytes, %v", r.Outcome, r.BodySize, r.Err)
	}
}

func TestBrokenAnswersAreCut(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, answer := range map[string]string{
		"garbage":                "220 mail.example ESMTP s3cr3t\r\n",
		"HTTP/2 preface":         "HTTP/2.0 200 OK\r\n\r\n",
		"short status":           "HTTP/1.1 20\r\n\r\n",
		"long status":            "HTTP/1.1 2000 OK\r\n\r\n",
		"status below 100":       "HTTP/1.1 099 X\r\n\r\n",
		"unasked switch":         "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
		"no colon":               ok + "s3cr3t\r\n\r\n",
		"space before colon":     ok + "A : 1\r\n\r\n",
		"folding at first":       ok + " A: 1\r\n\r\n",
		"NUL":                    ok + "A: s3cr3t\x00\r\n\r\n",
		"two lengths":            ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"negative length":        ok + "Content-Length: -1\r\n\r\n",
		"signed length":          ok + "Content-Length: +1\r\n\r\na",
		"length past int64":      ok + "Content-Length: 9223372036854775808\r\n\r\n",
		"short body":             ok + "Content-Length: 10\r\n\r\nshort",
		"chunk without size":     ok + "Transfer-Encoding: chunked\r\n\r\ns3cr3t\r\n",
		"negative chunk":         ok + "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
		"overlong chunk":         ok + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
		"chunks without end":     ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n",
		"chunks cut":             ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
		"chunked twice":          ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"chunked not last":       ok + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
		"JSON cut by the close":  ok + "Content-Type: application/json\r\n\r\n{\"id\":\"s3cr3t",
		"problem cut":            ok + "Content-Type: application/problem+json\r\n\r\n",
		"continued without end":  strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 40),
		"heads larger than 256K": ok + "A: " + strings.Repeat("a", 300<<10),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := says(t, answer)
			r := client(Options{}).Send(background, s.Endpoint, ping)
			if name == "continued without end" {
				if r.Outcome != trace.Reset || r.FirstByte != 0 {
					t.Fatalf("interim answers alone: %s, first byte %d", r.Outcome, r.FirstByte)
				}
			} else if r.Outcome != trace.Cut || r.FirstByte == 0 {
				t.Fatalf("outcome %s, %v", r.Outcome, r.Err)
			}
			if r.Err == nil {
				t.Fatal("no error says why")
			}
			noSecret(t, r)
			if n := s.arrivals.Load(); n != 1 {
				t.Errorf("%d arrivals", n)
			}
		})
	}
}

// A server that begins with HTTP/2's SETTINGS is told of as one; what only begins
// with a byte of nought is not.
func TestAnswersOfHTTP2(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		is     bool
	}{
		"no settings":      {"\x00\x00\x00\x04\x00\x00\x00\x00\x00", true},
		"three settings":   {"\x00\x00\x12\x04\x00\x00\x00\x00\x00" + strings.Repeat("\x00\x03\x00\x00\x00\x80", 3), true},
		"then it goes":     {"\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01", true},
		"its ACK":          {"\x00\x00\x00\x04\x01\x00\x00\x00\x00", false},
		"of a stream":      {"\x00\x00\x00\x04\x00\x00\x00\x00\x01", false},
		"no whole setting": {"\x00\x00\x05\x04\x00\x00\x00\x00\x00", false},
		"cut":              {"\x00\x00\x00\x04", false},
		"a status line":    {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false},
	} {
		s := says(t, c.answer)
		r := client(Options{}).Send(background, s.Endpoint, ping)
		if is := errors.Is(r.Err, errHTTP2); is != c.is || is && r.Outcome != trace.Cut {
			t.Errorf("%s: %s %v", name, r.Outcome, r.Err)
		}
	}
}

// canned is a connection that gives fixed bytes and then ends.
type canned struct {
	net.Conn
	r io.Reader
}

func (c canned) Read(b []byte) (int, error) { return c.r.Read(b) }

// FuzzAnswer: nothing that comes back breaks the reader, and what it calls
// whole is what net/http makes of the same bytes.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.0 200 OK\r\n\r\nrest",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\n", "HTTP/1.1 200 OK\r\nA: 1\r\n 2\r\n\r\n", "", "\r\n",
		"HTTP/1.0 200 \nTransfer-Encoding:Chunked\n\n00\n0000\n\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		began := time.Now()
		o := Options{Clock: func() int64 { return int64(time.Since(began)) }, MaxBody: 64}
		a := readAnswer(canned{r: bytes.NewReader(raw)}, "POST", &o, nil)
		if int64(len(a.body)) > o.MaxBody || int64(len(a.body)) > a.size {
			t.Fatalf("kept %d of %d bytes", len(a.body), a.size)
		}
		if a.err != nil {
			return
		}
		r := bufio.NewReader(bytes.NewReader(raw))
		var resp *http.Response
		for resp == nil || resp.StatusCode < 200 && resp.StatusCode != 101 {
			var err error
			if resp, err = http.ReadResponse(r, &http.Request{Method: "POST"}); err != nil {
				return // stricter there, on names and values
			}
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return
		}
		if resp.StatusCode != a.status || int64(len(body)) != a.size || !bytes.HasPrefix(body, a.body) {
			t.Fatalf("read %d with %d bytes %q; net/http: %d with %q", a.status, a.size, a.body, resp.StatusCode, body)
		}
	})
}

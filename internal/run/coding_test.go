package run

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/wire"
)

func packed(t *testing.T, text string, at time.Time) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	w.ModTime = at
	io.WriteString(w, text)
	w.Close()
	return buf.Bytes()
}

// TestCodingsAreTakenOff: an answer packed twice, at two times, is one answer.
func TestCodingsAreTakenOff(t *testing.T) {
	const text = `{"id":"ch_1"}`
	for _, b := range [][]byte{packed(t, text, time.Unix(1e9, 0)), packed(t, text, time.Unix(2e9, 0))} {
		p := plainBody(wire.Result{Header: [][2]string{{"content-encoding", "GZIP"}}, Body: b, BodySize: int64(len(b))})
		if string(p.body) != text || p.size != int64(len(text)) || p.coded {
			t.Errorf("%q, %d, still coded: %v", p.body, p.size, p.coded)
		}
	}
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	io.WriteString(w, text)
	w.Close()
	if p := plainBody(wire.Result{Header: [][2]string{{"Content-Encoding", "deflate"}}, Body: z.Bytes(), BodySize: int64(z.Len())}); string(p.body) != text {
		t.Errorf("deflate: %q", p.body)
	}
}

// TestWhatCannotBeUnpackedStays: broken, cut and unknown codings are kept as
// they came; a bomb is cut and told as longer than what is kept.
func TestWhatCannotBeUnpackedStays(t *testing.T) {
	whole := packed(t, "hello", time.Time{})
	for name, r := range map[string]wire.Result{
		"no gzip":     {Header: [][2]string{{"Content-Encoding", "gzip"}}, Body: []byte("plain"), BodySize: 5},
		"cut":         {Header: [][2]string{{"Content-Encoding", "gzip"}}, Body: whole[:12], BodySize: 12},
		"not all":     {Header: [][2]string{{"Content-Encoding", "gzip"}}, Body: whole, BodySize: 9999},
		"brotli":      {Header: [][2]string{{"Content-Encoding", "br"}}, Body: whole, BodySize: int64(len(whole))},
		"two at once": {Header: [][2]string{{"Content-Encoding", "gzip, gzip"}}, Body: whole, BodySize: int64(len(whole))},
	} {
		if p := plainBody(r); !bytes.Equal(p.body, r.Body) || p.size != r.BodySize || !p.coded {
			t.Errorf("%s: %q, %d, still coded: %v", name, p.body, p.size, p.coded)
		}
	}
	bomb := packed(t, string(make([]byte, 8<<20)), time.Time{})
	p := plainBody(wire.Result{Header: [][2]string{{"Content-Encoding", "gzip"}}, Body: bomb, BodySize: int64(len(bomb))})
	if len(p.body) != wire.DefaultMaxBody || p.size <= int64(len(p.body)) {
		t.Errorf("a bomb: %d bytes kept, %d told", len(p.body), p.size)
	}
}

// TestWhatIsNotKeptIsDigested: two long answers that differ beyond what is kept
// are not taken for one.
func TestWhatIsNotKeptIsDigested(t *testing.T) {
	long := strings.Repeat("idem ", wire.DefaultMaxBody/5+1000)
	rest := func(text string) []byte {
		b := packed(t, text, time.Time{})
		p := plainBody(wire.Result{Header: [][2]string{{"Content-Encoding", "gzip"}}, Body: b, BodySize: int64(len(b))})
		if p.size != int64(len(text)) {
			t.Errorf("%d bytes told of %d", p.size, len(text))
		}
		return p.rest
	}
	one, same, other := rest(long+"a"), rest(long+"a"), rest(long+"b")
	if one == nil || !bytes.Equal(one, same) || bytes.Equal(one, other) {
		t.Errorf("one %x, the same %x, another %x", one, same, other)
	}
	if short := rest("short"); short != nil {
		t.Errorf("all of it is kept, and %x digested", short)
	}
}

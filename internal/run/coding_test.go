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
		body, size, _ := plainBody(wire.Result{Header: [][2]string{{"content-encoding", "GZIP"}}, Body: b, BodySize: int64(len(b))})
		if string(body) != text || size != int64(len(text)) {
			t.Errorf("%q, %d", body, size)
		}
	}
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	io.WriteString(w, text)
	w.Close()
	if body, _, _ := plainBody(wire.Result{Header: [][2]string{{"Content-Encoding", "deflate"}}, Body: z.Bytes(), BodySize: int64(z.Len())}); string(body) != text {
		t.Errorf("deflate: %q", body)
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
		if body, size, _ := plainBody(r); !bytes.Equal(body, r.Body) || size != r.BodySize {
			t.Errorf("%s: %q, %d", name, body, size)
		}
	}
	bomb := packed(t, string(make([]byte, 8<<20)), time.Time{})
	body, size, _ := plainBody(wire.Result{Header: [][2]string{{"Content-Encoding", "gzip"}}, Body: bomb, BodySize: int64(len(bomb))})
	if len(body) != wire.DefaultMaxBody || size <= int64(len(body)) {
		t.Errorf("a bomb: %d bytes kept, %d told", len(body), size)
	}
}

// TestWhatIsNotKeptIsDigested: two long answers that differ beyond what is kept
// are not taken for one.
func TestWhatIsNotKeptIsDigested(t *testing.T) {
	long := strings.Repeat("idem ", wire.DefaultMaxBody/5+1000)
	rest := func(text string) []byte {
		b := packed(t, text, time.Time{})
		_, size, rest := plainBody(wire.Result{Header: [][2]string{{"Content-Encoding", "gzip"}}, Body: b, BodySize: int64(len(b))})
		if size != int64(len(text)) {
			t.Errorf("%d bytes told of %d", size, len(text))
		}
		return rest
	}
	one, same, other := rest(long+"a"), rest(long+"a"), rest(long+"b")
	if one == nil || !bytes.Equal(one, same) || bytes.Equal(one, other) {
		t.Errorf("one %x, the same %x, another %x", one, same, other)
	}
	if short := rest("short"); short != nil {
		t.Errorf("all of it is kept, and %x digested", short)
	}
}

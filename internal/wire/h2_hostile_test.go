package wire

import (
	"io"
	"strings"
	"testing"

	"golang.org/x/net/http2"

	"github.com/idem-toolkit/idem/internal/trace"
)

func TestAnswersOverHTTP2(t *testing.T) {
	for name, c := range map[string]struct {
		says   func(f *frames, id uint32)
		status int
		body   string
		header string
	}{
		"head alone": {func(f *frames, id uint32) { f.head(id, true, ":status", "204", "b", "2", "a", "1", "b", "3") }, 204, "", "b=2 a=1 b=3"},
		"pieces": {func(f *frames, id uint32) {
			f.head(id, false, ":status", "200")
			f.WriteData(id, false, []byte("ab"))
			f.WriteData(id, false, nil)
			f.WriteData(id, true, []byte("c"))
		}, 200, "abc", ""},
		"padding": {func(f *frames, id uint32) {
			f.head(id, false, ":status", "200", "content-length", "2")
			f.WriteDataPadded(id, true, []byte("ok"), make([]byte, 200))
		}, 200, "ok", "content-length=2"},
		"length": {func(f *frames, id uint32) {
			f.head(id, false, ":status", "200", "content-length", "2")
			f.WriteData(id, false, []byte("ok"))
			f.WriteData(id, true, nil)
		}, 200, "ok", "content-length=2"},
		"no content": {func(f *frames, id uint32) { f.head(id, true, ":status", "304", "content-length", "99") }, 304, "", "content-length=99"},
		"interim": {func(f *frames, id uint32) {
			f.head(id, false, ":status", "100")
			f.head(id, false, ":status", "103", "link", "x")
			f.answer(id, "[]")
		}, 201, "[]", "content-type=application/json"},
		"trailers": {func(f *frames, id uint32) {
			f.head(id, false, ":status", "200")
			f.WriteData(id, false, []byte("x"))
			f.head(id, true, "t", "1")
		}, 200, "x", ""},
		"continued": {func(f *frames, id uint32) {
			b := block(":status", "200", "a", strings.Repeat("z", 50))
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: b[:5], EndStream: true})
			f.WriteContinuation(id, false, nil)
			f.WriteContinuation(id, true, b[5:])
		}, 200, "", "a=" + strings.Repeat("z", 50)},
		"reset after": {func(f *frames, id uint32) { f.answer(id, "[]"); f.WriteRSTStream(id, http2.ErrCodeNo) }, 201, "[]", "content-type=application/json"},
		"goodbye":     {func(f *frames, id uint32) { f.WriteGoAway(id, http2.ErrCodeNo, nil); f.answer(id, "[]") }, 201, "[]", "content-type=application/json"},
		"strange frames": {func(f *frames, id uint32) {
			f.WriteRawFrame(0x77, 0xff, id, []byte("x"))
			f.WriteRawFrame(0x78, 0, 0, nil)
			f.WritePriority(id, http2.PriorityParam{Weight: 1})
			f.WriteSettings(http2.Setting{ID: 0x99, Val: 7})
			f.answer(id, "[]")
		},
			201, "[]", "content-type=application/json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := says2(t, c.says)
			r := client(Options{}).Send(background, s.Endpoint, ping)
			var header []string
			for _, h := range r.Header {
				header = append(header, h[0]+"="+h[1])
			}
			if r.Outcome != trace.Answered || r.Err != nil || !r.Whole || r.Status != c.status || string(r.Body) != c.body || strings.Join(header, " ") != c.header || r.BodySize != int64(len(c.body)) {
				t.Fatalf("%+v", r)
			}
			inOrder(t, r.WriteBegan, r.WriteEnded, r.FirstByte, r.LastByte, r.Ended)
		})
	}
}

func TestBrokenAnswersOverHTTP2(t *testing.T) {
	ok := func(f *frames, id uint32) { f.head(id, false, ":status", "200", "content-length", "5") }
	for name, c := range map[string]struct {
		says func(f *frames, id uint32)
		want trace.Outcome
		err  string
	}{
		"no status":         {func(f *frames, id uint32) { f.head(id, true, "a", "s3cr3t") }, trace.Cut, "malformed"},
		"short status":      {func(f *frames, id uint32) { f.head(id, true, ":status", "20") }, trace.Cut, "malformed"},
		"status no number":  {func(f *frames, id uint32) { f.head(id, true, ":status", "2x0") }, trace.Cut, "malformed"},
		"status twice":      {func(f *frames, id uint32) { f.head(id, true, ":status", "200", ":status", "201") }, trace.Cut, "malformed"},
		"status last":       {func(f *frames, id uint32) { f.head(id, true, "a", "1", ":status", "201") }, trace.Cut, "malformed"},
		"request's pseudo":  {func(f *frames, id uint32) { f.head(id, true, ":path", "/") }, trace.Cut, "malformed"},
		"upper case":        {func(f *frames, id uint32) { f.head(id, true, ":status", "200", "S3cr3t", "s3cr3t") }, trace.Cut, "malformed"},
		"line end":          {func(f *frames, id uint32) { f.head(id, true, ":status", "200", "a", "s3cr3t\r\nb: 1") }, trace.Cut, "malformed"},
		"of the connection": {func(f *frames, id uint32) { f.head(id, true, ":status", "200", "connection", "close") }, trace.Cut, "connection"},
		"switch":            {func(f *frames, id uint32) { f.head(id, false, ":status", "101") }, trace.Cut, "switches"},
		"interim that ends": {func(f *frames, id uint32) { f.head(id, true, ":status", "103") }, trace.Reset, "interim"},
		"interim without end": {func(f *frames, id uint32) {
			for range 40 {
				f.head(id, false, ":status", "103")
			}
		}, trace.Reset, "interim"},
		"body first":          {func(f *frames, id uint32) { f.WriteData(id, true, []byte("s3cr3t")) }, trace.Reset, "before its head"},
		"body of no content":  {func(f *frames, id uint32) { f.head(id, false, ":status", "204"); f.WriteData(id, true, []byte("x")) }, trace.Cut, "never has"},
		"short":               {func(f *frames, id uint32) { ok(f, id); f.WriteData(id, true, []byte("abc")) }, trace.Cut, "shorter"},
		"shorter by its head": {func(f *frames, id uint32) { f.head(id, true, ":status", "200", "content-length", "5") }, trace.Cut, "shorter"},
		"long":                {func(f *frames, id uint32) { ok(f, id); f.WriteData(id, false, []byte("abcdef")) }, trace.Cut, "longer"},
		"two lengths": {func(f *frames, id uint32) {
			f.head(id, false, ":status", "200", "content-length", "5", "content-length", "6")
		}, trace.Cut, "Content-Length"},
		"trailers, no end":     {func(f *frames, id uint32) { ok(f, id); f.head(id, false, "a", "1") }, trace.Cut, "second head"},
		"second answer":        {func(f *frames, id uint32) { ok(f, id); f.head(id, true, ":status", "200") }, trace.Cut, "second head"},
		"reset":                {func(f *frames, id uint32) { f.WriteRSTStream(id, http2.ErrCodeInternal) }, trace.Reset, "INTERNAL_ERROR"},
		"reset without error":  {func(f *frames, id uint32) { f.WriteRSTStream(id, http2.ErrCodeNo) }, trace.Reset, "NO_ERROR"},
		"refused":              {func(f *frames, id uint32) { f.WriteRSTStream(id, http2.ErrCodeRefusedStream) }, trace.Reset, "processed nothing"},
		"reset in the answer":  {func(f *frames, id uint32) { ok(f, id); f.WriteRSTStream(id, http2.ErrCodeCancel) }, trace.Cut, "CANCEL"},
		"unknown code":         {func(f *frames, id uint32) { f.WriteRSTStream(id, 4711) }, trace.Reset, "unknown"},
		"goodbye to it":        {func(f *frames, id uint32) { f.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, []byte("s3cr3t")) }, trace.Reset, "processed nothing"},
		"goodbye, then closed": {func(f *frames, id uint32) { f.WriteGoAway(id, http2.ErrCodeNo, nil) }, trace.Reset, "without an answer"},
		"closed":               {func(f *frames, id uint32) {}, trace.Reset, "without an answer"},
		"closed in the head":   {func(f *frames, id uint32) { f.conn.Write([]byte{0, 0, 9, 1, 4, 0, 0, 0, 1, 0x88}) }, trace.Cut, "in the head"},
		"closed in a frame":    {func(f *frames, id uint32) { f.conn.Write([]byte{0, 0, 9, 1}) }, trace.Reset, "without an answer"},
		"closed in the body":   {func(f *frames, id uint32) { ok(f, id); f.WriteData(id, false, []byte("abc")) }, trace.Cut, "in the body"},
		"length, not ended":    {func(f *frames, id uint32) { ok(f, id); f.WriteData(id, false, []byte("abcde")) }, trace.Cut, "in the body"},
		"window by nothing":    {func(f *frames, id uint32) { f.AllowIllegalWrites = true; f.WriteWindowUpdate(id, 0) }, trace.Reset, ""},
		"push": {func(f *frames, id uint32) {
			f.WritePushPromise(http2.PushPromiseParam{StreamID: id, PromiseID: 2, BlockFragment: block(":method", "GET"), EndHeaders: true})
		}, trace.Reset, "pushes"},
		"stream of its own": {func(f *frames, id uint32) { f.head(2, true, ":status", "200") }, trace.Reset, "not opened"},
		"stream to come":    {func(f *frames, id uint32) { f.head(99, true, ":status", "200") }, trace.Reset, "not opened"},
		"window too far":    {func(f *frames, id uint32) { f.WriteWindowUpdate(0, 1<<31-1) }, trace.Reset, "window too far"},
		"stream's too far":  {func(f *frames, id uint32) { f.WriteWindowUpdate(id, 1<<31-1) }, trace.Reset, "window too far"},
		"settings nonsense": {func(f *frames, id uint32) { f.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1}) }, trace.Reset, "MAX_FRAME_SIZE"},
		"settings push":     {func(f *frames, id uint32) { f.WriteSettings(http2.Setting{ID: http2.SettingEnablePush, Val: 1}) }, trace.Reset, "ENABLE_PUSH"},
		"huge frame":        {func(f *frames, id uint32) { ok(f, id); f.WriteData(id, true, make([]byte, 1<<20)) }, trace.Cut, "larger"},
		"bad compression": {func(f *frames, id uint32) {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0xff, 0xff, 0xff, 0xff, 0xff}, EndHeaders: true})
		}, trace.Cut, "COMPRESSION"},
		"padding too long": {func(f *frames, id uint32) { f.WriteRawFrame(http2.FrameData, http2.FlagDataPadded, id, nil) }, trace.Reset, "cannot be read"},
		"data in a head": {func(f *frames, id uint32) {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block(":status", "200")})
			f.WriteData(id, true, nil)
		}, trace.Cut, "PROTOCOL"},
		"garbage":    {func(f *frames, id uint32) { io.WriteString(f.conn, strings.Repeat("s3cr3t!", 99)) }, trace.Reset, "larger"},
		"large head": {func(f *frames, id uint32) { large(f, id, 4<<20, strings.Repeat("y", 1000)) }, trace.Cut, "head"},
		"endless empty head": {func(f *frames, id uint32) {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block(":status", "200")})
			for f.WriteContinuation(id, false, nil) == nil {
			}
		}, trace.Cut, "head"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := says2(t, c.says)
			r := client(Options{}).Send(background, s.Endpoint, ping)
			if r.Outcome != c.want || r.Err == nil || !strings.Contains(r.Err.Error(), c.err) || (r.FirstByte != 0) != (c.want == trace.Cut) || !r.Whole {
				t.Fatalf("%s, first byte %d, whole %v, %v", r.Outcome, r.FirstByte, r.Whole, r.Err)
			}
			noSecret(t, r)
			if n := s.arrivals.Load(); n != 1 {
				t.Errorf("%d arrivals", n)
			}
		})
	}
}

// large writes a head of some size, in as many frames as it takes.
func large(f *frames, id uint32, size int, value string) {
	fields := []string{":status", "200"}
	for n := 0; n < size; n += len(value) {
		fields = append(fields, "x", value)
	}
	b := block(fields...)
	f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: b[:10], EndStream: true})
	for b = b[10:]; len(b) > 1<<14; b = b[1<<14:] {
		if f.WriteContinuation(id, false, b[:1<<14]) != nil {
			return
		}
	}
	f.WriteContinuation(id, true, b)
}

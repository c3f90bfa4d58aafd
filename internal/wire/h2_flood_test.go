package wire

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/idem-toolkit/idem/internal/trace"
)

// What does not speak HTTP/2 is sent nothing and told apart.
func TestNoHTTP2(t *testing.T) {
	raw := func(say string, hold bool) Endpoint {
		return serve(t, func(_ *server, conn *net.TCPConn) {
			io.WriteString(conn, say)
			if hold {
				io.Copy(io.Discard, conn)
			}
		}).Endpoint
	}
	for name, c := range map[string]struct {
		to  Endpoint
		err string
	}{
		"HTTP/1":      {says(t, fullAnswer).Endpoint, "HTTP/2"},
		"like HTTP/1": {raw("HTTP/1.1 400 Bad Request\r\n\r\n", true), "like HTTP/1"},
		"closes":      {raw("", false), "HTTP/2"},
		"silent":      {raw("", true), "no SETTINGS in time"},
		"half":        {raw("\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00", true), "no SETTINGS in time"},
		"mail":        {raw("220 mail.example ESMTP s3cr3t\r\n", true), "not SETTINGS"},
		"other frame": {raw("\x00\x00\x08\x06\x00\x00\x00\x00\x00s3cr3t..", true), "not SETTINGS"},
		"ack first":   {raw("\x00\x00\x00\x04\x01\x00\x00\x00\x00", true), "not SETTINGS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Options{Timeout: 20 * time.Second}
			if strings.Contains(c.err, "in time") {
				o.Timeout = 300 * time.Millisecond
			}
			for i, r := range client(o).Release(background, copies(3, c.to.Speaking(HTTP2), ping), HoldBody) {
				if r.Outcome != trace.Refused || r.Err == nil || !strings.Contains(r.Err.Error(), c.err) || r.Protocol != "HTTP/2" || r.WriteBegan != 0 {
					t.Errorf("copy %d: %+v", i, r)
				}
				noSecret(t, r)
			}
		})
	}
}

// Frames that say nothing, without end, are not listened to for ever.
func TestFloods(t *testing.T) {
	for name, c := range map[string]struct {
		again func(f *frames, id uint32) error
		want  trace.Outcome
	}{
		"pings": {func(f *frames, id uint32) error { return f.WritePing(false, [8]byte{1}) }, trace.Reset},
		"settings": {func(f *frames, id uint32) error {
			return f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1})
		}, trace.Reset},
		"acks":    {func(f *frames, id uint32) error { return f.WriteSettingsAck() }, trace.Reset},
		"nothing": {func(f *frames, id uint32) error { return f.WriteData(id, false, nil) }, trace.Cut},
		"unknown": {func(f *frames, id uint32) error { return f.WriteRawFrame(0x77, 0, id, make([]byte, 100)) }, trace.Reset},
		"windows": {func(f *frames, id uint32) error { return f.WriteWindowUpdate(id, 1) }, trace.Reset},
		"resets":  {func(f *frames, id uint32) error { return f.WriteRSTStream(id, http2.ErrCodeCancel) }, trace.Reset},
		"bodies":  {func(f *frames, id uint32) error { return f.WriteData(id, false, make([]byte, 1<<14)) }, trace.TimedOut},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := says2(t, func(f *frames, id uint32) {
				if c.want != trace.Reset {
					f.head(id, false, ":status", "200")
				}
				go f.drain()
				for c.again(f, id) == nil {
				}
			})
			o := Options{Timeout: time.Minute, MaxBody: 1000}
			if c.want == trace.TimedOut {
				o.Timeout = time.Second
			}
			r := client(o).Send(background, s.Endpoint, ping)
			if r.Outcome != c.want || r.Err == nil || len(r.Body) > 1000 {
				t.Fatalf("%s, %v", r.Outcome, r.Err)
			}
		})
	}
}

// A server that takes its time, or stops in the middle, is waited for as long
// as the timeout says.
func TestSilenceOverHTTP2(t *testing.T) {
	for name, c := range map[string]struct {
		says  func(f *frames, id uint32)
		begun bool
	}{
		"no answer":    {func(f *frames, id uint32) {}, false},
		"half a frame": {func(f *frames, id uint32) { f.conn.Write([]byte{0, 0, 9, 1, 4}) }, false},
		"half a head":  {func(f *frames, id uint32) { f.conn.Write([]byte{0, 0, 9, 1, 4, 0, 0, 0, 1, 0x88}) }, true},
		"half a body":  {func(f *frames, id uint32) { f.head(id, false, ":status", "200"); f.WriteData(id, false, []byte("x")) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := says2(t, func(f *frames, id uint32) { c.says(f, id); f.drain() })
			r := client(Options{Timeout: 2 * time.Second}).Send(background, s.Endpoint, ping)
			if r.Outcome != trace.TimedOut || (r.FirstByte != 0) != c.begun || !r.Whole {
				t.Fatalf("%+v", r)
			}
		})
	}
}

func TestDropOverHTTP2(t *testing.T) {
	ended := make(chan error, 8)
	s := serveFrames(t, nil, func(f *frames) {
		f.head(f.request(), false, ":status", "200")
		_, err := f.ReadFrame()
		for err == nil {
			_, err = f.ReadFrame()
		}
		ended <- err
	})
	for _, c := range []struct {
		h    HangUp
		want trace.Outcome
	}{
		{HangUp{When: InAnswer}, trace.Cut},
		{HangUp{When: InAnswer, After: 5 * time.Millisecond, Abort: true}, trace.Cut},
		{HangUp{When: AfterWrite, After: time.Second}, trace.Cut}, // behind the answer's head
		{HangUp{When: AfterWrite, Abort: true}, ""},
		{HangUp{When: AfterWrite}, ""},
	} {
		r := client(Options{}).Drop(background, s.Endpoint, ping, c.h)
		if !errors.Is(r.Err, ErrHungUp) || !r.Whole || r.Outcome != c.want && c.want != "" || r.Outcome != trace.Cut && r.Outcome != trace.Reset {
			t.Errorf("%+v: %s, whole %v, %v", c.h, r.Outcome, r.Whole, r.Err)
		}
		if c.h != (HangUp{When: AfterWrite, Abort: true}) {
			<-ended
		}
	}
}

// An answer that comes before a large request is whole is kept, whether the
// server then wants no more of it or just stops reading.
func TestEarlyAnswersOverHTTP2(t *testing.T) {
	for name, then := range map[string]func(f *frames){
		"stops it":    func(f *frames) { f.WriteRSTStream(1, http2.ErrCodeNo); f.drain() },
		"reads on":    func(f *frames) { f.drain() },
		"reads never": func(f *frames) { <-f.s.over },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveFrames(t, []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 1 << 30}}, func(f *frames) {
				f.heads(1)
				if name == "reads never" {
					f.WriteWindowUpdate(0, 1<<30)
				}
				f.head(1, true, ":status", "413")
				then(f)
			})
			began := time.Now()
			r := client(Options{Timeout: 30 * time.Second}).Send(background, s.Endpoint, sized(32<<20))
			if r.Outcome != trace.Answered || r.Status != 413 || r.Whole || !r.Early() || s.arrivals.Load() != 1 {
				t.Fatalf("%s, status %d, whole %v, %v", r.Outcome, r.Status, r.Whole, r.Err)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

package wire

import (
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/idem-toolkit/idem/internal/trace"
)

// metes is a server that counts what it is sent against the windows that it
// gave, and gives more as it is told to.
func metes(t *testing.T, window uint32, give func(f *frames, id uint32, n uint32)) *server {
	return serveFrames(t, []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: window}}, func(f *frames) {
		for frame := f.next(); frame != nil; frame = f.next() {
			id := frame.Header().StreamID
			switch one := frame.(type) {
			case *http2.MetaHeadersFrame:
				f.s.arrivals.Add(1)
				give(f, id, 0)
				if one.StreamEnded() {
					f.answer(id, "[]")
				}
			case *http2.DataFrame:
				if one.StreamEnded() {
					f.answer(id, "[]")
				} else if one.Length > 0 {
					give(f, id, one.Length)
				}
			}
		}
	})
}

// Held bodies share the connection's window. Where the server opens it, one
// connection takes all; where it does not, more are made, and none is sent more
// than it allowed.
func TestConnectionWindow(t *testing.T) {
	const n, size = 10, 20_000
	for name, c := range map[string]struct {
		opens bool
		hold  Hold
		want  int
	}{
		"opened, body hold":    {true, HoldBody, 1},
		"kept, body hold":      {false, HoldBody, 4},
		"opened, whole":        {true, HoldHeader, 4},
		"kept, whole":          {false, HoldHeader, 4},
		"kept, nothing's hold": {false, HoldNothing, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var most atomic.Int64
			s := serveFrames(t, []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 1 << 20}}, func(f *frames) {
				got := int64(0)
				for frame := f.next(); frame != nil; frame = f.next() {
					one, ok := frame.(*http2.DataFrame)
					if !ok {
						continue
					}
					if got += int64(one.Length); got > most.Load() {
						most.Store(got)
					}
					if c.opens && one.Length > 0 {
						f.WriteWindowUpdate(0, one.Length)
						got -= int64(one.Length)
					}
					if one.StreamEnded() {
						f.answer(one.StreamID, "[]")
					}
				}
			})
			eventually(t, func(late *complaints, _ int) {
				results := client(Options{}).Release(background, copies(n, s.Endpoint, sized(size)), c.hold)
				for i, r := range results {
					if r.Outcome != trace.Answered || !r.Whole || r.Early() {
						t.Errorf("copy %d: %+v", i, r)
					}
					if (r.Hold == HoldNothing) != (c.hold == HoldNothing) {
						late.Errorf("copy %d: held %q", i, r.Hold)
					}
				}
				if got := len(connections(results)); got != c.want {
					late.Errorf("%d connections, want %d", got, c.want)
				}
			})
			if most.Load() > firstWin {
				t.Errorf("%d bytes were sent into a window of %d", most.Load(), firstWin)
			}
		})
	}
}

func TestTinyWindows(t *testing.T) {
	for name, c := range map[string]struct {
		window uint32
		size   int
		give   func(f *frames, id uint32, n uint32)
		hold   Hold
		want   trace.Outcome
		held   Hold
	}{
		"none, then enough":       {0, 100, func(f *frames, id uint32, n uint32) { f.WriteWindowUpdate(id, 1000) }, HoldBody, trace.Answered, HoldBody},
		"none, whole, then some":  {0, 100, func(f *frames, id uint32, n uint32) { f.WriteWindowUpdate(id, 1000) }, HoldHeader, trace.Answered, HoldBody},
		"byte by byte":            {1, 50, func(f *frames, id uint32, n uint32) { f.WriteWindowUpdate(id, max(n, 1)) }, HoldBody, trace.Answered, HoldBody},
		"byte by byte, not held":  {1, 50, func(f *frames, id uint32, n uint32) { f.WriteWindowUpdate(id, max(n, 1)) }, HoldNothing, trace.Answered, HoldNothing},
		"all but the last":        {49, 50, func(f *frames, id uint32, n uint32) {}, HoldBody, trace.TimedOut, HoldNothing},
		"never":                   {0, 50, func(f *frames, id uint32, n uint32) {}, HoldBody, trace.TimedOut, HoldNothing},
		"never, whole":            {0, 50, func(f *frames, id uint32, n uint32) {}, HoldHeader, trace.TimedOut, HoldNothing},
		"no window, no body":      {0, 0, func(f *frames, id uint32, n uint32) {}, HoldBody, trace.Answered, HoldWhole},
		"one, then closed, wider": {10, 50, reopens, HoldBody, trace.Answered, HoldBody},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := metes(t, c.window, c.give)
			eventually(t, func(late *complaints, try int) {
				s.arrivals.Store(0)
				for i, r := range client(Options{Timeout: 3 * time.Second}).Release(background, copies(3, s.Endpoint, sized(c.size)), c.hold) {
					if r.Outcome != c.want || r.Hold != c.held || r.Whole != (c.want == trace.Answered) || r.Early() {
						late.Errorf("copy %d: %+v", i, r)
					}
				}
				if n := s.arrivals.Load(); n > 3 {
					t.Errorf("%d arrivals", n)
				} else if n < 3 {
					late.Errorf("%d arrivals", n)
				}
			})
		})
	}
	s := metes(t, 1, func(f *frames, id uint32, n uint32) { f.WriteWindowUpdate(id, max(n, 1)) })
	if r := client(Options{}).Send(background, s.Endpoint, sized(300)); r.Outcome != trace.Answered || !r.Whole {
		t.Errorf("alone: %+v", r)
	}
}

// reopens closes the window of streams in the middle, below nothing, and opens
// it again.
func reopens(f *frames, id uint32, n uint32) {
	if n > 0 && id == 1 {
		f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
		time.Sleep(10 * time.Millisecond)
		f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 100})
	}
}

// The window closes when the bodies are held: the ends wait for it, and the
// copies were not held.
func TestWindowClosedOverTheHold(t *testing.T) {
	t.Parallel()
	var closed atomic.Int64 // for so many nanoseconds beyond the hold
	s := serveFrames(t, nil, func(f *frames) {
		f.quiet = true
		for range 6 {
			f.next()
		}
		f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
		time.Sleep(holdLimit + time.Duration(closed.Load()))
		f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 100})
		for range 3 {
			f.answer(f.request(), "[]")
		}
	})
	eventually(t, func(late *complaints, try int) {
		closed.Store(int64(300 * time.Millisecond << try))
		for i, r := range client(Options{}).Release(background, copies(3, s.Endpoint, ping), HoldBody) {
			if r.Outcome != trace.Answered || !r.Whole || r.Early() {
				t.Errorf("copy %d: %+v", i, r)
			}
			if r.Hold != HoldNothing {
				late.Errorf("copy %d: held %q", i, r.Hold)
			}
		}
	})
}

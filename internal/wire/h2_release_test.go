package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/idem-toolkit/idem/internal/trace"
)

func sized(n int) Message {
	m := ping
	m.Body = make([]byte, n)
	return m
}

func connections(results []Result) map[int]int {
	seen := map[int]int{}
	for _, r := range results {
		seen[r.Connection]++
	}
	return seen
}

// What the server's stream limit keeps out goes into further connections, and
// the limit is never passed.
func TestStreamLimit(t *testing.T) {
	for _, limit := range []uint32{1, 2, 7, 100} {
		for _, h := range []Hold{HoldNothing, HoldBody, HoldHeader} {
			t.Run(fmt.Sprintf("%d, hold %q", limit, h), func(t *testing.T) {
				t.Parallel()
				const n = 7
				s := serveFrames(t, []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Val: limit}}, func(f *frames) {
					open := uint32(0)
					for frame := f.next(); frame != nil; frame = f.next() {
						if _, ok := frame.(*http2.MetaHeadersFrame); ok {
							if open++; open > limit {
								t.Errorf("%d streams where %d are allowed", open, limit)
							}
						}
						if one, ok := frame.(*http2.DataFrame); ok && one.StreamEnded() {
							open--
							f.answer(one.StreamID, "[]")
						}
					}
				})
				results := client(Options{}).Release(background, copies(n, s.Endpoint, ping), h)
				for i, r := range results {
					if r.Outcome != trace.Answered || !r.Whole || r.Early() || (r.Hold == HoldNothing) != (h == HoldNothing) || r.Released != results[0].Released {
						t.Errorf("copy %d: %+v", i, r)
					}
				}
				if got, want := len(connections(results)), (n+int(limit)-1)/int(limit); got != want {
					t.Errorf("%d connections, want %d", got, want)
				}
			})
		}
	}
}

func TestNoStreamsAllowed(t *testing.T) {
	s := serveFrames(t, []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Val: 0}}, (*frames).drain)
	for i, r := range client(Options{}).Release(background, copies(3, s.Endpoint, ping), HoldBody) {
		if r.Outcome != trace.Refused || !strings.Contains(r.Err.Error(), "MAX_CONCURRENT_STREAMS") {
			t.Errorf("copy %d: %+v", i, r)
		}
	}
	later := serveFrames(t, []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Val: 0}}, func(f *frames) {
		time.Sleep(20 * time.Millisecond)
		f.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 5})
		f.answer(f.request(), "[]")
	})
	eventually(t, func(late *complaints, _ int) {
		if r := client(Options{}).Send(background, later.Endpoint, ping); r.Outcome != trace.Answered {
			late.Errorf("allowed later: %+v", r)
		}
	})
}

// Everything of a held copy that goes before is there before the release, and
// nothing of what is held.
func TestNothingOfTheEndArrivesBefore(t *testing.T) {
	c := client(Options{})
	for _, h := range []Hold{HoldBody, HoldHeader} {
		var mu sync.Mutex
		var before, after []int64
		s := serveFrames(t, nil, func(f *frames) {
			for frame := f.next(); frame != nil; frame = f.next() {
				if frame.Header().StreamID == 0 { // the goodbye
					continue
				}
				mu.Lock()
				one, ok := frame.(*http2.DataFrame)
				if ok && one.StreamEnded() || h == HoldHeader {
					after = append(after, c.options.Clock())
				} else {
					before = append(before, c.options.Clock())
				}
				mu.Unlock()
				if ok && one.StreamEnded() {
					f.answer(one.StreamID, "[]")
				}
			}
		})
		results := c.Release(background, copies(10, s.Endpoint, ping), h)
		at := results[0].Released
		mu.Lock()
		for _, one := range before {
			if one > at {
				t.Errorf("%s: a part that goes before came %d ns after the release", h, one-at)
			}
		}
		for _, one := range after {
			if one < at {
				t.Errorf("%s: a held part came %d ns before the release", h, at-one)
			}
		}
		if h == HoldBody && (len(before) != 20 || len(after) != 10) || h == HoldHeader && len(after) != 20 {
			t.Errorf("%s: %d and %d frames", h, len(before), len(after))
		}
		mu.Unlock()
		for i, r := range results {
			if r.WriteBegan < at || r.WriteBegan != results[0].WriteBegan {
				t.Errorf("%s, copy %d: not written in one: %+v", h, i, r)
			}
		}
	}
}

// Several things go wrong with one burst; each copy is told what became of it.
func TestBurstAmongHostilePeers(t *testing.T) {
	is := func(o trace.Outcome, whole bool, err string) func(Result) bool {
		return func(r Result) bool {
			return r.Outcome == o && r.Whole == whole && (r.Err == nil && err == "" || r.Err != nil && strings.Contains(r.Err.Error(), err))
		}
	}
	for name, c := range map[string]struct {
		plays func(f *frames)
		want  [4]func(Result) bool
	}{
		"goodbye in the hold": {func(f *frames) {
			f.heads(4)
			f.WriteGoAway(3, http2.ErrCodeNo, nil)
			for range 2 {
				f.answer(f.request(), "[]")
			}
		}, [4]func(Result) bool{is(trace.Answered, true, ""), is(trace.Answered, true, ""), is(trace.Reset, false, "processed nothing"), is(trace.Reset, false, "processed nothing")}},
		"goodbye after it": {func(f *frames) {
			for range 4 {
				f.request()
			}
			f.WriteGoAway(3, http2.ErrCodeEnhanceYourCalm, nil)
			f.answer(3, "[]")
		}, [4]func(Result) bool{is(trace.Reset, true, "without an answer"), is(trace.Answered, true, ""), is(trace.Reset, true, "processed nothing"), is(trace.Reset, true, "processed nothing")}},
		"some reset in the hold": {func(f *frames) {
			f.heads(4)
			f.WriteRSTStream(1, http2.ErrCodeRefusedStream)
			f.WriteRSTStream(7, http2.ErrCodeInternal)
			for range 2 {
				f.answer(f.request(), "[]")
			}
			f.drain()
		}, [4]func(Result) bool{is(trace.Reset, false, "REFUSED"), is(trace.Answered, true, ""), is(trace.Answered, true, ""), is(trace.Reset, false, "INTERNAL")}},
		"answers in the hold": {func(f *frames) {
			f.heads(4)
			f.answer(1, "[]")
			f.WriteRSTStream(1, http2.ErrCodeNo)
			f.answer(3, "[]")
			f.head(5, false, ":status", "200")
			for range 2 {
				if id := f.request(); id == 5 {
					f.WriteData(5, true, nil)
				} else {
					f.answer(id, "[]")
				}
			}
			f.drain()
		}, [4]func(Result) bool{is(trace.Answered, false, ""), is(trace.Answered, false, ""), is(trace.Answered, true, ""), is(trace.Answered, true, "")}},
		"dies in the answers": {func(f *frames) {
			for range 4 {
				f.request()
			}
			f.answer(1, "[]")
			f.head(3, false, ":status", "200")
			f.head(5, false, ":status", "200", "content-length", "2")
			f.WriteData(5, false, []byte("["))
		}, [4]func(Result) bool{is(trace.Answered, true, ""), is(trace.Cut, true, "in the body"), is(trace.Cut, true, "in the body"), is(trace.Reset, true, "without an answer")}},
		"dies in the hold": {func(f *frames) { f.heads(4) },
			[4]func(Result) bool{is(trace.Reset, false, "without an answer"), is(trace.Reset, false, "without an answer"), is(trace.Reset, false, "without an answer"), is(trace.Reset, false, "without an answer")}},
		"never answers a ping": {func(f *frames) {
			f.quiet = true
			for range 4 {
				f.answer(f.request(), "[]")
			}
		}, [4]func(Result) bool{is(trace.Answered, true, ""), is(trace.Answered, true, ""), is(trace.Answered, true, ""), is(trace.Answered, true, "")}},
		"never reads": {func(f *frames) { <-f.s.over },
			[4]func(Result) bool{is(trace.TimedOut, true, ""), is(trace.TimedOut, true, ""), is(trace.TimedOut, true, ""), is(trace.TimedOut, true, "")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveFrames(t, nil, func(f *frames) { c.plays(f) })
			results := client(Options{Timeout: 3 * time.Second}).Release(background, copies(4, s.Endpoint, ping), HoldBody)
			for i, r := range results {
				if r.Outcome == trace.TimedOut && r.Err != nil {
					r.Err = errors.New("")
				}
				if !c.want[i](r) {
					t.Errorf("copy %d: %s, whole %v, early %v, %v", i, r.Outcome, r.Whole, r.Early(), results[i].Err)
				}
				if name == "answers in the hold" && i < 3 && !r.Early() {
					t.Errorf("copy %d was answered before it was whole, and this is not said: %+v", i, r)
				}
				if r.Unprocessed != (r.Err != nil && strings.Contains(r.Err.Error(), "processed nothing")) {
					t.Errorf("copy %d: unprocessed %v, %v", i, r.Unprocessed, r.Err)
				}
				if r.Connection != 1 {
					t.Errorf("copy %d on connection %d", i, r.Connection)
				}
			}
			if n := s.arrivals.Load(); n > 4 {
				t.Errorf("%d arrivals: a request was sent again", n)
			}
		})
	}
}

// One that takes nothing holds up nobody else.
func TestDeafPeerHoldsUpNobody(t *testing.T) {
	deaf := serveFrames(t, []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1}}, func(f *frames) {
		f.WriteWindowUpdate(0, 1<<30)
		<-f.s.over
	})
	good := says2(t, func(f *frames, id uint32) { f.answer(id, "[]"); f.drain() })
	r := client(Options{Timeout: 2 * time.Second}).Release(background, []Copy{
		{Endpoint: deaf.Endpoint, Message: sized(32 << 20)}, {Endpoint: good.Endpoint, Message: ping}}, HoldBody)
	if r[0].Outcome != trace.TimedOut || r[0].Whole || r[0].Hold != HoldNothing || r[1].Outcome != trace.Answered || r[1].Hold != HoldBody {
		t.Errorf("%+v", r)
	}
}

func TestContextEndsAReleaseOverHTTP2(t *testing.T) {
	for _, after := range []time.Duration{0, time.Minute} {
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		var came atomic.Int64
		s := serveFrames(t, nil, func(f *frames) {
			for frame := f.next(); frame != nil; frame = f.next() {
				_, head := frame.(*http2.MetaHeadersFrame)
				one, body := frame.(*http2.DataFrame)
				if head && after > 0 || body && one.StreamEnded() {
					if came.Add(1) == 3 {
						cancel()
					}
				}
			}
		})
		all := copies(3, s.Endpoint, ping)
		var written atomic.Int64
		for i := range all {
			all[i].After = after
			all[i].Written = func() { written.Add(1) }
		}
		for i, r := range client(Options{}).Release(ctx, all, HoldBody) {
			if r.Outcome != trace.Reset || r.Whole != (after == 0) || !errors.Is(r.Err, context.Canceled) {
				t.Errorf("copy %d: %+v", i, r)
			}
		}
		if written.Load() != 3 {
			t.Errorf("%d told that they were written", written.Load())
		}
	}
}

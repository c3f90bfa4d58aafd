package wire

import (
	"fmt"
	"slices"
	"testing"

	"golang.org/x/net/http2"
)

// In the one write of whole requests every head comes before every body, both
// in the order of the streams; a copy without a body ends with its head.
func TestAllHeadsAreReleasedBeforeAllBodies(t *testing.T) {
	for _, sizes := range [][]int{{2, 2, 2, 2}, {0, 2, 0, 1}, {0, 0}, {20_000, 1, 300, 0, 20_000}} {
		for _, h := range []Hold{HoldHeader, HoldNothing} {
			t.Run(fmt.Sprintf("%v, hold %q", sizes, h), func(t *testing.T) {
				came := make(chan []string, 1)
				s := serveFrames(t, nil, func(f *frames) {
					came <- f.order(len(sizes))
					for i := range sizes {
						f.answer(uint32(2*i+1), "[]")
					}
					f.drain()
				})
				var all []Copy
				var heads, bodies []string
				for i, size := range sizes {
					all = append(all, Copy{Endpoint: s.Endpoint, Message: sized(size)})
					id := 2*i + 1
					heads = append(heads, fmt.Sprintf("head of %d, end %v", id, size == 0))
					for left := size; left > 0; left -= frameSize {
						bodies = append(bodies, fmt.Sprintf("%d bytes of %d, end %v", min(left, frameSize), id, left <= frameSize))
					}
				}
				results := client(Options{}).Release(background, all, h)
				if got, want := <-came, slices.Concat(heads, bodies); !slices.Equal(got, want) {
					t.Errorf("came %q, want %q", got, want)
				}
				for i, r := range results {
					if !r.Whole || r.Err != nil || r.WriteBegan != results[0].WriteBegan || (r.Hold == HoldNothing) != (h == HoldNothing) {
						t.Errorf("copy %d: %+v", i, r)
					}
				}
			})
		}
	}
}

// order reads until so many requests are whole, and gives what came in words.
func (f *frames) order(requests int) (came []string) {
	for requests > 0 {
		ended := false
		switch one := f.next().(type) {
		case nil:
			return came
		case *http2.MetaHeadersFrame:
			ended = one.StreamEnded()
			came = append(came, fmt.Sprintf("head of %d, end %v", one.StreamID, ended))
		case *http2.DataFrame:
			ended = one.StreamEnded()
			came = append(came, fmt.Sprintf("%d bytes of %d, end %v", len(one.Data()), one.StreamID, ended))
		}
		if ended {
			requests--
		}
	}
	return came
}

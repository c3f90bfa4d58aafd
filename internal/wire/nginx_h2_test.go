package wire

import (
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/nginx"
	"github.com/idem-toolkit/idem/internal/trace"
)

// TestNginxBoundsHTTP2: what nginx bounds on a connection splits the copies or
// ends some of them, and is told as what it is: the answered ones were held and
// came to the service once each, the others were not looked at.
func TestNginxBoundsHTTP2(t *testing.T) {
	for _, c := range []struct {
		name        string
		directive   string
		copies      int
		connections int // 0: not told
		answered    int // at least; none but them where it is not all
		whole       Hold
	}{
		{"128 streams by default", "", 200, 2, 200, HoldWhole},
		{"one stream", "http2_max_concurrent_streams 1", 30, 30, 30, HoldWhole},
		{"no window before it is asked for", "http2_body_preread_size 0", 30, 1, 30, HoldBody},
		{"a goodbye in mid burst", "keepalive_requests 10", 30, 1, 10, HoldWhole},
		{"a goodbye behind the first", "keepalive_time 1ms", 30, 1, 1, HoldWhole},
	} {
		for _, streaming := range []bool{false, true} {
			config := nginx.Config{Streaming: streaming}
			if c.directive != "" {
				config.HTTP = []string{c.directive}
			}
			p := behindNginx(t, config, Options{})
			for _, way := range ways[2:] {
				for hold, want := range map[Hold]Hold{HoldBody: HoldBody, HoldHeader: c.whole} {
					name := c.name + ", " + way.name + ", hold " + string(hold)
					eventually(t, func(late *complaints, _ int) {
						began := p.client.options.Clock()
						all := p.client.Release(background, keyed(c.copies, p.endpoint(t, way.protocol, way.secure)), hold)
						answered := 0
						for i, r := range all {
							_, body := p.saw(i)
							reached := body > began
							switch {
							case r.Outcome == trace.Answered && r.Status == 201 && reached:
								if answered++; r.Hold != want || r.Early() {
									late.Errorf("%s: copy %d: %+v", name, i, r)
								}
							case r.Outcome == trace.Reset && r.Unprocessed && strings.Contains(r.Err.Error(), "GOAWAY") && !reached:
							default:
								t.Errorf("%s: copy %d, reached the service %t: %+v", name, i, reached, r)
							}
						}
						if n := len(connections(all)); n != c.connections {
							late.Errorf("%s: %d connections, want %d", name, n, c.connections)
						}
						if answered < c.answered || c.answered == 10 && answered != 10 {
							late.Errorf("%s: %d answered, want %d", name, answered, c.answered)
						}
						if took := time.Duration(p.client.options.Clock() - began); took > p.client.options.Timeout/2 {
							late.Errorf("%s: it hung for %s", name, took)
						}
					})
				}
			}
		}
	}
}

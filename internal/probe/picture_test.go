package probe_test

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
)

// TestPicturesTellWhatCopiesGot: a pair and the stampede are shown, each copy
// once with what it got; where a promise was broken, the round that broke it.
func TestPicturesTellWhatCopiesGot(t *testing.T) {
	refused := func(c *conn, on leg) bool { return on.stream > 1 }
	for _, c := range []struct {
		name  string
		scene scene
		why   string // why the first is shown
		loser string // what every copy of it but the winner got
	}{
		{"waiting", scene{}, "the last pair that overlapped", "result"},
		{"refusing", scene{behaviour: behaviour{inFlight: 409}}, "the last pair that overlapped", "in flight"},
		{"a double", scene{behaviour: behaviour{fault: "check then act"}}, "the first that broke a promise", "another result"},
		{"cut off", scene{behaviour: behaviour{fault: "loser is cut off"}}, "the first that broke a promise", "no answer"},
		{"an error", scene{behaviour: behaviour{fault: "loser gets 500"}}, "the first that broke a promise", "refused"},
		{"streams refused", scene{refuses: refused}, "the last pair that overlapped", "result"},
	} {
		for _, http2 := range []bool{false, true} {
			if c.scene.refuses != nil && !http2 {
				continue
			}
			sc := c.scene
			sc.http2 = http2
			_, s := raced(t, sc)
			pictures := s.Evidence.Pictures
			if len(pictures) == 0 || len(pictures) > 2 || pictures[0].Why != c.why {
				t.Errorf("%s, HTTP/2 %t: %d pictures: %+v", c.name, http2, len(pictures), pictures)
				continue
			}
			won := 0
			for _, p := range pictures {
				for i, one := range p.Copies {
					pictured(t, c.name+", "+p.Case, i, one)
				}
			}
			for _, one := range pictures[0].Copies {
				if one.Class == "won" {
					won++
				} else if one.Class != c.loser {
					t.Errorf("%s, HTTP/2 %t: a loser's picture says %q: %+v", c.name, http2, one.Class, one)
				}
			}
			if won != 1 {
				t.Errorf("%s, HTTP/2 %t: %d winners", c.name, http2, won)
			}
		}
	}
	_, s := raced(t, scene{http2: true, refuses: refused})
	for _, one := range s.Evidence.Pictures[1].Copies {
		if refused := one.Stream > 1; refused != (one.Class == "not processed") {
			t.Errorf("%+v", one)
		}
	}
}

// pictured holds a copy's picture to the order of time, and to what is there.
func pictured(t *testing.T, where string, copy int, p probe.Pictured) {
	t.Helper()
	lost := p.Class == "no answer" || p.Class == "not processed"
	switch {
	case p.Copy != copy, !p.Written, !p.Whole, p.Hold == "", p.Connection == 0:
		t.Errorf("%s: not as it was sent: %+v", where, p)
	case p.WriteEnded < p.WriteBegan, p.LastByte < p.WriteEnded, p.Answered && p.FirstByte < p.WriteEnded, p.Answered && p.LastByte < p.FirstByte:
		t.Errorf("%s: out of order: %+v", where, p)
	case lost != (p.Status == 0), !lost && !p.Answered, strings.TrimSpace(p.Class) == "":
		t.Errorf("%s: %+v", where, p)
	}
}

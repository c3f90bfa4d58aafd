package probe

import (
	"strconv"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// longerMost bounds how long a repeat waits beyond its time because a server
// told it to come back later.
const longerMost = 10 * time.Second

// Longer says how long a repeat whose time is over waits for one more pass: the
// Retry-After (RFC 9110, 10.2.3, in seconds) of an answer that only says that
// the server is busy, which is nothing of the key's. 0 is not at all. It never
// goes on into the end of the key's effective retention, where nothing would be
// shown; waited is what was waited so before, now in nanoseconds since the run
// began.
func (a Repeat) Longer(op *contract.Operation, h *History, trial string, now int64, waited time.Duration) time.Duration {
	t, r := h.Trial(trial), rules{op}
	x := t.lastOf(a.While.Labels)
	if !x.Whole() || !r.class(x).trouble {
		return 0
	}
	pause := retryAfter(x.Answer)
	if pause == 0 || waited+pause > longerMost {
		return 0
	}
	if atLeast, _, known := op.EffectiveRetention(); known {
		most := atLeast * 3 / 4
		if waited > 0 {
			most = atLeast / 2
		}
		if time.Duration(now-t.firstSent(x))+pause > most {
			return 0
		}
	}
	return pause
}

func retryAfter(a *trace.Answer) time.Duration {
	for _, v := range trace.Get(a.Header, "Retry-After") {
		if n, err := strconv.Atoi(v); err == nil && n > 0 && n <= int(longerMost/time.Second) {
			return time.Duration(n) * time.Second
		}
	}
	return 0
}

// firstSent is when the request of an exchange was first written, under any label.
func (t *Trial) firstSent(x *Exchange) int64 {
	for _, y := range t.Exchanges {
		if y.Sent != nil && y.Request == x.Request {
			return y.Sent.WriteBegan
		}
	}
	return 0
}

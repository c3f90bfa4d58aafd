package run

import (
	"fmt"
	"sync"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// A target that hangs costs a timeout for every request of a plan, and a counter
// that hangs one for every reading. Nothing can be shown by either any more, so
// both are left alone until they answer again.

// When a target counts as gone. Keys that were sent before may hang by a fault,
// and requests of theirs then come in any number; new keys are answered all the
// same, so that some of them must have met nothing too.
const (
	goneMost   = 5 // sends in a row that got no answer
	goneFresh  = 2 // of them, such as had a new key
	goneAgain  = 5 * time.Second
	hungMost   = 6           // readings of a counter in a row that hung
	hungAfter  = time.Second // a failed reading that took so long has hung
	hungReason = "the counter did not answer %d readings in a row, and is left alone until it does"
	goneReason = "the target has stopped answering: %d requests in a row got no answer, %d of them with new keys"
)

// vigil watches whether a target still answers. The zero vigil is ready.
type vigil struct {
	mu     sync.Mutex
	known  map[string]bool // keys that were sent
	silent int             // sends in a row that got no answer
	fresh  int             // of them, such as had a new key
	gone   string          // why nothing is sent; empty: all is
	tried  time.Time       // when one was sent all the same
}

// closed says why a send may not go, "" where it may. Now and then one may, to
// see whether the target is back.
func (v *vigil) closed(now time.Time) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.gone == "" || now.Sub(v.tried) < goneAgain {
		return v.gone
	}
	v.tried = now
	return ""
}

// left says that nothing is sent at present.
func (v *vigil) left() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.gone != ""
}

// begin notes keys that are about to be sent, and says whether all are new. A
// request without a key has none.
func (v *vigil) begin(keys ...string) (fresh bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil {
		v.known = map[string]bool{}
	}
	fresh = true
	for _, k := range keys {
		fresh = fresh && k != "" && !v.known[k]
	}
	for _, k := range keys {
		v.known[k] = true
	}
	return fresh
}

// ended notes what became of copies that were sent together: an answer, or a
// connection that the target ended, shows that it is there. Excused is silence
// that shows nothing.
func (v *vigil) ended(now time.Time, fresh, excused bool, results []wire.Result) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range results {
		if r.FirstByte > 0 || r.Outcome != trace.TimedOut && r.Outcome != trace.Refused {
			v.silent, v.fresh, v.gone = 0, 0, ""
			return
		}
	}
	if excused {
		return
	}
	if v.silent++; fresh {
		v.fresh++
	}
	if v.gone == "" && v.silent >= goneMost && v.fresh >= goneFresh {
		v.gone, v.tried = fmt.Sprintf(goneReason, v.silent, v.fresh), now
	}
}

// goes says that copies may be sent, and whether their keys are new; where they
// may not, why not. The actor's part is then not whole.
func (x *actor) goes(ids ...string) (fresh bool, why string) {
	if why = x.r.vigil.closed(time.Now()); why != "" {
		x.cutShort()
		return false, why
	}
	keys := make([]string, len(ids))
	for i, id := range ids {
		if q := x.p.asked[id]; q != nil {
			keys[i] = q.Key
		}
	}
	return x.r.vigil.begin(keys...), ""
}

// ended notes what became of copies. Silence shows nothing where the part keeps
// the service or its store away, and is meant to meet none.
func (x *actor) ended(fresh, excused bool, results ...wire.Result) {
	x.p.mu.Lock()
	excused = excused || x.p.away
	x.p.mu.Unlock()
	x.r.vigil.ended(time.Now(), fresh, excused, results)
}

// leftAlone says that the target is not asked any more, and that what was to come
// of the part is left out.
func (x *actor) leftAlone() bool {
	left := x.r.vigil.left()
	if left {
		x.cutShort()
	}
	return left
}

// cutShort notes that the part is not whole.
func (x *actor) cutShort() {
	x.p.mu.Lock()
	x.p.cut = true
	x.p.mu.Unlock()
}

// keepsAway notes that from here on the part takes away what answers.
func (x *actor) keepsAway() {
	x.p.mu.Lock()
	x.p.away = true
	x.p.mu.Unlock()
}

// hungReadings counts the readings of counters in a row that hung.
type hungReadings struct {
	mu    sync.Mutex
	n     int
	tried time.Time
}

// closed says why a counter is not read, "" where it is.
func (h *hungReadings) closed(now time.Time) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.n < hungMost || now.Sub(h.tried) >= goneAgain {
		h.tried = now
		return ""
	}
	return fmt.Sprintf(hungReason, h.n)
}

func (h *hungReadings) note(now time.Time, hung bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.n++; !hung {
		h.n = 0
	}
	h.tried = now
}

// tired says that asking again at once is no use.
func (h *hungReadings) tired() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.n >= hungMost
}

package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// hanging lets requests hang that it is told to, until the test ends.
type hanging struct {
	http.Handler
	hangs func(r *http.Request, body string, nth int64) bool
	end   chan struct{}
	nth   atomic.Int64
	hung  atomic.Int64
}

func (h *hanging) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	if h.hangs(r, string(raw), h.nth.Add(1)) {
		h.hung.Add(1)
		<-h.end
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	h.Handler.ServeHTTP(w, r)
}

// checkHanging runs the whole check against it with a short timeout.
func checkHanging(t *testing.T, timeout time.Duration, hangs func(r *http.Request, body string, nth int64) bool, only ...string) (*hanging, *probe.Report) {
	t.Helper()
	service := &charges{records: map[string]*chargeRecord{}, effects: map[string]int64{}}
	h := &hanging{Handler: service, hangs: hangs, end: make(chan struct{})}
	g := newRig(t, h, service, only...)
	t.Cleanup(func() { close(h.end) }) // before the server waits for its handlers
	g.runner.Client = wire.New(wire.Options{Timeout: timeout, Clock: g.runner.Clock, AllowHosts: func(string) bool { return true }})
	if err := g.runner.Run(t.Context(), g.header, g.jobs); err != nil {
		t.Fatal(err)
	}
	report, err := probe.Judge(trace.Read(bytes.NewReader(g.recorded.Bytes())))
	if err != nil {
		t.Fatal(err)
	}
	return h, report
}

// TestTargetThatStopsAnswering: the run ends soon, nothing is accused and nothing
// that was left out passes, and each step says why.
func TestTargetThatStopsAnswering(t *testing.T) {
	for name, from := range map[string]int64{"never there": 1, "gone early": 30, "gone in the middle": 120} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, report := checkHanging(t, 200*time.Millisecond, func(_ *http.Request, _ string, nth int64) bool { return nth >= from })
			if n := h.hung.Load(); n > 150 {
				t.Errorf("%d requests hung, and were sent all the same", n)
			}
			if report.Counts[probe.Fail] > 0 || report.Exit != 3 {
				t.Errorf("exit %d, %v", report.Exit, report.Counts)
			}
			told := 0
			for _, s := range report.Operations[0].Steps {
				for _, r := range s.Reasons {
					if strings.Contains(r.Text, "stopped answering") {
						told++
						break
					}
				}
			}
			if told == 0 {
				t.Error("no step says that the target stopped answering")
			}
		})
	}
}

// TestKeysThatHangAreNoGoneTarget: where retries of a key hang and other keys are
// answered, the run goes on to its end and the fault is found.
func TestKeysThatHangAreNoGoneTarget(t *testing.T) {
	// A new key that a busy machine answers after the timeout counts as silence
	// too, and rightly; with a longer one it does not come to that.
	timeout := 200 * time.Millisecond
	for ; ; timeout *= 4 {
		var mu sync.Mutex
		seen := map[string]bool{}
		retries := func(r *http.Request, _ string, _ int64) bool {
			mu.Lock()
			defer mu.Unlock()
			key := r.Header.Get("Idempotency-Key")
			known := seen[key]
			seen[key] = true
			return known
		}
		_, report := checkHanging(t, timeout, retries, "duplicate", "reorder", "conflict")
		gone := ""
		for _, s := range report.Operations[0].Steps {
			for _, r := range s.Reasons {
				if strings.Contains(r.Text, "stopped answering") {
					gone += fmt.Sprintf("%s: %s\n", s.Step, r.Text)
				}
			}
		}
		if gone == "" && report.Exit == 1 {
			return
		}
		if timeout > 3*time.Second {
			t.Fatalf("exit %d, %v\n%s", report.Exit, report.Counts, gone)
		}
	}
}

func TestVigil(t *testing.T) {
	now := time.Unix(1e9, 0)
	silent := []wire.Result{{Outcome: trace.TimedOut}, {Outcome: trace.Refused}}
	var v vigil
	for range 20 {
		v.ended(now, false, false, silent)
	}
	if v.left() {
		t.Error("keys that were known alone made it count as gone")
	}
	v.ended(now, true, true, silent)
	v.ended(now, true, true, silent)
	if v.left() {
		t.Error("silence that is excused counted")
	}
	v.ended(now, true, false, silent)
	v.ended(now, true, false, []wire.Result{{Outcome: trace.TimedOut}, {Outcome: trace.Reset}})
	v.ended(now, true, false, silent)
	if v.left() {
		t.Error("a connection that was ended is something that came back")
	}
	for range goneMost {
		v.ended(now, true, false, silent)
	}
	if v.closed(now.Add(time.Second)) == "" {
		t.Fatal("it does not count as gone")
	}
	if v.closed(now.Add(goneAgain)) != "" {
		t.Error("nothing is sent to see whether it is back")
	}
	if v.closed(now.Add(goneAgain)) == "" {
		t.Error("more than one is sent to see that")
	}
	v.ended(now, false, true, []wire.Result{{Outcome: trace.Cut, FirstByte: 1}})
	if v.left() {
		t.Error("it answered, and counts as gone")
	}
	if v.begin("a", "") || !v.begin("b", "c") || v.begin("c") {
		t.Error("new keys are not told from known ones")
	}
}

// readings is a counter that fails as often as is said, and counts how often it
// is asked.
type readings struct {
	asked, fails int
	hangs        time.Duration // before it fails
}

func (c *readings) Count(context.Context, probe.Subject) (int64, error) {
	if c.asked++; c.asked <= c.fails {
		time.Sleep(c.hangs)
		return 0, errors.New("no answer")
	}
	return 1, nil
}

// TestHungCounterIsLeftAlone: one that has hung often enough is not asked again
// and again for one count, nor polled, until it answers.
func TestHungCounterIsLeftAlone(t *testing.T) {
	g := newRig(t, nil, nil, "duplicate")
	op := g.jobs[0].Operation
	op.Effects = &contract.Effects{Kind: contract.ByHTTP, AppearsWithin: 1500 * time.Millisecond}
	counter := &readings{fails: 1 << 30}
	g.jobs[0].Target.Counter = counter
	g.runner.slots = make(chan struct{}, 1)
	p := &part{job: g.jobs[0], plan: g.jobs[0].Plans[0], history: probe.NewHistory("duplicate")}
	x := &actor{r: g.runner, p: p, trial: "t"}
	count := func() (int, probe.Counted) {
		counter.asked = 0
		x.count(t.Context(), probe.Count{Label: "c", Poll: true})
		c, _ := p.history.Trial("t").Counted("c")
		return counter.asked, c
	}
	if n, _ := count(); n <= mostReadings {
		t.Errorf("asked %d times before it is known to hang", n)
	}
	for range hungMost {
		g.runner.hung.note(time.Now(), true)
	}
	if n, c := count(); n != 0 || !strings.Contains(c.Error, "did not answer") {
		t.Errorf("asked %d times when it is known to hang: %q", n, c.Error)
	}
	counter.hangs = hungAfter
	g.runner.hung.tried = time.Time{}
	if n, _ := count(); n != 1 {
		t.Errorf("asked %d times to see whether it is back", n)
	}
	counter.fails = 0
	g.runner.hung.tried = time.Time{}
	if n, c := count(); n != 1 || c.Error != "" || g.runner.hung.tired() {
		t.Errorf("asked %d times where it answers: %q, still tired: %v", n, c.Error, g.runner.hung.tired())
	}
}

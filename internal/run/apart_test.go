package run

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// TestHangUps carries hang-ups out against a server that takes its time: what
// is recorded says that this side hung up and whether an answer had begun, the
// server has seen the whole request, and sees that its caller has gone.
func TestHangUps(t *testing.T) {
	seen := make(chan string, 10)
	delay := map[string]time.Duration{"/answers": 50 * time.Millisecond, "/works": 20 * time.Second}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Length", "100000")
		select {
		case <-r.Context().Done():
			seen <- "gone, after " + string(body)
			return
		case <-time.After(delay[r.URL.Path]):
		}
		w.Write(make([]byte, 10))
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
			seen <- "gone in the answer, after " + string(body)
		case <-time.After(20 * time.Second):
			seen <- "stayed"
		}
	}))
	defer server.Close()
	for _, c := range []struct {
		name  string
		path  string
		until probe.HangUp
		began bool
		saw   string
	}{
		{"at the last byte", "/works", probe.HangUp{When: probe.Written}, false, "gone, after hello"},
		{"into the work", "/works", probe.HangUp{When: probe.Written, After: 50 * time.Millisecond}, false, "gone, after hello"},
		{"in the answer", "/answers", probe.HangUp{When: probe.InAnswer}, true, "gone in the answer, after hello"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := lonely(t, server.URL)
			x.p.asked["r"].Target = c.path
			x.send(t.Context(), probe.Send{Label: "hung-up", Request: "r", Copies: 1, HangUp: c.until})
			e := x.p.history.Trial("t").Last("hung-up")
			if e == nil || e.Sent == nil || !e.Sent.Whole || e.Answer.Outcome != trace.HungUp || (e.Answer.FirstByte > 0) != c.began || e.Answer.Error == "" {
				t.Fatalf("recorded %+v, %+v", e.Sent, e.Answer)
			}
			if got := <-seen; got != c.saw {
				t.Errorf("the server saw %q, want %q", got, c.saw)
			}
		})
	}
}

// TestNoHangUpWhereTheAnswerWasThere: an answer that came before the moment is
// an answer, and a connection that the server ended is no hang-up.
func TestNoHangUpWhereTheAnswerWasThere(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/breaks" {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(201)
	}))
	defer server.Close()
	for path, want := range map[string]trace.Outcome{"/": trace.Answered, "/breaks": trace.Reset} {
		x := lonely(t, server.URL)
		x.p.asked["r"].Target = path
		x.send(t.Context(), probe.Send{Label: "hung-up", Request: "r", Copies: 1, HangUp: probe.HangUp{When: probe.Written, After: 3 * time.Second}})
		if e := x.p.history.Trial("t").Last("hung-up"); e == nil || e.Answer.Outcome != want {
			t.Errorf("%s: recorded %+v", path, e)
		}
	}
}

// TestLongSendsTakeNoPlace: slow answers keep nobody else waiting.
func TestLongSendsTakeNoPlace(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(201) }))
	defer server.Close()
	x := lonely(t, server.URL)
	for range cap(x.r.slots) {
		x.r.slots <- struct{}{} // all places are taken
	}
	x.send(t.Context(), probe.Send{Label: "slow", Request: "r", Copies: 1, Long: true})
	if e := x.p.history.Trial("t").Last("slow"); !e.Whole() {
		t.Errorf("recorded %+v", e)
	}
}

// TestWaitsNoLongerThanItsCondition: a wait that counts from the restart goes on
// while its condition holds, and ends with it.
func TestWaitsNoLongerThanItsCondition(t *testing.T) {
	answer := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-answer }))
	defer server.Close()
	x := lonely(t, server.URL)
	x.p.job.Target.Service = killed{}
	wait := func(plus time.Duration) time.Duration {
		began := time.Now()
		x.wait(t.Context(), probe.Wait{For: "start", From: probe.Ready, Plus: plus,
			While: probe.Condition{Fact: probe.Awaited, Labels: []string{"first", "second"}}})
		return time.Since(began)
	}
	wait(0)
	if undone := x.p.history.Trial("t").Undone; len(undone) != 1 {
		t.Errorf("without a restart: %q", undone)
	}
	x.start(t.Context(), probe.Start{})
	if took := wait(time.Hour); took > time.Minute {
		t.Errorf("before anything was sent it waited %s", took)
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for _, label := range []string{"first", "second"} {
			x.send(t.Context(), probe.Send{Label: label, Request: "r", Copies: 1, Long: true})
		}
	}()
	answer <- struct{}{}
	for !x.holds(probe.Condition{Fact: probe.Awaited, Labels: []string{"second"}}) {
		time.Sleep(time.Millisecond) // until the first one's answer is recorded
	}
	restarted, _ := x.p.history.When("t", probe.Wait{From: probe.Ready})
	wait(300 * time.Millisecond)
	if passed := time.Duration(x.r.Clock() - restarted); passed < 300*time.Millisecond {
		t.Errorf("one is still waited for, and it waited until %s after the restart", passed)
	}
	answer <- struct{}{}
	<-sent
	if took := wait(time.Hour); took > time.Minute {
		t.Errorf("both are answered, and it waited %s", took)
	}
}

// lonely is an actor with one request and nothing else.
func lonely(t *testing.T, url string) *actor {
	t.Helper()
	base, err := wire.ParseEndpoint(url, nil)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	clock := func() int64 { return int64(time.Since(began)) + 1 }
	r := &Runner{Client: wire.New(wire.Options{Clock: clock, AllowHosts: func(string) bool { return true }}),
		Clock: clock, Trace: trace.NewWriter(io.Discard), slots: make(chan struct{}, 1)}
	control := &part{history: probe.NewHistory(probe.ControlStep)}
	p := &part{job: &Job{Operation: &contract.Operation{}, Target: Target{Bases: []wire.Endpoint{base}}}, plan: &probe.Plan{Step: "disconnect"},
		history: probe.NewHistory("disconnect"), controls: control,
		asked: map[string]*probe.Request{"r": {ID: "r", Method: "POST", Target: "/", Body: []byte("hello"),
			Header: [][2]string{{"Content-Type", "text/plain"}}}}}
	return &actor{r: r, p: p, trial: "t"}
}

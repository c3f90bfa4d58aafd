package run

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// burstOf carries out one action on a target and gives what was recorded of it.
func burstOf(t *testing.T, base wire.Endpoint, keys []string, a probe.Action) []trace.Event {
	t.Helper()
	spec, err := contract.Parse("t.yaml", []byte(testContract), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan := &probe.Plan{Step: "duplicate", Threads: []probe.Thread{{Trial: "own", Actions: []probe.Action{a}}}}
	for _, key := range keys {
		plan.Requests = append(plan.Requests, &probe.Request{ID: key, Method: "POST", Target: "/" + key, Key: key, Body: []byte("{}")})
	}
	began := time.Now()
	clock := func() int64 { return int64(time.Since(began)) + 1 }
	var recorded bytes.Buffer
	r := &Runner{Client: wire.New(wire.Options{Clock: clock, AllowHosts: spec.HostAllowed}), Clock: clock,
		Trace: trace.NewWriter(&recorded), Mask: &trace.Masker{}}
	job := &Job{Operation: spec.Operations[0], Plans: []*probe.Plan{plan}, Target: Target{Bases: []wire.Endpoint{base}}}
	if err := r.Run(t.Context(), &trace.Run{Schema: trace.Schema}, []*Job{job}); err != nil {
		t.Fatal(err)
	}
	var events []trace.Event
	for e, err := range trace.Read(&recorded) {
		if err != nil {
			t.Fatal(err)
		}
		switch e.Kind {
		case trace.KindSent, trace.KindAnswer, trace.KindUndone:
			events = append(events, e)
		}
	}
	return events
}

// echoes answers with the path, once the request is whole.
func echoes(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	io.WriteString(w, r.URL.Path)
}

func echo(t *testing.T) wire.Endpoint {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(echoes))
	t.Cleanup(s.Close)
	base, err := wire.ParseEndpoint(s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	return base
}

// Copies that have trials are recorded in them, numbered within each, whatever
// their order in the burst.
func TestABurstIsRecordedInItsTrials(t *testing.T) {
	base := echo(t)
	requests := []string{"a", "b", "a", "c", "b", "a"}
	for name, c := range map[string]struct {
		trials []string
		want   []string // request, trial and copy
	}{
		"no trials":        {nil, []string{"a own 0", "b own 1", "a own 2", "c own 3", "b own 4", "a own 5"}},
		"one of all":       {[]string{"t"}, []string{"a t 0", "b t 1", "a t 2", "c t 3", "b t 4", "a t 5"}},
		"one for each key": {[]string{"ta", "tb", "ta", "tc", "tb", "ta"}, []string{"a ta 0", "b tb 0", "a ta 1", "c tc 0", "b tb 1", "a ta 2"}},
	} {
		events := burstOf(t, base, []string{"a", "b", "c"}, probe.Burst{Label: "race", Requests: requests, Trials: c.trials, Hold: probe.Hold(wire.HoldBody)})
		var sent, answered []string
		for _, e := range events {
			switch {
			case e.Label != "race" || e.Kind == trace.KindUndone:
				t.Errorf("%s: %+v", name, e)
			case e.Kind == trace.KindSent:
				sent = append(sent, fmt.Sprint(e.Sent.Request, " ", e.Trial, " ", e.Copy))
				if e.Sent.Protocol != "HTTP/1.1" || e.Sent.Stream != 0 || e.Sent.Connection == 0 {
					t.Errorf("%s: %+v", name, e.Sent)
				}
			default:
				answered = append(answered, fmt.Sprint(e.Answer.Request, " ", e.Trial, " ", e.Copy))
				if string(e.Answer.Body.Head) != "/"+e.Answer.Request {
					t.Errorf("%s: %s was answered %q", name, e.Answer.Request, e.Answer.Body.Head)
				}
			}
		}
		if !slices.Equal(sent, c.want) || !slices.Equal(answered, c.want) {
			t.Errorf("%s: sent %v, answered %v, want %v", name, sent, answered, c.want)
		}
	}
}

// What could not be carried out is told in every trial that waits for it, once.
func TestABurstThatFailsIsToldInItsTrials(t *testing.T) {
	events := burstOf(t, echo(t), []string{"a"}, probe.Burst{Label: "race", Requests: []string{"a", "a", "none", "none"},
		Trials: []string{"x", "x", "y", "y"}})
	var told []string
	for _, e := range events {
		told = append(told, string(e.Kind)+" "+e.Trial)
	}
	if want := []string{"undone x", "undone y"}; !slices.Equal(told, want) {
		t.Errorf("%v, want %v", told, want)
	}
}

// Over HTTP/2 a trace tells which copies shared a connection, and copies that go
// apart share none.
func TestWhatCopiesSharedIsRecorded(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(echoes))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	defer s.Close()
	base, err := wire.ParseEndpoint(s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	body := probe.Hold(wire.HoldBody)
	for name, c := range map[string]struct {
		action      probe.Action
		connections int
	}{
		"a burst":        {probe.Burst{Label: "race", Requests: []string{"a", "a", "a"}, Hold: body}, 1},
		"a burst, apart": {probe.Burst{Label: "race", Requests: []string{"a", "a", "a"}, Hold: body, Apart: true}, 3},
		"copies":         {probe.Send{Label: "race", Request: "a", Copies: 3, Hold: body}, 1},
		"copies, apart":  {probe.Send{Label: "race", Request: "a", Copies: 3, Hold: body, Apart: true}, 3},
	} {
		connections, streams := map[int]bool{}, map[[2]int]bool{}
		for _, e := range burstOf(t, base.Speaking(wire.HTTP2), []string{"a"}, c.action) {
			switch {
			case e.Kind == trace.KindAnswer && e.Answer.Outcome != trace.Answered || e.Kind == trace.KindUndone:
				t.Errorf("%s: %+v", name, e)
			case e.Kind == trace.KindSent:
				s := e.Sent
				connections[s.Connection], streams[[2]int{s.Connection, s.Stream}] = true, true
				if s.Protocol != "HTTP/2" || s.Stream%2 != 1 || s.Hold != "body" || s.Trip <= 0 || s.Released <= 0 || s.Released > s.WriteEnded {
					t.Errorf("%s: %+v", name, s)
				}
			}
		}
		if len(connections) != c.connections || len(streams) != 3 {
			t.Errorf("%s: %d connections and %d streams", name, len(connections), len(streams))
		}
	}
}

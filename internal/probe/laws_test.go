package probe_test

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// passing gives a trace in which every step passes.
func passing(t testing.TB) []trace.Event {
	t.Helper()
	events := perform(t, scene{behaviour: behaviour{inFlight: 409}})
	if got := outcome(judged(t, events)); got != "" {
		t.Fatalf("not a passing trace:\n%s", got)
	}
	return events
}

// ended gives the steps whose end stands in events.
func ended(events []trace.Event) map[string]bool {
	out := map[string]bool{}
	for _, e := range events {
		if e.Kind == trace.KindStep {
			out[e.Step] = true
		}
	}
	return out
}

// TestCutShort cuts a passing trace at every event: nobody is accused, and a
// step is passed only if its end was recorded.
func TestCutShort(t *testing.T) {
	events := passing(t)
	for n := 1; n < len(events); n++ {
		r := judgedEvents(t, events[:n])
		if r.Exit != 130 || !r.Interrupted {
			t.Fatalf("%d events: exit %d", n, r.Exit)
		}
		whole := ended(events[:n])
		for _, s := range r.Operations[0].Steps {
			if want := map[bool]probe.Verdict{true: probe.Pass, false: probe.Inconclusive}[whole[s.Step]]; s.Verdict != want {
				t.Fatalf("%d events, last %s %s %s: %s is %s, want %s\n%s", n, events[n-1].Kind, events[n-1].Trial, events[n-1].Label,
					s.Step, s.Verdict, want, outcome(r))
			}
		}
	}
}

// TestCutShortStyles cuts the traces of every legal style somewhere.
func TestCutShortStyles(t *testing.T) {
	for i, style := range styles {
		t.Run(style.name, func(t *testing.T) {
			events := perform(t, style.scene)
			whole := judged(t, events)
			for n := 1 + i; n < len(events); n += 101 {
				r := judgedEvents(t, events[:n])
				complete := ended(events[:n])
				for i, s := range r.Operations[0].Steps {
					if s.Verdict == probe.Fail || s.Verdict == probe.Pass && !complete[s.Step] {
						t.Fatalf("%d events: %s is %s, in the end %s\n%s", n, s.Step, s.Verdict, whole.Operations[0].Steps[i].Verdict, outcome(r))
					}
				}
			}
		})
	}
}

func judgedEvents(t testing.TB, events []trace.Event) *probe.Report {
	t.Helper()
	r, err := probe.Judge(ofEvents(events))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func ofEvents(events []trace.Event) func(func(trace.Event, error) bool) {
	return func(yield func(trace.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// TestSecondEffectFails adds an effect to the last counts of one trial of a
// passing trace: its step fails, and no other.
func TestSecondEffectFails(t *testing.T) {
	events := passing(t)
	last := map[[2]string]int{} // step and trial (and operation of a kill) to its last count
	for i, e := range events {
		if e.Kind == trace.KindCount && e.Step != probe.ControlStep && !strings.Contains(e.Label, "control") {
			unit := e.Trial
			if e.Step == "crash" {
				unit += e.Label
			}
			last[[2]string{e.Step, unit}] = i
		}
	}
	tried := map[string]int{}
	for place, i := range last {
		if strings.Contains(place[1], "survived") || strings.Contains(place[1], "after-") {
			continue
		}
		changed := append([]trace.Event(nil), events...)
		c := *events[i].Count
		c.N++
		changed[i].Count = &c
		r := judgedEvents(t, changed)
		tried[place[0]]++
		for _, s := range r.Operations[0].Steps {
			if want := s.Step == place[0]; (s.Verdict == probe.Fail) != want {
				t.Errorf("one effect more at %s of %s: %s is %s\n%s", events[i].Label, place, s.Step, s.Verdict, outcome(r))
			}
		}
	}
	for step := range strings.FieldsSeq(allSix) {
		if tried[step] == 0 {
			t.Errorf("no count of %s was tried", step)
		}
	}
}

// TestEventsTakenOut takes any one event out of a passing trace: no step that
// lost one gets better than it was, and nothing crashes.
func TestEventsTakenOut(t *testing.T) {
	events := passing(t)
	rapid.Check(t, func(rt *rapid.T) {
		from := rapid.IntRange(1, len(events)-1).Draw(rt, "from")
		many := rapid.IntRange(1, 12).Draw(rt, "many")
		left := append(append([]trace.Event(nil), events[:from]...), events[min(from+many, len(events)):]...)
		r := judgedEvents(t, left)
		complete := ended(left)
		for _, s := range r.Operations[0].Steps {
			if s.Verdict == probe.Pass && !complete[s.Step] {
				rt.Fatalf("%s passes without its end", s.Step)
			}
		}
	})
}

// bodies are drawn contracts' requests.
func drawContract(rt *rapid.T) *contract.Contract {
	lines := []string{
		rapid.SampledFrom([]string{"fresh: [/order_id]", "fresh: [{at: /order_id, as: uuid4}]", "fresh: [/order_id, {at: /amount, as: integer}]",
			"fresh: [/order_id, {at: /amount, as: integer, max: 2000000000}]"}).Draw(rt, "fresh"),
		rapid.SampledFrom([]string{"key: {header: Idempotency-Key, generate: uuid4}", "key: {header: Idempotency-Key, syntax: sf-string, generate: uuid4}",
			"key: {body: /client_token, generate: uuid4}", "key: {query: token, generate: uuid4}"}).Draw(rt, "key"),
		"reorder: " + rapid.SampledFrom([]string{"semantic", "bytes", "any"}).Draw(rt, "reorder"),
		rapid.SampledFrom([]string{"effects: responses", `effects: {http: {path: "/c?o={fresh:/order_id}", count: "$[*]"}}`}).Draw(rt, "effects"),
	}
	c, err := contract.Parse("contract.yaml", []byte(changed(lines...)), nil)
	if err != nil {
		rt.Fatalf("the test's contract: %v", err)
	}
	return c
}

func drawEnv(rt *rapid.T) probe.Env {
	return probe.Env{RunID: rapid.StringMatching("[0-9a-f]{16}").Draw(rt, "run"), Seed: rapid.Uint64().Draw(rt, "seed"), Keys: probe.GeneratedKeys{}}
}

func plansOf(rt *rapid.T, c *contract.Contract, env probe.Env) []*probe.Plan {
	plans, err := probe.Plans(c.Operations[0], env, probe.Selection{})
	if err != nil {
		rt.Fatal(err)
	}
	return plans
}

// TestPlanIsAFunction: the same contract and Env give the same plan.
func TestPlanIsAFunction(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c, env := drawContract(rt), drawEnv(rt)
		if !reflect.DeepEqual(plansOf(rt, c, env), plansOf(rt, c, env)) {
			rt.Fatal("two plans differ")
		}
	})
}

// values gives the keys and the fresh values of plans, each with its request.
func values(plans []*probe.Plan) (keys, fresh map[string][]*probe.Request) {
	keys, fresh = map[string][]*probe.Request{}, map[string][]*probe.Request{}
	for _, p := range plans {
		for _, q := range p.Requests {
			keys[q.Key] = append(keys[q.Key], q)
			for at, v := range q.Fresh {
				fresh[at+"="+v] = append(fresh[at+"="+v], q)
			}
		}
	}
	return keys, fresh
}

// TestRunsShareNothing: two runs share no key and no fresh text; integers are
// too few for that, and counts are taken before.
func TestRunsShareNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c, one, two := drawContract(rt), drawEnv(rt), drawEnv(rt)
		if one.RunID == two.RunID {
			rt.Skip()
		}
		keys, fresh := values(plansOf(rt, c, one))
		moreKeys, moreFresh := values(plansOf(rt, c, two))
		for key := range moreKeys {
			if keys[key] != nil {
				rt.Fatalf("key %s again", key)
			}
		}
		for v := range moreFresh {
			if fresh[v] != nil && !strings.HasPrefix(v, "/amount") {
				rt.Fatalf("value %s again", v)
			}
		}
	})
}

// family is the trial that a request belongs to: requests of one may share a
// key or a fresh value.
func family(q *probe.Request) string {
	i := strings.LastIndexByte(q.ID, '/')
	return q.ID[:i]
}

// TestKeysAreShared only where the plan means to: one original with its
// changed or respelt bodies. The counter's control shares fresh values.
func TestKeysAreShared(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		keys, fresh := values(plansOf(rt, drawContract(rt), drawEnv(rt)))
		for key, qs := range keys {
			originals := 0
			for _, q := range qs {
				if family(q) != family(qs[0]) {
					rt.Fatalf("%s and %s share the key %s", q.ID, qs[0].ID, key)
				}
				if q.Change == "" {
					originals++
				}
				if !carries(q, key) {
					rt.Fatalf("%s does not carry its key: %s %v %s", q.ID, q.Target, q.Header, q.Body)
				}
			}
			if originals > 1 || originals == 0 && len(qs) > 1 {
				rt.Fatalf("%d originals with the key %s", originals, key)
			}
		}
		for v, qs := range fresh {
			for _, q := range qs {
				if family(q) != family(qs[0]) {
					rt.Fatalf("%s and %s share %s", q.ID, qs[0].ID, v)
				}
			}
		}
	})
}

// carries says that a request has the key in one place.
func carries(q *probe.Request, key string) bool {
	n := strings.Count(q.Target, key) + bytes.Count(q.Body, []byte(key))
	for _, f := range q.Header {
		if f[1] == key || f[1] == `"`+key+`"` {
			n++
		}
	}
	respelt := strings.HasPrefix(q.ID, "reorder/") && q.Change != ""
	return n == 1 || respelt && n == 0 // its key may be spelled with an escape
}

// TestRetriesAreFrozen: all that a trial sends as its first, its retries and
// its copies is one frozen request; every request of a plan is sent somewhere,
// every send has its request, and no more operations are made than told.
func TestRetriesAreFrozen(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		for _, p := range plansOf(rt, drawContract(rt), drawEnv(rt)) {
			asked := map[string]*probe.Request{}
			for _, q := range p.Requests {
				if asked[q.ID] != nil {
					rt.Fatalf("two requests %s", q.ID)
				}
				asked[q.ID] = q
			}
			sent, keys := map[string]bool{}, map[string]bool{}
			frozen := map[string]string{} // trial and role to request
			for _, thread := range p.Threads {
				walk(thread.Trial, thread.Actions, func(trial, label string, ids []string) {
					for i, id := range ids {
						sent[id] = true
						if asked[id] == nil {
							rt.Fatalf("%s is sent and not planned", id)
						}
						keys[asked[id].Key] = true
						role := trial
						switch {
						case label == "control" || label == "environment" || label == "changed" || label == "respelt" || label == "other-key":
							continue
						case label == "volley":
							role += " " + strconv.Itoa(i)
						case strings.HasPrefix(label, "retry-"):
							role += " " + strings.TrimPrefix(label, "retry-")
						}
						if frozen[role] != "" && frozen[role] != id {
							rt.Fatalf("%s sends %s and %s as one request", role, frozen[role], id)
						}
						frozen[role] = id
					}
				})
			}
			if len(sent) != len(asked) {
				rt.Fatalf("%s: %d requests are planned, %d sent", p.Step, len(asked), len(sent))
			}
			if len(keys) > p.Makes {
				rt.Fatalf("%s makes %d operations, told are %d", p.Step, len(keys), p.Makes)
			}
		}
	})
}

// walk shows every send of a plan.
func walk(trial string, actions []probe.Action, show func(trial, label string, ids []string)) {
	for _, a := range actions {
		switch a := a.(type) {
		case probe.Send:
			show(trial, a.Label, []string{a.Request})
		case probe.Burst:
			show(trial, a.Label, a.Requests)
		case probe.Volley:
			show(trial, a.Label, a.Requests)
		case probe.Repeat:
			walk(trial, a.Body, show)
		case probe.If:
			walk(trial, a.Body, show)
		case probe.Try:
			walk(a.Trial, a.Body, show)
		case probe.Fan:
			for _, branch := range a.Branches {
				walk(trial, branch, show)
			}
		}
	}
}

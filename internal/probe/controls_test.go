package probe_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

const noDouble = "the counter proves nothing: the counter does not double for the same values under another key"

const (
	allSix = "duplicate concurrent conflict reorder crash expiry"
	all    = allSix + " disconnect" // that the contract of these tests enables
)

// each gives a line for each step.
func each(steps, line string) string {
	var b strings.Builder
	for step := range strings.FieldsSeq(steps) {
		b.WriteString(step + " " + line + "\n")
	}
	return b.String()
}

// controls are scenes that would fool a verifier without its controls: nothing
// is passed there that was not shown, and nobody is accused.
var controls = []struct {
	name  string
	scene scene
	want  string
}{
	{name: "counter that only knows whether there is one", scene: scene{behaviour: behaviour{counter: "exists"}},
		want: each(all, "inconclusive\n    "+noDouble)},
	{name: "counter that caches", scene: scene{contract: slow(), behaviour: behaviour{counter: "cached", retention: 65 * time.Second}},
		want: each(all, "inconclusive\n    the counter proves nothing: the counter shows nothing for an accepted operation")},
	{name: "counter that does not start at 0", scene: scene{behaviour: behaviour{counter: "offset"}},
		want: each(all, "inconclusive\n    the counter proves nothing: the counter does not start at 0 for a new value")},
	{name: "counter that fails", scene: scene{contract: slow(), behaviour: behaviour{counter: "fails", retention: 65 * time.Second}},
		want: each(all, "inconclusive\n    the counter proves nothing: the counter could not be read: the counter answered 500")},
	{name: "no such counter can clear a server that ignores keys", scene: scene{behaviour: behaviour{fault: "ignores keys", counter: "exists", alike: true}},
		want: each("duplicate concurrent", "inconclusive\n    "+noDouble) + "conflict fail conflict/changed-body-ran\n    " + noDouble + "\n" +
			each("reorder crash", "inconclusive\n    "+noDouble) +
			"expiry inconclusive\n    whether the key was forgotten cannot be told: answers do not differ and no effect is counted\n    " + noDouble + "\n" + each("disconnect", "inconclusive\n    "+noDouble)},
	{name: "business ids are unique", scene: scene{contract: changed("in_flight: {wait: true}"), behaviour: behaviour{unique: true}},
		want: each(all, "inconclusive\n    the control's operations were not accepted: status 201, status 409: {\"error\":\"order exists\"}")},
	{name: "no changed body is valid", scene: scene{contract: changed("conflict: {status: [422], covers: [/amount, /currency]}"), behaviour: behaviour{plain: true}},
		want: "conflict inconclusive\n    no changed body is accepted under its own key: a refusal proves nothing\n"},
	{name: "no changed body is valid, and nobody looks at it", scene: scene{contract: changed("conflict: {status: [422], covers: [/amount, /currency]}"),
		behaviour: behaviour{plain: true, fingerprint: "none"}},
		want: "conflict inconclusive\n    no changed body is accepted under its own key: a refusal proves nothing\n"},
	{name: "503 to a stampede", scene: scene{behaviour: behaviour{busy: crowded(20)}},
		want: "concurrent inconclusive\n    30 copies, body hold: status 503, and so did other keys: the environment did it\n"},
}

// crowded answers 503 while more than a few requests of a race are under way.
func crowded(most int) func(s *charges, c *conn) bool {
	return func(s *charges, _ *conn) bool {
		open := 0
		for _, c := range s.conns {
			if !c.over {
				open++
			}
		}
		return open > most
	}
}

func TestControls(t *testing.T) {
	for _, c := range controls {
		t.Run(c.name, func(t *testing.T) {
			r, _ := play(t, c.scene)
			if got := outcome(r); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
			if c.want != "" && r.Exit == 0 {
				t.Errorf("exit %d", r.Exit)
			}
		})
	}
}

// TestEverybodyMeets503 looks at each step alone: none passes, none fails, and
// each says what the environment did.
func TestEverybodyMeets503(t *testing.T) {
	after := func(d time.Duration) func(*charges, *conn) bool {
		return func(s *charges, _ *conn) bool { return s.now > int64(d) }
	}
	for name, from := range map[string]time.Duration{"from the start": 0, "after the controls": 1100 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			r, _ := play(t, scene{behaviour: behaviour{busy: after(from)}})
			for _, s := range r.Operations[0].Steps {
				if s.Verdict != probe.Inconclusive {
					t.Errorf("%s is %s", s.Step, s.Verdict)
				}
				text := outcome(r)
				if !strings.Contains(text, "environment did it") {
					t.Errorf("%s does not tell of the environment:\n%s", s.Step, text)
				}
			}
			if r.Exit != 3 {
				t.Errorf("exit %d\n%s", r.Exit, outcome(r))
			}
		})
	}
}

// TestErrorsOfEverybodyAreNoRefusal: a server that answers new keys with errors
// too, always or now and then, does not refuse those whose caller hung up.
func TestErrorsOfEverybodyAreNoRefusal(t *testing.T) {
	ofStep := func(c *conn) bool { return strings.HasPrefix(c.request.ID, "disconnect/") }
	for _, status := range []int{429, 500, 501, 502, 503, 504} {
		for name, busy := range map[string]func(*charges, *conn) bool{
			"all of the step": func(_ *charges, c *conn) bool { return ofStep(c) },
			"new keys and retries": func(_ *charges, c *conn) bool {
				return ofStep(c) && c.hangsUp == (probe.HangUp{})
			},
			"every second": func(s *charges, c *conn) bool { return ofStep(c) && s.served%2 == 0 },
			"a fifth of all, the controls spared": func(s *charges, c *conn) bool {
				return s.served%5 == 0 && !strings.HasPrefix(c.request.ID, "control/")
			},
		} {
			r, _ := play(t, scene{behaviour: behaviour{busy: busy, busyWith: status}})
			s := step(t, r, "disconnect")
			if len(s.Findings) > 0 || strings.HasPrefix(name, "all") && s.Verdict != probe.Inconclusive {
				t.Errorf("%d to %s: %s\n%s", status, name, s.Verdict, outcome(r))
			}
		}
	}
	retried := func(_ *charges, c *conn) bool {
		return ofStep(c) && c.hangsUp == (probe.HangUp{}) && strings.HasSuffix(c.request.ID, "/first")
	}
	r, _ := play(t, scene{behaviour: behaviour{busy: retried, busyWith: 500}})
	if got := slugs(step(t, r, "disconnect")); got != "disconnect/refused" {
		t.Errorf("500 to retries alone: %q\n%s", got, outcome(r))
	}
	if got := evidence(r, "disconnect", "environment"); len(got) == 0 || !strings.HasPrefix(got[0], "0 of 2 ") {
		t.Errorf("the environment control is shown as %q", got)
	}
}

// TestErrorsNowAndThen: a right server that answers some requests of all keys
// with an error of its own is accused in no step.
func TestErrorsNowAndThen(t *testing.T) {
	for _, text := range []string{charge, with()} {
		for _, every := range []int{3, 5, 7, 11} {
			busy := func(s *charges, c *conn) bool {
				return s.served%every == 0 && !strings.HasPrefix(c.request.ID, "control/")
			}
			r, _ := play(t, scene{contract: text, behaviour: behaviour{busy: busy, busyWith: 500}})
			if r.Counts[probe.Fail] > 0 || r.Exit != 3 {
				t.Errorf("each %dth request gets 500: exit %d\n%s", every, r.Exit, outcome(r))
			}
		}
	}
}

// TestErrorsOfOneRequestAlone: what no other key meets is the key's, in each step.
func TestErrorsOfOneRequestAlone(t *testing.T) {
	for id, want := range map[string]string{
		"duplicate/first": "duplicate/refused", "disconnect/hung up at the last byte/first": "disconnect/refused",
		"fidelity/large/first": "fidelity/refused", "slow/slow": "slow/refused", "conflict/change-1/changed": "conflict/wrong-answer",
	} {
		sent := 0
		busy := func(_ *charges, c *conn) bool {
			if c.request.ID != id {
				return false
			}
			sent++
			return sent > 1 || strings.HasSuffix(id, "/changed")
		}
		r, _ := play(t, scene{contract: with(), behaviour: behaviour{busy: busy, busyWith: 500}})
		name, _, _ := strings.Cut(id, "/")
		if got := slugs(step(t, r, name)); got != want {
			t.Errorf("500 to %s alone: %q\n%s", id, got, outcome(r))
		}
		if got := evidence(r, name, "environment"); len(got) == 0 || !strings.HasPrefix(got[0], "0 of ") {
			t.Errorf("%s: the environment control is shown as %q", id, got)
		}
	}
}

func slugs(r probe.Result) string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, f.Slug)
	}
	return strings.Join(slices.Compact(out), " ")
}

// TestCountersDoNotHide holds that a useless counter does not save a server
// whose answers give it away.
func TestCountersDoNotHide(t *testing.T) {
	r, _ := play(t, scene{behaviour: behaviour{fault: "ignores keys", counter: "offset"}})
	want := "duplicate fail duplicate/other-answer\n" +
		"concurrent fail concurrent/results-differ<-duplicate/other-answer concurrent/other-answer<-duplicate/other-answer\n" +
		"conflict fail conflict/changed-body-ran conflict/record-replaced<-duplicate/other-answer\n" +
		"reorder fail reorder/other-answer<-duplicate/other-answer\n" +
		"crash fail crash/result-changed<-duplicate/other-answer\n" +
		"expiry fail expiry/other-answer<-duplicate/other-answer\n" +
		"disconnect fail disconnect/other-answer<-duplicate/other-answer"
	if got := verdicts(r); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", outcome(r), want)
	}
}

// evidence gives a control's texts.
func evidence(r *probe.Report, step, control string) (texts []string) {
	for _, s := range r.Operations[0].Steps {
		for _, c := range s.Evidence.Controls {
			if s.Step == step && c.Name == control {
				texts = append(texts, c.Text)
			}
		}
	}
	return texts
}

// TestControlsAreShown holds that the evidence tells the controls.
func TestControlsAreShown(t *testing.T) {
	r, _ := play(t, scene{behaviour: behaviour{unit: 2}})
	for step := range strings.FieldsSeq(allSix) {
		got := strings.Join(evidence(r, step, "counter"), "|")
		if want := "a new value counts 0, one operation 2, the same under another key 4"; got != want {
			t.Errorf("%s shows the counter control as %q", step, got)
		}
	}
	if got := strings.Join(evidence(r, "conflict", "mutation"), "|"); got != "9 of 9 changed bodies are accepted under keys of their own" {
		t.Errorf("the mutation control is shown as %q", got)
	}
	r, _ = play(t, scene{behaviour: behaviour{fault: "loser gets 503"}})
	if got := evidence(r, "concurrent", "environment"); len(got) == 0 || !strings.HasPrefix(got[0], "0 of 2 ") {
		t.Errorf("the environment control is shown as %q", got)
	}
}

// saved are scenes in which a control keeps the check from a wrong verdict: a
// broken server that would pass, or a right one that would be accused, if the
// control were believed unseen.
var saved = []struct {
	name, control, step string
	scene               scene
	want, without       probe.Verdict
	slug                string // accused of this without the control
}{
	{"a broken server behind a counter that only knows whether there is one", "counter", "duplicate",
		scene{behaviour: behaviour{fault: "ignores keys", counter: "exists", alike: true}}, probe.Inconclusive, probe.Pass, ""},
	{"a broken server behind unique order ids", "counter", "duplicate",
		scene{contract: changed("duplicate: {status: [409]}", "in_flight: {wait: true}"), behaviour: behaviour{fault: "ignores keys", unique: true}},
		probe.Inconclusive, probe.Pass, ""},
	{"a right server behind a counter that caches", "counter", "duplicate",
		scene{contract: slow(), behaviour: behaviour{counter: "cached", retention: 65 * time.Second}}, probe.Inconclusive, probe.Fail, "duplicate/effect-missing"},
	{"a right server behind a counter that does not start at 0", "counter", "duplicate",
		scene{behaviour: behaviour{counter: "offset"}}, probe.Inconclusive, probe.Fail, "duplicate/effect-missing"},
	{"a broken server behind plain validation", "mutation", "conflict",
		scene{contract: changed("conflict: {status: [422], covers: [/amount, /currency]}"), behaviour: behaviour{plain: true, early: true, fingerprint: "none"}},
		probe.Inconclusive, probe.Pass, ""},
	{"a right server with plain validation", "mutation", "conflict",
		scene{contract: changed("conflict: {status: [409]}"), behaviour: behaviour{plain: true, conflict: 409, inFlight: 409, early: true}},
		probe.Pass, probe.Fail, "conflict/wrong-answer"},
	{"a broken server behind a gateway that refuses escapes", "mutation", "reorder",
		scene{contract: changed("reorder: bytes"), behaviour: behaviour{fault: "refuses other spellings"}}, probe.Inconclusive, probe.Pass, ""},
	{"a right server behind a gateway that refuses escapes", "mutation", "reorder",
		scene{behaviour: behaviour{fault: "refuses other spellings"}}, probe.Inconclusive, probe.Fail, "reorder/refused"},
	{"a right server that a stampede is too much for", "environment", "concurrent",
		scene{behaviour: behaviour{busy: crowded(20)}}, probe.Inconclusive, probe.Fail, "concurrent/loser-error"},
	{"a right server behind a gateway that fails", "environment", "duplicate",
		scene{behaviour: behaviour{busy: func(s *charges, _ *conn) bool { return s.now > int64(1200*time.Millisecond) }}},
		probe.Inconclusive, probe.Fail, "duplicate/refused"},
	{"a right server behind a limit that has let the control's requests pass", "environment", "concurrent",
		scene{behaviour: behaviour{busy: limited("duplicate/first")}}, probe.Inconclusive, probe.Fail, "concurrent/loser-error"},
	{"a right server behind a gateway that now and then fails, as a request with nothing before it met too", "environment", "concurrent",
		scene{contract: with(), behaviour: behaviour{busy: limited("fidelity/large/first")}}, probe.Inconclusive, probe.Fail, "concurrent/loser-error"},
}

// limited answers 503 to the last of every stampede that is no environment
// control's, and to one request under another key, long before.
func limited(other string) func(s *charges, c *conn) bool {
	return func(s *charges, c *conn) bool {
		switch {
		case strings.HasPrefix(c.request.ID, "concurrent/30 copies"):
			return !strings.Contains(c.request.ID, "environment") && crowded(25)(s, c)
		case c.request.ID == other:
			s.limits++
			return s.limits == 1
		}
		return false
	}
}

// TestDuplicatesAloneAreNoEnvironment: what only duplicates and copies met does
// not excuse a copy, however often they met it.
func TestDuplicatesAloneAreNoEnvironment(t *testing.T) {
	for _, other := range []string{"", "store-down/during", "conflict/change-1/changed"} {
		r, _ := play(t, scene{behaviour: behaviour{busy: limited(other)}})
		if got := stepOf(r, "concurrent"); got.Verdict != probe.Fail {
			t.Errorf("%q met it: concurrent is %s\n%s", other, got.Verdict, outcome(r))
		}
	}
}

func TestControlsSave(t *testing.T) {
	for _, c := range saved {
		t.Run(c.name, func(t *testing.T) {
			r, events := play(t, c.scene)
			if got := stepOf(r, c.step); got.Verdict != c.want {
				t.Errorf("with the %s control %s is %s, want %s\n%s", c.control, c.step, got.Verdict, c.want, outcome(r))
			}
			r, err := probe.JudgeTrusting(ofEvents(events), c.control)
			if err != nil {
				t.Fatal(err)
			}
			got := stepOf(r, c.step)
			if got.Verdict != c.without {
				t.Errorf("without it %s is %s, want %s: the control saves nothing\n%s", c.step, got.Verdict, c.without, outcome(r))
			}
			for _, f := range got.Findings {
				if f.Slug == c.slug {
					return
				}
			}
			if c.slug != "" {
				t.Errorf("without it %s is not found:\n%s", c.slug, outcome(r))
			}
		})
	}
}

// TestEveryStepShowsControls: the evidence of every step that sent something
// has the counter's control and the environment's, those that change requests
// the mutation's too.
func TestEveryStepShowsControls(t *testing.T) {
	r, _ := play(t, scene{})
	for _, s := range r.Operations[0].Steps {
		if s.Verdict == probe.Skipped {
			continue
		}
		names := map[string]bool{}
		for _, c := range s.Evidence.Controls {
			names[c.Name] = true
			if !c.Held || c.Text == "" {
				t.Errorf("%s: %+v", s.Step, c)
			}
		}
		if !names["counter"] || !names["environment"] || names["mutation"] != (s.Step == "conflict" || s.Step == "reorder") {
			t.Errorf("%s shows %v", s.Step, names)
		}
	}
}

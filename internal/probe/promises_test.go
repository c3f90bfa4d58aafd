package probe_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

func step(t testing.TB, r *probe.Report, name string) probe.Result {
	t.Helper()
	for _, s := range r.Operations[0].Steps {
		if s.Step == name {
			return s
		}
	}
	t.Fatalf("the report has no step %s", name)
	return probe.Result{}
}

// TestUnknownPromises takes each promise out: the steps that need it are
// inconclusive, say at which line it would stand and what would settle them,
// and the others pass.
func TestUnknownPromises(t *testing.T) {
	for _, c := range []struct {
		without   string
		behaviour behaviour
		unsure    string // steps
		reason    string
	}{
		{"duplicate", behaviour{}, allSix, "contract.yaml:13: promise.duplicate is not stated"},
		{"conflict", behaviour{}, "conflict", "promise.conflict is not stated"},
		{"reorder", behaviour{}, "reorder", "promise.reorder is not stated"},
		{"retention", behaviour{}, "expiry", "promise.retention is not stated"},
		{"in_flight", behaviour{inFlight: 409}, "concurrent", "contract.yaml:13: promise.in_flight is not stated"},
		{"in_flight", behaviour{}, "", ""}, // it waits: nothing was in flight that had to be read
		{"lease", behaviour{}, "crash", "promise.lease is not stated: how long a dead owner may block its key is unknown"},
		{"crash", behaviour{}, "crash", "crash is not declared: nothing may be killed"},
		{"expiry", behaviour{}, "expiry", "expiry is not declared: how this target's retention is passed is unknown"},
	} {
		t.Run(c.without, func(t *testing.T) {
			r, _ := play(t, scene{contract: changed("-" + c.without), behaviour: c.behaviour})
			for _, s := range r.Operations[0].Steps {
				unsure := slices.Contains(strings.Fields(c.unsure), s.Step)
				if want := map[bool]probe.Verdict{true: probe.Inconclusive, false: probe.Pass}[unsure]; s.Verdict != want {
					t.Errorf("%s is %s, want %s:\n%s", s.Step, s.Verdict, want, outcome(r))
				}
				for _, reason := range s.Reasons {
					if reason.Text != c.reason || reason.Line == 0 || reason.Settle == "" {
						t.Errorf("%s: reason %+v, want %q with a line and what settles it", s.Step, reason, c.reason)
					}
				}
			}
		})
	}
}

// TestByAnswersOnly holds what a contract without a counter can get.
func TestByAnswersOnly(t *testing.T) {
	const effects = "effects: responses"
	lookAlike := "no effects are counted, no marker is promised and the answers of two operations do not differ: a stored answer and a second run look alike"
	crash := "crash inconclusive\n    answers alone cannot show that a kill fell between effect and answer\n"
	for _, c := range []struct {
		name  string
		scene scene
		want  string
	}{
		{"answers differ", scene{contract: changed(effects)}, crash},
		{"no effects stated", scene{contract: changed("-effects")}, crash},
		{"a marker tells", scene{contract: changed(effects, `marker: {header: Idempotent-Replayed, value: "true"}`),
			behaviour: behaviour{marker: true, alike: true}}, crash},
		{"answers look alike", scene{contract: changed(effects), behaviour: behaviour{alike: true}},
			each("duplicate concurrent reorder", "inconclusive\n    "+lookAlike) + crash +
				"expiry inconclusive\n    " + lookAlike + "\n    whether the key was forgotten cannot be told: answers do not differ and no effect is counted\n" +
				each("disconnect", "inconclusive\n    "+lookAlike)},
		{"answers differ in the key that they tell", scene{contract: changed(effects), behaviour: behaviour{alike: true, echo: true}},
			each("duplicate concurrent reorder", "inconclusive\n    "+lookAlike) + crash +
				"expiry inconclusive\n    " + lookAlike + "\n    whether the key was forgotten cannot be told: answers do not differ and no effect is counted\n" +
				each("disconnect", "inconclusive\n    "+lookAlike)},
		{"duplicates are refused", scene{contract: changed(effects, refusing), behaviour: behaviour{duplicate: "refused", inFlight: 409}}, crash},
		{"duplicates look like first answers", scene{contract: changed(effects, "duplicate: {status: [201]}"), behaviour: behaviour{alike: true}},
			each("duplicate concurrent reorder", "inconclusive\n    "+lookAlike) + crash +
				"expiry inconclusive\n    " + lookAlike + "\n    whether the key was forgotten cannot be told: answers do not differ and no effect is counted\n" +
				each("disconnect", "inconclusive\n    "+lookAlike)},
		{"ignores keys", scene{contract: changed(effects), behaviour: behaviour{fault: "ignores keys"}},
			"duplicate fail duplicate/other-answer\n" +
				"concurrent fail concurrent/results-differ<-duplicate/other-answer concurrent/other-answer<-duplicate/other-answer\n" +
				"conflict fail conflict/changed-body-ran conflict/record-replaced<-duplicate/other-answer\n" +
				"reorder fail reorder/other-answer<-duplicate/other-answer\n" +
				"crash fail crash/result-changed<-duplicate/other-answer\n" +
				"expiry fail expiry/ran-more-than-once expiry/other-answer<-duplicate/other-answer\n" +
				"disconnect fail disconnect/other-answer<-duplicate/other-answer\n"},
		{"never forgets", scene{contract: changed(effects), behaviour: behaviour{fault: "never forgets"}}, crash + "expiry fail expiry/never-forgets\n"},
		{"three runs after expiry", scene{contract: changed(effects), behaviour: behaviour{fault: "three runs after expiry"}},
			crash + "expiry fail expiry/ran-more-than-once\n"},
		{"memory store", scene{contract: changed(effects), behaviour: behaviour{memory: true}},
			"crash fail crash/result-changed\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := play(t, c.scene)
			if got := outcome(r); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
			for _, s := range r.Operations[0].Steps {
				if s.Verdict != probe.Skipped && !slices.Contains(s.Notes, "by answers only: no counter of effects is declared") {
					t.Errorf("%s does not say that it is by answers only", s.Step)
				}
			}
		})
	}
}

// TestRequireEffects holds that a run that must count passes nothing by answers.
func TestRequireEffects(t *testing.T) {
	r, _ := play(t, scene{contract: changed("effects: responses"), strict: true})
	for _, s := range r.Operations[0].Steps {
		if s.Verdict != probe.Inconclusive {
			t.Errorf("%s is %s", s.Step, s.Verdict)
		}
	}
	if r.Exit != 3 {
		t.Errorf("exit %d", r.Exit)
	}
	r, _ = play(t, scene{strict: true})
	if r.Exit != 0 {
		t.Errorf("a counted run is not passed:\n%s", outcome(r))
	}
	r, _ = play(t, scene{contract: changed("effects: responses"), strict: true, behaviour: behaviour{fault: "ignores keys"}})
	if got := step(t, r, "duplicate").Verdict; got != probe.Fail || r.Exit != 1 {
		t.Errorf("a fail is hidden: %s, exit %d", got, r.Exit)
	}
}

// TestWaivers holds that a waiver takes an inconclusive step out until its
// date, and never a fail.
func TestWaivers(t *testing.T) {
	const waiver = "waive: [{step: crash, reason: staging cannot be killed, until: "
	for _, c := range []struct {
		name    string
		scene   scene
		verdict probe.Verdict
		exit    int
		reason  string
	}{
		{"before its end", scene{contract: changed("-crash", waiver+"2026-12-31}]")}, probe.Waived, 0, "waived until 2026-12-31: staging cannot be killed"},
		{"on its last day", scene{contract: changed("-crash", waiver+"2026-11-30}]")}, probe.Waived, 0, "waived until 2026-11-30"},
		{"after its end", scene{contract: changed("-crash", waiver+"2026-11-29}]")}, probe.Inconclusive, 3, "its waiver ended on 2026-11-29"},
		{"over a pass", scene{contract: changed(waiver + "2026-12-31}]")}, probe.Pass, 0, ""},
		{"over a fail", scene{contract: changed(waiver + "2026-12-31}]"), behaviour: behaviour{memory: true}}, probe.Fail, 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := play(t, c.scene)
			s := step(t, r, "crash")
			told := slices.ContainsFunc(s.Reasons, func(reason probe.Reason) bool { return strings.HasPrefix(reason.Text, c.reason) && reason.Line > 0 })
			if s.Verdict != c.verdict || r.Exit != c.exit || c.reason != "" && !told {
				t.Errorf("%s, exit %d, reasons %+v", s.Verdict, r.Exit, s.Reasons)
			}
		})
	}
}

// TestSelection holds that what was left out is skipped and says so.
func TestSelection(t *testing.T) {
	r, events := play(t, scene{only: []string{"duplicate", "conflict"}})
	for _, s := range r.Operations[0].Steps {
		want := probe.Skipped
		if s.Step == "duplicate" || s.Step == "conflict" {
			want = probe.Pass
		}
		if s.Verdict != want || want == probe.Skipped && s.Reasons[0].Text != "left out by --only" {
			t.Errorf("%s is %s: %+v", s.Step, s.Verdict, s.Reasons)
		}
	}
	if r.Exit != 0 || r.Counts[probe.Pass] != 2 || r.Counts[probe.Skipped] != 5 {
		t.Errorf("exit %d, counts %v", r.Exit, r.Counts)
	}
	for _, e := range events {
		if e.Step != "" && e.Step != "duplicate" && e.Step != "conflict" && e.Step != probe.ControlStep && e.Idle == nil {
			t.Fatalf("%s was done", e.Step)
		}
	}
}

// TestKills looks at kills that went otherwise than planned.
func TestKills(t *testing.T) {
	for _, c := range []struct {
		name      string
		behaviour behaviour
		want      string
		note      string
	}{
		{"the kill hook fails", behaviour{hook: "kill"}, "crash inconclusive\n    the service was not killed: the kill hook exited with 1\n", ""},
		{"the start hook fails", behaviour{hook: "start hook"},
			"crash inconclusive\n    kill-1: the service was not ready again, and whether the hook or the service failed is not told: the start hook exited with 3\n", ""},
		{"the kill met only a wrapper", behaviour{hook: "taken"},
			"crash inconclusive\n    kill-1: the service could not be started again: something else already answers\n", ""},
		{"nothing between effect and answer", behaviour{after: time.Nanosecond, before: time.Nanosecond},
			"crash inconclusive\n    no kill of 5 fell between an effect and its answer\n", ""},
		{"the service dies before the kill", behaviour{fault: "dies in the volley"}, "", "answers were lost on the wire before the kill: that is the network, not the crash"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := play(t, scene{behaviour: c.behaviour})
			if got := outcome(r); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
			notes := strings.Join(step(t, r, "crash").Notes, "\n")
			if !strings.Contains(notes, c.note) {
				t.Errorf("notes: %s", notes)
			}
		})
	}
}

// TestClockHookFails holds that a clock that did not move accuses nobody.
func TestClockHookFails(t *testing.T) {
	r, _ := play(t, scene{contract: changed("retention: {at_least: 24h, at_most: 25h}", `expiry: {advance: [./forward]}`),
		behaviour: behaviour{hook: "advance", retention: 24*time.Hour + time.Minute}})
	s := step(t, r, "expiry")
	if s.Verdict != probe.Inconclusive || !strings.Contains(outcome(r), "the advance hook failed: exit 1") {
		t.Errorf("got:\n%s", outcome(r))
	}
}

package selftest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "update the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))) {
		t.Errorf("%s differs (-update writes it):\n%s", path, got)
	}
}

func human(r Report, o Options) []byte {
	var b bytes.Buffer
	WriteHuman(&b, r, o)
	return b.Bytes()
}

func TestHuman(t *testing.T) {
	golden(t, "sound.txt", human(sound(), Options{}))
	golden(t, "unsound.txt", human(unsound(), Options{}))
	golden(t, "verbose.txt", human(sound(), Options{Verbose: true}))
	golden(t, "narrow.txt", human(unsound(), Options{Width: 60}))
	golden(t, "colour.txt", human(unsound(), Options{Color: true}))
}

func TestJSON(t *testing.T) {
	for name, r := range map[string]Report{"sound.json": sound(), "unsound.json": unsound()} {
		var b bytes.Buffer
		if err := WriteJSON(&b, r); err != nil {
			t.Fatal(err)
		}
		if !json.Valid(b.Bytes()) {
			t.Errorf("%s is no JSON", name)
		}
		golden(t, name, b.Bytes())
	}
}

// What caught a fault is there with all that it stands on, for machines always.
func TestEvidence(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJSON(&b, sound()); err != nil {
		t.Fatal(err)
	}
	var out struct {
		Matrices []struct {
			Rows []struct {
				Kind string
				Runs []struct {
					CaughtBy []struct {
						Slug, Expected, Actual string
						Effects                *struct{ Settled, Unit int64 }
					} `json:"caught_by"`
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	for i, row := range out.Matrices[0].Rows {
		for _, run := range row.Runs {
			if (len(run.CaughtBy) > 0) != (row.Kind == "fault") {
				t.Errorf("row %d, %s: caught by %v", i, row.Kind, run.CaughtBy)
			}
			for _, c := range run.CaughtBy {
				if c.Expected == "" || c.Actual == "" || c.Effects == nil || c.Effects.Settled != 2 || c.Effects.Unit != 1 {
					t.Errorf("row %d: %+v", i, c)
				}
			}
		}
	}
	if text := string(human(sound(), Options{})); strings.Contains(text, "evidence:") {
		t.Errorf("not asked for:\n%s", text)
	}
}

func TestExit(t *testing.T) {
	interrupted, cut := sound(), unsound()
	interrupted.Interrupted, cut.Interrupted = true, true
	open := sound()
	open.Matrices[0].Rows[4].Unknowable = nil
	untold, both, unrun := sound(), sound(), sound()
	untold.Matrices[0].Rows[0].Runs = []Run{{Error: "no temporary folder can be made"}}
	untold.Matrices[0].Rows[4].Runs = append(untold.Matrices[0].Rows[4].Runs, Run{Error: "no temporary folder can be made"})
	both.Matrices[0].Rows[0].Runs = untold.Matrices[0].Rows[0].Runs
	both.Matrices[0].Rows[4].Unknowable = nil
	unrun.Matrices[0].Rows[0].Runs = nil
	for name, c := range map[string]struct {
		r    Report
		want int
	}{
		"checks without a verdict":      {untold, 3},
		"and something wrong":           {both, 1},
		"a row that was not checked":    {unrun, 1},
		"all as it must be":             {sound(), 0},
		"something wrong":               {unsound(), 1},
		"inconclusive without excuse":   {open, 1},
		"interrupted":                   {interrupted, 130},
		"interrupted, something wrong":  {cut, 130},
		"nothing checked":               {Report{}, 1},
		"nothing checked on some store": {Report{Matrices: []Matrix{{Store: "file"}}}, 1},
	} {
		if got := c.r.Exit(); got != c.want {
			t.Errorf("%s: exit %d, want %d", name, got, c.want)
		}
	}
}

// What is wrong is told for each row, and for no row that is as it must be.
func TestEveryRowThatIsWrongSaysSo(t *testing.T) {
	for _, row := range sound().Matrices[0].Rows {
		if wrong := row.Wrong(); len(wrong) > 0 {
			t.Errorf("%s: %v", row.Name, wrong)
		}
	}
	want := map[string]string{
		"passes":       "not caught by conflict: the fault passed",
		"elsewhere":    "not caught by conflict, only told by duplicate/refused",
		"follows-only": "not caught by conflict, only told by duplicate/refused, conflict/wrong-answer",
		"unsettled":    "not caught by conflict; inconclusive: conflict (the environment answered 503 to everybody)",
		"not-run":      "not caught: conflict did not run",
		"now-and-then": "run 2: not caught by conflict: the fault passed",
		"broken":       "no verdict: the service ended (exit 2) before it was ready",
		"unchecked":    "it was not checked",
		"accused":      "accused of duplicate/effect-ran-twice: expected 1 effect; actual 2 effects",
		"left-open":    "duplicate is inconclusive: the environment answered 503 to everybody",
	}
	for _, row := range unsound().Matrices[0].Rows {
		if got := strings.Join(row.Wrong(), "\n"); got != want[row.Name] {
			t.Errorf("%s: %q", row.Name, got)
		}
	}
}

// What is open is checked again; a fault that passed and an accusation stand.
func TestOnlyWhatIsOpenIsCheckedAgain(t *testing.T) {
	open := map[string]bool{"unsettled": true, "broken": true, "left-open": true}
	for _, row := range unsound().Matrices[0].Rows {
		for _, run := range row.Runs {
			if why, is := row.Open(run); is != open[row.Name] || is && why == "" {
				t.Errorf("%s: open %v, %q", row.Name, is, why)
			}
		}
	}
	for _, row := range sound().Matrices[0].Rows {
		for _, run := range row.Runs {
			if _, is := row.Open(run); is {
				t.Errorf("%s is open", row.Name)
			}
		}
	}
	r := sound()
	r.Matrices[0].Rows[0].Runs[0].Again = "conflict is inconclusive: too late"
	var b bytes.Buffer
	WriteHuman(&b, r, Options{})
	if !strings.Contains(b.String(), "checked again: ") || r.Exit() != 0 {
		t.Errorf("exit %d\n%s", r.Exit(), b.String())
	}
}

// An excuse is for a step that cannot be judged, not for one that accuses.
func TestAnExcuseHidesNoAccusation(t *testing.T) {
	r := unsound().Matrices[0].Rows[8]
	r.Unknowable = map[string]string{"duplicate": "nobody can know"}
	if len(r.Wrong()) != 1 || !r.Accused() {
		t.Errorf("%v, accused %v", r.Wrong(), r.Accused())
	}
}

func TestTotals(t *testing.T) {
	if got, want := sound().Matrices[0].Totals(), (Totals{Faults: 3, Caught: 3, Styles: 2, Passed: 6, Excused: 1}); got != want {
		t.Errorf("%+v", got)
	}
	if got, want := unsound().Matrices[0].Totals(), (Totals{Faults: 8, Caught: 0, Styles: 2, Accused: 1, Passed: 2, Unsettled: 1, Unchecked: 2}); got != want {
		t.Errorf("%+v", got)
	}
}

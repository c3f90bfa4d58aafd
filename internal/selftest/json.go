package selftest

import (
	"bytes"
	"encoding/json"
	"math"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

// Schema names the form of the JSON report. Members may be added, none is
// renamed.
const Schema = "self-test/v1"

type jsonReport struct {
	Idem        string       `json:"idem"`
	Tool        string       `json:"tool"`
	Seed        uint64       `json:"seed"`
	Jobs        int          `json:"jobs"`
	HTTP        string       `json:"http,omitempty"`
	Exit        int          `json:"exit"`
	Interrupted bool         `json:"interrupted"`
	Steps       []string     `json:"steps"`
	Matrices    []jsonMatrix `json:"matrices"`
}

type jsonMatrix struct {
	Store   string        `json:"store"`
	Took    float64       `json:"took_s"`
	Totals  jsonTotals    `json:"totals"`
	Rows    []jsonRow     `json:"rows"`
	LeftOut []jsonLeftOut `json:"left_out"`
	Races   []jsonRace    `json:"races"`
	Right   jsonRate      `json:"right_servers_rounds"` // accused, of those that overlapped
}

type jsonTotals struct {
	Faults    int `json:"faults"`
	Caught    int `json:"caught"`
	Styles    int `json:"styles"`
	Accused   int `json:"accused"`
	Passed    int `json:"style_steps_passed"`
	Excused   int `json:"style_steps_unknowable"`
	Unsettled int `json:"style_steps_inconclusive"`
	Unchecked int `json:"unchecked"`
}

type jsonRow struct {
	Name     string    `json:"name"`
	Kind     string    `json:"kind"`
	What     string    `json:"what"`
	NamedFor []string  `json:"named_for,omitempty"`
	OK       bool      `json:"ok"`
	Wrong    []string  `json:"wrong"`
	Runs     []jsonRun `json:"runs"`
}

type jsonRun struct {
	Took     float64     `json:"took_s"`
	Error    string      `json:"error,omitempty"`
	Again    string      `json:"checked_again,omitempty"` // why
	CaughtBy []jsonCatch `json:"caught_by"`
	Steps    []jsonStep  `json:"steps"`
}

type jsonCatch struct {
	Step     string       `json:"step"`
	Slug     string       `json:"slug"`
	Case     string       `json:"case,omitempty"`
	Expected string       `json:"expected"`
	Actual   string       `json:"actual"`
	Effects  *jsonEffects `json:"effects,omitempty"` // the step's
}

// jsonEffects are counts as they stand in a check's own report.
type jsonEffects struct {
	Before    int64  `json:"before"`
	After     int64  `json:"after"`
	Settled   int64  `json:"settled"`
	Unit      int64  `json:"unit"`
	CountedBy string `json:"counted_by"`
}

type jsonStep struct {
	Step       string        `json:"step"`
	Verdict    probe.Verdict `json:"verdict"`
	Slugs      []string      `json:"slugs"`
	Reasons    []string      `json:"reasons"`
	Unknowable string        `json:"unknowable,omitempty"`
}

type jsonLeftOut struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

type jsonRace struct {
	Name   string       `json:"name"`
	Runs   jsonRate     `json:"caught"` // checks
	Rounds []jsonRounds `json:"rounds"`
	Misses float64      `json:"one_check_misses_at_most"`
}

type jsonRounds struct {
	Copies int      `json:"copies"`
	Made   int      `json:"made"`
	Showed jsonRate `json:"showed"` // of those that overlapped
}

type jsonRate struct {
	N    int     `json:"n"`
	Of   int     `json:"of"`
	Low  float64 `json:"low95"`
	High float64 `json:"high95"`
}

// WriteJSON writes the report for machines.
func WriteJSON(b *bytes.Buffer, r Report) error {
	out := jsonReport{Idem: Schema, Tool: r.Tool, Seed: r.Seed, Jobs: r.Jobs, HTTP: r.HTTP, Exit: r.Exit(), Interrupted: r.Interrupted,
		Steps: r.Steps, Matrices: []jsonMatrix{}}
	for _, m := range r.Matrices {
		out.Matrices = append(out.Matrices, jsonOf(m))
	}
	enc := json.NewEncoder(b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

func jsonOf(m Matrix) jsonMatrix {
	out := jsonMatrix{Store: m.Store, Took: seconds(m.Took), Totals: jsonTotals(m.Totals()),
		Rows: []jsonRow{}, LeftOut: []jsonLeftOut{}, Races: []jsonRace{}, Right: rate(m.RightRounds())}
	for _, row := range m.Rows {
		out.Rows = append(out.Rows, jsonRowOf(row))
	}
	for _, l := range m.LeftOut {
		out.LeftOut = append(out.LeftOut, jsonLeftOut(l))
	}
	for _, x := range m.Races() {
		race := jsonRace{Name: x.Name, Runs: rate(x.Runs), Misses: x.Misses}
		for _, r := range x.Rounds {
			race.Rounds = append(race.Rounds, jsonRounds{r.Copies, r.Made, rate(r.Showed)})
		}
		out.Races = append(out.Races, race)
	}
	return out
}

func jsonRowOf(row Row) jsonRow {
	wrong := row.Wrong()
	out := jsonRow{Name: row.Name, Kind: row.kind(), What: row.What, NamedFor: row.Named, OK: len(wrong) == 0,
		Wrong: append([]string{}, wrong...), Runs: []jsonRun{}}
	for _, run := range row.Runs {
		one := jsonRun{Took: seconds(run.Took), Error: run.Error, Again: run.Again, CaughtBy: []jsonCatch{}, Steps: []jsonStep{}}
		for _, c := range row.CaughtBy(run) {
			one.CaughtBy = append(one.CaughtBy, jsonCatch{c.Step, c.Slug, c.Case, c.Expected, c.Actual, (*jsonEffects)(c.Effects)})
		}
		for _, s := range run.Steps {
			step := jsonStep{Step: s.Step, Verdict: s.Verdict, Slugs: []string{}, Reasons: []string{}}
			for _, f := range s.Findings {
				step.Slugs = append(step.Slugs, f.Slug)
			}
			for _, reason := range s.Reasons {
				step.Reasons = append(step.Reasons, reason.Text)
			}
			if s.Verdict == probe.Inconclusive {
				step.Unknowable = row.Unknowable[s.Step]
			}
			one.Steps = append(one.Steps, step)
		}
		out.Runs = append(out.Runs, one)
	}
	return out
}

func (s Subject) kind() string {
	if s.Fault {
		return "fault"
	}
	return "style"
}

func rate(r Rate) jsonRate { return jsonRate{r.N, r.Of, rounded(r.Low), rounded(r.High)} }

// rounded keeps four digits after the point: more would be no news.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }

func seconds(d time.Duration) float64 { return d.Round(time.Millisecond).Seconds() }

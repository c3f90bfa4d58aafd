// Package selftest says what came of checking servers whose faults are known,
// and servers that are right: it measures the check itself.
//
// A fault must be caught by a step that is named for it. A style, a legal way
// to serve with a contract of its own, must be accused of nothing, and every
// step that its contract enables must pass. Read this file for how a row of
// the matrix is judged, rates.go for races, human.go and json.go for how it is
// shown.
package selftest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

// Subject is a server that was checked.
type Subject struct {
	Name, What string
	Fault      bool
	Named      []string          // of a fault: the steps that must catch it, one at least
	Unknowable map[string]string // of a style: steps that no verifier could judge, and why
}

// Run is one check of a subject.
type Run struct {
	Steps []probe.Result // as the contract enables them, in the report's order
	Error string         // why there is no verdict; empty where there is one
	Took  time.Duration
	Again string // what the check left open before it was made again, alone; empty where it was made once
}

// Row is a subject with its checks: several where a race is repeated.
type Row struct {
	Subject
	Runs []Run
}

// Matrix is every row on one store.
type Matrix struct {
	Store   string // memory, file, postgres
	Rows    []Row
	LeftOut []LeftOut
	Took    time.Duration
}

// LeftOut is a subject that a store cannot show, or the version of HTTP.
type LeftOut struct{ Name, Why string }

// Report is a whole self-test.
type Report struct {
	Tool        string
	Seed        uint64
	Jobs        int
	HTTP        string   // --http: the version of HTTP that every server was spoken to in; empty: as its contract says
	Steps       []string // columns, in the report's order
	Matrices    []Matrix
	Interrupted bool
}

// Exit codes of a self-test.
const (
	exitSound       = 0
	exitUnsound     = 1
	exitNoVerdict   = 3
	exitInterrupted = 130
)

// Exit is 0 where the check did what it must on every row, 130 where it was
// interrupted, 3 where all that is wrong is that checks gave no verdict, as where
// the temporary folder is full, else 1: also where there was no row.
func (r Report) Exit() int {
	rows, untold := 0, false
	for _, m := range r.Matrices {
		for _, row := range m.Rows {
			rows++
			wrong := len(row.Wrong())
			untold = untold || wrong > 0
			if wrong > row.untold() && !r.Interrupted {
				return exitUnsound
			}
		}
	}
	switch {
	case r.Interrupted:
		return exitInterrupted
	case rows == 0:
		return exitUnsound
	case untold:
		return exitNoVerdict
	}
	return exitSound
}

// untold counts the checks of a row that gave no verdict.
func (r Row) untold() int {
	n := 0
	for _, run := range r.Runs {
		if run.Error != "" {
			n++
		}
	}
	return n
}

// Catch is a finding that tells a fault by itself, with its evidence.
type Catch struct {
	Step, Slug, Case string
	Expected, Actual string
	Effects          *probe.Effects // counts that the step stands on; nil where it judges answers alone
}

// CaughtBy gives what caught the fault in a run: the findings of the steps
// named for it, without those that only follow from another.
func (r Row) CaughtBy(run Run) []Catch {
	var out []Catch
	for _, s := range run.Steps {
		if !slices.Contains(r.Named, s.Step) || s.Verdict != probe.Fail {
			continue
		}
		for _, f := range s.Findings {
			if f.Follows == "" {
				out = append(out, Catch{s.Step, f.Slug, f.Case, f.Expected, f.Actual, s.Evidence.Effects})
			}
		}
	}
	return out
}

// Caught counts the runs in which the fault was caught.
func (r Row) Caught() int {
	n := 0
	for _, run := range r.Runs {
		if run.Error == "" && len(r.CaughtBy(run)) > 0 {
			n++
		}
	}
	return n
}

// Accused says that a right server was accused in some run.
func (r Row) Accused() bool {
	return !r.Fault && slices.ContainsFunc(r.Runs, func(run Run) bool { return len(findings(run)) > 0 })
}

func findings(run Run) []probe.Finding {
	var out []probe.Finding
	for _, s := range run.Steps {
		out = append(out, s.Findings...)
	}
	return out
}

// Wrong says what is not as it must be, one sentence each; nothing where all
// is.
func (r Row) Wrong() []string {
	if len(r.Runs) == 0 {
		return []string{"it was not checked"}
	}
	var out []string
	for i, run := range r.Runs {
		for _, why := range r.wrong(run) {
			if len(r.Runs) > 1 {
				why = fmt.Sprintf("run %d: %s", i+1, why)
			}
			out = append(out, why)
		}
	}
	return out
}

// Open says why a check settled nothing that is wrong: it gave no verdict, or a
// step was inconclusive that a quieter machine may settle. A fault that passed and
// a right server that is accused are never open.
func (r Row) Open(run Run) (why string, open bool) {
	wrong := r.wrong(run)
	switch {
	case len(wrong) == 0 || !r.Fault && len(findings(run)) > 0:
		return "", false
	case run.Error != "" || !r.Fault:
		return strings.Join(wrong, "; "), true
	}
	named := func(s probe.Result) bool {
		return s.Verdict == probe.Inconclusive && slices.Contains(r.Named, s.Step)
	}
	return wrong[0], slices.ContainsFunc(run.Steps, named)
}

func (r Row) wrong(run Run) []string {
	switch {
	case run.Error != "":
		return []string{"no verdict: " + run.Error}
	case r.Fault && len(r.CaughtBy(run)) == 0:
		return []string{r.missed(run)}
	case r.Fault:
		return nil
	}
	var out []string
	for _, s := range run.Steps {
		for _, f := range s.Findings {
			out = append(out, fmt.Sprintf("accused of %s: expected %s; actual %s", f.Slug, f.Expected, f.Actual))
		}
		if _, unknowable := r.Unknowable[s.Step]; s.Verdict == probe.Inconclusive && !unknowable {
			out = append(out, s.Step+" is inconclusive: "+reasons(s))
		}
	}
	return out
}

// missed says how a fault went through.
func (r Row) missed(run Run) string {
	named := strings.Join(r.Named, ", ")
	var others, unsure []string
	for _, s := range run.Steps {
		switch {
		case s.Verdict == probe.Fail && len(s.Findings) > 0:
			others = append(others, s.Findings[0].Slug)
		case s.Verdict == probe.Inconclusive:
			unsure = append(unsure, s.Step+" ("+reasons(s)+")")
		}
	}
	switch {
	case len(others) > 0:
		return fmt.Sprintf("not caught by %s, only told by %s", named, strings.Join(others, ", "))
	case len(unsure) > 0:
		return fmt.Sprintf("not caught by %s; inconclusive: %s", named, strings.Join(unsure, ", "))
	case !slices.ContainsFunc(run.Steps, func(s probe.Result) bool { return slices.Contains(r.Named, s.Step) }):
		return fmt.Sprintf("not caught: %s did not run", named)
	}
	return fmt.Sprintf("not caught by %s: the fault passed", named)
}

func reasons(s probe.Result) string {
	var out []string
	for _, reason := range s.Reasons {
		out = append(out, reason.Text)
	}
	return strings.Join(out, "; ")
}

// Unknown is a step that no verifier could judge, with both reasons.
type Unknown struct{ Name, Step, Why, Said string }

// Unknowns gives the inconclusive steps of right servers that are excused.
func (m Matrix) Unknowns() []Unknown {
	var out []Unknown
	for _, row := range m.Rows {
		if row.Fault {
			continue
		}
		seen := map[string]bool{}
		for _, run := range row.Runs {
			for _, s := range run.Steps {
				why, excused := row.Unknowable[s.Step]
				if excused && s.Verdict == probe.Inconclusive && !seen[s.Step] {
					seen[s.Step] = true
					out = append(out, Unknown{row.Name, s.Step, why, reasons(s)})
				}
			}
		}
	}
	return out
}

// Totals are the numbers of a matrix.
type Totals struct {
	Faults, Caught  int
	Styles, Accused int
	Passed          int // steps of styles that passed
	Excused         int // inconclusive as no verifier could tell
	Unsettled       int // inconclusive without excuse
	Unchecked       int // rows with a run that gave no verdict
}

// Totals counts a matrix.
func (m Matrix) Totals() Totals {
	var t Totals
	for _, row := range m.Rows {
		if slices.ContainsFunc(row.Runs, func(run Run) bool { return run.Error != "" }) || len(row.Runs) == 0 {
			t.Unchecked++
		}
		if row.Fault {
			t.Faults++
			if len(row.Runs) > 0 && row.Caught() == len(row.Runs) {
				t.Caught++
			}
			continue
		}
		t.Styles++
		if row.Accused() {
			t.Accused++
		}
		t.steps(row)
	}
	return t
}

func (t *Totals) steps(row Row) {
	for _, run := range row.Runs {
		for _, s := range run.Steps {
			_, excused := row.Unknowable[s.Step]
			switch {
			case s.Verdict == probe.Pass:
				t.Passed++
			case s.Verdict == probe.Inconclusive && excused:
				t.Excused++
			case s.Verdict == probe.Inconclusive:
				t.Unsettled++
			}
		}
	}
}

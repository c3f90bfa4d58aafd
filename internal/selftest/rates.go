package selftest

import (
	"math"
	"slices"

	"github.com/idem-toolkit/idem/internal/probe"
)

// Rate is how often something happened of how many times, and between what
// the true rate lies with 95 % confidence.
type Rate struct {
	N, Of     int
	Low, High float64
}

// z95 is the standard normal distribution's 97.5 % quantile.
const z95 = 1.959964

// NewRate gives the interval of Wilson's score, which also means something
// where all or none of a few cases happened: after 0 of n it ends near 3.8/n,
// after n of n it begins near 1 - 3.8/n.
func NewRate(n, of int) Rate {
	if of <= 0 {
		return Rate{N: n, Of: of, High: 1}
	}
	p, m := float64(n)/float64(of), float64(of)
	middle := (p + z95*z95/(2*m)) / (1 + z95*z95/m)
	half := z95 * math.Sqrt(p*(1-p)/m+z95*z95/(4*m*m)) / (1 + z95*z95/m)
	return Rate{n, of, math.Max(0, middle-half), math.Min(1, middle+half)}
}

// Race is how often a fault that only a race shows was seen.
type Race struct {
	Name    string
	Runs    Rate // checks in which the fault was caught
	Rounds  Rate // rounds that overlapped, of those made
	Showed  Rate // overlapped rounds that showed the fault
	PerRun  int  // overlapped rounds of one check
	Misses  float64
	StepRan bool
}

// raceStep is the step that releases copies together.
const raceStep = "concurrent"

// Races gives the rates of the faults that the race step is named for, in the
// matrix's order. Misses bounds how often one check would miss the fault: no
// round of it shows it, each with the lowest rate that the rounds allow.
func (m Matrix) Races() []Race {
	var out []Race
	for _, row := range m.Rows {
		if !row.Fault || !slices.Contains(row.Named, raceStep) || len(row.Runs) == 0 {
			continue
		}
		made, overlapped, showed, runs := 0, 0, 0, 0
		for _, run := range row.Runs {
			for _, s := range run.Steps {
				if s.Step == raceStep && s.Evidence.Rounds != nil {
					runs++
					made += s.Evidence.Rounds.Made
					overlapped += s.Evidence.Rounds.Overlapped
					showed += min(failed(s.Cases), s.Evidence.Rounds.Overlapped)
				}
			}
		}
		r := Race{Name: row.Name, Runs: NewRate(row.Caught(), len(row.Runs)), Rounds: NewRate(overlapped, made),
			Showed: NewRate(showed, overlapped), StepRan: runs > 0, Misses: 1}
		if runs > 0 {
			r.PerRun = overlapped / runs
			r.Misses = math.Pow(1-r.Showed.Low, float64(r.PerRun))
		}
		out = append(out, r)
	}
	return out
}

func failed(cases []probe.Case) int {
	n := 0
	for _, c := range cases {
		if c.Verdict == probe.Fail {
			n++
		}
	}
	return n
}

// RightRounds counts the overlapped rounds on right servers, and those among
// them that accused one.
func (m Matrix) RightRounds() Rate {
	overlapped, accused := 0, 0
	for _, row := range m.Rows {
		if row.Fault {
			continue
		}
		for _, run := range row.Runs {
			for _, s := range run.Steps {
				if s.Step == raceStep && s.Evidence.Rounds != nil {
					overlapped += s.Evidence.Rounds.Overlapped
					accused += failed(s.Cases)
				}
			}
		}
	}
	return NewRate(accused, overlapped)
}

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
// where all or none of a few cases happened: after 0 of n it ends at 3.84 in
// n + 3.84.
func NewRate(n, of int) Rate {
	if of <= 0 {
		return Rate{N: n, Of: of, High: 1}
	}
	p, m := float64(n)/float64(of), float64(of)
	middle := (p + z95*z95/(2*m)) / (1 + z95*z95/m)
	half := z95 * math.Sqrt(p*(1-p)/m+z95*z95/(4*m*m)) / (1 + z95*z95/m)
	r := Rate{n, of, math.Max(0, middle-half), math.Min(1, middle+half)}
	// The score's own ends there are 0 and 1; floating point only comes near.
	if n == 0 {
		r.Low = 0
	}
	if n == of {
		r.High = 1
	}
	return r
}

// Race is how often a fault that only a race shows was seen.
type Race struct {
	Name   string
	Runs   Rate       // checks in which the fault was caught
	Rounds []RoundsOf // by how many copies were released together
	// Misses is how often one check misses the fault: that none of its rounds
	// shows it, each by the rate of rounds of its size; the most that these
	// rates allow with 95 % confidence.
	Misses float64
}

// RoundsOf are the rounds of all checks with so many copies.
type RoundsOf struct {
	Copies, Made int
	Showed       Rate // of those that overlapped
}

// raceStep is the step that releases copies together.
const raceStep = "concurrent"

// IsRace says that a fault shows in races and in nothing simpler.
func (s Subject) IsRace() bool {
	return slices.Contains(s.Named, raceStep) && !slices.Contains(s.Named, "duplicate")
}

// Races gives the rates of the faults that are races, in the matrix's order.
func (m Matrix) Races() []Race {
	var out []Race
	for _, row := range m.Rows {
		if rounds := roundsOf(row); row.IsRace() && len(rounds) > 0 {
			out = append(out, Race{row.Name, NewRate(row.Caught(), len(row.Runs)), rounds, misses(rounds, len(row.Runs))})
		}
	}
	return out
}

// roundsOf adds up the rounds of a row's runs.
func roundsOf(rows ...Row) []RoundsOf {
	sum := map[int]probe.Rounds{}
	var sizes []int
	for _, row := range rows {
		for _, run := range row.Runs {
			for _, s := range run.Steps {
				if s.Step != raceStep {
					continue
				}
				for _, r := range s.Evidence.Rounds {
					if _, known := sum[r.Copies]; !known {
						sizes = append(sizes, r.Copies)
					}
					t := sum[r.Copies]
					sum[r.Copies] = probe.Rounds{Made: t.Made + r.Made, Overlapped: t.Overlapped + r.Overlapped, Broken: t.Broken + r.Broken}
				}
			}
		}
	}
	slices.Sort(sizes)
	var out []RoundsOf
	for _, copies := range sizes {
		t := sum[copies]
		out = append(out, RoundsOf{copies, t.Made, NewRate(t.Broken, t.Overlapped)})
	}
	return out
}

func misses(rounds []RoundsOf, runs int) float64 {
	p := 1.0
	for _, r := range rounds {
		p *= math.Pow(1-r.Showed.Low, float64(r.Showed.Of)/float64(runs))
	}
	return p
}

// RightRounds counts the overlapped rounds on right servers, and those among
// them that accused one.
func (m Matrix) RightRounds() Rate {
	rows := slices.DeleteFunc(slices.Clone(m.Rows), func(r Row) bool { return r.Fault })
	accused, of := 0, 0
	for _, r := range roundsOf(rows...) {
		accused, of = accused+r.Showed.N, of+r.Showed.Of
	}
	return NewRate(accused, of)
}

// Package figures has what the programs beside it share: medians, the gates that
// a run is held to, and what it ran on.
package figures

import (
	"fmt"
	"io"
	"runtime"
	"slices"
)

// Gate is one figure that must hold. Only ratios within a run, counts and
// memory are gates: an absolute time would judge the machine.
type Gate struct {
	What string  `json:"what"`
	Want float64 `json:"want"`
	Got  float64 `json:"got"`
	Most bool    `json:"most,omitempty"` // the figure is to be no more, not no less
	None bool    `json:"none,omitempty"` // it was not measured
}

// Holds says whether it does; what was not measured does not.
func (g Gate) Holds() bool {
	switch {
	case g.None:
		return false
	case g.Most:
		return g.Got <= g.Want
	}
	return g.Got >= g.Want
}

// Missed gives what does not hold.
func Missed(all []Gate) []string {
	var out []string
	for _, g := range all {
		if !g.Holds() {
			out = append(out, g.What)
		}
	}
	return out
}

// Print writes gates as a Markdown table, what they got to so many digits.
func Print(w io.Writer, digits int, all []Gate) error {
	text := "\n| gate | wanted | got | |\n|---|---|---|---|\n"
	for _, g := range all {
		sign, got, verdict := ">=", fmt.Sprintf("%.*g", digits, g.Got), "missed"
		if g.Most {
			sign = "<="
		}
		if g.None {
			got = "not measured"
		}
		if g.Holds() {
			verdict = "holds"
		}
		text += fmt.Sprintf("| %s | %s %g | %s | %s |\n", g.What, sign, g.Want, got, verdict)
	}
	_, err := io.WriteString(w, text)
	return err
}

// Median of some values, between the middle two where they are even in number;
// 0 of none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// Machine is what a run was measured on.
type Machine struct {
	Go     string `json:"go"`
	System string `json:"system"`
	CPUs   int    `json:"cpus"`
}

// Here is the machine of this process.
func Here() Machine {
	return Machine{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, runtime.NumCPU()}
}

// Told is how a run's tables begin.
func (m Machine) Told() string { return fmt.Sprintf("%s, %s, %d CPUs", m.Go, m.System, m.CPUs) }

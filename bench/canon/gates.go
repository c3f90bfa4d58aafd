package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/idem-toolkit/idem/bench/documents"
	"github.com/idem-toolkit/idem/bench/figures"
)

// gateRounds is how many rounds a median needs to stand on.
const gateRounds = 9

func gates(r *results) []figures.Gate {
	out := []figures.Gate{
		r.faster(documents.Records, ofJCS, 12),
		r.faster(documents.Records, ofJSONText, 3),
		r.faster(documents.Escaped, ofJCS, 3),
		r.faster(documents.Deep, ofJCS, 3),
		r.faster(documents.Wide, ofJCS, 3),
	}
	for _, one := range r.Rows {
		n, ok := one.Made[ofIdem]
		out = append(out, figures.Gate{What: one.Input + ": allocations", Got: float64(n), Most: true, None: !ok})
	}
	return out
}

func (r *results) faster(input, than string, want float64) figures.Gate {
	g := figures.Gate{What: input + ": x " + than, Want: want, None: true}
	for _, one := range r.Rows {
		if times, ok := one.Times[than]; ok && one.Input == input {
			g.Got, g.None = times, false
		}
	}
	return g
}

// Print writes the figures as Markdown tables.
func (r *results) Print(to io.Writer) error {
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, "%s, one for each, %d rounds, %d s.\n", r.Told(), r.Rounds, r.Seconds)
	for _, m := range r.Missing {
		fmt.Fprintf(w, "\nLeft out: %s.\n", m)
	}
	fmt.Fprintf(w, "\n| MB/s | %s |\n|---|%s\n", strings.Join(r.Taking, " | "), strings.Repeat("---|", len(r.Taking)))
	for _, one := range r.Rows {
		fmt.Fprintf(w, "| %s |", one.Input)
		for _, who := range r.Taking {
			fmt.Fprintf(w, " %.3g |", one.MBs[who])
		}
		fmt.Fprintln(w)
	}
	others := r.Taking[1:]
	fmt.Fprintf(w, "\n| idem is so many times faster than | %s | allocations |\n|---|%s---|\n", strings.Join(others, " | "), strings.Repeat("---|", len(others)))
	for _, one := range r.Rows {
		fmt.Fprintf(w, "| %s |", one.Input)
		for _, who := range others {
			fmt.Fprintf(w, " %.1f |", one.Times[who])
		}
		fmt.Fprintf(w, " %d |\n", one.Made[ofIdem])
	}
	if err := figures.Print(w, 3, r.Gates); err != nil {
		return err
	}
	return w.Flush()
}

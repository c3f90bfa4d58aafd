package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/idem-toolkit/idem/bench/figures"
)

// Print writes the figures as Markdown tables.
func (r *results) Print(to io.Writer) error {
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, "%s, %d s.\n", r.Told(), r.Seconds)
	for _, m := range r.Missing {
		fmt.Fprintf(w, "\nLeft out: %s.\n", m)
	}
	r.printSpreads(w)
	r.printRates(w)
	if r.Safe != nil {
		fmt.Fprintf(w, "\nSafe server: %d doubles in %d trials of 2 copies%s.\n", r.Safe.Doubles, r.Safe.Trials, r.Safe.said())
	}
	if err := figures.Print(w, 5, r.Gates); err != nil {
		return err
	}
	return w.Flush()
}

func (r *results) printSpreads(w io.Writer) {
	place, paced := "", false
	for _, s := range r.Spreads {
		if s.Place != place {
			place, paced = s.Place, r.paced(s.Place)
			head, line := "", ""
			if paced {
				head, line = " x the server's own pace |", "---|"
			}
			fmt.Fprintf(w, "\n| %s | copies | median | 90th percentile | x tighter, median | x tighter, 90th |%s rounds |\n"+
				"|---|---|---|---|---|---|%s---|\n", place, head, line)
		}
		pace := ""
		if paced {
			pace = fmt.Sprintf(" %.2f |", s.Pace)
		}
		fmt.Fprintf(w, "| %s | %d | %s | %s | %.1f | %.1f |%s %d%s |\n",
			s.Way, s.Copies, micros(s.Median), micros(s.P90), s.Ratio, s.RatioP90, pace, s.Rounds, s.said())
	}
}

// paced reports whether the server's own pace was measured at a place.
func (r *results) paced(place string) bool {
	return slices.ContainsFunc(r.Spreads, func(s spread) bool { return s.Place == place && s.Pace > 0 })
}

func (r *results) printRates(w io.Writer) {
	if len(r.Rates) > 0 {
		fmt.Fprint(w, "\n| server | its window | place | release | keys x copies | caught | in so many rounds each | a round |\n"+
			"|---|---|---|---|---|---|---|---|\n")
	}
	for _, a := range r.Rates {
		each := 0.0
		if a.Rounds > 0 {
			each = float64(a.Doubles) / float64(a.Rounds)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %d of %d | %d | %.2f%s |\n",
			a.Server, micros(a.Window), a.Place, a.Way, a.Copies, a.Caught, a.Trials, a.Each, each, a.said())
	}
}

// said tells of rounds that did not count.
func (l losses) said() string {
	if l.Lost == 0 {
		return ""
	}
	return fmt.Sprintf(", %d did not count (%s)", l.Lost, l.Why)
}

// micros gives a time in microseconds, as exactly as it is worth.
func micros(d time.Duration) string {
	if d < 10*time.Microsecond {
		return fmt.Sprintf("%.1f us", float64(d)/1000)
	}
	return fmt.Sprintf("%d us", d.Round(time.Microsecond).Microseconds())
}

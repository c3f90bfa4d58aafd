// Command startup measures what one call costs: idem derive of one small
// payload beside openssl dgst -hmac of the same one, and what each package's
// initialisation has in it.
//
// All take turns, hundreds of times, and only ratios within a run mean
// anything. It builds idem as releases are built, prints Markdown tables and
// writes nothing.
//
// Read ways.go for what is called, inits.go for the packages.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"github.com/idem-toolkit/idem/bench/command"
	"github.com/idem-toolkit/idem/bench/figures"
)

type options struct {
	command.Options
	rounds int
	traces int
}

// gateRounds is how many rounds a median of times this short needs.
const gateRounds = 200

func main() {
	command.Main(run)
}

// run gives the exit code: 0, 1 where a gate was missed, 2 for a wrong call, 4
// where it could not be measured.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if err != nil {
		return command.Refuse(err, stderr)
	}
	r, err := measure(ctx, o)
	if err == nil {
		err = o.Show(stdout, r)
	}
	if err == nil {
		err = o.Judge(r.Gates)
	}
	return command.Exit(err, stderr)
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	f := o.Flags("startup", "a few calls, which show that it runs and prove no figure", stderr)
	f.IntVar(&o.rounds, "rounds", 500, "how often each is called")
	f.IntVar(&o.traces, "traces", 30, "how often initialisation is traced; 0 leaves it out")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	if o.Short {
		o.rounds, o.traces = 20, 3
	}
	switch {
	case o.rounds < 1 || o.rounds > 100_000 || o.traces < 0 || o.traces > 10_000:
		return o, errors.New("rounds are between 1 and 100000, traces between 0 and 10000")
	case o.Gates && o.rounds < gateRounds:
		return o, fmt.Errorf("gates need at least %d rounds to mean anything", gateRounds)
	}
	return o, nil
}

// results is what a run measured.
type results struct {
	figures.Machine
	Rounds  int            `json:"rounds"`
	Missing []string       `json:"missing,omitempty"`
	Rows    []row          `json:"rows"`
	Inits   []initial      `json:"initialisation,omitempty"`
	InitsMs float64        `json:"initialisation_ms,omitempty"`
	Gates   []figures.Gate `json:"gates"`
}

// row is one way to be called.
type row struct {
	Way   string  `json:"way"`
	Ms    float64 `json:"ms"`               // median, from the start to the end of the process
	CPUMs float64 `json:"cpu_ms"`           // median
	Times float64 `json:"times_of_openssl"` // median of the rounds; 0 without openssl

	took, cpu []float64
}

func measure(ctx context.Context, o options) (*results, error) {
	dir, err := os.MkdirTemp("", "idem-bench-startup-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	all, missing, err := ways(ctx, dir)
	if err != nil {
		return nil, err
	}
	r := &results{Machine: figures.Here(), Rounds: o.rounds, Missing: missing}
	for _, w := range all {
		if _, _, err := w.call(ctx); err != nil { // the first call reads the program from the disk
			return nil, err
		}
		r.Rows = append(r.Rows, row{Way: w.name})
	}
	draw := rand.New(rand.NewPCG(1, 2))
	for range o.rounds {
		for _, i := range draw.Perm(len(all)) {
			took, cpu, err := all[i].call(ctx)
			if err != nil {
				return nil, err
			}
			r.Rows[i].took = append(r.Rows[i].took, ms(took))
			r.Rows[i].cpu = append(r.Rows[i].cpu, ms(cpu))
		}
	}
	r.reckon()
	if o.traces > 0 {
		r.Inits, r.InitsMs, err = initials(ctx, dir, o.traces)
	}
	return r, err
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// reckon compares every way with openssl, round by round.
func (r *results) reckon() {
	gate := figures.Gate{What: ofDerive + ": x " + ofOpenSSL, Want: 0.9, Most: true, None: true}
	var base []float64
	for _, one := range r.Rows {
		if one.Way == ofOpenSSL {
			base = one.took
		}
	}
	for i := range r.Rows {
		one := &r.Rows[i]
		one.Ms, one.CPUMs = figures.Median(one.took), figures.Median(one.cpu)
		var times []float64
		for j := range base {
			times = append(times, one.took[j]/base[j])
		}
		one.Times = figures.Median(times)
		if one.Way == ofDerive && base != nil {
			gate.Got, gate.None = one.Times, false
		}
	}
	r.Gates = []figures.Gate{gate}
}

// Print writes the figures as Markdown tables.
func (r *results) Print(to io.Writer) error {
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, "%s, %d rounds.\n", r.Told(), r.Rounds)
	for _, m := range r.Missing {
		fmt.Fprintf(w, "\nLeft out: %s.\n", m)
	}
	fmt.Fprint(w, "\n| one call of | median | processor time | x openssl |\n|---|---|---|---|\n")
	for _, one := range r.Rows {
		fmt.Fprintf(w, "| %s | %.2f ms | %.2f ms | %.2f |\n", one.Way, one.Ms, one.CPUMs, one.Times)
	}
	if len(r.Inits) > 0 {
		fmt.Fprintf(w, "\nInitialisation of packages: %.2f ms. The longest:\n\n| package | us | bytes |\n|---|---|---|\n", r.InitsMs)
	}
	for _, one := range r.Inits[:min(len(r.Inits), 12)] {
		fmt.Fprintf(w, "| %s | %.0f | %d |\n", one.Package, one.Us, one.Bytes)
	}
	if err := figures.Print(w, 3, r.Gates); err != nil {
		return err
	}
	return w.Flush()
}

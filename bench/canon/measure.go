package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/idem-toolkit/idem/bench/command"
	"github.com/idem-toolkit/idem/bench/documents"
	"github.com/idem-toolkit/idem/bench/figures"
)

// results is what a run measured.
type results struct {
	figures.Machine
	Rounds  int            `json:"rounds"`
	Seconds int            `json:"seconds"`
	Missing []string       `json:"missing,omitempty"`
	Taking  []string       `json:"taking"`
	Rows    []row          `json:"rows"`
	Gates   []figures.Gate `json:"gates"`
}

// row is what was measured with one input.
type row struct {
	Input     string             `json:"input"`
	Bytes     int                `json:"bytes"`
	Documents int                `json:"documents"`
	MBs       map[string]float64 `json:"mb_per_second"` // by who took part, the median
	Times     map[string]float64 `json:"times"`         // how many times faster idem is, the median of the rounds
	Made      map[string]int     `json:"allocations"`   // in one going over the input, the most of the rounds; -1 not known
	took      map[string][]time.Duration
}

// difference is that two canonical forms of one document are not the same.
type difference struct{ who, input, what string }

func (d *difference) Error() string {
	return fmt.Sprintf("%s: %s and idem write different forms: %s", d.input, d.who, d.what)
}

func (d *difference) Unwrap() error { return command.ErrDiffers }

func measure(ctx context.Context, o options, stderr io.Writer) (*results, error) {
	began := time.Now()
	dir, err := os.MkdirTemp("", "idem-bench-canon-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &results{Machine: figures.Here(), Rounds: o.rounds}
	var all []*process
	defer func() {
		for _, p := range all {
			p.stop()
		}
	}()
	for _, b := range taking(o) {
		p, err := b.start(ctx, dir)
		if err != nil {
			r.Missing = append(r.Missing, fmt.Sprintf("%s (%s)", b.name, err))
			continue
		}
		all = append(all, p)
		r.Taking = append(r.Taking, p.name)
	}
	made := documents.All(o.records)
	if err := hand(made, all, dir); err != nil {
		return nil, err
	}
	if err := compare(made, all, dir); err != nil {
		return nil, err
	}
	for i, in := range made {
		fmt.Fprintf(stderr, "%s\n", in.Name)
		one, err := r.turns(ctx, o, in, i, all)
		if err != nil {
			return nil, err
		}
		r.Rows = append(r.Rows, one)
	}
	r.Gates = gates(r)
	r.Seconds = int(time.Since(began).Seconds())
	return r, nil
}

// hand gives every process every input.
func hand(made []documents.Kind, all []*process, dir string) error {
	for i, in := range made {
		file := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(file, in.Lines(), 0o600); err != nil {
			return err
		}
		for _, p := range all {
			if _, err := p.tell("load", file); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare sees that all write the same: what is to be measured is one work.
func compare(made []documents.Kind, all []*process, dir string) error {
	file := filepath.Join(dir, "written")
	for i, in := range made {
		var ours []byte
		for _, p := range all {
			if p.name == ofValid {
				continue
			}
			if _, err := p.tell("write", strconv.Itoa(i), file); err != nil {
				return fmt.Errorf("%s: %w", in.Name, err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if ours == nil {
				ours = text
			}
			if !bytes.Equal(ours, text) {
				return &difference{p.name, in.Name, firstOther(ours, text)}
			}
		}
	}
	return nil
}

// firstOther shows where two texts part.
func firstOther(a, b []byte) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	near := func(b []byte) []byte { return b[max(0, min(n, len(b))-20):min(len(b), n+20)] }
	return fmt.Sprintf("byte %d, %q and %q", n, near(a), near(b))
}

// turns lets all have their turns with one input, in an order that is drawn for
// each round.
func (r *results) turns(ctx context.Context, o options, in documents.Kind, i int, all []*process) (row, error) {
	one := row{Input: in.Name, Bytes: in.Bytes(), Documents: len(in.Texts),
		MBs: map[string]float64{}, Times: map[string]float64{}, Made: map[string]int{}, took: map[string][]time.Duration{}}
	times := map[string]int{}
	for _, p := range all {
		took, _, err := p.run(i, 1) // the first is not counted: buffers grow, Node compiles
		if err == nil {
			took, _, err = p.run(i, 1)
		}
		if err != nil {
			return one, err
		}
		times[p.name] = 1
		if took < o.atLeast {
			times[p.name] = int(o.atLeast/took) + 1
		}
	}
	draw := rand.New(rand.NewPCG(uint64(i), 7))
	order := slices.Clone(all)
	for range o.rounds {
		draw.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, p := range order {
			if ctx.Err() != nil {
				return one, ctx.Err()
			}
			n := times[p.name]
			took, allocations, err := p.run(i, n)
			if err != nil {
				return one, err
			}
			one.note(p.name, took/time.Duration(n), (allocations+n-1)/n)
		}
	}
	one.reckon()
	return one, nil
}

func (r *row) note(who string, took time.Duration, made int) {
	r.took[who] = append(r.took[who], took)
	if most, ok := r.Made[who]; !ok || made > most {
		r.Made[who] = made
	}
}

func (r *row) reckon() {
	for who, took := range r.took {
		var speeds, times []float64
		for i, t := range took {
			speeds = append(speeds, float64(r.Bytes)/1e6/t.Seconds())
			times = append(times, t.Seconds()/r.took[ofIdem][i].Seconds())
		}
		r.MBs[who], r.Times[who] = figures.Median(speeds), figures.Median(times)
	}
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/bench/command"
	"github.com/idem-toolkit/idem/bench/documents"
	"github.com/idem-toolkit/idem/bench/figures"
	"github.com/idem-toolkit/idem/bench/product"
	"github.com/idem-toolkit/idem/internal/determ"
)

// results is what a run measured.
type results struct {
	figures.Machine
	Rounds  int            `json:"rounds"`
	Seconds int            `json:"seconds"`
	Missing []string       `json:"missing,omitempty"`
	Rows    []row          `json:"rows"`
	Peak    float64        `json:"peak_mb"` // of memory, in MB; 0 where the system does not tell
	PeakOn  int            `json:"peak_on"` // bytes of input
	Gates   []figures.Gate `json:"gates"`
}

// row is one way.
type row struct {
	Way     string  `json:"way"`
	Bytes   int     `json:"bytes"`
	Records int     `json:"records"`
	MBs     float64 `json:"mb_per_second"`
	Each    float64 `json:"us_each"`      // microseconds a record
	Times   float64 `json:"times_of_jq"`  // how many times as fast as jq
	OfOne   float64 `json:"times_of_one"` // as one worker
	CPU     float64 `json:"us_cpu_each"`  // microseconds of processor time a record

	input []byte
	took  []float64 // seconds
	cpu   []float64
}

func measure(ctx context.Context, o options, stderr io.Writer) (*results, error) {
	began := time.Now()
	dir, err := os.MkdirTemp("", "idem-bench-stream-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	all, missing, err := ways(ctx, dir, 1, 2)
	if err != nil {
		return nil, err
	}
	r := &results{Machine: figures.Here(), Rounds: o.rounds, Missing: missing, PeakOn: o.memory}
	block := documents.RecordLines(min(o.size, 20_000_000))
	if err := check(ctx, all[:2], block); err != nil {
		return nil, err
	}
	r.lay(o, all, block)
	for n := range o.rounds {
		fmt.Fprintf(stderr, "round %d\n", n+1)
		if err := r.round(ctx, o, all, uint64(n), block, dir); err != nil {
			return nil, err
		}
	}
	fmt.Fprintln(stderr, "memory")
	most, err := all[1].metered(ctx, newFeed(block, o.memory), nil)
	if err != nil {
		return nil, err
	}
	r.Peak = float64(most.Peak) / 1e6
	r.reckon()
	r.Seconds = int(time.Since(began).Seconds())
	return r, nil
}

// check compares the IDs that each number of workers writes with those that
// the library derives.
func check(ctx context.Context, idem []way, block []byte) error {
	want, err := derived(block)
	if err != nil {
		return err
	}
	for _, w := range idem {
		var got bytes.Buffer
		if _, err := w.metered(ctx, bytes.NewReader(block), &got); err != nil {
			return err
		}
		if !bytes.Equal(got.Bytes(), want) {
			return fmt.Errorf("%w: %s: %d bytes, not the %d that the library derives", command.ErrDiffers, w.name, got.Len(), len(want))
		}
	}
	return nil
}

// derived gives the IDs of all records, a line each, one by one.
func derived(block []byte) ([]byte, error) {
	r, err := determ.Parse("charge.yaml", []byte(product.Recipe))
	if err != nil {
		return nil, err
	}
	plain, err := hex.DecodeString(product.Key)
	if err != nil {
		return nil, err
	}
	secret, err := determ.NewSecret(r.Key.Kid, plain)
	if err != nil {
		return nil, err
	}
	var out []byte
	for line := range bytes.Lines(block) {
		id, err := r.DeriveText(bytes.TrimSuffix(line, []byte{'\n'}), determ.Inputs{}, secret)
		if err != nil {
			return nil, err
		}
		out = append(append(out, id.ID...), '\n')
	}
	return out, nil
}

// lay gives each way what it reads: jq and the loop less, since they take long.
func (r *results) lay(o options, all []way, block []byte) {
	for _, w := range all {
		one := row{Way: w.name, Bytes: o.size}
		switch w.name {
		case ofJQ:
			one.input = upTo(block, o.jq)
		case ofLoop:
			if o.loop == 0 {
				continue
			}
			one.input = records(block, o.loop)
		}
		if one.input != nil {
			one.Bytes = len(one.input)
			one.Records = bytes.Count(one.input, []byte{'\n'})
		} else {
			times := (o.size + len(block) - 1) / len(block)
			one.Bytes, one.Records = times*len(block), times*bytes.Count(block, []byte{'\n'})
		}
		r.Rows = append(r.Rows, one)
	}
}

// upTo gives whole lines of at most that many bytes.
func upTo(block []byte, size int) []byte {
	size = min(size, len(block))
	return block[:bytes.LastIndexByte(block[:size], '\n')+1]
}

// records gives that many lines, or as many as there are.
func records(block []byte, n int) []byte {
	end := 0
	for ; n > 0 && end < len(block); n-- {
		end += bytes.IndexByte(block[end:], '\n') + 1
	}
	return block[:end]
}

// round measures each way once, in an order that is drawn. All read files.
func (r *results) round(ctx context.Context, o options, all []way, n uint64, block []byte, dir string) error {
	for _, i := range rand.New(rand.NewPCG(n, 11)).Perm(len(r.Rows)) {
		one := &r.Rows[i]
		file := filepath.Join(dir, fmt.Sprintf("records-%d", len(one.input)))
		if err := once(file, one.input, block, o.size); err != nil {
			return err
		}
		in, err := os.Open(file)
		if err != nil {
			return err
		}
		got, err := all[i].metered(ctx, in, nil)
		in.Close()
		if err != nil {
			return err
		}
		one.took = append(one.took, time.Duration(got.Wall).Seconds())
		one.cpu = append(one.cpu, time.Duration(got.CPU).Seconds())
	}
	return nil
}

// once writes a file that is not there yet: input, or else the block again and
// again up to a size.
func once(file string, input, block []byte, size int) error {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	if input != nil {
		return os.WriteFile(file, input, 0o600)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(f, newFeed(block, size))
	return err
}

// reckon compares speeds, bytes for bytes, round by round.
func (r *results) reckon() {
	var jq, one *row
	for i := range r.Rows {
		switch r.Rows[i].Way {
		case ofJQ:
			jq = &r.Rows[i]
		case workers(1):
			one = &r.Rows[i]
		}
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		took, n := figures.Median(row.took), float64(row.Records)
		row.MBs, row.Each, row.CPU = float64(row.Bytes)/1e6/took, took*1e6/n, figures.Median(row.cpu)*1e6/n
		row.Times, row.OfOne = row.over(jq), row.over(one)
	}
	r.gates()
}

// over is how many times as fast as another way one is; 0 where that was not
// measured.
func (r *row) over(other *row) float64 {
	if other == nil {
		return 0
	}
	var times []float64
	for i := range r.took {
		times = append(times, float64(r.Bytes)/r.took[i]*other.took[i]/float64(other.Bytes))
	}
	return figures.Median(times)
}

func (r *results) gates() {
	jq := figures.Gate{What: workers(1) + ": x " + ofJQ, Want: 10, None: true}
	two := figures.Gate{What: workers(2) + ": x 1 worker", Want: 1.6, None: true}
	for _, row := range r.Rows {
		if row.Way == workers(1) && row.Times > 0 {
			jq.Got, jq.None = row.Times, false
		}
		if row.Way == workers(2) {
			two.Got, two.None = row.OfOne, false
		}
	}
	r.Gates = []figures.Gate{jq, two, {What: "peak memory in MB", Want: 24, Got: r.Peak, Most: true, None: r.Peak == 0}}
}

// Print writes the figures as a Markdown table.
func (r *results) Print(to io.Writer) error {
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, "%s, %d rounds, %d s.\n", r.Told(), r.Rounds, r.Seconds)
	if len(r.Missing) > 0 {
		fmt.Fprintf(w, "\nLeft out: %s.\n", strings.Join(r.Missing, "; "))
	}
	fmt.Fprint(w, "\n| records to IDs | MB/s | a record | processor time of it | x jq -cS | x 1 worker | measured on |\n|---|---|---|---|---|---|---|\n")
	for _, one := range r.Rows {
		fmt.Fprintf(w, "| %s | %.3g | %.3g us | %.3g us | %.3g | %.3g | %d records |\n", one.Way, one.MBs, one.Each, one.CPU, one.Times, one.OfOne, one.Records)
	}
	fmt.Fprintf(w, "\nMost memory on %.3g GB from a pipe: %.1f MB.\n", float64(r.PeakOn)/1e9, r.Peak)
	if err := figures.Print(w, 3, r.Gates); err != nil {
		return err
	}
	return w.Flush()
}

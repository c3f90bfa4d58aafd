// Command canon measures how fast canonical forms (RFC 8785) are written: by
// idem, by gowebpki/jcs, by jsontext, by canonicalize on Node and by
// serde_json_canonicalizer in Rust, with json.Valid beside them, which only
// reads.
//
// All of them are processes that hold the same documents, do the same work when
// they are told to and say how long it took. They take turns in one run, and
// only ratios within a run mean anything. What they write is compared byte for
// byte before anything is timed. It prints a Markdown table.
//
// Read worker.go for what a process is told, rivals.go for who takes part, measure.go for how it is measured, gates.go for
// what must hold.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/idem-toolkit/idem/bench/command"
)

// options are what a run is asked for.
type options struct {
	command.Options
	rounds  int
	records int           // bytes of different records
	atLeast time.Duration // of one measurement: small inputs are gone over several times
	rust    bool
	node    bool
}

func main() {
	if name, ok := isWorker(os.Args[1:]); ok {
		alone()
		os.Exit(work(name, os.Stdin, os.Stdout))
	}
	command.Main(run)
}

// run gives the exit code: 0, 1 where a gate was missed or two forms differ, 2
// for a wrong call, 4 where it could not be measured.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if err != nil {
		return command.Refuse(err, stderr)
	}
	r, err := measure(ctx, o, stderr)
	if err == nil {
		err = o.Show(stdout, r)
	}
	if err == nil {
		err = o.Judge(r.Gates)
	}
	return command.Exit(err, stderr)
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{}
	f := o.Flags("canon", "half a minute's worth of everything but Rust, which shows that it runs and proves no figure", stderr)
	f.IntVar(&o.rounds, "rounds", 15, "how often each measures each input")
	f.IntVar(&o.records, "records", 20_000_000, "bytes of different records")
	f.DurationVar(&o.atLeast, "at-least", 50*time.Millisecond, "how long one measurement takes at least")
	noRust := f.Bool("no-rust", false, "leave serde_json_canonicalizer out")
	noNode := f.Bool("no-node", false, "leave canonicalize on Node out")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	o.rust, o.node = !*noRust && !o.Short, !*noNode
	if o.Short {
		o.rounds, o.records, o.atLeast = 3, 1_000_000, 5*time.Millisecond
	}
	switch {
	case o.rounds < 1 || o.rounds > 1000:
		return o, errors.New("rounds are between 1 and 1000")
	case o.records < 1000 || o.records > 1<<30:
		return o, errors.New("records are between 1 kB and 1 GiB")
	case o.atLeast < 0 || o.atLeast > 10*time.Second:
		return o, errors.New("a measurement takes at least between 0 and 10s")
	case o.Gates && o.rounds < gateRounds:
		return o, fmt.Errorf("gates need at least %d rounds to mean anything", gateRounds)
	}
	return o, nil
}

// Command stream measures how fast lines of JSON become IDs: idem derive
// --ndjson with one worker and with two, beside jq -cS, which only sorts names,
// and beside a shell loop that calls one jq and one openssl for each record.
// It measures the most memory that idem takes on a gigabyte, too.
//
// All take turns, and only ratios within a run mean anything. What idem writes
// is compared with what one worker and what the library derive before anything
// is timed. It builds idem as releases are built, prints a Markdown table and
// leaves nothing behind.
//
// Read measure.go for what is measured, ways.go for what is called, meter.go
// for time and memory, feed.go for the gigabyte.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/idem-toolkit/idem/bench/command"
)

// options are what a run is asked for. Sizes are in bytes.
type options struct {
	command.Options
	rounds int
	size   int // of the file that idem reads
	jq     int // of what jq reads of it
	memory int // of what memory is measured on
	loop   int // records of the shell loop; 0 leaves it out
}

// Below these a gate would mean nothing.
const (
	gateRounds = 5
	gateSize   = 50_000_000
	gateMemory = 1_000_000_000
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == meterWord {
		os.Exit(meter(os.Args[2:]))
	}
	command.Main(run)
}

// run gives the exit code: 0, 1 where a gate was missed or what is written
// differs, 2 for a wrong call, 4 where it could not be measured.
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

func parse(args []string, stderr io.Writer) (o options, err error) {
	f := o.Flags("stream", "little of everything, which shows that it runs and proves no figure", stderr)
	f.IntVar(&o.rounds, "rounds", 9, "how often each is measured")
	f.IntVar(&o.size, "size", 300_000_000, "bytes of records that idem reads each time")
	f.IntVar(&o.jq, "jq", 20_000_000, "bytes of records that jq reads each time")
	f.IntVar(&o.memory, "memory", 1_000_000_000, "bytes of records that memory is measured on")
	f.IntVar(&o.loop, "loop", 200, "records of the shell loop; 0 leaves it out")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	if o.Short {
		o.rounds, o.size, o.jq, o.memory, o.loop = 1, 3_000_000, 200_000, 20_000_000, 5
	}
	switch {
	case o.rounds < 1 || o.rounds > 1000 || o.loop < 0 || o.loop > 100_000:
		return o, errors.New("rounds are between 1 and 1000, records of the loop between 0 and 100000")
	case o.size < 1_000_000 || o.size > 1<<33 || o.jq < 100_000 || o.jq > o.size || o.memory < 1_000_000:
		return o, errors.New("sizes are a megabyte and more, and jq reads between 100 kB and as much as idem")
	case o.Gates && (o.rounds < gateRounds || o.size < gateSize || o.memory < gateMemory):
		return o, fmt.Errorf("gates need at least %d rounds, %d bytes and %d bytes of memory's input to mean anything", gateRounds, gateSize, gateMemory)
	}
	return o, nil
}

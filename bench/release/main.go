// Command release measures how closely copies of one request arrive together,
// and how often that shows a double, for ways to release them: goroutines on
// net/http, idem's own holds, curl and vegeta.
//
// All ways take turns in one run against one server, and only ratios within a
// run mean anything. The server is a process of its own, and so are a second one
// that uses one processor, and the relay that gives its connections a delay with
// jitter. It prints a Markdown table and writes nothing.
//
// Read measure.go for what is measured, ways.go for the ways that are
// compared, spread.go and catch.go for how, server.go for what it is measured
// on, floor.go for how close that lets any release come, relay.go and nginx.go
// for the way there, gates.go for what must hold.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/idem-toolkit/idem/bench/command"
)

// options are what a run is asked for. Counts may be 0: then that part is left
// out.
type options struct {
	command.Options
	rounds  int // of each way and number of copies, for the spreads
	trials  int // of each way, for the rates of detection
	safe    int // on a server that claims atomically
	relay   bool
	compare bool
	install bool // vegeta, where it is not there
	nginx   bool
	delay   time.Duration // of the relay, one way
	jitter  time.Duration
}

func main() {
	if code, ok := child(os.Args[1:]); ok {
		os.Exit(code)
	}
	command.Main(run)
}

// run gives the exit code: 0, 1 where a gate was missed, 2 for a wrong call, 4
// where it could not be measured.
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
		err = r.counted()
	}
	if err == nil {
		err = o.Judge(r.Gates)
	}
	return command.Exit(err, stderr)
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{install: true}
	f := o.Flags("release", "a minute's worth of everything, which shows that it runs and proves no figure", stderr)
	f.IntVar(&o.rounds, "rounds", 200, "rounds of each way and number of copies; 0 measures no spreads")
	f.IntVar(&o.trials, "trials", 100, "trials of each way at servers with a window; 0 tries none")
	f.IntVar(&o.safe, "safe", 10_000, "trials at a server that claims atomically; 0 tries none")
	f.DurationVar(&o.delay, "delay", 10*time.Millisecond, "the relay's delay, one way")
	f.DurationVar(&o.jitter, "jitter", time.Millisecond, "how much more or less the relay's delay is")
	noRelay := f.Bool("no-relay", false, "leave the relay out")
	noNginx := f.Bool("no-nginx", false, "leave nginx out")
	noRivals := f.Bool("no-rivals", false, "leave curl and vegeta out")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	if o.Short {
		o.shorten(f)
	}
	o.relay, o.nginx, o.compare = !*noRelay, !*noNginx, !*noRivals
	return o, o.check()
}

// shorten takes smaller counts, but for those that were given.
func (o *options) shorten(f *flag.FlagSet) {
	given := map[string]bool{}
	f.Visit(func(one *flag.Flag) { given[one.Name] = true })
	for name, count := range map[string]struct {
		at *int
		n  int
	}{"rounds": {&o.rounds, 10}, "trials": {&o.trials, 5}, "safe": {&o.safe, 200}} {
		if !given[name] {
			*count.at = count.n
		}
	}
	o.install = false
}

func (o *options) check() error {
	switch {
	case o.rounds < 0 || o.trials < 0 || o.safe < 0:
		return errors.New("a count is below 0")
	case o.delay < 0 || o.jitter < 0 || o.jitter > o.delay || o.delay > time.Second:
		return errors.New("the delay is between 0 and 1s, and the jitter no more than it")
	case o.Gates && o.rounds < gateRounds:
		return fmt.Errorf("gates need at least %d rounds to mean anything", gateRounds)
	}
	return nil
}

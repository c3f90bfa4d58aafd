// Package command is the frame of the programs beside it: the flags that all of
// them have, how they show what they measured, and how they end.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/idem-toolkit/idem/bench/figures"
)

// Options are what every program is asked.
type Options struct {
	Gates bool // whether gates that were missed are an error
	JSON  bool // in place of tables
	Short bool // little of everything
}

// Flags makes a program's set of flags, with those that all have; short says
// what a short run is.
func (o *Options) Flags(name, short string, stderr io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(stderr)
	f.BoolVar(&o.Gates, "gates", false, "exit 1 when a figure misses its gate")
	f.BoolVar(&o.JSON, "json", false, "print JSON instead of tables")
	f.BoolVar(&o.Short, "short", false, short)
	return f
}

// Parse reads arguments, which are flags alone.
func Parse(f *flag.FlagSet, args []string) error {
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	return nil
}

// Main calls a program, which gives its exit code, and exits. An interrupt ends
// its context.
func Main(run func(ctx context.Context, args []string, stdout, stderr io.Writer) int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Show writes what was measured, as JSON or as it prints itself.
func (o Options) Show(to io.Writer, results interface{ Print(io.Writer) error }) error {
	if !o.JSON {
		return results.Print(to)
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(results)
}

// What a check says no to, as opposed to what could not be measured.
var (
	ErrDiffers = errors.New("what is written differs")
	errMissed  = errors.New("missed")
)

// Judge gives an error that names the gates that were missed, where they count.
func (o Options) Judge(gates []figures.Gate) error {
	if missed := figures.Missed(gates); o.Gates && len(missed) > 0 {
		return fmt.Errorf("%w: %s", errMissed, strings.Join(missed, "; "))
	}
	return nil
}

// Exit says what went wrong, if anything did, and gives the exit code of a run
// that was asked for rightly: 0, 1 where a check says no, 4 where it could not be
// measured.
func Exit(err error, stderr io.Writer) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, err)
	if errors.Is(err, ErrDiffers) || errors.Is(err, errMissed) {
		return 1
	}
	return 4
}

// Refuse is Exit for what came of reading the arguments: 0 where help was asked
// for and given, 2 for a wrong call.
func Refuse(err error, stderr io.Writer) int {
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintln(stderr, err)
	return 2
}

// Package cmd is the command line: one file for each subcommand, flags to
// options, options to a call, results to streams.
package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Version is set by the release build.
var Version = "0.1.0-dev"

// App is the world as a command sees it. Tests give their own.
type App struct {
	In        io.Reader
	Out, Err  io.Writer
	LookupEnv func(string) (string, bool)
	Environ   func() []string
	Now       func() time.Time
	OutTTY    bool       // standard output is a terminal
	ErrTTY    bool       // standard error is a terminal
	Columns   func() int // of the terminal that standard output is, 0 where that is not known; may be nil

	OutClosed bool      // there is no standard output
	Terminal  io.Writer // standard error as it is, for what moves the cursor; set by Main

	Quiet, Verbose bool

	typed typed  // set by Main
	input *input // who reads standard input; set by Main
	signals
}

// System is the process's own world.
func System() *App {
	return &App{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		LookupEnv: os.LookupEnv, Environ: os.Environ, Now: time.Now,
		OutTTY: isTerminal(os.Stdout), ErrTTY: isTerminal(os.Stderr),
		Columns: func() int { return terminalColumns(os.Stdout) }, OutClosed: wasClosed(os.Stdout, 1),
	}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Main runs one command line and returns its exit code.
func Main(app *App, args []string) int {
	app, out := watched(app)
	app.typed.args = args
	only := firstOf(args)
	ctx, stop := app.heed(only.ends)
	defer stop()
	root := newRootCmd(app, only)
	if completing(args) {
		offerValues(root)
	}
	err := unknownCommand(root, args)
	if err == nil {
		root.SetArgs(args)
		root.SetContext(ctx)
		err = root.Execute()
	}
	if err != nil && app.gaveUp.Load() {
		err = exitWith(ExitInterrupted)
	}
	return finish(app, unwritten(err, out.failed()))
}

// newRootCmd gives the tree of commands, or of the whole tree only one.
func newRootCmd(app *App, only subcommand) *cobra.Command {
	root := &cobra.Command{
		Use:           "idem",
		Short:         "one stable identity for every operation, and proof that retries are safe",
		Version:       Version,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(app.In)
	root.SetOut(app.Out)
	root.SetErr(app.Err)
	root.PersistentFlags().BoolVarP(&app.Quiet, "quiet", "q", false, "say nothing but results and errors")
	root.PersistentFlags().BoolVarP(&app.Verbose, "verbose", "v", false, "say more")
	addSettingsFlags(root)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return before(app, c) }
	if only.add != nil {
		root.CompletionOptions.DisableDefaultCmd = true
		root.AddCommand(only.add(app))
	} else {
		for _, s := range subcommands() {
			root.AddCommand(s.add(app))
		}
	}
	inOwnWords(app, root)
	return root
}

// Exit codes, in falling precedence: 130, 2, 1, 4, 3, 0.
const (
	ExitDone         = 0   // done, or all promises hold
	ExitBroken       = 1   // a promise is broken, a check said no
	ExitUsage        = 2   // usage, contract or input error
	ExitInconclusive = 3   // inconclusive, or nothing ran
	ExitUnsent       = 4   // nothing could be sent
	ExitInterrupted  = 130 // interrupted or terminated
)

// exitCode ends a command with a code and, where err is set, a message.
type exitCode struct {
	code int
	err  error
}

func (e *exitCode) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitCode) Unwrap() error { return e.err }

// exitWith ends a command silently with a code; 0 is no error at all.
func exitWith(code int) error {
	if code == ExitDone {
		return nil
	}
	return &exitCode{code: code}
}

// finish turns a command's error into words on standard error and a code.
func finish(app *App, err error) int {
	if err == nil {
		return ExitDone
	}
	code := ExitUsage
	var exit *exitCode
	if errors.As(err, &exit) {
		code = exit.code
		if exit.err == nil {
			return code
		}
		err = exit.err
	}
	complain(app, err.Error(), problem.Hint(err))
	return code
}

// complain writes a message and its hint, where there is one, each on one line
// whatever the names in it hold. Lines that a program said come below, indented.
func complain(app *App, message, hint string) {
	message, said, _ := strings.Cut(message, "\n  ")
	fmt.Fprintf(app.Err, "idem: %s\n", problem.Line(message))
	if said != "" {
		for _, line := range strings.Split(said, "\n  ") {
			fmt.Fprintf(app.Err, "  %s\n", problem.Line(line))
		}
	}
	if hint != "" {
		fmt.Fprintf(app.Err, "hint: %s\n", problem.Line(hint))
	}
}

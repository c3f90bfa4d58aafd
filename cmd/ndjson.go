package cmd

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/stream"
)

// streamFlags say that the input is a stream with a JSON text on each line.
type streamFlags struct {
	on       bool
	workers  int
	onError  string
	annotate string // the member that takes the result into the record

	annotating bool
}

const maxWorkers = 1024

func (s *streamFlags) register(f *pflag.FlagSet) {
	f.BoolVar(&s.on, "ndjson", false, "take each line of the input as a text of its own, and write a line for each, in order")
	f.IntVar(&s.workers, "workers", 0, "with --ndjson: how many `lines` are worked on at once; without it as many as there are cores")
	f.StringVar(&s.onError, "on-error", "stop", "with --ndjson: stop at a line that is refused, or emit an error object in its place")
}

// registerAnnotate adds --annotate, for commands that make something short.
func (s *streamFlags) registerAnnotate(f *pflag.FlagSet) {
	f.StringVar(&s.annotate, "annotate", "", "with --ndjson: write each record as it came, with the result as one more `member` at its end")
	allowEmpty(f, "annotate") // "" is a name as any other
}

// fit refuses flags that do not go together. single are those of the command
// that are for one text, each with what to do instead.
func (s *streamFlags) fit(c *cobra.Command, single map[string]string) error {
	changed := c.Flags().Changed
	s.annotating = changed("annotate")
	if !s.on {
		for _, name := range []string{"workers", "on-error", "annotate"} {
			if changed(name) {
				return problem.New("--"+name, "it is for streams").WithHint("add --ndjson")
			}
		}
		return nil
	}
	var err error
	c.Flags().Visit(func(f *pflag.Flag) {
		if instead, found := single[f.Name]; found && err == nil && !(f.Value.Type() == "bool" && f.Value.String() == "false") {
			err = problem.New("--"+f.Name, "it is for one text, and --ndjson gives many").WithHint("%s", instead)
		}
	})
	switch {
	case err != nil:
		return err
	case changed("workers") && (s.workers < 1 || s.workers > maxWorkers):
		return problem.New("--workers", "%d is not from 1 to %d", s.workers, maxWorkers).WithHint("--workers %d", runtime.GOMAXPROCS(0))
	case s.onError != "stop" && s.onError != "emit":
		return noneOf("--on-error", s.onError, "emit", "stop", "emit")
	}
	return nil
}

// fitFormat refuses a form of results that records with theirs do not have.
func (s *streamFlags) fitFormat(format string) error {
	if s.annotating && format == "json" {
		return problem.New("--annotate", "the records come back as they are, and --format json asks for another form").WithHint("leave --format out")
	}
	return nil
}

// annotator gives what puts results into records, nil where nobody asks for it.
func (s *streamFlags) annotator() (*fingerprint.Annotator, error) {
	if !s.annotating {
		return nil, nil
	}
	a, err := fingerprint.NewAnnotator(s.annotate)
	if err != nil {
		return nil, problem.New("--annotate", "%s", err)
	}
	return a, nil
}

// perLine is what a command does with the lines of a stream.
type perLine struct {
	file     string
	newWork  func() (stream.Work, error) // for one worker; called by several at once
	hopeless func(head []byte) error     // refuseHead, less what must not be shown
	class    string                      // of a refusal that is not of the text itself, in error objects
}

// run takes a stream through.
func (s *streamFlags) run(ctx context.Context, app *App, do perLine) error {
	app.listen() // a stream takes long, and what was read is to be finished
	if _, err := do.newWork(); err != nil {
		return err // and none afterwards
	}
	in, err := openStream(app, do.file)
	if err != nil {
		return err
	}
	defer in.close()
	o := stream.Options{
		Workers: s.workers, MaxLine: maxDocument, Hopeless: do.hopeless,
		NewWork: func() stream.Work {
			work, err := do.newWork()
			if err != nil {
				return func(out, _ []byte) ([]byte, error) { return out, err }
			}
			return work
		},
		Passed: app.streamProgress(in.size),
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if s.onError == "emit" {
		o.OnError = do.emit
	}
	r, err := s.interruptible(ctx, app, func() (stream.Result, error) { return stream.Run(ctx, in, app.Out, o) })
	if o.Passed != nil {
		app.endProgress()
	}
	if err != nil {
		return s.further(app, do, err, do.ended(r, err))
	}
	if r.Failed > 0 {
		return problem.New(inputName(do.file), "%d of %s refused: an error object stands in the place of each", r.Failed, linesWere(r))
	}
	return nil
}

func linesWere(r stream.Result) string {
	if r.Lines == 1 {
		return "1 line was"
	}
	return fmt.Sprintf("%d lines were", r.Lines)
}

// interruptible runs a stream, which ends by itself soon after an interruption
// unless its output is stuck.
func (s *streamFlags) interruptible(ctx context.Context, app *App, run func() (stream.Result, error)) (stream.Result, error) {
	type end struct {
		stream.Result
		err error
	}
	ended := make(chan end, 1)
	go func() {
		r, err := run()
		ended <- end{r, err}
	}()
	select {
	case e := <-ended:
		return e.Result, e.err
	case <-ctx.Done():
	}
	select {
	case e := <-ended:
		return e.Result, e.err
	case <-app.hurry:
	case <-time.After(lastWrites):
	}
	return stream.Result{}, ctx.Err()
}

// ended says why a stream ended before its end.
func (do perLine) ended(r stream.Result, err error) error {
	var line *stream.LineError
	var read *stream.ReadError
	switch {
	case errors.Is(err, context.Canceled):
		return exitWith(ExitInterrupted)
	case errors.As(err, &line) && ofInput(line.Err):
		return line.Err
	case errors.As(err, &line):
		return inFile(fmt.Sprintf("%s:%d", inputName(do.file), line.Line), lineProblem(line.Err))
	case errors.As(err, &read) && r.Lines == 0:
		return problem.New(inputName(do.file), "cannot be read: %s", reason(read.Err))
	case errors.As(err, &read):
		return problem.New(inputName(do.file), "cannot be read behind line %d: %s", r.Lines, reason(read.Err))
	}
	return problem.New("standard output", "cannot be written: %s", reason(err))
}

// further says how a stream that stopped at a line would have gone on, where it
// would have.
func (s *streamFlags) further(app *App, do perLine, err, told error) error {
	var line *stream.LineError
	if s.onError == "emit" || !errors.As(err, &line) || app.typed.command == nil {
		return told
	}
	if _, goesOn := do.emit(nil, line.Line, line.Err); !goesOn {
		return told
	}
	var text *fingerprint.Error
	if errors.As(err, &text) && text.Class == fingerprint.UnexpectedEnd && line.Line == 1 {
		one := app.typed.with(nil, nil, "ndjson", "on-error", "workers", "annotate")
		return &problem.Error{What: told.Error(), Hint: "a text of several lines is read without --ndjson: " + one, Err: told}
	}
	hint := app.typed.with([]string{"--on-error", "emit"}, nil, "on-error")
	if own := problem.Hint(told); own != "" {
		hint = own + "; or, to go on behind such a line, " + hint
	}
	return &problem.Error{What: told.Error(), Hint: hint, Err: told}
}

// lineProblem puts the stream's own refusal of a line in words.
func lineProblem(err error) error {
	if errors.Is(err, stream.ErrLongLine) {
		return problem.New("", "the line is longer than %d bytes, the most for one text", maxDocument)
	}
	return err
}

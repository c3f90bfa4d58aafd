package cmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/stream"
)

type canonOptions struct {
	file    string
	check   bool
	numbers string
	engine  engineFlags
	stream  streamFlags
}

// canonSingle are the flags of canon that are for one text.
var canonSingle = map[string]string{"check": "idem canon --ndjson FILE | cmp - FILE"}

func newCanonCmd(app *App) *cobra.Command {
	o := &canonOptions{}
	c := &cobra.Command{
		Use:   "canon [FILE|-]",
		Short: "write a JSON text in its canonical form (RFC 8785)",
		Long: `Write the canonical form of a JSON text (RFC 8785) on standard output, with nothing
added, not even a line feed. Without FILE, or with -, standard input is read.

A text in which something is ambiguous is refused: duplicate names, lone surrogates,
broken UTF-8, a byte order mark, numbers beyond the double range, and numbers that
the canonical form would change, unless --numbers ieee754 accepts their rounding.

Canonical forms are written by an engine of idem's own, in one pass. --engine reference
has gowebpki/jcs write them, which shares no code with it, and --cross-check runs both
and holds each to the other.

With --ndjson every line of the input is a text of its own, and a line comes out for
each, in order, on all cores. Blank lines stay blank.`,
		Example: `  idem canon payload.json | sha256sum
  idem canon --check payload.json
  echo '{"b":1e2,"a":"\u00e9"}' | idem canon
  idem canon --cross-check payload.json > canonical.json
  idem canon --ndjson events.ndjson | sort -u`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.file = "-"
			if len(args) == 1 {
				o.file = args[0]
			}
			if err := o.stream.fit(c, canonSingle); err != nil {
				return err
			}
			if o.stream.on {
				return runCanonStream(c.Context(), app, o)
			}
			return unlessBrief(c.Context(), []string{o.file}, func() error { return runCanon(app, o) })
		},
	}
	c.Flags().BoolVar(&o.check, "check", false, "write nothing; exit 1 where the text is not canonical already")
	c.Flags().StringVar(&o.numbers, "numbers", "strict", "strict refuses numbers that a double changes, ieee754 rounds them")
	o.engine.register(c.Flags())
	o.stream.register(c.Flags())
	return c
}

// canonicaliser is what the flags ask for.
func (o *canonOptions) canonicaliser() (fingerprint.Canonicaliser, error) {
	numbers, err := parseNumbers(o.numbers)
	if err != nil {
		return fingerprint.Canonicaliser{}, err
	}
	engine, err := o.engine.engine()
	return fingerprint.Canonicaliser{Numbers: numbers, Engine: engine}, err
}

func runCanonStream(ctx context.Context, app *App, o *canonOptions) error {
	canonicaliser, err := o.canonicaliser()
	if err != nil {
		return err
	}
	return o.stream.run(ctx, app, perLine{
		file: o.file, hopeless: refuseHead,
		newWork: func() (stream.Work, error) {
			own := canonicaliser
			return own.Append, nil
		},
	})
}

func runCanon(app *App, o *canonOptions) error {
	canonicaliser, err := o.canonicaliser()
	if err != nil {
		return err
	}
	src, err := readDocument(app, o.file, nil)
	if err != nil {
		return err
	}
	canonical, err := canonicaliser.Append(nil, src)
	if err != nil {
		return app.advised(o.file, src, inFile(o.file, err))
	}
	if o.check {
		return checkCanonical(o.file, src, canonical)
	}
	if _, err := app.Out.Write(canonical); err != nil {
		return problem.New("standard output", "cannot be written: %s", reason(err))
	}
	return nil
}

func parseNumbers(word string) (fingerprint.Numbers, error) {
	numbers, ok := fingerprint.ParseNumbers(word)
	if !ok {
		return 0, noneOf("--numbers", word, "strict", "strict", "ieee754")
	}
	return numbers, nil
}

// checkCanonical ends with exit code 1 and the first byte that differs.
func checkCanonical(file string, src, canonical []byte) error {
	at := 0
	for at < len(src) && at < len(canonical) && src[at] == canonical[at] {
		at++
	}
	if at == len(src) && at == len(canonical) {
		return nil
	}
	what := "differs from the canonical form"
	if at < len(src) && bytes.IndexByte([]byte(" \t\r\n"), src[at]) >= 0 {
		what = "is white space, which the canonical form has not"
	}
	line := bytes.Count(src[:at], []byte("\n")) + 1
	p := problem.New(inputName(file), "is not canonical: byte %d (line %d) %s", at, line, what)
	if file != "-" {
		p = p.WithHint("idem canon %s", fileWord(file, "FILE"))
	}
	return &exitCode{code: ExitBroken, err: p}
}

const (
	maxDocument  = 1 << 30 // bytes of one JSON text
	documentHead = 1 << 20
)

// readDocument reads a JSON text from a file, or from standard input for "-".
// What is wrong in its head is refused at once, however much follows, and
// nothing of a sensitive place is shown.
func readDocument(app *App, file string, sensitive []fingerprint.Pointer) ([]byte, error) {
	return readLong(app, file, func(head []byte) error { return app.advised(file, head, fingerprint.Mask(refuseHead(head), sensitive)) })
}

// refuseHead gives the error of a text that no continuation can mend.
func refuseHead(head []byte) error {
	err := fingerprint.Admit(head)
	var e *fingerprint.Error
	if !errors.As(err, &e) {
		return nil
	}
	rest := head[min(int(e.Offset), len(head)):]
	switch e.Class {
	case fingerprint.UnexpectedEnd:
		return nil
	case fingerprint.NumberSyntax, fingerprint.OutOfRange:
		rest = bytes.TrimLeft(rest, "+-.0123456789eE") // a number that was cut is none yet
		if len(rest) == 0 {
			return nil
		}
	default:
		if len(rest) < cutMargin {
			return nil
		}
	}
	return err
}

// cutMargin is longer than a character, an escape sequence or a word that the
// end of the head may have cut.
const cutMargin = 64

// readLong reads a file that may be as long as a JSON text; refuse looks at
// its head where more follows, nil where nothing is to be seen there.
func readLong(app *App, file string, refuse func(head []byte) error) ([]byte, error) {
	in, size := app.stdin("a file named -"), int64(0)
	if file != "-" {
		f, err := app.openInput(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in, size = app.patient(f), min(leftIn(f), maxDocument)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(io.LimitReader(in, documentHead)); err != nil {
		return nil, problem.New(inputName(file), "cannot be read: %s", reason(err))
	}
	if text.Len() == documentHead {
		app.listen() // what follows may take long
		if refuse != nil {
			if err := refuse(text.Bytes()); err != nil {
				return nil, inFile(file, err)
			}
		}
		text.Grow(int(max(size-documentHead, 0)) + bytes.MinRead)
		if _, err := text.ReadFrom(io.LimitReader(in, maxDocument-documentHead+1)); err != nil {
			return nil, problem.New(inputName(file), "cannot be read: %s", reason(err))
		}
	}
	if text.Len() > maxDocument {
		return nil, problem.New(inputName(file), "is larger than %d bytes, the most for one file", maxDocument)
	}
	return text.Bytes(), nil
}

func inputName(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}

// inFile puts the file's name before an error and keeps its hint.
func inFile(file string, err error) error {
	return &problem.Error{Where: inputName(file), What: err.Error(), Hint: problem.Hint(err), Err: err}
}

// unlessBrief is interruptible, but where the files that f reads are regular and
// short: then nobody listens to signals yet, which end the program as they are,
// and a goroutine of its own would take longer than reading them.
func unlessBrief(ctx context.Context, files []string, f func() error) error {
	for _, file := range files {
		info, err := os.Stat(file)
		if file == "-" || err != nil || !info.Mode().IsRegular() || info.Size() >= documentHead {
			return interruptible(ctx, f)
		}
	}
	return f()
}

// interruptible runs f, which may wait for standard input, and ends without it
// when the command is interrupted.
func interruptible(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return exitWith(ExitInterrupted)
	}
}

package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"unicode"
	"unicode/utf16"

	"github.com/idem-toolkit/idem/internal/problem"
)

// result is standard output. Every command writes its result through it, the
// help too, so that a write that fails is noticed wherever it is made: it
// remembers the first error, and takes nothing afterwards.
type result struct {
	signals
	to io.Writer

	mu  sync.Mutex // held while something is written, which may be for ever
	err atomic.Pointer[error]
}

func (r *result) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.failed(); err != nil {
		return 0, err
	}
	n, err := r.write(r.to, b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		r.err.Store(&err)
	}
	return n, err
}

func (r *result) failed() error {
	if err := r.err.Load(); err != nil {
		return *err
	}
	return nil
}

// words is standard error: everything on it is cleaned of what a terminal
// would act on, and of keys, wherever it came from.
type words struct{ to io.Writer }

func (w words) Write(b []byte) (int, error) {
	if _, err := io.WriteString(w.to, problem.Text(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// watched gives the same world with streams that are looked after.
func watched(app *App) (*App, *result) {
	world := *app
	world.signals = newSignals()
	out := &result{signals: world.signals, to: app.Out}
	world.Out, world.Err, world.Terminal, world.input = out, words{app.Err}, app.Err, &input{}
	return &world, out
}

// input is standard input, which one reader alone can have: the second would
// find it empty, and a request without a body, or an empty key, would pass.
type input struct {
	mu sync.Mutex
	by *inputReader
}

// inputReader is one reader of standard input; the first to read has it.
type inputReader struct {
	app *App
	as  string // "the payload"
}

// stdin gives standard input to one reader.
func (a *App) stdin(as string) io.Reader { return &inputReader{a, as} }

func (r *inputReader) Read(b []byte) (int, error) {
	if err := r.claim(); err != nil {
		return 0, err
	}
	return r.app.patient(r.app.In).Read(b)
}

// claim makes r the one reader, where there is none yet.
func (r *inputReader) claim() error {
	in := r.app.input
	if in == nil {
		return nil
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.by == nil {
		in.by = r
	}
	if in.by != r {
		return errors.New("it was read already, as " + in.by.as)
	}
	return nil
}

// unwritten turns a failed write into the command's end: it beats every other
// but an interruption, since what was to be read is not there. Where nobody
// reads any more, as behind head, there is nothing to say about it.
func unwritten(err, failed error) error {
	var exit *exitCode
	switch {
	case failed == nil, errors.As(err, &exit) && exit.code == ExitInterrupted:
		return err
	case nobodyReads(failed):
		return exitWith(ExitUsage)
	}
	return problem.New("standard output", "cannot be written: %s", reason(failed))
}

func nobodyReads(err error) bool {
	var number syscall.Errno
	if runtime.GOOS == "windows" && errors.As(err, &number) {
		return number == 109 || number == 232 // ERROR_BROKEN_PIPE, ERROR_NO_DATA
	}
	return errors.Is(err, syscall.EPIPE)
}

// plainJSON escapes what a terminal would act on in a JSON text; only its
// strings can hold any, so that it means the same.
func plainJSON(text []byte) []byte {
	if bytes.IndexFunc(text, unfit) < 0 {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		switch {
		case !unfit(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

func unfit(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }

// needsOutput refuses to make what would be lost: the program was started
// without standard output.
func (a *App) needsOutput() error {
	if a.OutClosed {
		return problem.New("standard output", "it is closed, and the result would be lost")
	}
	return nil
}

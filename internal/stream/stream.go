// Package stream takes lines through workers: one line out for each line in,
// in the order in which they came, whatever the number of workers.
//
// It reads top to bottom like this: stream.go is what goes in and comes out,
// pipeline.go the way between, source.go cuts the input into blocks of whole
// lines, lines.go works on a block's. Memory stays flat on endless input: only
// so many blocks are under way at once, and each is used again. What has come
// is passed on when the input pauses, so that a program that writes a line and
// waits for its answer gets it (a co-process).
package stream

import (
	"context"
	"io"
)

// Work makes the line for one line: it appends to out what takes the place of
// line; neither has a line break. An error takes the line's place, as OnError
// says, and what was appended is dropped. It is used by one goroutine, and may
// keep its buffers from line to line: after a huge line a new one is made.
type Work func(out, line []byte) ([]byte, error)

// Options are how a stream is taken through. What they hold is called by
// several goroutines at once, but for Passed.
type Options struct {
	Workers int         // 1 or more
	NewWork func() Work // makes the work of one worker
	MaxLine int         // bytes that a line may have; a longer one fails with ErrLongLine

	// Hopeless, where set, is shown the first MiB of a line that is longer, and
	// says why no continuation can mend it, nil where one might: such a line
	// fails before all of it is kept. It must be what Work makes of the whole.
	Hopeless func(head []byte) error

	// OnError appends to out what stands in the place of a line that failed, by
	// its number, from 1. False ends the stream at that line, after what came
	// before it has been written. Nil does so always.
	OnError func(out []byte, line int64, err error) ([]byte, bool)

	// Passed, where set, is told from time to time how much is through.
	Passed func(bytes int64, r Result)
}

// Result is what became of a stream.
type Result struct {
	Lines  int64 // that were written
	Failed int64 // of these: in the place of a line that failed
}

// LineError is the error of the line that ended a stream.
type LineError struct {
	Line int64 // from 1
	Err  error
}

func (e *LineError) Error() string { return e.Err.Error() }
func (e *LineError) Unwrap() error { return e.Err }

// ReadError is an error of the input. A line that had not come whole by then
// is dropped.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return e.Err.Error() }
func (e *ReadError) Unwrap() error { return e.Err }

// WriteError is an error of the output.
type WriteError struct{ Err error }

func (e *WriteError) Error() string { return e.Err.Error() }
func (e *WriteError) Unwrap() error { return e.Err }

// Run takes all lines of in through to out, each write some whole lines. It
// ends with a *LineError, *ReadError, *WriteError or the context's error; what
// was read before that has been written, but for an error of writing. A line
// without anything but white space becomes an empty one and is no work. CRLF
// ends a line like LF; what is written has LF.
//
// A Read that does not return cannot be taken back: it may outlive Run, and
// what it gives is lost. Nothing else does.
func Run(ctx context.Context, in io.Reader, out io.Writer, o Options) (Result, error) {
	return newPipeline(o, &source{in: in, maxLine: o.MaxLine, hopeless: o.Hopeless}, out).run(ctx)
}

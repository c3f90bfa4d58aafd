package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// signals is how a person or the system ends the program: the first ends the
// work, the second also what tidies up after it.
type signals struct {
	ended  chan struct{} // closed at the first
	hurry  chan struct{} // closed at the second
	gaveUp *atomic.Bool  // a read was given up for the first
}

func newSignals() signals {
	return signals{make(chan struct{}), make(chan struct{}), new(atomic.Bool)}
}

// heed gives a context that ends with the first signal.
func (s signals) heed() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	came := make(chan os.Signal, 2)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	over := make(chan struct{})
	go func() {
		for _, next := range []chan struct{}{s.ended, s.hurry} {
			select {
			case <-came:
				close(next)
				cancel()
			case <-over:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(came)
		close(over)
		cancel()
	}
}

// errGaveUp is of a read that a signal ended.
var errGaveUp = errors.New("interrupted")

// patient gives a reader whose reads end with the first signal, as those of a
// pipe or a terminal would not by themselves. What it was reading is lost.
func (s signals) patient(in io.Reader) io.Reader {
	if s.ended == nil {
		return in
	}
	return patientReader{s, in}
}

type patientReader struct {
	signals
	in io.Reader
}

// patientMost bounds one read in bytes: it has a buffer of its own, since the
// caller's is no longer there when a read that was given up ends.
const patientMost = 64 << 10

func (r patientReader) Read(b []byte) (int, error) {
	own := make([]byte, min(len(b), patientMost))
	var n int
	var err error
	if r.unlessEnded(func() { n, err = r.in.Read(own) }) {
		return copy(b, own[:n]), err
	}
	return 0, errGaveUp
}

// open opens a file, which waits for a writer where it is a named pipe.
func (s signals) open(file string) (*os.File, error) {
	var f *os.File
	var err error
	if !s.unlessEnded(func() { f, err = os.Open(file) }) {
		return nil, errGaveUp
	}
	return f, err
}

// unlessEnded does something and says that it was done; false where a signal
// came first: then it may still be under way.
func (s signals) unlessEnded(do func()) bool {
	if s.ended == nil {
		do()
		return true
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
		return true
	case <-s.ended:
		s.gaveUp.Store(true)
		return false
	}
}

package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// signals is how a person or the system ends the program: the first ends the
// work, the second also what tidies up after it.
type signals struct {
	ended  chan struct{} // closed at the first
	hurry  chan struct{} // closed at the second
	gaveUp *atomic.Bool  // a read or a write was given up for them
	ear    *ear
}

// ear is what listens to signals, once it is asked to.
type ear struct {
	once  sync.Once
	open  atomic.Bool
	over  chan struct{} // closed when nobody is to listen any more
	first func()        // what else the first signal does
}

func newSignals() signals {
	return signals{make(chan struct{}), make(chan struct{}), new(atomic.Bool), &ear{over: make(chan struct{})}}
}

// heed gives a context that ends with the first signal. To listen takes two
// threads, a fifth of what it takes to derive an ID, and so would a timer: where
// nothing is to be tidied up it begins with the first wait, with a text that is
// long, or with a program that gives a key. Until then signals do what they do
// while the program is loaded.
func (s signals) heed(ends ending) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	s.ear.first = cancel
	if ends == tidily {
		s.listen()
	}
	return ctx, func() {
		close(s.ear.over)
		cancel()
	}
}

// listen begins to listen, where it has not begun yet.
func (s signals) listen() {
	if s.ear == nil {
		return // an App that was made for something else than to be the program
	}
	s.ear.once.Do(func() {
		s.ear.open.Store(true)
		came := make(chan os.Signal, 2)
		for _, one := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
			if !signal.Ignored(one) { // as nohup has it, and a shell for what it puts behind
				signal.Notify(came, one)
			}
		}
		go func() {
			defer signal.Stop(came)
			for _, next := range []chan struct{}{s.ended, s.hurry} {
				select {
				case <-came:
					close(next)
					s.ear.first()
				case <-s.ear.over:
					return
				}
			}
		}()
	})
}

// errGaveUp is of a read or a write that a signal ended.
var errGaveUp = errors.New("interrupted")

// patient gives a reader whose reads end with the first signal, as those of a
// pipe or a terminal would not by themselves. What it was reading is lost.
func (s signals) patient(in io.Reader) io.Reader {
	if s.ended == nil || isPlain(in) {
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

// lastWrites is how long what was read has to be written after a signal: whoever
// reads it may have stopped to.
const lastWrites = 2 * time.Second

// write writes, and gives up a while after the first signal or at the second
// where nobody reads. What was given up may still be under way: nothing is to be
// written after it. A signal that nobody listens to ends the program by itself.
func (s signals) write(to io.Writer, b []byte) (int, error) {
	if s.ear == nil || !s.ear.open.Load() || isPlain(to) {
		return to.Write(b)
	}
	type end struct {
		n   int
		err error
	}
	ended := make(chan end, 1)
	go func() {
		n, err := to.Write(b)
		ended <- end{n, err}
	}()
	select {
	case e := <-ended:
		return e.n, e.err
	case <-s.ended:
	}
	select {
	case e := <-ended:
		return e.n, e.err
	case <-s.hurry:
	case <-time.After(lastWrites):
	}
	s.gaveUp.Store(true)
	return 0, errGaveUp
}

// isPlain says that a stream is a file on a disk: there is nothing to wait for.
func isPlain(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// open opens a file, which waits for a writer where it is a named pipe.
func (s signals) open(file string) (*os.File, error) {
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
		return openPlain(file)
	}
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
	s.listen()
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

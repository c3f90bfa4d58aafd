package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strconv"
	"sync"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Writer writes events as they happen, one JSON object a line. It is safe for
// use by several goroutines: it alone gives out sequence numbers.
type Writer struct {
	mu  sync.Mutex
	out io.Writer
	seq int64
	err error
}

// NewWriter makes a writer; out is written in whole lines.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// ContinueAfter makes a writer that goes on after so many events.
func ContinueAfter(out io.Writer, events int64) *Writer { return &Writer{out: out, seq: events} }

// Write gives the event its number and writes it. After an error nothing more
// is written and the same error is given.
func (w *Writer) Write(e *Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	w.seq++
	e.Seq = w.seq
	line, err := encode(e)
	if err == nil {
		_, err = w.out.Write(line)
	}
	w.err = err
	return err
}

func encode(e *Event) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // «labels» and & stay readable
	err := enc.Encode(e)
	return buf.Bytes(), err
}

// LineCap is the longest line that Read takes, in bytes: a head of HeadCap
// bytes in base64 and a contract fit many times over.
const LineCap = 16 << 20

// Read gives the events of a trace in order. A torn last line is tolerated: a
// run that was killed wrote half of it (contract-v1, Record first). Any other
// line that is no event is an error with its number, and so is an event out of
// its order: with one of them missing a verdict could be better than the run.
func Read(in io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		r := bufio.NewReaderSize(in, 64<<10)
		var seq int64
		for n := 1; ; n++ {
			line, err := readLine(r)
			torn := errors.Is(err, io.EOF)
			if err != nil && !torn {
				yield(Event{}, problem.New(lineNumber(n), "%s", err))
				return
			}
			if len(bytes.TrimSpace(line)) > 0 {
				e, bad := decode(line)
				if bad != nil {
					if !torn {
						yield(Event{}, problem.New(lineNumber(n), "not an event of a trace: %s", bad))
					}
					return
				}
				if seq++; e.Seq != seq {
					yield(Event{}, problem.New(lineNumber(n), "event %d stands where event %d belongs", e.Seq, seq).
						WithHint("judge a trace as it was written: whole and in order"))
					return
				}
				if !yield(e, nil) {
					return
				}
			}
			if torn {
				return
			}
		}
	}
}

var errLongLine = errors.New("the line is longer than any event")

// readLine reads up to a newline; io.EOF comes with what stood before it.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > LineCap {
			return nil, errLongLine
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func decode(line []byte) (Event, error) {
	var e Event
	if err := json.Unmarshal(line, &e); err != nil {
		return e, errors.New("it is not JSON of this form")
	}
	return e, e.check()
}

// check refuses an event whose kind promises a part that is not there, so that
// readers need not look.
func (e *Event) check() error {
	missing := false
	switch e.Kind {
	case KindRun:
		missing = e.Run == nil
	case KindRequest:
		missing = e.Request == nil
	case KindSent:
		missing = e.Sent == nil
	case KindAnswer:
		missing = e.Answer == nil
	case KindCount:
		missing = e.Count == nil
	case KindWait, KindKill, KindExit, KindStart, KindReady, KindAdvance, KindStore, KindCleanup, KindUndone, KindStep, KindHarvest, KindEnd:
	default:
		return errors.New("its kind is unknown")
	}
	if missing {
		return errors.New("a part of it is missing")
	}
	return nil
}

func lineNumber(n int) string { return "trace line " + strconv.Itoa(n) }

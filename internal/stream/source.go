package stream

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// ErrLongLine is the error of a line that is longer than Options.MaxLine.
var ErrLongLine = errors.New("the line is too long")

const (
	// readSize is the most that is asked for at once, in bytes: enough for a
	// worker to have much to do, little enough to stay in the caches.
	readSize = 128 << 10

	// headSize is how much of a line without an end Options.Hopeless is shown.
	headSize = 1 << 20

	// emptyReads is how many reads in a row may give nothing and no error.
	emptyReads = 100
)

// source cuts an input into blocks of whole lines.
type source struct {
	in       io.Reader
	maxLine  int
	hopeless func(head []byte) error

	rest   []byte // of a line whose end has not come
	line   int64  // lines given so far
	shown  bool   // the line that is being read was shown to hopeless
	beyond bool   // what comes belongs to a line that was refused already
	err    error  // of the last read; io.EOF at the end
}

// fill reads until there is the end of a line, and gives all whole lines that
// have come by then: it never waits for more. The input's last line needs no
// end. It says whether more may come.
func (s *source) fill(b *block) (more bool) {
	b.first = s.line + 1
	b.in = append(b.in, s.rest...)
	s.rest = s.rest[:0]
	for looked := 0; ; {
		if s.beyond {
			s.pass(b)
		}
		if i := bytes.LastIndexByte(b.in[looked:], '\n'); i >= 0 {
			end := looked + i + 1
			s.rest = append(s.rest, b.in[end:]...)
			b.in = b.in[:end]
			break
		}
		looked = len(b.in)
		if b.refused = s.refuse(b.in); b.refused != nil {
			s.beyond, s.shown = true, false
			s.line++
			b.read += int64(len(b.in))
			b.in = b.in[:0]
			return true
		}
		if s.err == io.EOF {
			break
		}
		if s.err != nil {
			b.in = b.in[:0] // of a line that did not come whole
			return false
		}
		s.read(b)
	}
	s.shown = false
	s.line += int64(bytes.Count(b.in, []byte{'\n'}))
	if len(b.in) > 0 && b.in[len(b.in)-1] != '\n' {
		s.line++
	}
	b.read += int64(len(b.in))
	return s.err == nil || len(s.rest) > 0
}

// pass leaves out what belongs to a line that was refused.
func (s *source) pass(b *block) {
	end := bytes.IndexByte(b.in, '\n') + 1
	if s.beyond = end == 0; s.beyond {
		end = len(b.in)
	}
	b.read += int64(end)
	b.in = b.in[:copy(b.in, b.in[end:])]
}

// refuse says why there is no need for the rest of a line that has no end yet.
func (s *source) refuse(line []byte) error {
	if len(line) > s.maxLine+len("\r") {
		return ErrLongLine
	}
	if s.hopeless == nil || s.shown || len(line) < headSize {
		return nil
	}
	s.shown = true
	return s.hopeless(line[:headSize])
}

// read reads once more behind what a block has. The room grows with what is
// there, so that reading a long line stays linear.
func (s *source) read(b *block) {
	size := readSize - len(b.in) // so that buffers stay as large as a read
	if size < readSize/2 {
		size = readSize
	}
	b.in = slices.Grow(b.in, size)
	for range emptyReads {
		var n int
		n, s.err = s.in.Read(b.in[len(b.in) : len(b.in)+size])
		b.in = b.in[:len(b.in)+n]
		if n > 0 || s.err != nil {
			return
		}
	}
	s.err = io.ErrNoProgress
}

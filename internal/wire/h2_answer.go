package wire

import (
	"errors"
	"fmt"

	"golang.org/x/net/http2"
)

// reading is what the reading side has of one stream.
type reading struct {
	keep    *keeper
	began   func() error // what is done at the answer's first byte, if anything
	heads   int          // bytes of heads, interim answers included
	interim int
	final   bool  // the final head has come
	bare    bool  // no body may follow
	length  int64 // that was announced; -1 where none was
	last    int64 // when a byte of it last came
	grant   int   // bytes that were read and not yet given back to the window
}

// takeHead takes a head, which came beginning at a time, or a trailer.
func (s *stream) takeHead(f *http2.MetaHeadersFrame, at int64) (ended bool, err error) {
	a, r := &s.f.got, &s.answer
	if r.final {
		if !f.StreamEnded() || len(f.PseudoFields()) > 0 {
			return false, errTrailers
		}
		return true, nil // which are read over
	}
	h, err := parseHead(f)
	for _, field := range h.fields {
		r.heads += len(field[0]) + len(field[1]) + 32
	}
	if err == nil && h.interim() {
		r.interim++
		switch {
		case f.StreamEnded():
			return false, errEndless
		case r.interim > maxInterim:
			return false, errInterim
		case r.heads > maxHead:
			return false, errLargeHead
		}
		return false, nil
	}
	if err := s.begin(at); err != nil {
		return false, err
	}
	switch {
	case err != nil:
		return false, err
	case r.heads > maxHead:
		return false, errLargeHead
	case h.status == 101:
		return false, errSwitches
	}
	a.status, a.header, r.final = h.status, h.fields, true
	r.bare = h.bare(s.f.of.Message.Method)
	n, known, err := h.length()
	if r.length = -1; known {
		r.length = n
	}
	return f.StreamEnded(), err
}

// begin notes the first byte of the final answer.
func (s *stream) begin(at int64) error {
	a := &s.f.got
	if a.begun {
		return nil
	}
	a.begun, a.first = true, at
	if s.answer.began != nil {
		return s.answer.began()
	}
	return nil
}

// takeData takes a piece of the body.
func (s *stream) takeData(f *http2.DataFrame) (ended bool, err error) {
	r, data := &s.answer, f.Data()
	switch {
	case !r.final:
		return false, errNoHead
	case r.bare && len(data) > 0:
		return false, errContent
	}
	r.keep.Write(data)
	if !r.bare && r.length >= 0 && s.f.got.size > r.length {
		return false, errors.New("the answer's body is longer than its Content-Length (RFC 9113, 8.1.1)")
	}
	return f.StreamEnded(), nil
}

// whole says what is wrong with an answer that has ended; nil is nothing.
func (s *stream) whole() error {
	r := &s.answer
	switch {
	case !r.final:
		return errNoAnswer
	case !r.bare && r.length >= 0 && s.f.got.size != r.length:
		return errors.New("the answer's body is shorter than its Content-Length (RFC 9113, 8.1.1)")
	}
	return nil
}

// resetBy words a stream that the server reset.
func resetBy(code http2.ErrCode) error {
	if code == http2.ErrCodeRefusedStream {
		return errors.New("the server refused the stream and says that it processed nothing of it (REFUSED_STREAM)")
	}
	return fmt.Errorf("the server reset the stream (%s)", codeName(code))
}

// codeName never repeats a number that is none of the protocol's.
func codeName(code http2.ErrCode) string {
	if code > http2.ErrCodeHTTP11Required {
		return "an unknown error code"
	}
	return code.String()
}

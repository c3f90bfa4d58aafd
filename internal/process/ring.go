package process

import (
	"io"
	"strings"
	"sync"
)

// ringSize is how much of a program's output is kept: its end.
const ringSize = 64 << 10

// ring keeps the last ringSize bytes written to it.
type ring struct {
	mu   sync.Mutex
	kept []byte
	at   int // where the oldest byte is, once kept is full
}

func (r *ring) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(b)
	b = b[max(0, n-ringSize):]
	grown := min(len(b), ringSize-len(r.kept))
	r.kept = append(r.kept, b[:grown]...)
	for b = b[grown:]; len(b) > 0; {
		m := copy(r.kept[r.at:], b)
		r.at = (r.at + m) % ringSize
		b = b[m:]
	}
	return n, nil
}

func (r *ring) readFrom(from io.Reader) { io.Copy(r, from) }

func (r *ring) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fromLine(string(r.kept[r.at:]) + string(r.kept[:r.at]))
}

// fromLine takes off the beginning of an output that was cut there: half a
// secret is one that no mask knows.
func fromLine(s string) string {
	if len(s) < ringSize {
		return s
	}
	if at := strings.IndexByte(s, '\n'); at >= 0 {
		return s[at+1:]
	}
	return s[ringSize/2:]
}

// start keeps the first bytes written to it and says whether there were more.
type start struct {
	kept []byte
	max  int
	more bool
}

func (s *start) Write(b []byte) (int, error) {
	room := min(len(b), s.max-len(s.kept))
	s.kept = append(s.kept, b[:room]...)
	s.more = s.more || room < len(b)
	return len(b), nil
}

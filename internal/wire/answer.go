package wire

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"net"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/trace"
)

// answer is what the reading side saw; err is nil only where it came whole.
type answer struct {
	begun       bool // a byte of the final answer has come
	first, last int64
	ended       int64 // when reading was over
	status      int
	header      [][2]string
	body        []byte
	size        int64
	rest        hash.Hash // of what came after body; nil where nothing did
	err         error
	unprocessed bool // the server says that it did nothing with the request
}

// Bounds of an answer's head, interim answers included.
const (
	maxHead    = 256 << 10
	maxInterim = 32
)

// Errors say what is wrong with an answer, and never repeat its bytes.
var (
	errNoAnswer = errors.New("the connection was closed without an answer")
	errCutHead  = errors.New("the connection was closed in the head of the answer")
	errHTTP2    = errors.New("the server begins with HTTP/2, and HTTP/1.1 was spoken")
	errCutBody  = errors.New("the connection was closed in the body of the answer")
	errInterim  = fmt.Errorf("more than %d interim answers", maxInterim)
)

// readAnswer reads the final answer to a request by a method. began, where
// set, is called at the answer's first byte; its error ends the reading.
func readAnswer(conn net.Conn, method string, o *Options, began func() error) answer {
	in := &stamped{conn: conn, clock: o.Clock}
	r := bufio.NewReaderSize(in, 16<<10)
	a := answer{}
	a.err = a.read(r, in, method, o.MaxBody, began)
	a.ended = o.Clock()
	if a.begun {
		a.last = in.at
	}
	return a
}

func (a *answer) read(r *bufio.Reader, in *stamped, method string, maxBody int64, began func() error) error {
	budget := maxHead
	for interim := 0; ; interim++ {
		if _, err := r.Peek(1); err != nil {
			return closed(err, errNoAnswer)
		}
		if beginsHTTP2(r) {
			a.begun, a.first = true, in.at
			return errHTTP2
		}
		// The status decides whether this was the final answer's first byte.
		first := in.at
		if began != nil {
			if err := began(); err != nil {
				a.begun, a.first = true, first
				return err
			}
		}
		h, err := readHead(r, &budget)
		if err == nil && h.interim() {
			if interim == maxInterim {
				return errInterim
			}
			continue
		}
		a.begun, a.first = true, first
		if err != nil {
			return closed(err, errCutHead)
		}
		a.status, a.header = h.status, h.fields
		return a.readBody(r, h, method, maxBody)
	}
}

// beginsHTTP2 says that a frame of SETTINGS comes first, as from a server that
// speaks HTTP/2 alone and does not wait for the client to begin (RFC 9113, 3.4
// and 6.5). No answer over HTTP/1.1 begins with a byte of nought.
func beginsHTTP2(r *bufio.Reader) bool {
	if b, _ := r.Peek(1); len(b) == 0 || b[0] != 0 {
		return false
	}
	b, _ := r.Peek(9)
	return len(b) == 9 && (int(b[1])<<8|int(b[2]))%6 == 0 && bytes.Equal(b[3:], []byte{4, 0, 0, 0, 0, 0})
}

// closed words the end of a connection; other errors stay as they are.
func closed(err, end error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return end
	}
	return err
}

// readBody reads by the framing that RFC 9112, 6.3 derives from the head.
func (a *answer) readBody(r *bufio.Reader, h head, method string, maxBody int64) error {
	keep := &keeper{answer: a, max: maxBody}
	switch {
	case h.status == 101:
		return errors.New("the answer switches protocols, which was not asked for")
	case h.bare(method):
		return nil
	}
	chunked, coded, err := h.coding()
	if err != nil {
		return err
	}
	if chunked {
		return closed(readChunked(keep, r), errCutBody)
	}
	length, known, err := h.length()
	switch {
	case err != nil:
		return err
	case known && !coded:
		_, err := io.CopyN(keep, r, length)
		return closed(err, errCutBody)
	}
	return a.readToEnd(keep, r, coded)
}

// readToEnd reads a body that only the end of the connection delimits. Over
// plain TCP a server that died looks like one that was done, so a JSON body
// must be whole as well; over TLS a JSON body that is whole makes good for a
// farewell that was not said.
func (a *answer) readToEnd(keep *keeper, r *bufio.Reader, coded bool) error {
	_, err := io.Copy(keep, r)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	plain := !coded && len(trace.Get(a.header, "Content-Encoding")) == 0
	legible := plain && a.size == int64(len(a.body)) && a.isJSON()
	switch {
	case legible && !json.Valid(a.body):
		return errors.New("the connection was closed before the JSON body was whole")
	case legible && bytes.ContainsAny(a.body[:1], "{["):
		return nil
	}
	return closed(err, errCutBody)
}

func (a *answer) isJSON() bool {
	for _, value := range trace.Get(a.header, "Content-Type") {
		kind, _, err := mime.ParseMediaType(value)
		if err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json")) {
			return true
		}
	}
	return false
}

// keeper keeps the first bytes of a body, counts all and digests the others.
type keeper struct {
	answer *answer
	max    int64
}

func (k *keeper) Write(b []byte) (int, error) {
	a := k.answer
	a.size += int64(len(b))
	room := max(0, k.max-int64(len(a.body)))
	kept := min(int64(len(b)), room)
	a.body = append(a.body, b[:kept]...)
	if over := b[kept:]; len(over) > 0 {
		if a.rest == nil {
			a.rest = sha256.New()
		}
		a.rest.Write(over)
	}
	return len(b), nil
}

// readChunked decodes the chunked coding (RFC 9112, 7.1). Extensions and
// trailer fields are read over. Only its last line makes the answer whole.
func readChunked(keep *keeper, r *bufio.Reader) error {
	for {
		budget := 4 << 10
		line, err := readLine(r, &budget)
		if err != nil {
			return err
		}
		digits, _, _ := strings.Cut(line, ";")
		size, err := strconv.ParseUint(strings.TrimRight(digits, " \t"), 16, 63)
		if err != nil {
			return errors.New("a chunk of the answer has no size")
		}
		if size == 0 {
			break
		}
		if _, err := io.CopyN(keep, r, int64(size)); err != nil {
			return err
		}
		switch line, err := readLine(r, &budget); {
		case err != nil:
			return err
		case line != "":
			return errors.New("a chunk of the answer is longer than its size")
		}
	}
	budget := maxHead
	for {
		if line, err := readLine(r, &budget); err != nil || line == "" {
			return err
		}
	}
}

// stamped notes when bytes last came.
type stamped struct {
	conn  net.Conn
	clock Clock
	at    int64
}

func (s *stamped) Read(b []byte) (int, error) {
	n, err := s.conn.Read(b)
	if n > 0 {
		s.at = s.clock()
	}
	if err == io.EOF && abrupt(s.conn) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

package wire

import (
	"bufio"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/trace"
)

// head is the status and the fields of an answer, fields in order of arrival
// and repeated as they came, which net/http does not keep.
type head struct {
	status int
	old    bool // HTTP/1.0, which has no transfer codings
	fields [][2]string
}

// readHead reads a status line and fields up to the empty line (RFC 9112, 4
// and 5). The budget is in bytes and is shared by the heads of one exchange.
func readHead(r *bufio.Reader, budget *int) (head, error) {
	line, err := readLine(r, budget)
	if err != nil {
		return head{}, err
	}
	h := head{}
	if h.status, err = parseStatus(line); err != nil {
		return head{}, err
	}
	h.old = strings.HasPrefix(line, "HTTP/1.0 ")
	for {
		line, err := readLine(r, budget)
		if err != nil {
			return h, err
		}
		if line == "" {
			return h, nil
		}
		if err := h.add(line); err != nil {
			return h, err
		}
	}
}

// parseStatus reads "HTTP/1.x SP 3DIGIT [SP reason]".
func parseStatus(line string) (int, error) {
	rest, ok := strings.CutPrefix(line, "HTTP/1.")
	if !ok || len(rest) < 5 || rest[0] < '0' || rest[0] > '9' || rest[1] != ' ' {
		return 0, errors.New("the answer does not begin with an HTTP/1 status line")
	}
	code := rest[2:5]
	n, err := strconv.ParseUint(code, 10, 16)
	if err != nil || n < 100 || len(rest) > 5 && rest[5] != ' ' {
		return 0, errors.New("the answer's status line has no three-digit status")
	}
	return int(n), nil
}

// add takes one field line. Folded lines are joined by a space, white space
// before the colon is refused (RFC 9112, 5.1 and 5.2).
func (h *head) add(line string) error {
	if line[0] == ' ' || line[0] == '\t' {
		if len(h.fields) == 0 {
			return errors.New("the answer's first header line begins with white space")
		}
		last := &h.fields[len(h.fields)-1]
		last[1] = strings.TrimRight(last[1]+" "+strings.Trim(line, " \t"), " \t")
		return nil
	}
	name, value, ok := strings.Cut(line, ":")
	if !ok || !isToken(name) {
		return fmt.Errorf("header line %d of the answer is not a name, a colon and a value", len(h.fields)+1)
	}
	value = strings.Trim(value, " \t")
	if strings.ContainsAny(value, "\x00\r") {
		return fmt.Errorf("header line %d of the answer has a control character", len(h.fields)+1)
	}
	h.fields = append(h.fields, [2]string{name, value})
	return nil
}

// interim reports whether another head follows (RFC 9110, 15.2). After a switch
// of protocols none does.
func (h head) interim() bool { return h.status < 200 && h.status != 101 }

// bare reports whether no body follows, whatever the head announces (RFC 9110,
// 6.4.1).
func (h head) bare(method string) bool {
	return method == "HEAD" || h.status == 204 || h.status == 304
}

// coding reads Transfer-Encoding: whether the last coding is chunked, and
// whether there is any, which overrides Content-Length (RFC 9112, 6.3).
func (h head) coding() (chunked, coded bool, err error) {
	if h.old && len(trace.Get(h.fields, "Transfer-Encoding")) > 0 {
		return false, true, errors.New("the answer is HTTP/1.0 and has a transfer coding: its framing is faulty (RFC 9112, 6.1)")
	}
	var codings []string
	for _, value := range trace.Get(h.fields, "Transfer-Encoding") {
		for _, coding := range strings.Split(value, ",") {
			if coding = strings.ToLower(strings.Trim(coding, " \t")); coding != "" {
				codings = append(codings, coding)
			}
		}
	}
	for i, coding := range codings {
		if coding == "chunked" {
			if i < len(codings)-1 {
				return false, true, errors.New("the answer's chunked coding is not the last one")
			}
			chunked = true
		}
	}
	return chunked, len(codings) > 0, nil
}

// length reads Content-Length. Equal repetitions are one (RFC 9110, 8.6).
func (h head) length() (n int64, known bool, err error) {
	for _, value := range trace.Get(h.fields, "Content-Length") {
		for _, one := range strings.Split(value, ",") {
			m, err := strconv.ParseUint(strings.Trim(one, " \t"), 10, 63)
			if err != nil {
				return 0, false, errors.New("the answer's Content-Length is not a number")
			}
			if known && int64(m) != n {
				return 0, false, errors.New("the answer has two different Content-Length values")
			}
			n, known = int64(m), true
		}
	}
	return n, known, nil
}

// readLine reads one line without its end; a bare LF ends it too (RFC 9112,
// 2.2). The budget bounds what is kept.
func readLine(r *bufio.Reader, budget *int) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if *budget -= len(part); *budget < 0 {
			return "", errors.New("the head of the answer, or a line of it, is too large")
		}
		line = append(line, part...)
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
	line = line[:len(line)-1]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return string(line), nil
}

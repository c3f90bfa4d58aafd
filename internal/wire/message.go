package wire

import (
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Message is a request whose bytes are frozen: the same message to the same
// host is the same bytes, always.
type Message struct {
	Method string
	Target string      // path and query, percent-encoded, beginning with "/"
	Header [][2]string // in order, as sent; repeated names allowed
	Body   []byte
}

// framing are the fields that Encode decides, or that would change how the
// rest is read (RFC 9112, 6 and 9.6).
var framing = map[string]bool{
	"host": true, "content-length": true, "transfer-encoding": true, "connection": true,
	"keep-alive": true, "proxy-connection": true, "upgrade": true, "te": true,
	"trailer": true, "expect": true,
}

// Check says what keeps the message from being sent. Values are never shown:
// they may be secrets.
func (m Message) Check() error {
	switch {
	case !isToken(m.Method):
		return problem.New("", "the method is not a token (RFC 9110, 5.6.2)")
	case m.Method == "CONNECT":
		return problem.New("", "the method CONNECT asks for a tunnel, not for an operation")
	case !strings.HasPrefix(m.Target, "/"):
		return problem.New("", `the path does not begin with "/"`)
	}
	for i := 0; i < len(m.Target); i++ {
		if c := m.Target[i]; c <= ' ' || c >= 0x7f || c == '#' {
			return problem.New("", "the path has a character at byte %d that must be percent-encoded", i)
		}
	}
	for _, f := range m.Header {
		if !isToken(f[0]) {
			return problem.New("", "a header name is not a token (RFC 9110, 5.1)")
		}
		if framing[strings.ToLower(f[0])] {
			return problem.New("", "the header %s is set by idem and cannot be given", f[0])
		}
		if !isFieldValue(f[1]) {
			return problem.New("", "the value of the header %s has a line end or a control character", f[0])
		}
	}
	return nil
}

// Encode gives the message as it travels in HTTP/1.1 to a host, given as the
// Host field's value. It does not ask for the connection to be closed, though
// none is used twice: a server that closes the connections of the first copies
// while the last ones come in takes a fifth longer for all of them. It names no
// Accept-Encoding, so that bodies come as they were stored.
func (m Message) Encode(host string) ([]byte, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	b := make([]byte, 0, 256+len(m.Target)+len(m.Body))
	b = append(b, m.Method+" "+m.Target+" HTTP/1.1\r\n"...)
	b = appendField(b, "Host", host)
	if !m.has("User-Agent") {
		b = appendField(b, "User-Agent", "idem")
	}
	for _, f := range m.Header {
		b = appendField(b, f[0], f[1])
	}
	if m.announcesLength() {
		b = appendField(b, "Content-Length", strconv.Itoa(len(m.Body)))
	}
	b = append(b, "\r\n"...)
	return append(b, m.Body...), nil
}

func appendField(b []byte, name, value string) []byte {
	return append(b, name+": "+value+"\r\n"...)
}

// announcesLength: also an empty body is announced where the method expects
// one (RFC 9110, 8.6).
func (m Message) announcesLength() bool {
	return len(m.Body) > 0 || m.Method == "POST" || m.Method == "PUT" || m.Method == "PATCH"
}

func (m Message) has(name string) bool {
	for _, f := range m.Header {
		if strings.EqualFold(f[0], name) {
			return true
		}
	}
	return false
}

// split gives how many of the encoded bytes go out before the release, and the
// hold that this is. Without a body there is no last byte of one to hold.
func (m Message) split(raw []byte, h Hold) (int, Hold) {
	switch {
	case h == HoldBody && len(m.Body) > 0:
		return len(raw) - 1, HoldBody
	case h != HoldNothing:
		return len(raw) - len(m.Body) - len("\r\n"), HoldHeader
	}
	return 0, HoldNothing
}

// isToken: RFC 9110, 5.6.2.
func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

// isFieldValue: RFC 9110, 5.5; obs-text is let through.
func isFieldValue(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

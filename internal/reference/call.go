package reference

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"
)

// Call is a request as understood.
type Call struct {
	Scope            // where it was sent and by whom
	Kind      string // Charge or Refund
	Header    http.Header
	Body      []byte // as sent
	Canonical []byte // RFC 8785; nil for a form
	Operation Operation

	Key         string
	Fingerprint string

	// Gone is closed when the caller hangs up.
	Gone <-chan struct{}
	// WaitUntil is how long the call may wait for another with its key.
	WaitUntil time.Time
	// Notes are a Behaviour's own.
	Notes map[string]any
}

const maxBody = 1 << 20

// newCall reads a request's head.
func newCall(r *http.Request, kind, caller string) *Call {
	return &Call{
		Scope:  Scope{Caller: caller, Method: r.Method, Path: r.URL.EscapedPath(), Query: asciiOnly(r.URL.RawQuery)},
		Kind:   kind,
		Header: r.Header,
		Gone:   r.Context().Done(),
		Notes:  map[string]any{},
	}
}

// asciiOnly percent-encodes what a query may not have raw (RFC 3986, 3.4), so
// that every query can be kept as text.
func asciiOnly(query string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c < 0x80 {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

// callerOf names who sends a request by a digest of the token, which is the
// only thing that is ever kept of it.
func callerOf(h http.Header) (string, *Answer) {
	values := h.Values("Authorization")
	if len(values) == 0 {
		return "anonymous", nil
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") || token == "" {
		a := Refuse(401, "caller-unknown", "authorization is not one Bearer token").With("WWW-Authenticate", "Bearer")
		return "", &a
	}
	return digest("caller/1", token)[:32], nil
}

// read reads the body and what it asks for. What is refused here is refused
// before the key is claimed and stored nowhere: the corrected request may use
// the same key.
func (c *Call) read(w http.ResponseWriter, r *http.Request, within time.Duration) *Answer {
	media, refusal := mediaType(r.Header)
	if refusal != nil {
		return refusal
	}
	// The server lifts the deadline itself once the body is read to its end.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(within))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return bodyError(err)
	}
	c.Body = body
	return c.parse(media)
}

func bodyError(err error) *Answer {
	var tooLarge *http.MaxBytesError
	a := Refuse(400, "body-malformed", "the body is not complete")
	switch {
	case errors.As(err, &tooLarge):
		a = Refuse(413, "body-too-large", "the body is larger than 1 MiB")
	case errors.Is(err, os.ErrDeadlineExceeded):
		a = Refuse(408, "body-too-slow", "the body did not arrive in time")
	}
	return &a
}

// mediaType is "json" or "form".
func mediaType(h http.Header) (string, *Answer) {
	a := Refuse(415, "media-type", "the content type is not one that this service reads")
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return "", &a
	}
	value := h.Get("Content-Type")
	if value == "" {
		return "json", nil
	}
	media, _, err := mime.ParseMediaType(value)
	switch {
	case err != nil:
	case media == "application/json", strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"):
		return "json", nil
	case media == "application/x-www-form-urlencoded":
		return "form", nil
	}
	return "", &a
}

// parse understands the body.
func (c *Call) parse(media string) *Answer {
	text := c.Body
	var err error
	if media == "form" {
		text, err = formObject(c.Body)
	}
	var object []byte
	if err == nil {
		object, err = canonical(text)
	}
	if err != nil {
		a := Refuse(400, "body-malformed", err.Error())
		return &a
	}
	if media == "json" {
		c.Canonical = object
	}
	op, wrong := parseOperation(object)
	if len(wrong) > 0 {
		a := Refuse(422, "body-invalid", "the body's members are not those of this operation", wrong...)
		return &a
	}
	c.Operation = op
	return nil
}

package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// Request is what a caller asks for, once it is known to be well formed. Only
// then is its key claimed: the corrected request may use the same one.
type Request struct {
	Caller      string // a digest of the credentials, which are kept nowhere
	Key         string
	Fingerprint string
	Checkout    Checkout
}

// Checkout is the body. What is not there stays away when it is written again.
type Checkout struct {
	Tenant   string    `json:"tenant"`
	Cart     Cart      `json:"cart"`
	Amount   int64     `json:"amount"` // minor units
	Currency string    `json:"currency"`
	Customer *Customer `json:"customer,omitempty"`
	SentAt   *string   `json:"sent_at,omitempty"` // of the attempt, not of the operation
}

// Cart is what is bought. Its version tells buying it again from a retry.
type Cart struct {
	ID      string `json:"id"`
	Version int64  `json:"version"`
}

// Customer is who buys.
type Customer struct {
	Email string `json:"email"`
}

const (
	bodyTime = 10 * time.Second
	maxBody  = 64 << 10
	maxKey   = 255
	maxText  = 64        // characters of an ID
	maxSafe  = 1<<53 - 1 // whole numbers that every reader of JSON reads alike (RFC 8259, 6)
)

// refusal is why a request is not even tried.
type refusal struct {
	status       int
	slug, detail string
}

func (r refusal) Error() string { return r.detail }

// readRequest understands a request. Its errors are refusals.
func (s *Store) readRequest(w http.ResponseWriter, r *http.Request) (Request, error) {
	key, err := keyOf(r.Header)
	if err != nil {
		return Request{}, err
	}
	if s.wrong == "server-made-key" {
		key = rand.Text() // WRONG: a retry brings the same key, and gets another
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return Request{}, refusal{http.StatusUnsupportedMediaType, "media-type", "send application/json"}
	}
	body, err := readBody(w, r)
	if err != nil {
		return Request{}, err
	}
	checkout, err := readCheckout(body)
	if err != nil {
		return Request{}, err
	}
	return Request{
		Caller: callerOf(r.Header), Key: key, Checkout: checkout,
		Fingerprint: fingerprint(r.Method, r.URL.RequestURI(), checkout),
	}, nil
}

// callerOf names who sends a request by a digest of the credentials, which are
// kept nowhere. Who may call at all is for what stands in front to say.
func callerOf(h http.Header) string {
	sum := sha256.Sum256([]byte("caller\n" + strings.Join(h.Values("Authorization"), "\n")))
	return hex.EncodeToString(sum[:])
}

// keyOf reads the caller's key: it alone knows which requests are one intent.
func keyOf(h http.Header) (string, error) {
	values := h.Values("Idempotency-Key")
	switch {
	case len(values) == 0:
		return "", refusal{http.StatusBadRequest, "key-missing", "send an Idempotency-Key: one for each intent, the same one with every retry"}
	case len(values) > 1 || values[0] == "" || len(values[0]) > maxKey ||
		strings.ContainsFunc(values[0], func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", refusal{http.StatusBadRequest, "key-invalid", "an Idempotency-Key is 1 to 255 printable ASCII characters without spaces, sent once"}
	}
	return values[0], nil
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	// The server lifts the deadline itself once the body is read to its end.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		return body, nil
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, refusal{http.StatusRequestEntityTooLarge, "body-too-large", "a body has at most 64 KiB"}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, refusal{http.StatusRequestTimeout, "body-too-slow", "the body did not arrive in time"}
	}
	return nil, refusal{http.StatusBadRequest, "body-malformed", "the body did not arrive whole"}
}

// readCheckout reads a body strictly: what was understood, written again, must
// be what was sent, number by number and name by name. So nothing that the
// fingerprint covers is ignored, and nothing is understood that it does not.
func readCheckout(body []byte) (c Checkout, err error) {
	sent, err := canonicalText(body)
	if err != nil || sent[0] != '{' {
		return c, refusal{http.StatusBadRequest, "body-malformed", "the body is not one unambiguous JSON object"}
	}
	if err := json.Unmarshal(sent, &c); err != nil || !bytes.Equal(sent, canonical(c)) {
		return c, refusal{http.StatusUnprocessableEntity, "body-invalid",
			"the body is not {tenant, cart: {id, version}, amount, currency} with, perhaps, customer: {email} and sent_at"}
	}
	if wrong := c.wrong(); wrong != "" {
		return c, refusal{http.StatusUnprocessableEntity, "body-invalid", wrong}
	}
	return c, nil
}

// wrong names the first member that cannot be.
func (c Checkout) wrong() string {
	switch {
	case !isID(c.Tenant):
		return "/tenant is no text of 1 to 64 characters"
	case !isID(c.Cart.ID):
		return "/cart/id is no text of 1 to 64 characters"
	case c.Cart.Version < 1 || c.Cart.Version > maxSafe:
		return "/cart/version is no whole number from 1 on"
	case c.Amount < 1 || c.Amount > maxSafe:
		return "/amount is no whole number of minor units from 1 on"
	case len(c.Currency) != 3 || strings.Trim(c.Currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		return "/currency is not three capital letters"
	}
	return ""
}

func isID(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= maxText && !strings.ContainsFunc(s, unicode.IsControl)
}

// fingerprint tells one request from another: method, target and body in their
// canonical form (RFC 8785), so that spaces and the order of members make no
// difference, and every value does. When an attempt was sent makes none either.
func fingerprint(method, target string, c Checkout) string {
	c.SentAt = nil
	sum := sha256.Sum256([]byte(method + "\n" + target + "\n" + string(canonical(c))))
	return hex.EncodeToString(sum[:])
}

// canonical is a checkout's RFC 8785 form; nil where it has none.
func canonical(c Checkout) []byte {
	text, err := json.Marshal(c)
	if err != nil {
		return nil
	}
	text, err = jcs.Transform(text)
	if err != nil {
		return nil
	}
	return text
}

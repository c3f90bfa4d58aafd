package fingerprint

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Keyed is the key material of the keyed forms. It prints as its kid alone.
type Keyed struct {
	Secret    []byte `json:"-"` // 32 bytes or more; no JSON shows them
	Kid       string // [a-z0-9]{1,16}
	Namespace string // [a-z0-9]+([._-][a-z0-9]+)*, at most 64
}

// Format keeps the secret out of every verb of fmt.
func (k Keyed) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "key %s", Printable(k.Kid)) }

// Policy is what a fingerprint may show of its payload, and how it is made.
type Policy struct {
	Numbers   Numbers
	Engine    Engine    // who writes the canonical form
	Key       *Keyed    // nil: the unkeyed form
	Sensitive []Pointer // what recipe or contract call sensitive; nil: they are silent, so looks decide
	Looks     bool      // looks decide too, beside Sensitive
	Public    bool      // the payload is public: an unkeyed hash gives nothing away
}

// Payload gives the fingerprint of a JSON text (determ-v1, Fingerprints v1):
// "sha256:" and 64 hexadecimal digits, or with a key "hmac-sha256:kid:" and 64.
// It fails with *Error for a text that is not admitted or a number that Strict
// refuses, and with *problem.Error where the unkeyed form would give a
// sensitive value away.
func Payload(src []byte, p Policy) (string, error) {
	printer, err := p.Printer()
	if err != nil {
		return "", err
	}
	out, err := printer.Append(nil, src)
	return string(out), err
}

// A form is one family of fingerprints: its two names and its HKDF salt.
type form struct {
	plain, keyed string
	salt         string
}

var (
	payloadForm = form{plain: "sha256", keyed: "hmac-sha256", salt: "idem/fingerprint/v1"}
	requestForm = form{plain: "req1", keyed: "reqk1", salt: "idem/request/v1"}
)

// hasher gives the hash of a form and what stands before its digits.
func (p Policy) hasher(f form) (h hash.Hash, head string, err error) {
	if p.Key == nil {
		return sha256.New(), f.plain + ":", nil
	}
	key, err := p.Key.derive(f.salt, p.Engine)
	if err != nil {
		return nil, "", err
	}
	return hmac.New(sha256.New, key), f.keyed + ":" + p.Key.Kid + ":", nil
}

func (p Policy) hash(canonical []byte, f form) (string, error) {
	h, head, err := p.hasher(f)
	if err != nil {
		return "", err
	}
	h.Write(canonical)
	return head + hex.EncodeToString(h.Sum(nil)), nil
}

// derive gives FK or RK: HKDF-SHA-256 with the form's salt and JCS([namespace]).
func (k *Keyed) derive(salt string, engine Engine) ([]byte, error) {
	switch {
	case len(k.Secret) < 32:
		return nil, problem.New("", "the secret has %d bytes, and 32 are the least", len(k.Secret)).
			WithHint("idem key new")
	case !validKid(k.Kid):
		return nil, problem.New("", "the kid is not 1 to 16 of a-z and 0-9")
	case !validNamespace(k.Namespace):
		return nil, problem.New("", "the namespace is not of the form acme.payments: a-z, 0-9, single . _ - between, at most 64")
	}
	c := Canonicaliser{Engine: engine}
	info, err := c.AppendValue(nil, Array(String(k.Namespace)), "")
	if err != nil {
		return nil, err
	}
	return hkdf.Key(sha256.New, k.Secret, []byte(salt), string(info), sha256.Size)
}

func validKid(s string) bool {
	if s == "" || len(s) > 16 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !lowerOrDigit(s[i]) {
			return false
		}
	}
	return true
}

func validNamespace(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case lowerOrDigit(c):
		case c != '.' && c != '_' && c != '-':
			return false
		case i == 0 || i == len(s)-1 || !lowerOrDigit(s[i-1]):
			return false
		}
	}
	return true
}

func lowerOrDigit(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

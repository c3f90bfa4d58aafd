package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Masker replaces secrets by labels in all that is recorded: «auth»,
// «other_auth», «/customer/email». Labels differ, so that two callers never
// merge. It is safe for use by several goroutines.
type Masker struct {
	mu    sync.RWMutex
	pairs []maskPair // longest secret first
}

type maskPair struct{ secret, label string }

// shortestSecret is the fewest bytes that are masked: shorter texts stand in
// too many innocent places, and no credential is that short.
const shortestSecret = 4

// Add registers a secret under a label, together with the forms in which it
// may come back: as a URL or a JSON text writes it, in base64 and hexadecimal.
func (m *Masker) Add(secret, label string) {
	if len(secret) < shortestSecret {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	b := []byte(secret)
	forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), jsonInner(secret),
		base64.StdEncoding.EncodeToString(b), base64.RawStdEncoding.EncodeToString(b),
		base64.URLEncoding.EncodeToString(b), base64.RawURLEncoding.EncodeToString(b), hex.EncodeToString(b)}
	for _, form := range forms {
		if !slices.ContainsFunc(m.pairs, func(p maskPair) bool { return p.secret == form }) {
			m.pairs = append(m.pairs, maskPair{form, "«" + label + "»"})
		}
	}
	slices.SortStableFunc(m.pairs, func(a, b maskPair) int { return len(b.secret) - len(a.secret) })
}

func jsonInner(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "/", `\/`).Replace(s)
}

// Text masks a text.
func (m *Masker) Text(s string) string {
	if m == nil {
		return s
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, p := range m.pairs {
		s = strings.ReplaceAll(s, p.secret, p.label)
	}
	return s
}

// Bytes masks bytes; the argument is left as it is.
func (m *Masker) Bytes(b []byte) []byte {
	if m == nil {
		return b
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, p := range m.pairs {
		if bytes.Contains(b, []byte(p.secret)) {
			b = bytes.ReplaceAll(b, []byte(p.secret), []byte(p.label))
		}
	}
	return b
}

// Header masks the values of header fields.
func (m *Masker) Header(h [][2]string) [][2]string {
	out := make([][2]string, len(h))
	for i, f := range h {
		out[i] = [2]string{f[0], m.Text(f[1])}
	}
	return out
}

// Body makes the record of a body. Size is the number of bytes on the wire,
// which may be more than b holds.
func (m *Masker) Body(b []byte, size int64) Body {
	r := Body{Size: size}
	if size == 0 {
		return r
	}
	masked := m.Bytes(b)
	sum := sha256.Sum256(masked)
	r.SHA256 = hex.EncodeToString(sum[:])
	r.Truncated = int64(len(b)) < size
	if len(masked) > HeadCap {
		masked, r.Truncated = masked[:HeadCap], true
	}
	if utf8.Valid(masked) {
		r.Head = string(masked)
		return r
	}
	r.Head, r.Base64 = base64.StdEncoding.EncodeToString(masked), true
	return r
}

package trace

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Masker replaces secrets by labels in all that is recorded: «auth»,
// «other_auth», «/customer/email». Labels differ, so that two callers never
// merge. It is safe for use by several goroutines.
//
// Signatures made for every attempt become thousands of secrets, so they are
// found by their first bytes.
type Masker struct {
	mu    sync.RWMutex
	pairs map[string][]maskPair // by the first shortestSecret bytes
	known map[string]bool
}

type maskPair struct {
	secret, label string
	place         int // when it was registered
}

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
	if m.pairs == nil {
		m.pairs, m.known = map[string][]maskPair{}, map[string]bool{}
	}
	for _, form := range spellings(secret) {
		if len(form) >= shortestSecret && !m.known[form] {
			m.known[form] = true
			head := form[:shortestSecret]
			m.pairs[head] = append(m.pairs[head], maskPair{form, "«" + label + "»", len(m.known)})
		}
	}
}

// in gives the secrets that stand in a text, the longest first.
func (m *Masker) in(s string) []maskPair {
	if m == nil {
		return nil
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	var found []maskPair
	for i := 0; len(m.pairs) > 0 && i+shortestSecret <= len(s); i++ {
		for _, p := range m.pairs[s[i:i+shortestSecret]] {
			if strings.HasPrefix(s[i:], p.secret) && !slices.Contains(found, p) {
				found = append(found, p)
			}
		}
	}
	slices.SortFunc(found, func(a, b maskPair) int {
		return cmp.Or(cmp.Compare(len(b.secret), len(a.secret)), cmp.Compare(a.place, b.place))
	})
	return found
}

// spellings are the forms in which a secret may come back: as it is, as URLs,
// JSON texts, base64 and hexadecimal write it.
func spellings(secret string) []string {
	b := []byte(secret)
	query, path := url.QueryEscape(secret), url.PathEscape(secret)
	component := strings.ReplaceAll(query, "+", "%20")
	forms := []string{secret, query, path, component, lowerEscapes(query), lowerEscapes(path), lowerEscapes(component),
		base64.StdEncoding.EncodeToString(b), base64.RawStdEncoding.EncodeToString(b),
		base64.URLEncoding.EncodeToString(b), base64.RawURLEncoding.EncodeToString(b),
		hex.EncodeToString(b), strings.ToUpper(hex.EncodeToString(b)), unicodeEscapes(secret)}
	plain, html := jsonInner(secret, false), jsonInner(secret, true)
	for _, j := range []string{plain, html} {
		forms = append(forms, j, strings.ReplaceAll(j, "/", `\/`), jsonInner(j, false))
	}
	return forms
}

// jsonInner writes a text as a JSON string does, without its quotes; html
// writes <, > and & as escapes, as Go's encoder does unless told otherwise.
func jsonInner(s string, html bool) string {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(html)
	if enc.Encode(s) != nil {
		return s
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(buf.String(), "\n"), `"`), `"`)
}

// lowerEscapes writes percent escapes with lower-case digits.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], bytes.ToLower(b[i+1:i+3]))
		}
	}
	return string(b)
}

// unicodeEscapes writes every character as \uXXXX.
func unicodeEscapes(s string) string {
	var out strings.Builder
	for _, c := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&out, `\u%04x`, c)
	}
	return out.String()
}

// Text masks a text.
func (m *Masker) Text(s string) string {
	for _, p := range m.in(s) {
		s = strings.ReplaceAll(s, p.secret, p.label)
	}
	return s
}

// Bytes masks bytes; the argument is left as it is.
func (m *Masker) Bytes(b []byte) []byte {
	for _, p := range m.in(string(b)) {
		b = bytes.ReplaceAll(b, []byte(p.secret), []byte(p.label))
	}
	return b
}

// Header masks the names and values of header fields.
func (m *Masker) Header(h [][2]string) [][2]string {
	out := make([][2]string, len(h))
	for i, f := range h {
		out[i] = [2]string{m.Text(f[0]), m.Text(f[1])}
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

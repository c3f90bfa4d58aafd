package contract

import (
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// Versions of HTTP that a contract names, target.http.
const (
	AutoHTTP = "auto" // over https what ALPN chooses, HTTP/1.1 over http
	HTTP1    = "1.1"
	HTTP2    = "2" // HTTP/2 alone: over http by prior knowledge (RFC 9113, 3.3)
)

// HTTPVersions gives the words of target.http.
func HTTPVersions() []string { return slices.Clone(wordsOf("target.http")) }

// httpVersion reads a version of HTTP. Without quotes YAML reads numbers there:
// they are taken by their value.
func (b *fields) httpVersion(name string) string {
	n := b.Get(name)
	if n == nil {
		return AutoHTTP
	}
	words := wordsOf(b.What + "." + name)
	if n.Kind != document.Number {
		word, err := n.AsEnum(name, words...)
		b.r.fail(err)
		return word
	}
	version := n.Text
	if strings.Contains(version, ".") {
		version = strings.TrimSuffix(strings.TrimRight(version, "0"), ".")
	}
	if !slices.Contains(words, version) {
		b.r.fail(n.Errorf("%s is not a known %s", n.Text, name).WithHint("one of %s", strings.Join(words, ", ")))
	}
	return version
}

// Speaking gives the contract as it is when another version of HTTP is spoken
// than it says; the empty one changes nothing. Resolve and WithSettings read
// the file again and know nothing of it.
func (c *Contract) Speaking(version string) (*Contract, error) {
	if version == "" {
		return c, nil
	}
	if words := wordsOf("target.http"); !slices.Contains(words, version) {
		return nil, problem.New("", "%s is no version of HTTP", document.Show(version)).WithHint("one of %s", strings.Join(words, ", "))
	}
	other := *c
	other.Target.HTTP = version
	return &other, nil
}

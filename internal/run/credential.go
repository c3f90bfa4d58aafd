package run

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
)

// Credential is how one principal signs its requests: the header lines that
// are added to each, the command that makes them for every attempt, or the
// certificate that is shown. The zero Credential signs nothing.
type Credential struct {
	lines       [][2]string
	signer      *signer
	certificate *tls.Config
}

// mostCredential bounds what a file or command may give, in bytes.
const mostCredential = 64 << 10

// credential reads a principal's secret from where the contract says it is.
func (l *Live) credential(ctx context.Context, a *contract.Auth, label string) (Credential, error) {
	if a == nil {
		return Credential{}, nil
	}
	where := l.options.Contract.Where(a.Pos)
	if a.Cert != "" {
		config, err := l.certificate(a)
		return Credential{certificate: config}, err
	}
	if a.Per == "attempt" {
		return Credential{signer: &signer{live: l, auth: a, label: label, where: where, slots: l.signing}}, nil
	}
	text, err := l.secretText(ctx, a, where)
	if err != nil {
		return Credential{}, err
	}
	lines, err := l.lines(a, text, where, label)
	return Credential{lines: lines}, err
}

// lines gives the header lines that a credential's text makes, and has it
// masked from then on.
func (l *Live) lines(a *contract.Auth, text, where, label string) ([][2]string, error) {
	if err := l.guardProduction(text, where); err != nil {
		return nil, err
	}
	if a.Header == "" {
		return l.headerLines(a, text, where, label)
	}
	l.hide(a, a.Prefix, text, label)
	value := a.Prefix + text
	if strings.ContainsAny(value, "\r\n\x00") {
		return nil, problem.New(where, "the credential of %s has a line break in it", label)
	}
	return [][2]string{{a.Header, value}}, nil
}

// hide masks what stands in a header line, whole and in parts, unless it was
// made for one attempt and is no secret.
func (l *Live) hide(a *contract.Auth, prefix, text, label string) {
	if a.Per == "attempt" && plainValue(text) {
		return
	}
	l.hideCredential(prefix, text, label)
	l.hideParts(prefix+text, label)
}

// hideCredential masks a credential, as it stands in its header too, and what a
// Basic one (RFC 7617) spells in base64: user and password.
func (l *Live) hideCredential(prefix, text, label string) {
	l.mask.Add(text, label)
	l.mask.Add(prefix+text, label)
	scheme, encoded, ok := strings.Cut(prefix+text, " ")
	if !ok || !strings.EqualFold(scheme, "Basic") {
		return
	}
	if plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded)); err == nil {
		l.mask.Add(string(plain), label)
		_, password, _ := strings.Cut(string(plain), ":")
		l.mask.Add(password, label)
	}
}

// plainValue says that what a command made for one attempt is a number or a
// time: no secret, and a mask that took it out of answers would take innocent
// numbers with it.
func plainValue(s string) bool {
	if strings.Trim(s, "0123456789.-") == "" {
		return true
	}
	for _, layout := range []string{http.TimeFormat, time.RFC3339Nano, "20060102T150405Z"} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// longPart is how long a part of a header's value is that is masked on its own:
// a token, a signature, a nonce.
const longPart = 16

// hideParts masks what may come back of a header line by itself.
func (l *Live) hideParts(value, label string) {
	for _, part := range strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(" ,;:=\"", c) }) {
		if len(part) >= longPart && strings.ContainsAny(part, "0123456789") && !plainValue(part) {
			l.mask.Add(part, label)
		}
	}
}

// headerLines reads whole header lines that a command printed.
func (l *Live) headerLines(a *contract.Auth, text, where, label string) ([][2]string, error) {
	var lines [][2]string
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, "\r")
		if line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" {
			return nil, problem.New(where, "the command of %s printed a line that is no header", label).
				WithHint("print lines such as Authorization: Signature ..., or give auth a header")
		}
		value = strings.TrimSpace(value)
		l.hide(a, "", value, label)
		lines = append(lines, [2]string{strings.TrimSpace(name), value})
	}
	if len(lines) == 0 {
		return nil, problem.New(where, "the command of %s printed nothing", label)
	}
	return lines, nil
}

// unsetCredentials tells of both principals' variables at once.
func (l *Live) unsetCredentials() error {
	var names []string
	var where string
	for _, a := range []*contract.Auth{l.options.Contract.Target.Auth, l.options.Contract.Target.OtherAuth} {
		if a == nil || a.Env == "" {
			continue
		}
		if v, ok := l.options.Lookup(a.Env); ok && v != "" || slices.Contains(names, a.Env) {
			continue
		}
		names = append(names, a.Env)
		where = cmp.Or(where, l.options.Contract.Where(a.Pos))
	}
	if len(names) == 0 {
		return nil
	}
	return contract.Unset(where, names)
}

// secretText gives the secret itself.
func (l *Live) secretText(ctx context.Context, a *contract.Auth, where string) (string, error) {
	switch {
	case a.Env != "":
		v, _ := l.options.Lookup(a.Env) // it is set: unsetCredentials tells of one that is not
		return l.credentialText([]byte(v), where)
	case a.File != "":
		b, err := readCredential(l.beside(a.File))
		if err != nil {
			return "", problem.New(where, "the credential's file %s cannot be read", a.File)
		}
		return l.credentialText(b, where)
	}
	return l.printed(ctx, l.command(a.Command), hookMost, where)
}

// readCredential reads no more than tells that a file is too long for a
// credential: a device has no end.
func readCredential(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, mostCredential+3))
}

// credentialText is what a file, a variable or a command gave, one final line
// break dropped.
func (l *Live) credentialText(raw []byte, where string) (string, error) {
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	raw = bytes.TrimSuffix(raw, []byte("\r"))
	if len(raw) == 0 || len(raw) > mostCredential {
		return "", problem.New(where, "the credential is empty or longer than %d bytes", mostCredential)
	}
	return string(raw), nil
}

// guardProduction keeps credentials that look like production's from going
// anywhere but to hosts that the user named for them (contract-v1, Dry run and
// live run).
func (l *Live) guardProduction(text, where string) error {
	if !contract.ProductionCredential(text) {
		return nil
	}
	for _, e := range l.bases {
		allowed := false
		for _, host := range l.options.AllowProduction {
			allowed = allowed || strings.EqualFold(host, e.Name())
		}
		if !allowed {
			return problem.New(where, "the credential looks like one of production").
				WithHint("use a test credential, or --allow-production %s", e.Name())
		}
	}
	return nil
}

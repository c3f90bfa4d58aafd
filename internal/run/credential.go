package run

import (
	"bytes"
	"context"
	"encoding/base64"
	"os"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
)

// Credential is how one principal signs its requests: the header lines that
// are added to each. The zero Credential signs nothing.
type Credential struct {
	lines [][2]string
}

// mostCredential bounds what a file or command may give, in bytes.
const mostCredential = 64 << 10

// credential reads a principal's secret from where the contract says it is.
func (l *Live) credential(ctx context.Context, a *contract.Auth, label string) (Credential, error) {
	if a == nil {
		return Credential{}, nil
	}
	where := l.options.Contract.Where(a.Pos)
	if a.Cert != "" && a.Header == "" {
		return Credential{}, nil // it signs by its certificate
	}
	text, err := l.secretText(ctx, a, where)
	if err != nil {
		return Credential{}, err
	}
	if err := l.guardProduction(text, where); err != nil {
		return Credential{}, err
	}
	l.hideCredential(a.Prefix, text, label)
	if a.Header != "" {
		value := a.Prefix + text
		if strings.ContainsAny(value, "\r\n\x00") {
			return Credential{}, problem.New(where, "the credential of %s has a line break in it", label)
		}
		return Credential{lines: [][2]string{{a.Header, value}}}, nil
	}
	return l.headerLines(text, where, label)
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

// headerLines reads whole header lines that a command printed.
func (l *Live) headerLines(text, where, label string) (Credential, error) {
	var c Credential
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, "\r")
		if line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" {
			return c, problem.New(where, "the command of %s printed a line that is no header", label).
				WithHint("print lines such as Authorization: Signature ..., or give auth a header")
		}
		value = strings.TrimSpace(value)
		l.hideCredential("", value, label)
		c.lines = append(c.lines, [2]string{strings.TrimSpace(name), value})
	}
	if len(c.lines) == 0 {
		return c, problem.New(where, "the command of %s printed nothing", label)
	}
	return c, nil
}

// secretText gives the secret itself, one final line break dropped.
func (l *Live) secretText(ctx context.Context, a *contract.Auth, where string) (string, error) {
	var raw []byte
	switch {
	case a.Env != "":
		v, ok := l.options.Lookup(a.Env)
		if !ok || v == "" {
			return "", problem.New(where, "the environment variable %s is not set", a.Env).WithHint("export %s=...", a.Env)
		}
		raw = []byte(v)
	case a.File != "":
		b, err := os.ReadFile(l.beside(a.File))
		if err != nil {
			return "", problem.New(where, "the credential's file %s cannot be read", a.File)
		}
		raw = b
	case len(a.Command) > 0:
		b, err := l.commandOutput(ctx, a.Command, where)
		if err != nil {
			return "", err
		}
		raw = b
	}
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

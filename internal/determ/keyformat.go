package determ

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"

	"github.com/idem-toolkit/idem/internal/problem"
)

// MaxKeyText is the most bytes that key material or a passphrase may have.
const MaxKeyText = 64 << 10

// parseKeyText reads key material. passphrase is asked only where the line is
// sealed; nil where there is none. Errors never quote the material.
func parseKeyText(text []byte, format KeyFormat, kid string, passphrase func() ([]byte, error)) (*Secret, error) {
	if len(text) > MaxKeyText {
		return nil, problem.New("", "the key has more than %d bytes", MaxKeyText)
	}
	if format == FormatRaw {
		if isPrintable(text) {
			return nil, problem.New("", "a raw key of nothing but printable characters is refused: it is text, or far from random").
				WithHint("say format: idemkey, hex or base64 where the key is written so")
		}
		return NewSecret(kid, bytes.Clone(text))
	}
	text = trimLine(text)
	if len(text) == 0 {
		return nil, problem.New("", "the key is empty")
	}
	switch format {
	case FormatHex:
		b := make([]byte, hex.DecodedLen(len(text)))
		if _, err := hex.Decode(b, text); err != nil {
			return nil, problem.New("", "the key is not hexadecimal of even length on one line")
		}
		return NewSecret(kid, b)
	case FormatBase64:
		b, err := base64.StdEncoding.Strict().DecodeString(string(text))
		// The decoder skips line breaks; nothing is skipped here.
		if err != nil || bytes.ContainsAny(text, "\r\n") {
			return nil, problem.New("", "the key is not padded base64 (RFC 4648 section 4) on one line")
		}
		return NewSecret(kid, b)
	}
	return parseIdemkey(string(text), kid, passphrase)
}

// parseIdemkey reads an idemkey1, idemkeyx1 or idemsub1 line of the wanted
// kid; an empty kid wants any.
func parseIdemkey(line, kid string, passphrase func() ([]byte, error)) (*Secret, error) {
	l, err := parseLine(line)
	if err != nil {
		return nil, err
	}
	if kid != "" && l.kid != kid {
		return nil, problem.New("", "the key is called %s, and kid %s is wanted", l.kid, kid)
	}
	switch l.head {
	case sealedHead:
		return l.open(passphrase)
	case subkeyHead:
		return l.subkey()
	}
	return l.secret()
}

// trimLine drops one final LF or CRLF.
func trimLine(b []byte) []byte {
	if rest, ok := bytes.CutSuffix(b, []byte("\r\n")); ok {
		return rest
	}
	return bytes.TrimSuffix(b, []byte("\n"))
}

func isPrintable(b []byte) bool {
	for _, c := range b {
		if (c < 0x20 || c > 0x7E) && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
	}
	return true
}

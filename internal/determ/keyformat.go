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
func (k KeySpec) parseKeyText(text []byte, passphrase func() ([]byte, error)) (*Secret, error) {
	otherFormat := k.way("format: idemkey, hex, base64 or raw", "--key-format idemkey, hex, base64 or raw") + ", as the key is written"
	if len(text) > MaxKeyText {
		return nil, problem.New("", "the key has more than %d bytes", MaxKeyText)
	}
	if k.Format == FormatRaw {
		if isPrintable(text) {
			return nil, problem.New("", "a raw key of nothing but printable characters is refused: it is text, or far from random").
				WithHint("%s", otherFormat)
		}
		return NewSecret(k.Kid, bytes.Clone(text))
	}
	text = trimLine(text)
	if len(text) == 0 {
		return nil, problem.New("", "the key is empty").WithHint("idem key new makes one")
	}
	switch k.Format {
	case FormatHex:
		b := make([]byte, hex.DecodedLen(len(text)))
		if _, err := hex.Decode(b, text); err != nil {
			return nil, problem.New("", "the key is not hexadecimal of even length on one line").WithHint("%s", otherFormat)
		}
		return NewSecret(k.Kid, b)
	case FormatBase64:
		b, err := base64.StdEncoding.Strict().DecodeString(string(text))
		// The decoder skips line breaks; nothing is skipped here.
		if err != nil || bytes.ContainsAny(text, "\r\n") {
			return nil, problem.New("", "the key is not padded base64 (RFC 4648 section 4) on one line").WithHint("%s", otherFormat)
		}
		return NewSecret(k.Kid, b)
	}
	return k.parseIdemkey(string(text), passphrase)
}

// parseIdemkey reads an idemkey1, idemkeyx1 or idemsub1 line of the wanted
// kid; an empty kid wants any.
func (k KeySpec) parseIdemkey(line string, passphrase func() ([]byte, error)) (*Secret, error) {
	l, err := parseLine(line)
	if err != nil && l.head == "" {
		return nil, hinted(err, "%s, or idem key new for a line", k.way("format: hex, base64 or raw", "--key-format hex, base64 or raw"))
	}
	if err != nil {
		return nil, err
	}
	if k.Kid != "" && l.kid != k.Kid {
		return nil, problem.New("", "the key is called %s, and kid %s is wanted", l.kid, k.Kid).
			WithHint("%s, or the key that is called so", k.way("kid: "+l.kid, "--kid "+l.kid))
	}
	switch l.head {
	case sealedHead:
		if passphrase == nil {
			passphrase = func() ([]byte, error) {
				return nil, problem.New("", "the key is sealed under a passphrase, and none is named").
					WithHint("%s", k.way("passphrase: {env: IDEM_PASSPHRASE} in the recipe's key", "--passphrase-env IDEM_PASSPHRASE"))
			}
		}
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

package determ

import (
	"io"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/chacha20poly1305"

	"github.com/idem-toolkit/idem/internal/problem"
)

// The parameters of a line at rest are bound: a line made with others is
// another kind of line (determ-v1, Keys; RFC 9106).
const (
	argonTime   = 3
	argonMemory = 64 << 10 // KiB
	argonLanes  = 4
	saltSize    = 16
)

// Seal gives the idemkeyx1 line of a secret under a passphrase. random gives
// salt and nonce, and must never give the same bytes twice.
func (s *Secret) Seal(passphrase []byte, random io.Reader) (string, error) {
	line, err := s.Line()
	if err != nil {
		return "", err
	}
	if passphrase, err = cleanPassphrase(passphrase); err != nil {
		return "", err
	}
	head := make([]byte, saltSize+chacha20poly1305.NonceSizeX)
	if _, err := io.ReadFull(random, head); err != nil {
		return "", problem.New("", "no random bytes: %s", err)
	}
	aead, err := chacha20poly1305.NewX(stretch(passphrase, head[:saltSize]))
	if err != nil {
		return "", problem.New("", "the key cannot be sealed: %s", err)
	}
	sealed := aead.Seal(head, head[saltSize:], []byte(line), []byte(sealedHead+s.kid))
	text := sealedHead + s.kid + "-" + base32Lower().EncodeToString(sealed)
	return writeLine(text, sumOf(text)), nil
}

// open reads an idemkeyx1 line.
func (l keyLine) open(ask func() ([]byte, error)) (*Secret, error) {
	if !same(l.sum, sumOf(l.text)) {
		return nil, damaged(l.head, "its checksum does not hold")
	}
	if len(l.material) < saltSize+chacha20poly1305.NonceSizeX+chacha20poly1305.Overhead {
		return nil, damaged(l.head, "it is too short")
	}
	passphrase, err := ask()
	if err != nil {
		return nil, err
	}
	if passphrase, err = cleanPassphrase(passphrase); err != nil {
		return nil, err
	}
	salt, nonce := l.material[:saltSize], l.material[saltSize:saltSize+chacha20poly1305.NonceSizeX]
	aead, err := chacha20poly1305.NewX(stretch(passphrase, salt))
	if err != nil {
		return nil, problem.New("", "the key cannot be opened: %s", err)
	}
	line, err := aead.Open(nil, nonce, l.material[saltSize+len(nonce):], []byte(l.head+l.kid))
	if err != nil {
		return nil, problem.New("", "the passphrase is wrong, or the sealed key of kid %s was changed", l.kid).
			WithHint("the passphrase that idem key new was given, to the letter")
	}
	inner, err := parseLine(string(line))
	if err != nil || inner.head != secretHead || inner.kid != l.kid {
		return nil, damaged(l.head, "what it holds is no idemkey1 line of its kid")
	}
	return inner.secret()
}

func stretch(passphrase, salt []byte) []byte {
	return argon2.IDKey(passphrase, salt, argonTime, argonMemory, argonLanes, chacha20poly1305.KeySize)
}

// cleanPassphrase drops one final line break, as for every key but raw.
func cleanPassphrase(b []byte) ([]byte, error) {
	switch b = trimLine(b); {
	case len(b) == 0:
		return nil, problem.New("", "the passphrase is empty")
	case !utf8.Valid(b):
		return nil, problem.New("", "the passphrase is not UTF-8")
	case len(b) > MaxKeyText:
		return nil, problem.New("", "the passphrase has more than %d bytes", MaxKeyText)
	}
	return b, nil
}

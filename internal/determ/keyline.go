package determ

import (
	"encoding/base32"
	"encoding/binary"
	"hash/crc32"
	"strings"

	"github.com/idem-toolkit/idem/internal/problem"
)

// The lines in which key material travels (determ-v1, Keys). Each is
// head - kid - base32 of the material - base32 of a CRC-32.
const (
	secretHead = "idemkey1-"
	sealedHead = "idemkeyx1-"
	subkeyHead = "idemsub1-"

	sumLength = 7 // characters
)

// base32Lower is RFC 4648 base32 in lower case without padding.
func base32Lower() *base32.Encoding {
	return base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
}

// keyLine is one line taken apart.
type keyLine struct {
	head, kid string
	material  []byte
	sum       []byte // 4 bytes
	text      string // up to the hyphen before the sum
}

// parseLine reads any of the lines. Decoding and encoding again must give the
// very line. The checksum is for the caller to hold against.
func parseLine(line string) (keyLine, error) {
	l := keyLine{}
	for _, head := range [...]string{secretHead, sealedHead, subkeyHead} {
		if strings.HasPrefix(line, head) {
			l.head = head
		}
	}
	if l.head == "" {
		return l, problem.New("", "the key is no idemkey line")
	}
	parts := strings.Split(line[len(l.head):], "-")
	if len(parts) != 3 {
		return l, damaged(l.head, "it has not three parts after its head")
	}
	l.kid = parts[0]
	if !IsKid(l.kid) {
		return l, damaged(l.head, "its kid is not 1 to 16 lower-case letters and digits")
	}
	if len(parts[2]) != sumLength {
		return l, damaged(l.head, "its checksum has not 7 characters")
	}
	var sum []byte
	var err error
	if l.material, err = base32Lower().DecodeString(parts[1]); err == nil {
		sum, err = base32Lower().DecodeString(parts[2])
	}
	if err != nil {
		return l, damaged(l.head, "a character is not of the base32 alphabet, or its length is wrong")
	}
	l.sum = sum
	l.text = l.head + l.kid + "-" + base32Lower().EncodeToString(l.material)
	if !same(writeLine(l.text, sum), line) {
		return l, damaged(l.head, "its last characters are not in canonical form")
	}
	return l, nil
}

// damaged never quotes the line.
func damaged(head, why string) error {
	return problem.New("", "the %s line is damaged or cut: %s", strings.TrimSuffix(head, "-"), why).
		WithHint("take the whole line again from where it is kept")
}

func sumOf(text string) []byte {
	return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(text)))
}

func subkeySum(text string, t Triple) []byte { return sumOf(text + string(t.Info())) }

func writeLine(text string, sum []byte) string {
	return text + "-" + base32Lower().EncodeToString(sum)
}

// secret reads an idemkey1 line.
func (l keyLine) secret() (*Secret, error) {
	if !same(l.sum, sumOf(l.text)) {
		return nil, damaged(l.head, "its checksum does not hold")
	}
	if len(l.material) != minSecret {
		return nil, damaged(l.head, "it has not 32 bytes")
	}
	return NewSecret(l.kid, l.material)
}

// subkey reads an idemsub1 line; which triple it is for, its checksum says
// once that triple is known.
func (l keyLine) subkey() (*Secret, error) {
	if len(l.material) != subkeySize {
		return nil, damaged(l.head, "it has not 32 bytes")
	}
	return hide(l.kid, material{l.material, true, l.sum, l.text}), nil
}

// Line gives the idemkey1 line of a secret of 32 bytes. It is the secret.
func (s *Secret) Line() (string, error) {
	if s.get().subkey || len(s.get().bytes) != minSecret {
		return "", problem.New("", "only a secret of 32 bytes has an idemkey1 line")
	}
	text := secretHead + s.kid + "-" + base32Lower().EncodeToString(s.get().bytes)
	return writeLine(text, sumOf(text)), nil
}

// SubkeyLine gives the idemsub1 line of one triple. It is key material.
func (s *Secret) SubkeyLine(t Triple) (string, error) {
	sk, err := s.Subkey(t)
	if err != nil {
		return "", err
	}
	b := sk.get()
	text := subkeyHead + s.kid + "-" + base32Lower().EncodeToString(b[:])
	return writeLine(text, subkeySum(text, t)), nil
}

// IsKeyLine says whether a text begins like one of the lines, whole or not.
func IsKeyLine(s string) bool {
	s = strings.TrimLeft(s, " \t\r\n")
	return strings.HasPrefix(s, secretHead) || strings.HasPrefix(s, sealedHead) || strings.HasPrefix(s, subkeyHead)
}

package determ

import (
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

const (
	minSecret   = 32 // bytes
	subkeySize  = 32
	checkLength = 8 // characters of a check value
)

// Secret is key material with its kid: a secret, or the subkey of one triple
// cut from it. No form of printing or marshalling shows the bytes: they stand
// behind a function, since fmt looks through pointers and calls no methods of
// unexported fields.
type Secret struct {
	kid string
	get func() material
}

// material is the bytes of a secret, or of the subkey whose line they are.
type material struct {
	bytes  []byte
	subkey bool   // bytes are SK of the triple for which sum holds
	sum    []byte // of a subkey line
	line   string // up to the sum, of a subkey line
}

func hide(kid string, m material) *Secret {
	return &Secret{kid, func() material { return m }}
}

// NewSecret makes a secret of 32 bytes or more, which it keeps.
func NewSecret(kid string, b []byte) (*Secret, error) {
	if !IsKid(kid) {
		return nil, problem.New("", "a kid is 1 to %d lower-case letters and digits", maxKid)
	}
	if len(b) < minSecret {
		return nil, problem.New("", "the secret has %d bytes; it needs %d or more", len(b), minSecret).
			WithHint("idem key new --kid %s", kid)
	}
	return hide(kid, material{bytes: b}), nil
}

// TestSecret is the public secret of examples and dry runs, under any kid:
// SHA-256("idem test secret 1").
func TestSecret(kid string) *Secret {
	sum := sha256.Sum256([]byte("idem test secret 1"))
	return hide(kid, material{bytes: sum[:]})
}

// Kid is the secret's short name.
func (s *Secret) Kid() string { return s.kid }

// IsSubkey says whether this is a subkey for one service, not a secret.
func (s *Secret) IsSubkey() bool { return s.get().subkey }

// IsPublic says whether it is the public test secret, or that one's subkey
// for one of the triples.
func (s *Secret) IsPublic(triples ...Triple) bool {
	test := TestSecret(s.kid)
	if !s.get().subkey {
		return same(s.get().bytes, test.get().bytes)
	}
	for _, t := range triples {
		if sk, err := test.Subkey(t); err == nil && sk.is(s.get().bytes) {
			return true
		}
	}
	return false
}

// String masks.
func (s Secret) String() string { return "«secret " + s.kid + "»" }

// Format keeps the bytes out of every verb of fmt.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// MarshalText keeps the bytes out of JSON and its like.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Subkey is SK of one triple (determ-v1, Steps 3). It prints as nothing.
type Subkey struct{ get func() [subkeySize]byte }

func (k Subkey) is(b []byte) bool {
	sk := k.get()
	return same(sk[:], b)
}

// Format keeps the bytes out of every verb of fmt.
func (Subkey) Format(f fmt.State, _ rune) { fmt.Fprint(f, "«subkey»") }

// MarshalText keeps the bytes out of JSON and its like.
func (Subkey) MarshalText() ([]byte, error) { return []byte("«subkey»"), nil }

// Subkey derives SK, or takes it from a subkey line whose checksum holds for
// the triple.
func (s *Secret) Subkey(t Triple) (Subkey, error) {
	if s.get().subkey {
		if !same(subkeySum(s.get().line, t), s.get().sum) {
			return Subkey{}, problem.New("", "the subkey of kid %s is damaged, or for another namespace, operation or version than %s", s.kid, t).
				WithHint("idem key subkey -r RECIPE, where the secret is")
		}
		return hideSubkey(s.get().bytes), nil
	}
	b, err := hkdf.Key(sha256.New, s.get().bytes, []byte("idem/determ/v1"), string(t.Info()), subkeySize)
	if err != nil {
		return Subkey{}, problem.New("", "no subkey can be derived: %s", err)
	}
	return hideSubkey(b), nil
}

func hideSubkey(b []byte) Subkey {
	var sk [subkeySize]byte
	copy(sk[:], b)
	return Subkey{func() [subkeySize]byte { return sk }}
}

// Check is the value by which a wrong secret is noticed. A subkey has none.
func (s *Secret) Check() (string, error) {
	if s.get().subkey {
		return "", problem.New("", "kid %s is a subkey; the check value is that of the secret it was cut from", s.kid).
			WithHint("idem key check where the secret is")
	}
	b, err := hkdf.Key(sha256.New, s.get().bytes, []byte("idem/check/v1"), `["`+s.kid+`"]`, 5)
	if err != nil {
		return "", problem.New("", "no check value can be derived: %s", err)
	}
	return crockford32(b), nil
}

func isCheck(s string) bool {
	if len(s) != checkLength {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !lowerOrDigit(s[i]) || s[i] == 'i' || s[i] == 'l' || s[i] == 'o' || s[i] == 'u' {
			return false
		}
	}
	return true
}

// verify compares a check value that stands in the recipe. A subkey cannot be
// compared: what its own checksum says is all that is known of it.
func (k KeySpec) verify(s *Secret) error {
	if k.Check == "" || s.get().subkey {
		return nil
	}
	check, err := s.Check()
	if err != nil {
		return err
	}
	if same(check, k.Check) {
		return nil
	}
	return problem.New("", "the wrong secret was loaded: the check value of kid %s is %s, the recipe says %s", s.kid, check, k.Check).
		WithHint("the secret that the recipe was made with; check: %s only where no ID was made yet with another", check)
}

// Keyed gives the secret to the keyed fingerprints; those with a subkey are
// refused (determ-v1, Keys).
func (s *Secret) Keyed(namespace string) (*fingerprint.Keyed, error) {
	if s.get().subkey {
		return nil, problem.New("", "kid %s is a subkey, which makes IDs of one operation but no fingerprints", s.kid).WithHint("the secret itself, or --public for the form without a key")
	}
	return &fingerprint.Keyed{Secret: s.get().bytes, Kid: s.kid, Namespace: namespace}, nil
}

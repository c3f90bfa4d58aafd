package probe

import (
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// mutation is one change to a body that makes it another operation.
type mutation struct {
	name    string // "/amount changed"
	pointer string
	value   *fingerprint.Value // nil: another fresh value
	fresh   *contract.Fresh
}

// mostMutations bounds what one contract's body can cost.
const mostMutations = 24

// mutations changes every leaf of the body on its own. The key, where it
// travels in the body, and what the fingerprint ignores are left alone.
func (b *builder) mutations() []mutation {
	leaves, err := coveredLeaves(b.op)
	if err != nil {
		b.fail(err)
		return nil
	}
	var out []mutation
	for _, l := range leaves[:min(len(leaves), mostMutations)] {
		m := mutation{name: pointerName(l.pointer) + " changed", pointer: l.pointer}
		if f := b.freshAt(l.pointer); f != nil {
			m.fresh = f
		} else {
			m.value = otherValue(l.value)
		}
		out = append(out, m)
	}
	return out
}

// coveredLeaves gives the values that a conflict may be made of.
func coveredLeaves(op *contract.Operation) ([]leaf, error) {
	d, err := newDraft(op.Request.Body)
	if err != nil {
		return nil, err
	}
	var out []leaf
	for _, l := range d.leaves() {
		if covered(op, l.pointer) {
			out = append(out, l)
		}
	}
	return out, nil
}

// covered says that the contract's fingerprint covers a pointer.
func covered(op *contract.Operation, pointer string) bool {
	if pointer == op.Key.Body && pointer != "" {
		return false
	}
	c := op.Promise.Conflict.Value
	ignored := append(append([]string(nil), c.Ignore...), op.Fingerprint.Ignore...)
	for _, p := range ignored {
		if under(pointer, p) {
			return false
		}
	}
	if len(c.Covers) == 0 {
		return true
	}
	for _, p := range c.Covers {
		if under(pointer, p) {
			return true
		}
	}
	return false
}

// under says that a pointer is p or lies beneath it.
func under(pointer, p string) bool {
	return pointer == p || strings.HasPrefix(pointer, p+"/")
}

func (b *builder) freshAt(pointer string) *contract.Fresh {
	for i := range b.op.Request.Fresh {
		if b.op.Request.Fresh[i].At == pointer {
			return &b.op.Request.Fresh[i]
		}
	}
	return nil
}

// otherValue gives another value of the same type that an API is likely to
// accept. Whether it does is what the mutation control is for.
func otherValue(v *fingerprint.Value) *fingerprint.Value {
	c := &fingerprint.Value{Kind: v.Kind}
	switch v.Kind {
	case fingerprint.KindBool:
		c.Bool = !v.Bool
	case fingerprint.KindNumber:
		c.Number = otherNumber(v.Number)
	case fingerprint.KindNull:
		return &fingerprint.Value{Kind: fingerprint.KindString, Str: "idem"}
	default:
		c.Str = otherText(v.Str)
	}
	return c
}

func otherNumber(literal string) string {
	if n, err := strconv.ParseInt(literal, 10, 53); err == nil {
		return strconv.FormatInt(n+1, 10)
	}
	if f, err := strconv.ParseFloat(literal, 64); err == nil && f == f+1 {
		return strconv.FormatFloat(f/2, 'g', -1, 64)
	} else if err == nil {
		return strconv.FormatFloat(f+1, 'f', -1, 64)
	}
	return "1"
}

// otherText keeps the form of a text: another currency for a currency, another
// digit for the last digit, another letter for the last letter.
func otherText(s string) string {
	switch s {
	case "":
		return "idem"
	case "EUR":
		return "USD"
	case "eur":
		return "usd"
	}
	if len(s) == 3 && strings.ToUpper(s) == s && isLetters(s) {
		return "EUR"
	}
	if len(s) == 3 && strings.ToLower(s) == s && isLetters(s) {
		return "eur"
	}
	b := []byte(s)
	for i := len(b) - 1; i >= 0; i-- {
		if next, ok := otherByte(b[i]); ok {
			b[i] = next
			return string(b)
		}
	}
	return s + "-2"
}

func isLetters(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return s != ""
}

func otherByte(c byte) (byte, bool) {
	switch {
	case c == 'f', c == 'F': // the last digit of a hexadecimal text
		return c - 1, true
	case c >= '0' && c <= '8', c >= 'a' && c <= 'y', c >= 'A' && c <= 'Y':
		return c + 1, true
	case c == '9':
		return '1', true
	case c == 'z':
		return 'a', true
	case c == 'Z':
		return 'A', true
	}
	return c, false
}

package probe

import (
	"encoding/hex"
	"strings"
)

// Pairs of keys that a server which reads keys in a way of its own takes for
// one: as a parameter list, as words, as a UUID, or by their end alone.

// specialPairs are keys with special characters: two that differ after them,
// and two that differ in one of them.
func (s *keySpace) specialPairs(n int) []ruleTrial {
	var out []ruleTrial
	if key, ok := s.special(n); ok {
		if other, ok := s.withOther(key, n-1); ok {
			out = append(out, ruleTrial{name: afterSpecial, kind: twoKeys, one: key, two: other})
		}
	}
	key, ok := s.special(n)
	at := strings.IndexFunc(key, func(r rune) bool { return !strings.ContainsRune(plainCharacters, r) })
	if !ok || at < 0 {
		return out
	}
	for c := byte('~'); c >= '!'; c-- {
		other := key[:at] + string(c) + key[at+1:]
		if c != key[at] && strings.IndexByte(plainCharacters, c) < 0 && s.allows(other) {
			return append(out, ruleTrial{name: inSpecial, kind: twoKeys, one: key, two: other})
		}
	}
	return out
}

// uuidPair is a random UUID (RFC 9562, 5.4) in lower case and in upper case,
// where the pattern allows both. To a column of UUIDs they are one.
func (s *keySpace) uuidPair() (lower, upper string, ok bool) {
	var b [16]byte
	for i := range b {
		b[i] = s.bytes()
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	b[0] = b[0]&0x0f | 0xa0 // a letter, whatever the rest
	h := hex.EncodeToString(b[:])
	lower = h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
	upper = strings.ToUpper(lower)
	return lower, upper, s.allows(lower) && s.allows(upper)
}

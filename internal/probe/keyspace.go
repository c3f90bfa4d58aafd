package probe

import (
	"encoding/binary"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Keys that rules allow: random ones of a wanted length. Random, since
// repeated characters compress, and a limit of an index is then not met.

// plainCharacters are what every API that takes text as a key takes.
const plainCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// keySpace makes keys by a declared pattern.
type keySpace struct {
	pattern *regexp.Regexp // nil: any
	tree    *syntax.Regexp // of pattern
	bytes   func() byte    // an endless stream
}

// longestTried is the longest key that is made, in characters: what servers
// take of a header section is little more.
const longestTried = 4000

// keySpace gives the space of the operation's keys for a slot. A pattern that
// cannot be read was refused with the contract.
func (b *builder) keySpace(slot string) *keySpace {
	s := &keySpace{bytes: b.stream(slot)}
	if pattern := b.op.Key.Rules.Pattern; pattern != "" {
		s.pattern, _ = regexp.Compile(pattern)
		if tree, err := syntax.Parse(pattern, syntax.Perl); err == nil {
			s.tree = tree.Simplify()
		}
	}
	return s
}

// stream gives bytes that belong to a slot of this run.
func (b *builder) stream(slot string) func() byte {
	var block [32]byte
	n := 0
	return func() byte {
		if n%len(block) == 0 {
			var count [8]byte
			binary.BigEndian.PutUint64(count[:], uint64(n))
			block = b.tag("key-rules", slot, string(count[:]))
		}
		n++
		return block[(n-1)%len(block)]
	}
}

// pick chooses one of n.
func (s *keySpace) pick(n int) int {
	if n <= 1 {
		return 0
	}
	return (int(s.bytes())<<16 | int(s.bytes())<<8 | int(s.bytes())) % n
}

// key makes a key of exactly n characters that the pattern allows; false where
// none was found.
func (s *keySpace) key(n int) (string, bool) {
	if n < 1 || n > longestTried {
		return "", false
	}
	var plain strings.Builder
	for range n {
		plain.WriteByte(plainCharacters[s.pick(len(plainCharacters))])
	}
	if s.allows(plain.String()) {
		return plain.String(), true
	}
	if s.tree == nil {
		return "", false
	}
	for range 20 {
		if key, ok := s.write(s.tree, n); ok && len(key) == n && s.allows(key) {
			return key, true
		}
	}
	return "", false
}

// unruled is the space without its pattern.
func (s *keySpace) unruled() *keySpace { return &keySpace{bytes: s.bytes} }

// keyOrAny makes a key of n characters by the pattern, or any where the pattern
// has none: for keys that break another rule.
func (s *keySpace) keyOrAny(n int) (string, bool) {
	if key, ok := s.key(n); ok {
		return key, true
	}
	return s.unruled().key(n)
}

// allows says that the pattern matches and that the key can travel as it is:
// space at either end of a field is no part of it (RFC 9110, 5.5).
func (s *keySpace) allows(key string) bool {
	return strings.Trim(key, " ") == key && (s.pattern == nil || s.pattern.MatchString(key))
}

// span is how many characters an expression can match; most is capped.
func span(re *syntax.Regexp) (least, most int) {
	const endless = longestTried
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune), len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1, 1
	case syntax.OpCapture:
		return span(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		from, to := times(re)
		a, b := span(re.Sub[0])
		return from * a, min(to*b, endless)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			a, b := span(sub)
			least, most = least+a, min(most+b, endless)
		}
	case syntax.OpAlternate:
		least = endless
		for _, sub := range re.Sub {
			a, b := span(sub)
			least, most = min(least, a), max(most, b)
		}
	}
	return least, most
}

// times is how often an expression may stand.
func times(re *syntax.Regexp) (from, to int) {
	switch re.Op {
	case syntax.OpStar:
		return 0, longestTried
	case syntax.OpPlus:
		return 1, longestTried
	case syntax.OpQuest:
		return 0, 1
	}
	if re.Max < 0 {
		return re.Min, longestTried
	}
	return re.Min, re.Max
}

// write makes a text of n characters that an expression matches; false where
// it cannot.
func (s *keySpace) write(re *syntax.Regexp, n int) (string, bool) {
	least, most := span(re)
	if n < least || n > most {
		return "", false
	}
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune), printable(string(re.Rune))
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		all := characters(re)
		if len(all) == 0 {
			return "", false
		}
		return string(all[s.pick(len(all))]), true
	case syntax.OpCapture:
		return s.write(re.Sub[0], n)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		from, _ := times(re)
		parts := slices.Repeat([]*syntax.Regexp{re.Sub[0]}, from)
		one, _ := span(re.Sub[0])
		for len(parts)*max(one, 1) < n {
			parts = append(parts, re.Sub[0])
		}
		return s.writeAll(parts, n)
	case syntax.OpConcat:
		return s.writeAll(re.Sub, n)
	case syntax.OpAlternate:
		at := s.pick(len(re.Sub))
		for i := range re.Sub {
			if text, ok := s.write(re.Sub[(at+i)%len(re.Sub)], n); ok {
				return text, true
			}
		}
		return "", false
	}
	return "", n == 0 // anchors and what is empty
}

// writeAll shares n characters out among parts: to each its least, the rest
// from the left.
func (s *keySpace) writeAll(parts []*syntax.Regexp, n int) (string, bool) {
	left := n
	for _, p := range parts {
		least, _ := span(p)
		left -= least
	}
	if left < 0 {
		return "", false
	}
	var out strings.Builder
	for _, p := range parts {
		least, most := span(p)
		more := min(left, most-least)
		text, ok := s.write(p, least+more)
		if !ok {
			return "", false
		}
		left -= more
		out.WriteString(text)
	}
	return out.String(), left == 0
}

// characters are the visible ASCII characters of a class.
func characters(re *syntax.Regexp) []byte {
	var out []byte
	for c := byte('!'); c <= '~'; c++ {
		if re.Op != syntax.OpCharClass {
			out = append(out, c)
			continue
		}
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if rune(c) >= re.Rune[i] && rune(c) <= re.Rune[i+1] {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// withOther gives the key with another character in one place that the pattern
// allows.
func (s *keySpace) withOther(key string, at int) (string, bool) {
	for range 50 {
		c := plainCharacters[s.pick(len(plainCharacters))]
		other := key[:at] + string(c) + key[at+1:]
		if c != key[at] && s.allows(other) {
			return other, true
		}
	}
	return "", false
}

// inOtherCase gives the key with each letter in the other case, where the
// pattern allows both and there is a letter.
func (s *keySpace) inOtherCase(key string) (string, bool) {
	other := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return r
	}, key)
	return other, other != key && s.allows(other)
}

// special makes a key of n characters, some of them neither letters nor
// digits; false where the pattern allows none.
func (s *keySpace) special(n int) (string, bool) {
	if s.pattern == nil || n < 8 {
		return "", false
	}
	key, ok := s.key(n)
	if !ok {
		return "", false
	}
	found := false
	b := []byte(key)
	at := 1
	for c := byte('!'); c <= '~' && at < n-1; c++ {
		if strings.IndexByte(plainCharacters, c) >= 0 {
			continue
		}
		old := b[at]
		b[at] = c
		if !s.allows(string(b)) {
			b[at] = old
			continue
		}
		found = true
		at++
	}
	return string(b), found
}

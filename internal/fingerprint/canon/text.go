package canon

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Eight bytes at a time, each in a lane of a word.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// stops has the high bit of a lane set where the byte is a quote, a backslash
// or a control character. Lanes above a true one may be set falsely, by the
// borrow: the lowest is true.
func stops(w uint64) uint64 {
	quote := w ^ '"'*ones
	slash := w ^ '\\'*ones
	return ((w-0x20*ones)&^w | (quote-ones)&^quote | (slash-ones)&^slash) & highs
}

// text writes the string whose quote stands at p.at, and says whether it has
// escapes as it was written.
func (p *pass) text() (escaped, ok bool) {
	src, i := p.src, p.at+1
	out, n := p.out, p.n
	out[n] = '"'
	n++
	begun := i
	var high uint64
	for {
		// The output has room for eight bytes more than the text has left.
		for i+8 <= len(src) {
			w := binary.LittleEndian.Uint64(src[i:])
			binary.LittleEndian.PutUint64(out[n:], w)
			if s := stops(w); s != 0 {
				k := bits.TrailingZeros64(s) >> 3
				high |= w & (1<<(8*k) - 1)
				i += k
				n += k
				goto stopped
			}
			high |= w
			i += 8
			n += 8
		}
		for ; ; i++ {
			if i == len(src) {
				return false, false
			}
			c := src[i]
			if c < 0x20 || c == '"' || c == '\\' {
				break
			}
			high |= uint64(c)
			out[n] = c
			n++
		}
	stopped:
		switch src[i] {
		case '"':
			if high&highs != 0 && !utf8.Valid(src[begun:i]) {
				return false, false
			}
			out[n] = '"'
			p.at, p.n = i+1, n+1
			return escaped, true
		case '\\':
			for again := true; again; again = i < len(src) && src[i] == '\\' {
				var kept bool
				if i, n, kept = p.escape(i, n); i == 0 {
					return false, false
				}
				escaped = escaped || kept
			}
		default:
			return false, false // a control character
		}
	}
}

// escape writes the character of the escape at src[i] to out[n] and gives where
// both go on; 0 where it is none. RFC 8785, 3.2.2.2: what need not be escaped
// is not.
func (p *pass) escape(i, n int) (next, written int, escaped bool) {
	if i+1 >= len(p.src) {
		return 0, 0, false
	}
	c := p.src[i+1]
	i += 2
	switch c {
	case '/':
		p.out[n] = '/'
		return i, n + 1, false
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		p.out[n], p.out[n+1] = '\\', c
		return i, n + 2, true
	case 'u':
	default:
		return 0, 0, false
	}
	r := unit(p.src, i)
	i += 4
	switch {
	case r < 0x80:
		if r < 0x20 || r == '"' || r == '\\' {
			if r < 0 {
				return 0, 0, false
			}
			return i, n + len(appendEscape(p.out[n:n], byte(r))), true
		}
		p.out[n] = byte(r)
		return i, n + 1, false
	case r < 0x800:
		p.out[n], p.out[n+1] = 0xC0|byte(r>>6), 0x80|byte(r)&0x3F
		return i, n + 2, false
	case r < 0xD800 || r >= 0xE000:
		p.out[n], p.out[n+1], p.out[n+2] = 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F
		return i, n + 3, false
	case r >= 0xDC00 || i+2 > len(p.src) || p.src[i] != '\\' || p.src[i+1] != 'u':
		return 0, 0, false
	}
	low := unit(p.src, i+2)
	if low < 0xDC00 || low >= 0xE000 {
		return 0, 0, false
	}
	r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
	return i + 6, n + utf8.EncodeRune(p.out[n:n+4], r), false
}

// appendEscape escapes a control character, a quote or a backslash: the short
// forms where there are any, else lower-case hexadecimal.
func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '\b':
		c = 'b'
	case '\f':
		c = 'f'
	case '\n':
		c = 'n'
	case '\r':
		c = 'r'
	case '\t':
		c = 't'
	case '"', '\\':
	default:
		const digits = "0123456789abcdef"
		return append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
	}
	return append(b, '\\', c)
}

// unit reads four hexadecimal digits; below 0 where they are none.
func unit(src []byte, i int) rune {
	if i+4 > len(src) {
		return -1
	}
	d := src[i : i+4 : i+4]
	a, b, c, e := hexValue[d[0]], hexValue[d[1]], hexValue[d[2]], hexValue[d[3]]
	if a == 0 || b == 0 || c == 0 || e == 0 {
		return -1
	}
	return rune(a-1)<<12 | rune(b-1)<<8 | rune(c-1)<<4 | rune(e-1)
}

// hexValue is one more than the value of a hexadecimal digit, 0 of another byte.
var hexValue = [256]uint8{
	'0': 1, '1': 2, '2': 3, '3': 4, '4': 5, '5': 6, '6': 7, '7': 8, '8': 9, '9': 10,
	'a': 11, 'b': 12, 'c': 13, 'd': 14, 'e': 15, 'f': 16,
	'A': 11, 'B': 12, 'C': 13, 'D': 14, 'E': 15, 'F': 16,
}

// AppendString appends a string in its canonical form. It must be UTF-8.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			b = appendEscape(b, c)
		} else {
			b = append(b, c)
		}
	}
	return append(b, '"')
}

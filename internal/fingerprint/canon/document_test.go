package canon_test

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// documents makes JSON texts out of bytes: whatever the bytes are the text is
// nearly always JSON, and every turn of the canonicaliser is near. So a fuzzer
// that changes a byte changes a name, an escape or a number, and not a brace.
type documents struct {
	choices []byte
	out     strings.Builder
	names   []string // of the object being written, unescaped
}

// document is the text that some bytes make.
func document(choices []byte) string {
	d := &documents{choices: choices}
	d.space()
	d.value(0)
	d.space()
	text := d.out.String()
	if d.below(24) != 1 || text == "" {
		return text
	}
	// Now and then something is broken: a byte goes, comes or changes.
	at := (d.below(256)<<8 | d.below(256)) % len(text)
	switch d.below(3) {
	case 0:
		return text[:at] + text[at+1:]
	case 1:
		return text[:at] + string([]byte{byte(d.below(256))}) + text[at:]
	}
	return text[:at] + string([]byte{byte(d.below(256))}) + text[at+1:]
}

// below takes a choice of n; 0 where the bytes have run out.
func (d *documents) below(n int) int {
	if len(d.choices) == 0 {
		return 0
	}
	c := d.choices[0]
	d.choices = d.choices[1:]
	return int(c) % n
}

func (d *documents) space() {
	d.out.WriteString([]string{"", "", "", "", "", " ", "\t", "\r\n", "  \n  "}[d.below(9)])
}

const deepest = 40

func (d *documents) value(depth int) {
	kind := d.below(10)
	switch {
	case kind >= 6 && depth < deepest:
		d.object(depth)
	case kind == 5 && depth < deepest:
		d.array(depth)
	case kind >= 3:
		d.number()
	case kind >= 1:
		d.text(d.newText())
	default:
		d.out.WriteString([]string{"null", "true", "false"}[d.below(3)])
	}
}

func (d *documents) array(depth int) {
	d.out.WriteByte('[')
	d.space()
	for i := range d.below(6) {
		if i > 0 {
			d.out.WriteByte(',')
			d.space()
		}
		d.value(depth + 1)
		d.space()
	}
	d.out.WriteByte(']')
}

// object has few members, about as many as are ranked, or as many as are dealt
// out byte by byte. Its names are near to each other.
func (d *documents) object(depth int) {
	outer := d.names
	d.names = nil
	n := []int{d.below(5), 14 + d.below(6), 120 + d.below(20)}[[]int{0, 0, 0, 0, 0, 0, 1, 2}[d.below(8)]]
	bare := n > 20 // names from a row and values of nothing: the bytes would not do
	d.out.WriteByte('{')
	d.space()
	for i := range n {
		if i > 0 {
			d.out.WriteByte(',')
			d.space()
		}
		d.text(d.newName(i, bare))
		d.space()
		d.out.WriteByte(':')
		d.space()
		if bare && len(d.choices) == 0 {
			d.out.WriteString(strconv.Itoa(i))
		} else {
			d.value(depth + 1)
		}
		d.space()
	}
	d.out.WriteByte('}')
	d.names = outer
}

// newName is another name for the object: one that was there with its end, its
// beginning or a character inside changed, or a longer one. Seldom is it the
// same again.
func (d *documents) newName(i int, bare bool) string {
	name := d.newText()
	if bare {
		name = fmt.Sprintf("%s%03d", name, (i*77+31)%997)
	} else if len(d.names) > 0 {
		old := d.names[d.below(len(d.names))]
		switch d.below(8) {
		case 0, 1:
			name = old + name
		case 2, 3:
			_, last := utf8.DecodeLastRuneInString(old)
			name = old[:len(old)-last] + d.char()
		case 4:
			_, first := utf8.DecodeRuneInString(old)
			name = d.char() + old[first:]
		case 5:
			name = old + d.char()
		case 6:
			name = strings.Repeat(old, 1+d.below(4)) + d.char()
		}
	}
	for _, old := range d.names {
		if name == old && d.below(8) != 7 {
			name += "#" + strconv.Itoa(i)
		}
	}
	d.names = append(d.names, name)
	return name
}

// chars part UTF-8 from UTF-16, and what is escaped from what is not.
var chars = []string{"a", "b", "z", "A", "0", "abcdefgh", "aaaaaaaaaaaaaaa", "é", "ÿ", "\u0100", "\u07ff", "\u0800", "\u4e2d", "\ud7ff", "\ue000", "\ufb33", "\uffff",
	"\U00010000", "\U0001f602", "\U0010ffff", "\x00", "\x01", "\b", "\t", "\n", "\f", "\r", "\x1f", " ", "\"", "\\", "/", "\x7f", "\u2028", "<"}

func (d *documents) char() string { return chars[d.below(len(chars))] }

func (d *documents) newText() string {
	s := ""
	for range d.below(5) {
		s += d.char()
	}
	if d.below(16) == 15 {
		s = strings.Repeat(s, 1+d.below(40))
	}
	return s
}

// text writes a string, its characters escaped as the bytes say.
func (d *documents) text(s string) {
	d.out.WriteByte('"')
	for _, r := range s {
		switch how := d.below(6); {
		case how == 5 && r > 0xffff:
			fmt.Fprintf(&d.out, `\u%04x\u%04X`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		case how == 5 && r <= 0xffff:
			fmt.Fprintf(&d.out, []string{`\u%04x`, `\u%04X`}[d.below(2)], r)
		case how == 4 && strings.ContainsRune("\b\f\n\r\t\"\\/", r):
			d.out.WriteString(map[rune]string{'\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '"': `\"`, '\\': `\\`, '/': `\/`}[r])
		case r < 0x20 || r == '"' || r == '\\':
			fmt.Fprintf(&d.out, `\u%04x`, r)
		default:
			d.out.WriteRune(r)
		}
	}
	d.out.WriteByte('"')
}

var literals = []string{"0", "-0", "-0.0", "0e5", "1", "-1", "10", "100.00", "123.40", "1e2", "1E+2", "1e-7", "0.000001", "0.0000001", "1e20", "1e21", "999999999999999", "9007199254740991", "9007199254740992", "9007199254740993", "9007199254740994",
	"1152921504606846976", "123456789012345678901234567890", "0.1000000000000000055511151231257827021181583404541015625", "0.30000000000000004", "5e-324", "4.9e-324", "2.2250738585072014e-308", "1.7976931348623157e308", "1.7976931348623159e308", "1e-400", "1e400", "1e10000000000", "01", "1.", "-", "+1", ".5", "1e"}

func (d *documents) number() {
	switch d.below(6) {
	case 0, 1:
		d.out.WriteString(literals[d.below(len(literals))])
		return
	case 2:
		fmt.Fprintf(&d.out, "%d.%02d", d.below(256), d.below(100))
		return
	}
	if d.below(3) == 2 {
		d.out.WriteByte('-')
	}
	d.digits(1 + d.below(22))
	if d.below(2) == 1 {
		d.out.WriteByte('.')
		d.digits(1 + d.below(22))
	}
	if d.below(3) == 2 {
		d.out.WriteString([]string{"e", "E", "e+", "e-", "E-", "e0", "e-00"}[d.below(7)])
		d.out.WriteString(strconv.Itoa(d.below(256) * (1 + d.below(2))))
	}
}

// digits never begin with a zero, but for one alone.
func (d *documents) digits(n int) {
	for i := range n {
		c := d.below(12)
		if c >= 10 {
			c = 0
		}
		if c == 0 && i == 0 && n > 1 {
			c = 9
		}
		d.out.WriteByte('0' + byte(c))
	}
}

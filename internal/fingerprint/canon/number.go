package canon

import (
	"math"
	"strconv"
)

// maxNumber is how long a number may be in its canonical form: a sign, 21
// digits or 17 with "0.00000", or 17 digits with a point and an exponent.
const maxNumber = 32

// sureDigits is how many significant digits a double always gives back, as
// long as it is a normal one (DBL_DIG): no shorter digits can name it and the
// nearest double is theirs.
const sureDigits = 15

// mostWhole is 2^53, up to which a double holds every whole number, each with
// no shorter digits than its own.
const mostWhole = "9007199254740992"

// Bounds of the decimal point within which every double is a normal one.
const (
	leastSure = -300
	mostSure  = 300
)

// literal is a number taken apart: 0.digits x 10^point. Digits have no zero at
// either end, and are none for zero.
type literal struct {
	negative bool
	digits   []byte
	point    int64
}

// number writes the number at p.at as ECMAScript does (RFC 8785, 3.2.2.3).
func (p *pass) number() bool {
	src, start := p.src, p.at
	i := start
	if src[i] == '-' {
		i++
	}
	from := i
	for i < len(src) && src[i]-'0' < 10 {
		i++
	}
	size := i - from
	if size == 0 || size > 1 && src[from] == '0' {
		return false
	}
	plain := i == len(src) || src[i] != '.' && src[i]|0x20 != 'e'
	if plain && (size <= sureDigits || size == sureDigits+1 && string(src[from:i]) <= mostWhole) {
		p.at = i
		if src[from] == '0' {
			p.put('0') // also for -0
			return true
		}
		p.n += copy(p.out[p.n:], src[start:i])
		return true
	}
	if i < len(src) && src[i] == '.' && size < sureDigits && p.decimal(start, from, i) {
		return true
	}
	return p.other(start, i)
}

// decimal writes a number without exponent whose digits a double always gives
// back, and which is written plainly: its literal without the zeros at its
// end. It says whether this is one.
func (p *pass) decimal(start, from, point int) bool {
	src, end := p.src, point+1
	last := point // behind the last digit that is no zero
	for ; end < len(src) && src[end]-'0' < 10; end++ {
		if src[end] != '0' {
			last = end + 1
		}
	}
	if end == point+1 || end-from-1 > sureDigits || end < len(src) && src[end]|0x20 == 'e' {
		return false
	}
	if src[from] == '0' {
		if last == point {
			p.at = end
			p.put('0')
			return true
		}
		if leading(src[point+1:last]) > 5 {
			return false // it takes an exponent
		}
	}
	p.at = end
	p.n += copy(p.out[p.n:], src[start:last])
	return true
}

// other writes a number that has a fraction, an exponent or many digits; the
// digits before its point end at i.
func (p *pass) other(start, i int) bool {
	l, i, ok := p.takeApart(start, i)
	if !ok {
		return false
	}
	p.at = i
	p.room()
	if len(l.digits) == 0 {
		p.put('0')
		return true
	}
	if len(l.digits) > sureDigits || l.point <= leastSure || l.point >= mostSure {
		if !p.nearest(&l) {
			return false
		}
		if len(l.digits) == 0 {
			p.put('0')
			return true
		}
	}
	p.n = len(appendDigits(p.out[:p.n], l))
	return true
}

// room sees that the output can take a number and the rest of the text.
func (p *pass) room() {
	if need := len(p.src) - p.at + slack + maxNumber; len(p.out)-p.n < need {
		p.out = grown(p.out[:p.n], need)
	}
}

// takeApart reads the number at start by the grammar of RFC 8259, section 6.
func (p *pass) takeApart(start, i int) (l literal, end int, ok bool) {
	src := p.src
	from := start
	if src[from] == '-' {
		l.negative = true
		from++
	}
	whole := src[from:i]
	var fraction []byte
	if i < len(src) && src[i] == '.' {
		begun := i + 1
		for i++; i < len(src) && src[i]-'0' < 10; i++ {
		}
		if fraction = src[begun:i]; len(fraction) == 0 {
			return l, i, false
		}
	}
	exponent := int64(0)
	if i < len(src) && src[i]|0x20 == 'e' {
		if exponent, i, ok = readExponent(src, i+1); !ok {
			return l, i, false
		}
	}
	if whole[0] == '0' {
		whole = nil
	}
	l.point = int64(len(whole)) + exponent
	switch {
	case len(whole) == 0:
		zeros := leading(fraction)
		l.point -= int64(zeros)
		l.digits = withoutTrailing(fraction[zeros:])
	case len(withoutTrailing(fraction)) == 0:
		l.digits = withoutTrailing(whole)
	default:
		fraction = withoutTrailing(fraction)
		w := append(p.spare[:0], whole...)
		p.spare = append(w, fraction...)
		l.digits = p.spare
	}
	return l, i, true
}

// mostExponent is far beyond what a double, or the length of any text, undoes.
const mostExponent = 1 << 50

func readExponent(src []byte, i int) (exponent int64, end int, ok bool) {
	negative := false
	if i < len(src) && (src[i] == '+' || src[i] == '-') {
		negative = src[i] == '-'
		i++
	}
	begun := i
	for ; i < len(src) && src[i]-'0' < 10; i++ {
		if exponent = exponent*10 + int64(src[i]-'0'); exponent > mostExponent {
			exponent = mostExponent
		}
	}
	if negative {
		exponent = -exponent
	}
	return exponent, i, i > begun
}

func leading(digits []byte) int {
	n := 0
	for n < len(digits) && digits[n] == '0' {
		n++
	}
	return n
}

func withoutTrailing(digits []byte) []byte {
	n := len(digits)
	for n > 0 && digits[n-1] == '0' {
		n--
	}
	return digits[:n]
}

// appendDigits writes digits as ECMA-262, Number::toString: plain up to 21
// digits and down to 0.000001, else with an exponent.
func appendDigits(b []byte, l literal) []byte {
	if l.negative {
		b = append(b, '-')
	}
	k, n := len(l.digits), int(l.point)
	switch {
	case k <= n && n <= 21:
		b = append(b, l.digits...)
		for ; k < n; k++ {
			b = append(b, '0')
		}
		return b
	case 0 < n && n <= 21:
		b = append(b, l.digits[:n]...)
		b = append(b, '.')
		return append(b, l.digits[n:]...)
	case -6 < n && n <= 0:
		b = append(b, "0."...)
		for ; n < 0; n++ {
			b = append(b, '0')
		}
		return append(b, l.digits...)
	}
	b = append(b, l.digits[0])
	if k > 1 {
		b = append(b, '.')
		b = append(b, l.digits[1:]...)
	}
	b = append(b, 'e')
	if n > 0 {
		b = append(b, '+')
	}
	return strconv.AppendInt(b, int64(n-1), 10)
}

// AppendFloat appends a double as RFC 8785 writes it; ok is false where it is
// no finite number.
func AppendFloat(b []byte, f float64) (out []byte, ok bool) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return b, false
	case f == 0:
		return append(b, '0'), true
	}
	var room [32]byte
	l := fromFloat(room[:0], math.Abs(f))
	l.negative = f < 0
	return appendDigits(b, l), true
}

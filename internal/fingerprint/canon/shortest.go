package canon

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// tellingDigits is how many digits tell on which side of two doubles' middle a
// number is, with one more where others follow.
const tellingDigits = 800

// nearest replaces a literal by the shortest digits of the double nearest to
// it, and says whether there is one. Digits are empty where that is zero.
func (p *pass) nearest(l *literal) bool {
	switch {
	case l.point > 310:
		return false
	case l.point < -400:
		p.outcome = Lossy
		l.digits = nil
		return true
	}
	if l.shortest() {
		return true
	}
	// Digits and exponent as a float of their own: the literal's may be spelled
	// in ways that strconv bounds. Where two doubles part has 767 digits at most,
	// so of more it only counts that there are some.
	at := len(p.spare)
	text := append(p.spare, '.')
	if len(l.digits) <= tellingDigits {
		text = append(text, l.digits...)
	} else {
		text = append(append(text, l.digits[:tellingDigits]...), '1')
	}
	text = append(text, 'e')
	text = slices.Grow(strconv.AppendInt(text, l.point, 10), maxNumber)
	p.spare = text[:at]
	f, err := strconv.ParseFloat(string(text[at:]), 64)
	if err != nil || math.IsInf(f, 0) {
		return false
	}
	if f == 0 {
		p.outcome = Lossy
		l.digits = nil
		return true
	}
	shortest := fromFloat(text[len(text):], f)
	if shortest.point != l.point || string(shortest.digits) != string(l.digits) {
		p.outcome = Lossy
	}
	l.digits, l.point = shortest.digits, shortest.point
	return true
}

// fromFloat takes the shortest digits of a positive double apart, in room.
func fromFloat(room []byte, f float64) literal {
	text := strconv.AppendFloat(room, f, 'e', -1, 64) // d.ddde+xx
	e := len(text) - 1
	for text[e] != 'e' {
		e--
	}
	exponent, _, _ := readExponent(text, e+1)
	if e > 1 {
		copy(text[1:], text[2:e])
		e--
	}
	return literal{digits: withoutTrailing(text[:e]), point: exponent + 1}
}

// most17 is how many digits a double needs at most (DBL_DECIMAL_DIG).
const most17 = 17

// shortest proves, by one exact division, that the digits are the shortest of
// the double nearest to them. It does not say so of digits that are, where they
// lie on a border, or where the number is very large or small.
//
// Digits d at k places and a point make d / 10^q. Where m is the whole number
// nearest to d x 2^s / 10^q and has 53 bits, m / 2^s is the nearest double. In
// units of 1 / (2^s x 10^q) two doubles are 10^q apart, two numbers of k digits
// 2^s, and r is how far d is from the double. So d is the nearest of k digits
// where 2r < 2^s, and no number of fewer digits names the same double where
// those next to d are more than 10^q / 2 away from it.
func (l *literal) shortest() bool {
	q := len(l.digits) - int(l.point)
	if len(l.digits) > most17 || q < 1 || q >= len(powers) {
		return false
	}
	d := uint64(0)
	for _, c := range l.digits {
		d = d*10 + uint64(c-'0')
	}
	power := powers[q]
	s := 52 + bits.Len64(power) - bits.Len64(d)
	if s < 1 || s > 60 {
		return false
	}
	hi, lo := d>>(64-s), d<<s
	if hi >= power {
		return false
	}
	m, r := bits.Div64(hi, lo, power)
	if m < 1<<52 { // one bit short
		if s++; s > 60 {
			return false
		}
		m, r = m<<1, r<<1
		if r >= power {
			m, r = m+1, r-power
		}
	}
	above := r > power-r // the double lies above d
	if above {
		m, r = m+1, power-r
	}
	switch {
	case r >= power-r: // in the middle of two doubles
		return false
	case 2*r >= 1<<s: // another number of as many digits is as near
		return false
	case m>>53 != 0: // above it doubles are further apart
		return false
	}
	below, over := (d%10)<<s, (10-d%10)<<s
	if above {
		below, over = below+r, over-r
	} else {
		below, over = below-r, over+r
	}
	return below > power/2 && over > power/2
}

// powers of ten of which a word holds twice the largest.
var powers = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

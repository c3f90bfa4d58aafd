package canon_test

import (
	"math/big"
	"strings"
	"testing"
)

// middleOf gives all digits of the number in the middle of two doubles.
func middleOf(low, high float64) string {
	exact := func(f float64) *big.Float { return new(big.Float).SetPrec(2200).SetFloat64(f) }
	sum := new(big.Float).SetPrec(2200).Add(exact(low), exact(high))
	return withPoint(sum.Quo(sum, exact(2)).Text('e', 1200))
}

// withPoint drops the zeros at the end of the digits, so that one may follow.
func withPoint(text string) string {
	digits, exponent, _ := strings.Cut(text, "e")
	digits = strings.TrimRight(digits, "0")
	return strings.TrimSuffix(digits, ".") + "e" + exponent
}

// plus gives a number that is larger by far less than its last digit.
func plus(text string) string {
	digits, exponent, _ := strings.Cut(text, "e")
	if !strings.Contains(digits, ".") {
		digits += "."
	}
	return digits + strings.Repeat("0", 2000) + "1e" + exponent
}

func TestMiddleOf(t *testing.T) {
	if got := middleOf(9007199254740992, 9007199254740994); got != "9.007199254740993e+15" {
		t.Error(got)
	}
	if got := plus("9.5e+1"); !strings.HasPrefix(got, "9.50000") || !strings.HasSuffix(got, "0001e+1") {
		t.Error(got)
	}
}

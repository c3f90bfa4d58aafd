package fingerprint

import (
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// literals are numbers as JSON writes them, near the places where doubles,
// digits or exponents run out.
func literals() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?`),
		rapid.Map(rapid.Float64(), func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }),
		rapid.Map(rapid.Int64(), func(n int64) string { return strconv.FormatInt(n, 10) }),
		rapid.SampledFrom([]string{
			"0", "-0", "-0.0e-7", "9007199254740991", "9007199254740992", "9007199254740993", "1152921504606846976",
			"1152921504606847000", "4.9e-324", "5e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "1e-323",
			"1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "179769313486231580793e289",
			"123456789012345e-330", "0.1", "1e21", "1e-7", "0.000001", "100000000000000000000000",
		}),
	)
}

func exact(t *rapid.T, literal string) *big.Rat {
	r, ok := new(big.Rat).SetString(literal)
	if !ok {
		t.Fatalf("%s is no number", literal)
	}
	return r
}

// What the reader says of a number is what exact arithmetic says.
func TestNumbersAgainstExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		literal := literals().Draw(t, "literal")
		value := exact(t, literal)
		if got := exact(t, readDecimal(literal).String()); got.Cmp(value) != 0 {
			t.Fatalf("%s was read as %s", literal, readDecimal(literal))
		}
		f, err := strconv.ParseFloat(literal, 64)
		if in := inRange(literal); in != (err == nil) {
			t.Fatalf("%s: in range %v, strconv says %v", literal, in, err)
		}
		if err != nil {
			return
		}
		text, ok := canonicalNumber(literal)
		if back, _ := strconv.ParseFloat(text, 64); !ok || back != f {
			t.Fatalf("%s became %s", literal, text)
		}
		if equal := exact(t, text).Cmp(value) == 0; equal != lossless(literal) {
			t.Fatalf("%s became %s: equal %v, lossless %v", literal, text, equal, lossless(literal))
		}
	})
}

// Two literals have one exact value exactly where their decimals are equal.
func TestDecimalsAreUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := literals().Draw(t, "a")
		b := literals().Draw(t, "b")
		if rapid.Bool().Draw(t, "respell") {
			shift := rapid.IntRange(-30, 30).Draw(t, "shift")
			d := readDecimal(a)
			b = "0." + strings.Repeat("0", 30-shift) + d.digits + "0e" + strconv.FormatInt(d.exponent+30-int64(shift), 10)
			if d.negative {
				b = "-" + b
			}
		}
		if same := exact(t, a).Cmp(exact(t, b)) == 0; same != (readDecimal(a) == readDecimal(b)) {
			t.Fatalf("%s and %s: same value %v", a, b, same)
		}
	})
}

func TestNumberGrammar(t *testing.T) {
	for _, s := range []string{"0", "-0", "10", "0.5", "-1.50e+07", "1E0", "0e0"} {
		if end, ok := numberEnd(s); !ok || end != len(s) {
			t.Errorf("%s is refused", s)
		}
	}
	for s, rest := range map[string]string{"": "", "-": "", "+1": "+1", ".5": ".5", "1.": "", "1.e1": "e1", "1e": "", "1e+": "", "-a": "a"} {
		if end, ok := numberEnd(s); ok || s[end:] != rest {
			t.Errorf("%s is taken, or refused elsewhere: %d", s, end)
		}
	}
	if end, ok := numberEnd("012"); !ok || end != 1 {
		t.Errorf("012 ends at %d", end)
	}
}

func TestNumbersWord(t *testing.T) {
	for _, n := range []Numbers{Strict, IEEE754} {
		if back, ok := ParseNumbers(n.String()); !ok || back != n {
			t.Errorf("%s does not come back", n)
		}
	}
	if _, ok := ParseNumbers("Strict"); ok {
		t.Error("Strict is taken")
	}
}

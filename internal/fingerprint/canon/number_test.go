package canon

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// written gives the canonical form of a number, and what became of it.
func written(literal string) (string, Outcome) {
	out, outcome := (&Writer{}).Append(nil, []byte(literal))
	return string(out), outcome
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		literal, want string
		outcome       Outcome
	}{
		{"0", "0", Exact}, {"-0", "0", Exact}, {"-0.0", "0", Exact}, {"0e99999999999999999999", "0", Exact}, {"-0.00E-7", "0", Exact},
		{"1", "1", Exact}, {"-1", "-1", Exact}, {"10", "10", Exact}, {"1.0", "1", Exact}, {"1.10", "1.1", Exact}, {"123.40", "123.4", Exact},
		{"100.00", "100", Exact}, {"-12.5e1", "-125", Exact}, {"1e2", "100", Exact}, {"1E+2", "100", Exact}, {"1e-2", "0.01", Exact},
		{"120e-1", "12", Exact}, {"0.1e1", "1", Exact}, {"1e20", "100000000000000000000", Exact}, {"1e21", "1e+21", Exact}, {"12e20", "1.2e+21", Exact},
		{"1e-6", "0.000001", Exact}, {"0.000001", "0.000001", Exact}, {"0.0000001", "1e-7", Exact}, {"0.00000010", "1e-7", Exact}, {"1.5e-7", "1.5e-7", Exact},
		{"999999999999999", "999999999999999", Exact}, {"9007199254740991", "9007199254740991", Exact}, {"9007199254740992", "9007199254740992", Exact},
		{"9007199254740993", "9007199254740992", Lossy}, {"9007199254740994", "9007199254740994", Exact}, {"-9007199254740993", "-9007199254740992", Lossy},
		{"1152921504606846976", "1152921504606847000", Lossy}, {"123456789012345678901234567890", "1.2345678901234568e+29", Lossy},
		{"0.1234567890123456", "0.1234567890123456", Exact}, {"0.12345678901234567", "0.12345678901234566", Lossy}, {"0.12345678901234568", "0.12345678901234568", Exact},
		{"0.1000000000000000055511151231257827021181583404541015625", "0.1", Lossy}, {"0.30000000000000004", "0.30000000000000004", Exact}, {"0.10000000000000001", "0.1", Lossy},
		{"333333333.33333329", "333333333.3333333", Lossy}, {"333333333.3333333", "333333333.3333333", Exact},
		{"5e-324", "5e-324", Exact}, {"4.9e-324", "5e-324", Lossy}, {"2.2250738585072014e-308", "2.2250738585072014e-308", Exact}, {"2.225073858507201e-308", "2.225073858507201e-308", Exact},
		{"1.7976931348623157e308", "1.7976931348623157e+308", Exact}, {"1.7976931348623158e308", "1.7976931348623157e+308", Lossy}, {"1e-400", "0", Lossy}, {"-1e-400", "0", Lossy}, {"1e-99999999999999999999", "0", Lossy},
		{"1.7976931348623159e308", "", Refused}, {"1e309", "", Refused}, {"1e99999999999999999999", "", Refused}, {"-1e400", "", Refused},
		{"", "", Refused}, {"-", "", Refused}, {"+1", "", Refused}, {"01", "", Refused}, {"-01", "", Refused}, {"00", "", Refused}, {".5", "", Refused}, {"1.", "", Refused},
		{"1.e1", "", Refused}, {"1e", "", Refused}, {"1e+", "", Refused}, {"1.5.5", "", Refused}, {"1a", "", Refused}, {"0x10", "", Refused}, {"1_000", "", Refused}, {"--1", "", Refused}, {"1-1", "", Refused},
		{"Infinity", "", Refused}, {"NaN", "", Refused}, {"0123456789012345", "", Refused}, {"1e5e5", "", Refused},
	} {
		if got, outcome := written(c.literal); got != c.want || outcome != c.outcome {
			t.Errorf("%s: %s %d, want %s %d", c.literal, got, outcome, c.want, c.outcome)
		}
	}
}

// A number may be spelled with more digits than any parser would like.
func TestNumbersOfAMillionDigits(t *testing.T) {
	zeros, nines := strings.Repeat("0", 1_000_000), strings.Repeat("9", 1_000_000)
	for _, c := range []struct {
		literal, want string
		outcome       Outcome
	}{
		{"1" + zeros, "", Refused}, {nines, "", Refused}, {"0." + zeros, "0", Exact}, {"0." + zeros + "1", "0", Lossy}, {"1." + zeros, "1", Exact},
		{"1." + zeros + "1", "1", Lossy}, {"1." + nines, "2", Lossy}, {"1" + zeros + "e-1000000", "1", Exact}, {"0." + zeros + "12e1000001", "1.2", Exact},
		{"-25" + zeros + "e-1000001", "-2.5", Exact}, {nines + "e-1000000", "1", Lossy}, {"1e" + zeros + "5", "100000", Exact}, {"1e-" + zeros, "1", Exact},
		{"1e" + nines, "", Refused}, {"1e-" + nines, "0", Lossy},
		{"9007199254740993." + zeros, "9007199254740992", Lossy},       // between two doubles: to the even one
		{"9007199254740993." + zeros + "1", "9007199254740994", Lossy}, // a million digits later it is above
		{"9007199254740992." + nines, "9007199254740992", Lossy},       // and here below
		{"0." + zeros[:900] + "1e901", "1", Exact},                     // what strconv alone would misread
		{"17976931348623158" + zeros[:700] + "e-407", "", Refused},     // 1.7976931348623158e308, times ten
		{"17976931348623157" + zeros + "e-999708", "1.7976931348623157e+308", Exact},
	} {
		if got, outcome := written(c.literal); got != c.want || outcome != c.outcome {
			t.Errorf("%.20s... (%d bytes): %.40s %d, want %s %d", c.literal, len(c.literal), got, outcome, c.want, c.outcome)
		}
	}
}

// doubles are any, those that people write, and those at the borders of what
// is decided without strconv.
func doubles() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Map(rapid.Uint64(), math.Float64frombits),
		rapid.Custom(func(t *rapid.T) float64 {
			f := math.Ldexp(1+rapid.Float64Range(0, 1).Draw(t, "f"), rapid.IntRange(-20, 60).Draw(t, "exponent"))
			return math.Float64frombits(math.Float64bits(f) + uint64(rapid.IntRange(0, 3).Draw(t, "next")))
		}),
		rapid.Custom(func(t *rapid.T) float64 { // powers of two and their neighbours
			bits := math.Float64bits(math.Ldexp(1, rapid.IntRange(-1074, 1023).Draw(t, "exponent")))
			return math.Float64frombits(bits + uint64(rapid.IntRange(0, 2).Draw(t, "next")) - uint64(rapid.IntRange(0, 2).Draw(t, "before")))
		}),
		rapid.Custom(func(t *rapid.T) float64 {
			f, _ := strconv.ParseFloat(strconv.Itoa(rapid.IntRange(0, 1e17).Draw(t, "digits"))+"e"+strconv.Itoa(rapid.IntRange(-20, 2).Draw(t, "exponent")), 64)
			return f
		}),
	).Filter(func(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) })
}

// However many digits a double is given with, its canonical form is the same,
// and it is exact where the literal has the value of the shortest digits.
func TestEverySpellingOfADouble(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := doubles().Draw(t, "double")
		want, ok := AppendFloat(nil, f)
		if !ok {
			t.Fatal("refused")
		}
		for digits := 15; digits <= 22; digits++ {
			for _, format := range []byte{'e', 'f', 'g'} {
				literal := strconv.FormatFloat(f, format, digits, 64)
				g, err := strconv.ParseFloat(literal, 64)
				if err != nil {
					continue // rounded up, beyond the range
				}
				want, _ := AppendFloat(nil, g)
				got, outcome := written(literal)
				exact := digitsOf(literal) == digitsOf(strconv.FormatFloat(g, 'e', -1, 64))
				if got != string(want) || (outcome == Exact) != exact {
					t.Fatalf("%s: %s %d, want %s, exact %v", literal, got, outcome, want, exact)
				}
			}
		}
		if got, outcome := written(string(want)); got != string(want) || outcome != Exact {
			t.Fatalf("%s again: %s %d", want, got, outcome)
		}
	})
}

// digitsOf gives the exact value of a literal in one spelling.
func digitsOf(literal string) string {
	p := pass{Writer: &Writer{}, src: []byte(literal)}
	i := 0
	for i < len(literal) && (literal[i] == '-' || literal[i] >= '0' && literal[i] <= '9') {
		i++
	}
	l, _, ok := p.takeApart(0, i)
	if !ok || len(l.digits) == 0 {
		return "0"
	}
	return strconv.FormatBool(l.negative) + string(l.digits) + "e" + strconv.FormatInt(l.point, 10)
}

// The proof by division never says what strconv does not, and it is the usual
// way for 16 and 17 digits that are a double's own.
func TestShortestByDivision(t *testing.T) {
	n := 300_000
	if testing.Short() {
		n = 30_000
	}
	random := rand.New(rand.NewPCG(5, 6))
	proven, own := 0, 0
	for range n {
		f := math.Ldexp(1+random.Float64(), random.IntN(60)-8)
		if random.IntN(4) == 0 { // where the distance of doubles changes
			f = math.Float64frombits(math.Float64bits(math.Ldexp(1, random.IntN(60)-8)) + uint64(random.IntN(5)) - 2)
		}
		l := fromFloat(nil, f)
		digits, _ := strconv.ParseUint(string(l.digits), 10, 64)
		switch random.IntN(4) {
		case 0:
			digits += uint64(random.IntN(5)) - 2
		case 1:
			digits = digits*10 + uint64(random.IntN(10))
			l.point += int64(random.IntN(2))
		}
		l.digits = withoutTrailing(strconv.AppendUint(nil, digits, 10))
		text := "0." + string(l.digits) + "e" + strconv.FormatInt(l.point, 10)
		g, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		want := fromFloat(nil, g)
		same := string(want.digits) == string(l.digits) && want.point == l.point
		if same && len(l.digits) > sureDigits && len(l.digits) > int(l.point) {
			own++
		}
		if l.shortest() {
			proven++
			if !same {
				t.Fatalf("%s is not the shortest: 0.%se%d", text, want.digits, want.point)
			}
		}
	}
	t.Logf("%d proven, of %d that are a double's own", proven, own)
	if proven < own*9/10 || own < n/10 {
		t.Errorf("%d proven, of %d that are a double's own: the proof says little", proven, own)
	}
}

func TestAppendFloatRefuses(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if out, ok := AppendFloat([]byte("x"), f); ok || string(out) != "x" {
			t.Errorf("%g is written as %s", f, out)
		}
	}
}

package canon_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
)

// alphabet is one byte of each kind that JSON tells apart.
const alphabet = "{}[]:,\"\\/ \t\n\r019.-+eEtrufalsnbd'x\x00\x1f\x7f\x80\xbb\xbf\xc2\xe0\xed\xef\xf0\xf4\xff"

// judged is against, and encoding/json as a second oracle: what it refuses is
// no JSON, and what it takes is refused only for what it does not look at.
func judged(t *testing.T, w *canon.Writer, src []byte) canon.Outcome {
	t.Helper()
	against(t, w, src)
	out, outcome := w.Append(nil, src)
	valid := json.Valid(src)
	if outcome == canon.Refused && valid {
		var e *fingerprint.Error
		if err := fingerprint.Admit(src); !errors.As(err, &e) || !slices.Contains(beyondGrammar, e.Class) {
			t.Fatalf("%.300q: %v, and encoding/json takes it", src, err)
		}
		return outcome
	}
	if outcome != canon.Refused && (!valid || !json.Valid(out) || !utf8.Valid(out)) {
		t.Fatalf("%.300q: %.300q, and encoding/json refuses one of them", src, out)
	}
	if outcome != canon.Refused && !sameValues(src, out) {
		t.Fatalf("%.300q: encoding/json reads other values in %.300q", src, out)
	}
	return outcome
}

// beyondGrammar is what encoding/json takes all the same.
var beyondGrammar = []fingerprint.Class{fingerprint.DuplicateName, fingerprint.LoneSurrogate, fingerprint.InvalidUTF8,
	fingerprint.OutOfRange, fingerprint.TooDeep}

func sameValues(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	var s, u strings.Builder
	return json.NewEncoder(&s).Encode(x) == nil && json.NewEncoder(&u).Encode(y) == nil &&
		strings.ReplaceAll(s.String(), "-0", "0") == strings.ReplaceAll(u.String(), "-0", "0")
}

// TestEveryShortText: all texts of two bytes, and all of three of one byte of
// each kind, by themselves and where they stand inside others.
func TestEveryShortText(t *testing.T) {
	var w canon.Writer
	taken, texts := 0, 0
	try := func(parts ...string) {
		texts++
		if judged(t, &w, []byte(strings.Join(parts, ""))) != canon.Refused {
			taken++
		}
	}
	try("")
	for a := range 256 {
		try(string([]byte{byte(a)}))
		for b := range 256 {
			two := string([]byte{byte(a), byte(b)})
			try(two)
			try(`"`, two, `"`)
			try(`[1`, two, `]`)
		}
	}
	step := 1
	if testing.Short() {
		step = 7
	}
	for i := 0; i < len(alphabet); i += step {
		for j := range len(alphabet) {
			for k := range len(alphabet) {
				three := string([]byte{alphabet[i], alphabet[j], alphabet[k]})
				try(three)
				try(`["`, three, `"]`)
				try(`{"a":0`, three, `}`)
				try(`{"`, three, `":0,"a":1}`)
			}
		}
	}
	t.Logf("%d texts, %d taken", texts, taken)
	if taken < texts/20 || taken > texts/2 {
		t.Errorf("%d of %d texts are taken: they say little", taken, texts)
	}
}

// TestEveryCharacter: every escape, every second half of a pair, and every
// code point, whole, cut short and as a name between its neighbours.
func TestEveryCharacter(t *testing.T) {
	var w canon.Writer
	for u := range 0x10000 {
		judged(t, &w, fmt.Appendf(nil, `"\u%04x"`, u))
		judged(t, &w, fmt.Appendf(nil, `{"\uD83D\u%04X":0,"a":[]}`, u))
	}
	step := 1
	if testing.Short() {
		step = 97
	}
	var whole []byte
	for r := rune(0); r <= utf8.MaxRune; r += rune(step) {
		encoded := utf8.AppendRune(nil, r)
		if len(encoded) > 1 {
			if got, outcome := w.Append(nil, fmt.Appendf(nil, `"%s"`, encoded[:len(encoded)-1])); outcome != canon.Refused {
				t.Fatalf("a part of %U: %q", r, got)
			}
		}
		if r >= 0x20 && r != '"' && r != '\\' {
			whole = append(whole, encoded...)
		}
	}
	judged(t, &w, append(append([]byte{'"'}, whole...), '"'))
	// Names around the places where the orders of UTF-8 and of UTF-16 part.
	var names []byte
	for _, around := range []rune{0x20, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xEFFF, 0xF000, 0xFFFF, 0x10000, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFE} {
		for r := around + 20; r >= around-20; r-- {
			if r >= 0 && r <= utf8.MaxRune && !(r >= 0xD800 && r < 0xE000) && !bytes.Contains(names, canon.AppendString(nil, string(r)+"'")) {
				names = append(append(names, ','), canon.AppendString(nil, string(r)+"'")...)
				names = strconv.AppendInt(append(names, ':'), int64(r), 10)
			}
		}
	}
	names[0] = '{'
	if judged(t, &w, append(names, '}')) != canon.Exact {
		t.Errorf("%.200s is not taken", names)
	}
}

// TestChangedTexts: texts cut at every byte, without every byte, and with
// every byte changed to one of each kind.
func TestChangedTexts(t *testing.T) {
	var texts [][]byte
	for _, s := range seeds {
		texts = append(texts, []byte(s))
	}
	for _, input := range readCases(t) {
		if len(input) < 300 {
			texts = append(texts, input)
		}
	}
	var w canon.Writer
	for i, text := range texts {
		w.DeferFrom(thresholds[i%len(thresholds)])
		for at := range text {
			judged(t, &w, slices.Clip(slices.Clone(text[:at])))
			judged(t, &w, slices.Delete(slices.Clone(text), at, at+1))
			changed := slices.Clone(text)
			for k := range len(alphabet) {
				if testing.Short() && k%5 != at%5 {
					continue
				}
				changed[at] = alphabet[k]
				judged(t, &w, changed)
			}
			for bit := range 8 {
				changed[at] = text[at] ^ 1<<bit
				judged(t, &w, changed)
			}
		}
	}
}

// TestLongNumbers: numbers of a million digits, whose answers are known.
func TestLongNumbers(t *testing.T) {
	const n = 1_000_000
	zeros := strings.Repeat("0", n)
	nines := strings.Repeat("9", n)
	exponent := strconv.Itoa(n)
	var w canon.Writer
	for _, c := range []struct {
		what, text, want string
		outcome          canon.Outcome
	}{
		{"a one and zeros", "1" + zeros, "", canon.Refused},
		{"its sign turned", "-1" + zeros, "", canon.Refused},
		{"a one and zeros, made small again", "1" + zeros + "e-" + exponent, "1", canon.Exact},
		{"made as small as can be", "5" + zeros + "e-1000324", "5e-324", canon.Exact},
		{"made one smaller", "5" + zeros + "e-1000325", "0", canon.Lossy},
		{"zeros and a one", "0." + zeros + "1", "0", canon.Lossy},
		{"zeros and a one, made large again", "0." + zeros + "1e" + exponent, "0.1", canon.Exact},
		{"zeros and a one, made too large", "0." + zeros + "1e1000310", "", canon.Refused},
		{"only zeros", "0." + zeros, "0", canon.Exact},
		{"minus zeros", "-0." + zeros + "e" + exponent, "0", canon.Exact},
		{"zero to a great power", "0e" + nines, "0", canon.Exact},
		{"one to a great power", "1e" + nines, "", canon.Refused},
		{"one to a small power", "1e-" + nines, "0", canon.Lossy},
		{"a power that is written long", "25e+" + zeros + "1", "250", canon.Exact},
		{"zeros behind the point", "12." + zeros, "12", canon.Exact},
		{"nines", nines, "", canon.Refused},
		{"nines behind the point", "0." + nines, "1", canon.Lossy},
		{"a third", "0." + strings.Repeat("3", n), "0.3333333333333333", canon.Lossy},
		{"the middle of two doubles", "9007199254740993." + zeros, "9007199254740992", canon.Lossy},
		{"just above it", "9007199254740993." + zeros + "1", "9007199254740994", canon.Lossy},
		{"just below it", "9007199254740992." + nines, "9007199254740992", canon.Lossy},
		{"the next middle", "9007199254740995." + zeros, "9007199254740996", canon.Lossy},
		{"just below that", "9007199254740994." + nines, "9007199254740994", canon.Lossy},
		{"a leading zero", "0" + zeros, "", canon.Refused},
		{"no digit in the power", "1" + zeros + "e", "", canon.Refused},
		{"no digit behind the point", "1" + zeros + ".", "", canon.Refused},
	} {
		for _, around := range [][2]string{{"", ""}, {"[", "]"}, {`{"b":1,"a":`, "}"}} {
			text := []byte(around[0] + c.text + around[1])
			want := around[0] + c.want + around[1]
			if around[0] != "" && around[0][0] == '{' {
				want = `{"a":` + c.want + `,"b":1}`
			}
			got, outcome := w.Append(nil, text)
			if outcome != c.outcome || outcome != canon.Refused && string(got) != want {
				t.Errorf("%s: %d, %.60s; want %d, %.60s", c.what, outcome, got, c.outcome, want)
			}
			if around[0] == "" {
				against(t, &w, text)
			}
		}
	}
}

// TestMiddlesOfDoubles: numbers in the middle of two doubles, in all their
// digits, and as near to it as can be told, at every power of two.
func TestMiddlesOfDoubles(t *testing.T) {
	var w canon.Writer
	for e := -1074; e < 1023; e += 1 {
		if testing.Short() && e%17 != 0 {
			continue
		}
		f := math.Ldexp(1, e)
		for _, low := range []float64{f, math.Nextafter(f, 0), f * 1.5} {
			high := math.Nextafter(low, math.Inf(1))
			if low == 0 || math.IsInf(high, 1) {
				continue
			}
			middle := middleOf(low, high)
			even, _ := canon.AppendFloat(nil, low)
			if math.Float64bits(low)&1 == 1 {
				even, _ = canon.AppendFloat(nil, high)
			}
			above, _ := canon.AppendFloat(nil, high)
			for text, want := range map[string]string{middle: string(even), plus(middle): string(above)} {
				if got, outcome := w.Append(nil, []byte(text)); string(got) != want || outcome != canon.Lossy {
					t.Fatalf("%.60s...: %d, %s; want %s", text, outcome, got, want)
				}
			}
		}
	}
}

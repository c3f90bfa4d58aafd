package probe

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// Large neighbours are values that differ at their very end: texts beyond what
// a fingerprint of the first kilobytes sees, integers that are one to a float
// of 32 bits, or to one that prints six or fifteen digits. Their originals are
// not the contract's body, so that an API may refuse them: then nothing is
// shown and nothing said.
const (
	mostNeighbours = 6
	longLeaves     = 2 // how many texts are made long
	largeLeaves    = 2 // how many integers are made large
)

var (
	longTexts    = []int{4500, 600} // characters: what many APIs take, and more
	largeNumbers = [][2]string{{"16777216", "16777217"}, {"9007199254740990", "9007199254740991"}}
)

func neighbours(op *contract.Operation, leaves []leaf) []mutation {
	var texts, numbers []leaf
	for _, l := range leaves {
		switch {
		case freshAt(op, l.pointer) != nil:
		case l.value.Kind == fingerprint.KindString:
			texts = append(texts, l)
		case l.value.Kind == fingerprint.KindNumber && isInteger(l.value.Number):
			numbers = append(numbers, l)
		}
	}
	// A text that is long already is the likeliest that may be longer.
	slices.SortStableFunc(texts, func(a, b leaf) int { return cmp.Compare(len(b.value.Str), len(a.value.Str)) })
	var out []mutation
	for _, l := range texts[:min(len(texts), longLeaves)] {
		for _, size := range longTexts {
			out = append(out, nearby(l, "texts of "+strconv.Itoa(size)+" characters",
				fingerprint.String(longText(l.value.Str, size, 'a')), fingerprint.String(longText(l.value.Str, size, 'b'))))
		}
	}
	for _, l := range numbers[:min(len(numbers), largeLeaves)] {
		for _, pair := range largeNumbers {
			out = append(out, nearby(l, pair[0]+" and "+pair[1], number(pair[0]), number(pair[1])))
		}
	}
	return out[:min(len(out), mostNeighbours)]
}

func nearby(l leaf, what string, one, other *fingerprint.Value) mutation {
	return mutation{name: pointerName(l.pointer) + ", " + what + " that differ at their end",
		base: putting(l.pointer, one), change: putting(l.pointer, other)}
}

// longText begins as a text and ends in a letter.
func longText(s string, size int, last byte) string {
	const filling = " idem"
	if n := size - len(s); n > 0 {
		s += strings.Repeat(filling, n/len(filling)+1)[:n]
	}
	return s + string(last)
}

func isInteger(literal string) bool {
	_, err := strconv.ParseInt(literal, 10, 53)
	return err == nil
}

// nextDouble changes a fraction to the double next to it: to an API that keeps
// cents it is the same amount.
func nextDouble(op *contract.Operation, leaves []leaf) []mutation {
	return each(op, leaves, "the number next to it", func(v *fingerprint.Value) *fingerprint.Value {
		if v.Kind != fingerprint.KindNumber || isInteger(v.Number) {
			return nil
		}
		f, err := strconv.ParseFloat(v.Number, 64)
		if err != nil || f == math.Trunc(f) || math.Abs(f) < 1e-6 || math.Abs(f) > 1e15 {
			return nil
		}
		return number(strconv.FormatFloat(math.Nextafter(f, math.Inf(1)), 'f', -1, 64))
	})
}

// proseLeaves is how many texts are changed in no more than case and spaces.
const proseLeaves = 2

// proseChanges change a text of several words in the case of one letter, and in
// one space more: little, and another text. Codes such as EUR or an address are
// left alone: many right servers read them without regard to case.
func proseChanges(op *contract.Operation, leaves []leaf) []mutation {
	var prose []leaf
	for _, l := range leaves {
		if freshAt(op, l.pointer) == nil && l.value.Kind == fingerprint.KindString && strings.Contains(strings.TrimSpace(l.value.Str), " ") {
			prose = append(prose, l)
		}
	}
	prose = prose[:min(len(prose), proseLeaves)]
	cased := each(op, prose, "a text in another case", func(v *fingerprint.Value) *fingerprint.Value {
		i := strings.IndexFunc(v.Str, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
		if i < 0 {
			return nil
		}
		return fingerprint.String(v.Str[:i] + string(v.Str[i]^0x20) + v.Str[i+1:])
	})
	spaced := each(op, prose, "a text with one space more", func(v *fingerprint.Value) *fingerprint.Value {
		return fingerprint.String(strings.Replace(v.Str, " ", "  ", 1))
	})
	return append(cased, spaced...)
}

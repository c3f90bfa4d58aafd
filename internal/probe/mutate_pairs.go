package probe

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// What fingerprints that compute with values, or join them, take for the same.
// An API may well refuse such a body: then nothing is shown and nothing said.
const (
	mostFractions = 2 // numbers whose fraction alone is changed
	mostSigns     = 2
	mostBalanced  = 1 // pairs of numbers whose sum stays
	mostMoved     = 2 // pairs of values whose joined text stays
	mostUnlikely  = mostSigns + mostBalanced + mostMoved
)

// unlikelyChanges are those that few APIs accept.
func unlikelyChanges(op *contract.Operation, d *draft, leaves []leaf) []mutation {
	out := slices.Concat(signChanges(op, leaves), balancedChanges(op, d, leaves), movedChanges(op, d))
	for i := range out {
		out[i].unlikely = true
	}
	return out
}

// fractionChanges change the last decimal of numbers written with one or two:
// the whole part stays. More decimals than cents have are left alone, since
// right servers round them.
func fractionChanges(op *contract.Operation, leaves []leaf) []mutation {
	out := each(op, leaves, "a number with another last decimal", func(v *fingerprint.Value) *fingerprint.Value {
		_, decimals, fraction := strings.Cut(v.Number, ".")
		if v.Kind != fingerprint.KindNumber || !fraction || len(decimals) > 2 || strings.ContainsAny(decimals, "eE") || len(v.Number) > 15 {
			return nil
		}
		last := v.Number[len(v.Number)-1] + 1
		if last > '9' {
			last = '8'
		}
		return number(v.Number[:len(v.Number)-1] + string(last))
	})
	return out[:min(len(out), mostFractions)]
}

func signChanges(op *contract.Operation, leaves []leaf) []mutation {
	if op.Request.Body.Kind != contract.JSONBody {
		return nil
	}
	out := each(op, leaves, "a number of the other sign", func(v *fingerprint.Value) *fingerprint.Value {
		if _, ok := amount(v); !ok || strings.Trim(v.Number, "-0.") == "" {
			return nil
		}
		if rest, negative := strings.CutPrefix(v.Number, "-"); negative {
			return number(rest)
		}
		return number("-" + v.Number)
	})
	return out[:min(len(out), mostSigns)]
}

// balancedChanges change two numbers so that their sum stays: two of a kind
// change places, of two others one gives the other 1. Items of arrays are put in
// another order elsewhere.
func balancedChanges(op *contract.Operation, d *draft, leaves []leaf) []mutation {
	var numbers []leaf
	for _, l := range leaves {
		if _, ok := amount(l.value); ok && freshAt(op, l.pointer) == nil && d.member(l.pointer) {
			numbers = append(numbers, l)
		}
	}
	var swapped, given []mutation
	for i := range max(len(numbers)-1, 0) {
		one, other := numbers[i], numbers[i+1]
		a, _ := amount(one.value)
		b, _ := amount(other.value)
		switch {
		case a == b || one.pointer == other.pointer:
		case isInteger(one.value.Number) == isInteger(other.value.Number):
			swapped = append(swapped, both(one, other, "each other's value", other.value, one.value))
		case a >= 2:
			given = append(given, both(one, other, "1 given from one to the other", plus(one.value, -1), plus(other.value, 1)))
		case b >= 2:
			given = append(given, both(one, other, "1 given from one to the other", plus(one.value, 1), plus(other.value, -1)))
		}
	}
	out := append(swapped, given...)
	return out[:min(len(out), mostBalanced)]
}

// amount reads a number that is written in plain digits and that a double holds.
func amount(v *fingerprint.Value) (float64, bool) {
	if v.Kind != fingerprint.KindNumber || strings.ContainsAny(v.Number, "eE") || len(v.Number) > 15 {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.Number, 64)
	return f, err == nil
}

func plus(v *fingerprint.Value, n float64) *fingerprint.Value {
	f, _ := amount(v)
	return number(strconv.FormatFloat(math.Round((f+n)*1e6)/1e6, 'f', -1, 64))
}

func number(literal string) *fingerprint.Value {
	return &fingerprint.Value{Kind: fingerprint.KindNumber, Number: literal}
}

// both puts a value at each of two pointers.
func both(one, other leaf, how string, a, b *fingerprint.Value) mutation {
	return mutation{name: pointerName(one.pointer) + " and " + pointerName(other.pointer) + " with " + how, change: func(d *draft) {
		d.put(one.pointer, a)
		d.put(other.pointer, b)
	}}
}

// movedChanges move one character from a value to the one next to it, {a: "1",
// b: "11"} to {a: "11", b: "1"}: to a fingerprint that joins values with nothing
// between them it is the same. One pair is next to each other in the order of
// names, one as the body is written.
func movedChanges(op *contract.Operation, d *draft) []mutation {
	written := d.leaves()
	sorted := slices.Clone(written)
	slices.SortStableFunc(sorted, func(a, b leaf) int {
		return slices.Compare(strings.Split(a.pointer, "/"), strings.Split(b.pointer, "/"))
	})
	var out []mutation
	for _, order := range [][]leaf{sorted, written} {
		var pairs []movedPair
		for i := range max(len(order)-1, 0) {
			if m, rank, ok := moved(op, order[i], order[i+1]); ok && !slices.ContainsFunc(out, func(o mutation) bool { return o.name == m.name }) {
				pairs = append(pairs, movedPair{m, rank})
			}
		}
		if len(pairs) > 0 && len(out) < mostMoved {
			out = append(out, slices.MinFunc(pairs, func(a, b movedPair) int { return cmp.Compare(a.rank, b.rank) }).mutation)
		}
	}
	return out
}

type movedPair struct {
	mutation
	rank int // the lower, the likelier that an API accepts it
}

// moved moves the last character of a value to the front of the next, or the
// first of the next to its end.
func moved(op *contract.Operation, one, other leaf) (m mutation, rank int, ok bool) {
	for _, l := range []leaf{one, other} {
		_, digits := amount(l.value)
		if freshAt(op, l.pointer) != nil || !covered(op, l.pointer) || !digits && l.value.Kind != fingerprint.KindString {
			return m, 0, false
		}
		if digits {
			rank++
		}
		if text := scalarText(l.value); len(text) == 3 && isLetters(text) {
			rank += 2 // a code
		}
	}
	if one.pointer == other.pointer {
		return m, 0, false
	}
	a, b := scalarText(one.value), scalarText(other.value)
	_, last := utf8.DecodeLastRuneInString(a)
	_, first := utf8.DecodeRuneInString(b)
	for _, at := range []int{len(a) - last, len(a) + first} {
		if at == len(a) || at == 0 || at == len(a)+len(b) || strings.TrimSpace((a + b)[min(at, len(a)):max(at, len(a))]) == "" {
			continue
		}
		x, ok1 := alike(one.value, (a + b)[:at])
		y, ok2 := alike(other.value, (a + b)[at:])
		if ok1 && ok2 {
			return both(one, other, "one character moved", x, y), rank, true
		}
	}
	return m, 0, false
}

// alike reads a text as another value of the same kind.
func alike(v *fingerprint.Value, text string) (*fingerprint.Value, bool) {
	if v.Kind == fingerprint.KindString {
		return fingerprint.String(text), true
	}
	parsed, err := fingerprint.Parse([]byte(text))
	if err != nil {
		return nil, false
	}
	n, ok := amount(parsed)
	was, _ := amount(v)
	return parsed, ok && n != was
}

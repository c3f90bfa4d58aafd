package canon_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
)

// object writes an object of names, as they are given and spelled, each with
// its place as its value.
func object(names []string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%s":%d`, name, i)
	}
	b.WriteByte('}')
	return b.String()
}

// quoted gives a name as it stands in a canonical text, without its quotes.
func quoted(name string) string {
	b := canon.AppendString(nil, name)
	return string(b[1 : len(b)-1])
}

// byUnits compares names as the RFC has it: as arrays of UTF-16 code units.
func byUnits(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// wantOrdered sees names in the order of the RFC, however many they are, in
// whatever order they come, and from whatever size on they are put in order
// last.
func wantOrdered(t rapid.TB, names []string, shuffle func([]string)) {
	sorted := slices.Clone(names)
	slices.SortFunc(sorted, byUnits)
	if !slices.IsSortedFunc(sorted, canon.CompareNames) {
		t.Fatalf("%.300q are not in order by name alone", sorted)
	}
	for _, threshold := range thresholds {
		came := slices.Clone(names)
		shuffle(came)
		spelled := make([]string, len(came))
		place := map[string]int{}
		for i, name := range came {
			spelled[i], place[name] = quoted(name), i
		}
		var b strings.Builder
		for i, name := range sorted {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"%s":%d`, quoted(name), place[name])
		}
		want := "{" + b.String() + "}"
		var w canon.Writer
		w.DeferFrom(threshold)
		if got, outcome := w.Append(nil, []byte(object(spelled))); string(got) != want || outcome != canon.Exact {
			t.Fatalf("%d names (%d):\n got %.300s\nwant %.300s", len(came), threshold, got, want)
		}
		twice := append(spelled, spelled[len(spelled)/2])
		if got, outcome := w.Append(nil, []byte(object(twice))); outcome != canon.Refused || len(got) > 0 {
			t.Fatalf("%.300s: a name stands twice, and it is taken", object(twice))
		}
	}
}

// Names of every kind, near to each other.
func TestOrderOfNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.OneOf(rapid.SampledFrom(chars), rapid.StringMatching(`[a-c]{0,9}`), rapid.Just("the same beginning of many"))
		name := rapid.Map(rapid.SliceOfN(part, 0, 4), func(parts []string) string { return strings.Join(parts, "") })
		n := rapid.SampledFrom([]int{2, 3, 8, 15, 16, 17, 40, 127, 128, 129, 300}).Draw(t, "n")
		names := rapid.SliceOfNDistinct(name, n, n, rapid.ID).Draw(t, "names")
		wantOrdered(t, names, func(names []string) {
			rand.New(rand.NewPCG(uint64(n), 1)).Shuffle(n, func(i, j int) { names[i], names[j] = names[j], names[i] })
		})
	})
}

// Names chosen to sort badly: each kind is what some way of sorting is slow at
// or wrong with.
func TestNamesThatSortBadly(t *testing.T) {
	kinds := map[string]func(i int) string{
		"last byte": func(i int) string {
			return fmt.Sprint(i/26%9) + strings.Repeat("x", 8+i/26%9) + string(rune('a'+i%26)) + strings.Repeat("y", i/234)
		},
		"common prefix":   func(i int) string { return strings.Repeat("p", 100) + fmt.Sprintf("%05d", i*7919%100003) },
		"common suffix":   func(i int) string { return fmt.Sprintf("%d", i*7919%100003) + strings.Repeat("s", 100) },
		"each a prefix":   func(i int) string { return strings.Repeat("a", i) },
		"prefix by eight": func(i int) string { return strings.Repeat("abcdefgh", i) },
		"ends in zeros":   func(i int) string { return "a" + strings.Repeat("\x00", i) },
		"escapes alone":   func(i int) string { return fmt.Sprintf("%b", 1<<12|i) },
		"surrogates": func(i int) string {
			return strings.Repeat("n", i%9) + []string{"\ue000", "\U00010000", "\uffff", "\ud7ff", "\U0010ffff", "\uee00"}[i%6] + fmt.Sprint(i/6)
		},
		"backslashes": func(i int) string { return strings.Repeat(`\`, i%40) + `u00` + fmt.Sprint(i/40) + `"` },
	}
	bits := strings.NewReplacer("0", "\n", "1", "\x01")
	for kind, name := range kinds {
		t.Run(strings.ReplaceAll(kind, " ", "_"), func(t *testing.T) {
			for _, n := range []int{2, 9, 16, 17, 100, 129, 300} {
				names := make([]string, n)
				for i := range names {
					names[i] = name(i)
					if kind == "escapes alone" {
						names[i] = bits.Replace(names[i])
					}
				}
				for _, shuffle := range []func([]string){
					func([]string) {}, slices.Reverse[[]string],
					func(names []string) {
						rand.New(rand.NewPCG(7, 8)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
					},
					func(names []string) { names[0], names[len(names)-1] = names[len(names)-1], names[0] },
				} {
					wantOrdered(t, names, shuffle)
				}
			}
		})
	}
}

// However names are chosen, each of their bytes is looked at a few times.
func TestSortingIsLinear(t *testing.T) {
	for kind, name := range map[string]func(i, n int) string{
		"one parts from the others each time": func(i, n int) string {
			return strings.Repeat("a", 8*(n-i)) + "b" + strings.Repeat("c", 8*i)
		},
		"the first parts last": func(i, n int) string { return strings.Repeat("a", 8*i+8) + "b" + strings.Repeat("c", 8*(n-i)) },
		"each a prefix":        func(i, n int) string { return strings.Repeat("abcdefgh", n-i) },
		"a long beginning":     func(i, n int) string { return strings.Repeat("a", 8*n) + fmt.Sprintf("%08d", n-i) },
		"long, and one other": func(i, n int) string {
			if i == n-1 {
				return "A" + strings.Repeat("a", 8*n)
			}
			return strings.Repeat("a", 8*n) + fmt.Sprintf("%08d", n-i)
		},
	} {
		for _, n := range []int{20, 100, 400, 1000} {
			names, bytes := make([]string, n), 0
			for i := range names {
				names[i] = name(i, n)
				bytes += len(names[i])
			}
			if slices.IsSorted(names) {
				names[0], names[1] = names[1], names[0]
			}
			var w canon.Writer
			if _, outcome := w.Append(nil, []byte(object(names))); outcome != canon.Exact {
				t.Fatalf("%s: %d", kind, outcome)
			}
			if w.Looked() < n || w.Looked() > 20*bytes {
				t.Errorf("%s: %d names of %d bytes, and %d bytes are looked at", kind, n, bytes, w.Looked())
			}
		}
	}
}

// Objects inside one another that are all out of order: each byte is moved a
// few times, however deep.
func TestNestingIsLinear(t *testing.T) {
	for kind, level := range map[string][2]string{
		"small levels":           {`{"b":`, `,"a":1}`},
		"one small, one large":   {`{"b":{"d":"` + strings.Repeat("x", 1200) + `","c":`, `},"a":1}`},
		"large levels":           {`{"z":"` + strings.Repeat("x", 1100) + `","a":`, `}`},
		"deep last":              {`{"z":"` + strings.Repeat("x", 500) + `","y":`, `,"a":0}`},
		"with arrays":            {`{"z":[1,[`, `]],"a":{"d":1,"c":2}}`},
		"wide levels":            {object(row(40))[:len(object(row(40)))-1] + `,"A":`, `}`},
		"levels of a kilobyte":   {`{"z":"` + strings.Repeat("x", 990) + `","a":`, `}`},
		"siblings inside levels": {`{"b":[{"b":1,"a":2},{"d":1,"c":2}],"a":`, `}`},
	} {
		for _, depth := range []int{10, 100, 330} {
			text := strings.Repeat(level[0], depth) + "1" + strings.Repeat(level[1], depth)
			var w canon.Writer
			got, outcome := w.Append(nil, []byte(text))
			if outcome != canon.Exact {
				t.Fatalf("%s: %d", kind, outcome)
			}
			if w.Moved() == 0 || w.Moved() > 60*len(text) {
				t.Errorf("%s, %d deep: %d bytes, and %d are moved", kind, depth, len(text), w.Moved())
			}
			if w.Moved() > 3*len(text) && len(level[0])+len(level[1]) > 1000 {
				t.Errorf("%s, %d deep: %d bytes, and %d are moved", kind, depth, len(text), w.Moved())
			}
			if again, _ := w.Append(nil, got); string(again) != string(got) || w.Moved() != 0 {
				t.Errorf("%s: what was written is not in order", kind)
			}
		}
	}
}

// row gives names in no order.
func row(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("n%03d", i*77%997)
	}
	return names
}

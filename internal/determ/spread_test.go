package determ

import (
	"flag"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"
)

// spreadOver is how many IDs the spread is looked at over. What is asked of the
// IDs follows from their number; ten million take about a minute.
var spreadOver = flag.Int("spread", 100_000, "how many IDs of each kind the tests of their spread derive")

// neighbours are identities that are as much alike as those of one shop.
var neighbours = []struct {
	what, identity string
	payload        func(b []byte, i int) []byte
}{
	{"order numbers", `identity: {order: {pointer: /order, type: integer}}`,
		func(b []byte, i int) []byte { return fmt.Appendf(b, `{"order":%d}`, i+1) }},
	{"carts with versions", `identity: {cart: /cart/id, cart_version: {pointer: /cart/version, type: integer}}`,
		func(b []byte, i int) []byte {
			return fmt.Appendf(b, `{"cart":{"id":"c_%06d","version":%d}}`, i/50, i%50+1)
		}},
	{"numbers as text", `identity: {n: {pointer: /n, type: string}}`,
		func(b []byte, i int) []byte { return fmt.Appendf(b, `{"n":"%09d"}`, i) }},
}

// laidOut is how an encoding is laid out: one alphabet for each character, in
// which every one of the alphabet is as likely. It is written from determ-v1,
// Steps, and from RFC 9562 section 5.8, and not taken from the code.
func laidOut(e Encoding) []string {
	const crockford, digits = "0123456789abcdefghjkmnpqrstvwxyz", "0123456789abcdef"
	const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	var layout string // a letter for each kind of place, the others as they are
	kinds := map[byte]string{'c': crockford, 'h': digits, 'b': base64, 'v': "89ab", 'l': "AEIMQUYcgkosw048"}
	switch e {
	case ID:
		layout = "p_1_" + strings.Repeat("c", 32)
	case Short:
		layout = strings.Repeat("c", 32)
	case UUID:
		layout = "hhhhhhhh-hhhh-8hhh-vhhh-hhhhhhhhhhhh"
	case UUID4:
		layout = "hhhhhhhh-hhhh-4hhh-vhhh-hhhhhhhhhhhh"
	case Hex:
		layout = strings.Repeat("h", 64)
	case Base64URL:
		layout = strings.Repeat("b", 42) + "l" // four bits are left for the last
	}
	out := make([]string, len(layout))
	for i := range out {
		if out[i] = kinds[layout[i]]; out[i] == "" {
			out[i] = layout[i : i+1]
		}
	}
	return out
}

// tally counts the characters of IDs at every place, and those of two places
// side by side, by where they stand in the place's alphabet.
type tally struct {
	of     Encoding
	places []string
	index  [][256]uint8 // one more than that; 0 of another character
	at     [][]int
	pairs  [][]int // with the place before
	n      int
	wrong  string // an ID that is not laid out as it should be
}

func newTally(e Encoding) *tally {
	t := &tally{of: e, places: laidOut(e)}
	t.index = make([][256]uint8, len(t.places))
	before := ""
	for i, alphabet := range t.places {
		for k, c := range []byte(alphabet) {
			t.index[i][c] = uint8(k + 1)
		}
		t.at = append(t.at, make([]int, len(alphabet)))
		t.pairs = append(t.pairs, make([]int, len(before)*len(alphabet)))
		before = alphabet
	}
	return t
}

func (t *tally) add(id []byte) {
	if len(id) != len(t.places) {
		t.wrong = string(id)
		return
	}
	t.n++
	before := 0
	for i, c := range id {
		k := int(t.index[i][c]) - 1
		if k < 0 {
			t.wrong = string(id)
			return
		}
		t.at[i][k]++
		if i > 0 {
			t.pairs[i][before*len(t.at[i])+k]++
		}
		before = k
	}
}

// uneven says where the characters are not spread as chance would have them.
func (t *tally) uneven() []string {
	if t.wrong != "" {
		return []string{fmt.Sprintf("%s: %q is not laid out so", t.of, t.wrong)}
	}
	var out []string
	judge := func(where string, counts []int) {
		// A thousand places are looked at. Few IDs say nothing of many characters.
		if len(counts) < 2 || t.n < 20*len(counts) {
			return
		}
		x := chiSquare(counts, t.n)
		if below, above := chiSquareTails(len(counts)-1, x); min(below, above) < chancy/1000 {
			out = append(out, fmt.Sprintf("%s, %s: chi-square %.1f of %d degrees of freedom; chance goes that low with %.2g, that high with %.2g",
				t.of, where, x, len(counts)-1, below, above))
		}
	}
	for i := range t.places {
		judge(fmt.Sprintf("place %d", i), t.at[i])
		if i > 0 {
			judge(fmt.Sprintf("places %d and %d", i-1, i), t.pairs[i])
		}
	}
	return out
}

// collisions counts the pairs of equal values. It sorts them.
func collisions(values []uint64) int {
	slices.Sort(values)
	pairs, run := 0, 0
	for i := 1; i < len(values); i++ {
		if run++; values[i] != values[i-1] {
			run = 0
		}
		pairs += run
	}
	return pairs
}

// crowded says where values cut to some bits collide more often, or more
// seldom, than chance has it: n(n-1)/2 pairs, each with a probability of
// 2^-bits.
func crowded(what string, values []uint64, cut int) (string, float64, int) {
	n := float64(len(values))
	expected := n * (n - 1) / 2 / float64(uint64(1)<<cut)
	fewest, most := poissonBounds(expected, chancy)
	got := collisions(values)
	if got >= fewest && got <= most {
		return "", expected, got
	}
	return fmt.Sprintf("%s: %d collisions in %d bits, want %d to %d", what, got, cut, fewest, most), expected, got
}

// cutFor is how many bits are left so that 32 to 64 collisions are expected
// among n: 40 among ten million.
func cutFor(n int) int { return bits.Len64(uint64(n)*uint64(n)/2) - 6 }

// leading reads the first bits that an ID's 32 characters at its end stand for.
func leading(characters []byte, cut int) uint64 {
	const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
	v := uint64(0)
	for _, c := range characters[:12] {
		v = v<<5 | uint64(strings.IndexByte(alphabet, c))
	}
	return v >> (60 - cut)
}

// TestSpread: IDs of neighbouring identities are as if drawn by chance, in
// whatever encoding, from whichever end they are looked at.
func TestSpread(t *testing.T) {
	if cutFor(10_000_000) != 40 {
		t.Fatal(cutFor(10_000_000))
	}
	// Every character of every encoding is counted, which takes long under the
	// race detector: of few IDs those of a part say enough.
	n := *spreadOver
	tallied := n
	if n < 1_000_000 {
		tallied = min(n, 21_000)
	}
	for _, kind := range neighbours {
		t.Run(strings.ReplaceAll(kind.what, " ", "-"), func(t *testing.T) {
			d, err := shortRecipe(t, kind.identity+", encode: id").Deriver(nil, TestSecret("k1"))
			if err != nil {
				t.Fatal(err)
			}
			var tallies []*tally
			for _, e := range []Encoding{ID, Short, UUID, UUID4, Hex, Base64URL} {
				tallies = append(tallies, newTally(e))
			}
			first, last := make([]uint64, n), make([]uint64, n)
			var payload, id []byte
			for i := range n {
				payload = kind.payload(payload[:0], i)
				if id, err = d.Append(id[:0], payload); err != nil {
					t.Fatal(err)
				}
				text := id[len(id)-32:]
				first[i], last[i] = leading(text, cutFor(n)), leading(text[20:], 60)&(1<<cutFor(n)-1)
				if i >= tallied {
					continue
				}
				tallies[0].add(id)
				for _, y := range tallies[1:] {
					id = y.of.append(id[:0], "", 0, [32]byte(d.tag))
					y.add(id)
				}
			}
			for _, y := range tallies {
				for _, bad := range y.uneven() {
					t.Error(bad)
				}
			}
			for what, values := range map[string][]uint64{"the first bits": first, "the last bits": last} {
				bad, expected, got := crowded(what, values, cutFor(n))
				if t.Logf("%s of %d IDs: %d collisions in %d bits, %.2f expected", what, n, got, cutFor(n), expected); bad != "" {
					t.Error(bad)
				}
			}
		})
	}
}

// TestSpreadIsSeen: what is spread badly is noticed, however little of it.
func TestSpreadIsSeen(t *testing.T) {
	const n = 21_000
	fair := func(i int) [32]byte { return Subkey{func() [32]byte { return [32]byte{1} }}.Tag(fmt.Append(nil, i)) }
	for _, c := range []struct {
		what string
		bend func(i int, tag *[32]byte)
		good bool
	}{
		{"nothing", func(int, *[32]byte) {}, true},
		{"a bit that is always set", func(_ int, tag *[32]byte) { tag[3] |= 4 }, false},
		{"a bit that is set in 55 of 100", func(i int, tag *[32]byte) {
			if i%10 == 0 {
				tag[11] |= 1
			}
		}, false},
		{"bits that follow their neighbours", func(_ int, tag *[32]byte) { tag[9] = tag[9]&0xFE | tag[10]>>7 }, false},
		{"a counter", func(i int, tag *[32]byte) { tag[0], tag[1] = byte(i>>8), byte(i) }, false},
	} {
		crowd := make([]uint64, n)
		y := newTally(Short)
		for i := range n {
			tag := fair(i)
			c.bend(i, &tag)
			id := y.of.append(nil, "", 0, tag)
			y.add(id)
			crowd[i] = leading(id, cutFor(n))
		}
		bad, _, _ := crowded(c.what, crowd, cutFor(n))
		if good := len(y.uneven()) == 0 && bad == ""; good != c.good {
			t.Errorf("%s: taken for chance: %v", c.what, good)
		}
	}
	for what, values := range map[string]func(i int) uint64{
		"values that never meet": func(i int) uint64 { return uint64(i) },
		"values of fewer bits":   func(i int) uint64 { t := fair(i); return leading(appendCrockford32(nil, t[:20]), cutFor(n)-2) },
	} {
		crowd := make([]uint64, n)
		for i := range crowd {
			crowd[i] = values(i)
		}
		if bad, _, _ := crowded(what, crowd, cutFor(n)); bad == "" {
			t.Errorf("%s: taken for chance", what)
		}
	}
	if got := collisions([]uint64{7, 1, 7, 2, 7, 1}); got != 4 {
		t.Errorf("three and two alike make %d pairs", got)
	}
	y := newTally(UUID)
	y.add([]byte("00000000-0000-4000-8000-000000000000"))
	if y.uneven() == nil {
		t.Error("a UUID of version 4 passes for one of version 8")
	}
}

package fingerprint

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
)

// maxAlignCells bounds what one Diff spends on finding which items of two
// lists belong together; beyond it they are compared position by position.
const maxAlignCells = 4_000_000

// array finds what was taken out, put in, changed or moved.
func (d *differ) array(a, b *Value) {
	keysA, keysB := d.keysOf(a), d.keysOf(b)
	if len(keysA) == len(keysB) && !slices.Equal(keysA, keysB) && sameItems(keysA, keysB) {
		d.tell(Difference{Change: Reordered, Matters: true,
			Note: fmt.Sprintf("the same %d items in another order; the order of a list counts", len(keysA))}, a, b)
		return
	}
	d.a, d.b = append(d.a, step{}), append(d.b, step{})
	i, j := 0, 0
	for _, pair := range append(d.common(keysA, keysB), [2]int{len(keysA), len(keysB)}) {
		d.between(a.Items, b.Items, i, pair[0], j, pair[1])
		i, j = pair[0]+1, pair[1]+1
		if pair[0] < len(keysA) {
			d.items(a.Items, b.Items, pair[0], pair[1])
		}
	}
	d.a, d.b = d.a[:len(d.a)-1], d.b[:len(d.b)-1]
}

// between handles the items that stand between two that are equal.
func (d *differ) between(a, b []*Value, i, endA, j, endB int) {
	end := [2]int{endA - i, endB - j}
	for _, pair := range append(d.similar(a[i:endA], b[j:endB]), end) {
		for ; i < endA-end[0]+pair[0]; i++ {
			d.a[len(d.a)-1].index = i
			d.tell(Difference{Change: Removed, Matters: true}, a[i], nil)
		}
		for ; j < endB-end[1]+pair[1]; j++ {
			d.b[len(d.b)-1].index = j
			d.tell(Difference{Change: Added, Matters: true}, nil, b[j])
		}
		if i < endA && j < endB {
			d.items(a, b, i, j)
			i, j = i+1, j+1
		}
	}
}

func (d *differ) items(a, b []*Value, i, j int) {
	d.a[len(d.a)-1].index, d.b[len(d.b)-1].index = i, j
	d.value(a[i], b[j])
}

// common gives positions of equal items, rising in both lists: equal heads and
// tails first, then the longest common subsequence of what is between.
func (d *differ) common(a, b []valueKey) [][2]int {
	var pairs, tail [][2]int
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		pairs = append(pairs, [2]int{head, head})
		head++
	}
	endA, endB := len(a), len(b)
	for endA > head && endB > head && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
		tail = append(tail, [2]int{endA, endB})
	}
	slices.Reverse(tail)
	rows, columns := endA-head, endB-head
	if rows > 0 && columns > 0 && rows <= d.cells/columns {
		d.cells -= rows * columns
		for _, p := range longestCommon(a[head:endA], b[head:endB]) {
			pairs = append(pairs, [2]int{head + p[0], head + p[1]})
		}
	}
	return append(pairs, tail...)
}

// longestCommon is the textbook table, filled from the end.
func longestCommon(a, b []valueKey) [][2]int {
	width := len(b) + 1
	length := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// similar pairs items that are not equal but most likely one item that was
// changed: the pairing, rising in both lists, with the most in common. Long
// runs are paired by position.
func (d *differ) similar(a, b []*Value) [][2]int {
	var pairs [][2]int
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	if len(a) > maxSimilar || len(b) > maxSimilar || d.cells < 0 {
		for i := range min(len(a), len(b)) {
			pairs = append(pairs, [2]int{i, i})
		}
		return pairs
	}
	score := make([][]int, len(a)+1)
	best := make([][]int, len(a)+1)
	best[len(a)] = make([]int, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		score[i], best[i] = make([]int, len(b)), make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			score[i][j] = d.inCommon(a[i], b[j])
			best[i][j] = max(score[i][j]+best[i+1][j+1], best[i+1][j], best[i][j+1])
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch best[i][j] {
		case score[i][j] + best[i+1][j+1]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case best[i+1][j]:
			i++
		default:
			j++
		}
	}
	return pairs
}

const maxSimilar = 60

// inCommon weighs how likely it is that one value became the other: the type
// first, then the members and items that stayed.
func (d *differ) inCommon(a, b *Value) int {
	if a.Kind != b.Kind {
		return 1
	}
	common := 4
	for _, m := range a.Members {
		if len(a.Members) > maxSimilar || len(b.Members) > maxSimilar {
			break
		}
		d.cells -= len(b.Members)
		if other := b.Member(m.Name); other != nil {
			if common++; d.key(m.Value) == d.key(other) {
				common += 4
			}
		}
	}
	for i := range min(len(a.Items), len(b.Items), maxSimilar) {
		d.cells--
		if d.key(a.Items[i]) == d.key(b.Items[i]) {
			common += 4
		}
	}
	return common
}

func sameItems(a, b []valueKey) bool {
	count := make(map[valueKey]int, len(a))
	for _, k := range a {
		count[k]++
	}
	for _, k := range b {
		if count[k]--; count[k] < 0 {
			return false
		}
	}
	return true
}

// A valueKey is equal for two values exactly where no difference between them
// matters.
type valueKey [16]byte

func (d *differ) keysOf(list *Value) []valueKey {
	keys := make([]valueKey, len(list.Items))
	for i, item := range list.Items {
		keys[i] = d.key(item)
	}
	return keys
}

// key hashes a value; those of lists and objects stand on those of their items.
func (d *differ) key(v *Value) valueKey {
	if k, known := d.keys[v]; known {
		return k
	}
	text := []byte{byte(v.Kind)}
	switch v.Kind {
	case KindBool:
		text = fmt.Append(text, v.Bool)
	case KindNumber:
		if d.o.Numbers == Strict {
			text = append(text, readDecimal(v.Number).String()...)
		} else {
			canonical, _ := canonicalNumber(v.Number)
			text = append(text, canonical...)
		}
	case KindString:
		text = append(text, v.Str...)
	case KindArray:
		for _, item := range v.Items {
			k := d.key(item)
			text = append(text, k[:]...)
		}
	case KindObject:
		members := slices.Clone(v.Members)
		slices.SortFunc(members, func(a, b Member) int { return canon.CompareNames(a.Name, b.Name) })
		for _, m := range members {
			k := d.key(m.Value)
			text = binary.AppendUvarint(text, uint64(len(m.Name)))
			text = append(append(text, m.Name...), k[:]...)
		}
	}
	sum := sha256.Sum256(text)
	k := valueKey(sum[:16])
	d.keys[v] = k
	return k
}

package probe

import (
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// mutation is one change to a request that makes it another operation.
type mutation struct {
	name     string // "/amount changed", "/items in another order"
	advisory bool   // told, never judged
	unlikely bool   // few APIs accept it: a refusal is no lack

	fresh  *contract.Fresh    // another fresh value is put there
	header string             // this field is changed
	change func(*draft)       // the body is
	base   func(*draft)       // what the original's body is before it; nil: the contract's
	leaf   *fingerprint.Value // where one value is changed, that value
}

// Bounds of what one contract's body can cost. Every value is changed on its
// own up to a number; the values beyond it are changed in groups.
const (
	mostAlone    = 40
	mostGroups   = 8
	mostArrays   = 4
	mostOfAKind  = 3  // advisory changes of one kind
	mostStrict   = 36 // changes of type where they are judged
	mostHeaders  = 4
	mostOfChange = mostAlone + mostGroups + 2*mostArrays + mostStrict + mostHeaders + 2*proseLeaves + mostNeighbours + mostFractions + mostUnlikely
)

// mutations gives the changes that are tried on an operation's request. The
// key, where it travels in the body, and what the fingerprint ignores are left
// alone. Seed chooses which values are changed on their own where there are
// many (contract-v1, Dry run and live run: it fixes the mutations).
func mutations(op *contract.Operation, seed uint64) ([]mutation, error) {
	d, err := newDraft(op.Request.Body)
	if err != nil {
		return nil, err
	}
	leaves := coveredIn(op, d)
	out := valueChanges(op, leaves, seed)
	out = append(out, headerChanges(op)...)
	if len(leaves) == 0 {
		return out, nil
	}
	out = append(out, arrayChanges(op, d)...)
	out = append(out, proseChanges(op, leaves)...)
	out = append(out, fractionChanges(op, leaves)...)
	out = append(out, typeChanges(op, d, leaves)...)
	out = append(out, neighbours(op, leaves)...)
	return append(out, unlikelyChanges(op, d, leaves)...), nil
}

// coveredIn gives the values of a body that a conflict may be made of.
func coveredIn(op *contract.Operation, d *draft) []leaf {
	var out []leaf
	for _, l := range d.leaves() {
		if covered(op, l.pointer) {
			out = append(out, l)
		}
	}
	return out
}

// valueChanges changes every value on its own, or many of them and the rest in
// groups of neighbours. Fresh values are always on their own: their effects
// are counted apart.
func valueChanges(op *contract.Operation, leaves []leaf, seed uint64) []mutation {
	var out []mutation
	var plain []leaf
	alone := map[string]bool{}
	for _, l := range leaves {
		if freshAt(op, l.pointer) != nil {
			alone[l.pointer] = true
		} else {
			plain = append(plain, l)
		}
	}
	if left := max(mostAlone-len(alone), 1); left < len(plain) {
		for i := range left {
			at := (int(seed%uint64(len(plain))) + i*len(plain)/left) % len(plain)
			alone[plain[at].pointer] = true
		}
	} else {
		for _, l := range plain {
			alone[l.pointer] = true
		}
	}
	var rest []leaf
	for _, l := range leaves {
		if alone[l.pointer] {
			out = append(out, valueChange(op, l))
		} else {
			rest = append(rest, l)
		}
	}
	return append(out, groupChanges(rest)...)
}

func valueChange(op *contract.Operation, l leaf) mutation {
	m := mutation{name: pointerName(l.pointer) + changedSuffix, leaf: l.value, fresh: freshAt(op, l.pointer)}
	if m.fresh == nil {
		m.change = putting(l.pointer, otherValue(l.value))
	}
	return m
}

// changedSuffix ends the name of a change of one value, after its pointer.
const changedSuffix = " changed"

// groupChanges changes values together that stand near each other.
func groupChanges(rest []leaf) []mutation {
	var out []mutation
	size := (len(rest) + mostGroups - 1) / mostGroups
	for ; len(rest) > 0; rest = rest[min(size, len(rest)):] {
		group := rest[:min(size, len(rest))]
		name := group[0].pointer
		if n := len(group); n > 1 {
			name += " to " + group[n-1].pointer + " (" + strconv.Itoa(n) + groupSuffix
		}
		out = append(out, mutation{name: name + changedSuffix, change: func(d *draft) {
			for _, l := range group {
				d.put(l.pointer, otherValue(l.value))
			}
		}})
	}
	return out
}

// groupSuffix ends the name of a group, after how many values it has.
const groupSuffix = " values)"

// isGroup says that a change is one of several values.
func isGroup(change string) bool { return strings.HasSuffix(change, groupSuffix+changedSuffix) }

// headerChanges changes the header fields that the request fingerprint is
// declared to cover.
func headerChanges(op *contract.Operation) []mutation {
	var out []mutation
	for _, name := range op.Fingerprint.Headers[:min(len(op.Fingerprint.Headers), mostHeaders)] {
		out = append(out, mutation{name: "header " + name + changedSuffix, header: name})
	}
	return out
}

// putting replaces the value at a pointer.
func putting(pointer string, v *fingerprint.Value) func(*draft) {
	return func(d *draft) { d.put(pointer, v) }
}

// apply makes an operation the changed one. A fresh pointer gets another fresh
// value, of the slot.
func (b *builder) apply(m *made, change mutation, slot string) {
	b.prepare(m, change)
	switch {
	case change.fresh != nil:
		b.refresh(m, *change.fresh, slot)
	case change.header != "":
		m.form.headers = otherHeader(m.form.headers, change.header)
	default:
		change.change(m.draft)
	}
}

// prepare makes an operation the original that a change is made to.
func (b *builder) prepare(m *made, change mutation) {
	if change.base != nil {
		change.base(m.draft)
	}
}

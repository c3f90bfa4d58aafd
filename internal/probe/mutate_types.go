package probe

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// typeChanges change what a value is and leave what it looks like: "types:
// strict judges 1, "1", null, absent, """ (contract-v1, The file). Where types
// are advisory, a few of each kind are tried and told of.
func typeChanges(op *contract.Operation, d *draft, leaves []leaf) []mutation {
	kinds := [][]mutation{asText(op, leaves), asNumber(op, leaves), asNull(op, leaves), asEmpty(op, leaves), asAbsent(op, d, leaves)}
	if op.Promise.Conflict.Value.Types == "strict" {
		return inTurn(append(kinds, asOther(op, leaves)), mostStrict)
	}
	kinds = append(kinds, added(d), repeated(op, d), nextDouble(op, leaves))
	for i := range kinds {
		kinds[i] = kinds[i][:min(len(kinds[i]), mostOfAKind)]
	}
	out := slices.Concat(kinds...)
	for i := range out {
		out[i].advisory = true
	}
	return out
}

// advisoryKinds is how many kinds there are where types are advisory.
const advisoryKinds = 8

// inTurn takes of each kind in turn, so that a bound cuts none off.
func inTurn(kinds [][]mutation, most int) []mutation {
	var out []mutation
	for i, more := 0, true; more && len(out) < most; i++ {
		more = false
		for _, kind := range kinds {
			if i < len(kind) && len(out) < most {
				out, more = append(out, kind[i]), true
			}
		}
	}
	return out
}

// each makes a change of every plain value for which other gives one.
func each(op *contract.Operation, leaves []leaf, as string, other func(v *fingerprint.Value) *fingerprint.Value) []mutation {
	var out []mutation
	for _, l := range leaves {
		if freshAt(op, l.pointer) != nil {
			continue
		}
		if v := other(l.value); v != nil {
			out = append(out, mutation{name: pointerName(l.pointer) + " as " + as, change: putting(l.pointer, v)})
		}
	}
	return out
}

// asText makes "1" of 1 and "true" of true. A form has nothing but texts.
func asText(op *contract.Operation, leaves []leaf) []mutation {
	return each(op, leaves, "a text", func(v *fingerprint.Value) *fingerprint.Value {
		switch v.Kind {
		case fingerprint.KindNumber:
			return fingerprint.String(v.Number)
		case fingerprint.KindBool:
			return fingerprint.String(strconv.FormatBool(v.Bool))
		}
		return nil
	})
}

// asNumber makes 1 of "1", where JSON writes the number so.
func asNumber(op *contract.Operation, leaves []leaf) []mutation {
	if op.Request.Body.Kind != contract.JSONBody {
		return nil
	}
	return each(op, leaves, "a number", func(v *fingerprint.Value) *fingerprint.Value {
		if v.Kind != fingerprint.KindString {
			return nil
		}
		if n, err := strconv.ParseInt(v.Str, 10, 53); err != nil || strconv.FormatInt(n, 10) != v.Str {
			return nil
		}
		return number(v.Str)
	})
}

// asOther makes 1 of true and 0 of false, and the other way round.
func asOther(op *contract.Operation, leaves []leaf) []mutation {
	if op.Request.Body.Kind != contract.JSONBody {
		return nil
	}
	return each(op, leaves, "a number or truth value", func(v *fingerprint.Value) *fingerprint.Value {
		switch {
		case v.Kind == fingerprint.KindBool && v.Bool:
			return number("1")
		case v.Kind == fingerprint.KindBool:
			return number("0")
		case v.Kind == fingerprint.KindNumber && (v.Number == "0" || v.Number == "1"):
			return &fingerprint.Value{Kind: fingerprint.KindBool, Bool: v.Number == "1"}
		}
		return nil
	})
}

func asNull(op *contract.Operation, leaves []leaf) []mutation {
	if op.Request.Body.Kind != contract.JSONBody {
		return nil
	}
	return each(op, emptyFirst(leaves), "null", func(v *fingerprint.Value) *fingerprint.Value {
		if v.Kind == fingerprint.KindNull {
			return nil
		}
		return fingerprint.Null()
	})
}

// asEmpty makes "" of texts and of null.
func asEmpty(op *contract.Operation, leaves []leaf) []mutation {
	return each(op, emptyFirst(leaves), `""`, func(v *fingerprint.Value) *fingerprint.Value {
		if v.Kind == fingerprint.KindNull || v.Kind == fingerprint.KindString && v.Str != "" {
			return fingerprint.String("")
		}
		return nil
	})
}

// emptyFirst puts null and "" before values that say something: they are the
// likeliest that an API can do without, and that are taken for one another.
func emptyFirst(leaves []leaf) []leaf {
	out := slices.Clone(leaves)
	says := func(l leaf) int {
		if l.value.Kind == fingerprint.KindNull || l.value.Kind == fingerprint.KindString && l.value.Str == "" {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b leaf) int { return cmp.Compare(says(a), says(b)) })
	return out
}

// asAbsent takes members out.
func asAbsent(op *contract.Operation, d *draft, leaves []leaf) []mutation {
	taken := func(pointer string) mutation {
		return mutation{name: pointerName(pointer) + " absent", change: func(d *draft) { d.remove(pointer) }}
	}
	var out []mutation
	for _, l := range emptyFirst(leaves) {
		if freshAt(op, l.pointer) == nil && d.member(l.pointer) {
			out = append(out, taken(l.pointer))
		}
	}
	if d.kind == contract.JSONBody {
		walkValues(d.tree, "", func(at string, v *fingerprint.Value) {
			if (v.Kind == fingerprint.KindObject || v.Kind == fingerprint.KindArray) && d.member(at) && whollyCovered(op, at) {
				out = append(out, taken(at))
			}
		})
	}
	return out
}

// strangers are names of a member that no request has.
var strangers = []string{"idem_unknown", "idem_unknown_2"}

// added gives the outermost object a member that it does not have.
func added(d *draft) []mutation {
	if d.kind == contract.JSONBody && d.tree.Kind != fingerprint.KindObject {
		return nil
	}
	for _, name := range strangers {
		if !d.member("/" + name) {
			return []mutation{{name: "an unknown member added", change: putting("/"+name, fingerprint.String("1"))}}
		}
	}
	return nil
}

// repeated has the last item of an array twice. To a server that reads a set
// it is the same.
func repeated(op *contract.Operation, d *draft) []mutation {
	var out []mutation
	for _, a := range arraysOf(op, d) {
		if len(a.value.Items) == 0 {
			continue
		}
		out = append(out, mutation{name: pointerName(a.pointer) + " with its last item twice", change: func(d *draft) {
			d.edit(a.pointer, func(v *fingerprint.Value) { v.Items = append(v.Items, v.Items[len(v.Items)-1]) })
		}})
	}
	return out
}

// arrayChanges change the order of an array, and its length.
func arrayChanges(op *contract.Operation, d *draft) []mutation {
	var out []mutation
	arrays := arraysOf(op, d)
	for _, a := range arrays[:min(len(arrays), mostArrays)] {
		if i := unlikeNext(a.value.Items); i >= 0 {
			out = append(out, mutation{name: pointerName(a.pointer) + " in another order", change: func(d *draft) {
				d.edit(a.pointer, func(v *fingerprint.Value) { v.Items[i], v.Items[i+1] = v.Items[i+1], v.Items[i] })
			}})
		}
		if len(a.value.Items) > 1 {
			out = append(out, mutation{name: pointerName(a.pointer) + " without its last item", change: func(d *draft) {
				d.edit(a.pointer, func(v *fingerprint.Value) { v.Items = v.Items[:len(v.Items)-1] })
			}})
		}
	}
	return out
}

// arraysOf gives the arrays of a body that may be changed as a whole.
func arraysOf(op *contract.Operation, d *draft) []leaf {
	var out []leaf
	if d.kind != contract.JSONBody {
		return nil
	}
	walkValues(d.tree, "", func(at string, v *fingerprint.Value) {
		if v.Kind == fingerprint.KindArray && whollyCovered(op, at) {
			out = append(out, leaf{at, v})
		}
	})
	return out
}

// unlikeNext gives the first item that is not the same as the one after it, -1
// where there is none.
func unlikeNext(items []*fingerprint.Value) int {
	for i := 0; i+1 < len(items); i++ {
		for _, difference := range fingerprint.Diff(items[i], items[i+1], fingerprint.DiffOptions{}) {
			if difference.Matters {
				return i
			}
		}
	}
	return -1
}

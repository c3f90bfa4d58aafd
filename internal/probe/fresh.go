package probe

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
)

// made is one operation to be made: its body with fresh values in, its key.
type made struct {
	form  form
	draft *draft
	fresh map[string]string
	key   string
}

// form is what an operation's request looks like before fresh values and key.
type form struct {
	method, path string
	headers      [][2]string
	body         contract.Body
	keyless      bool // sent without a key, and without the key's companion
}

// plainForm is the contract's own request.
func (b *builder) plainForm() form {
	r := b.op.Request
	return form{method: r.Method, path: r.Path, headers: r.Headers, body: r.Body}
}

// variantForm is the contract's request with the parts that a variant replaces.
// Its headers take the place of those with the same name.
func (b *builder) variantForm(v contract.Variant) form {
	f := b.plainForm()
	if v.Body != nil {
		f.body = *v.Body
	}
	f.headers = slices.DeleteFunc(slices.Clone(f.headers), func(h [2]string) bool {
		return slices.ContainsFunc(v.Headers, func(own [2]string) bool { return strings.EqualFold(own[0], h[0]) })
	})
	f.headers = append(f.headers, v.Headers...)
	return f
}

// make prepares the operation of a slot: fresh values and a key of its own.
func (b *builder) make(slot string) *made { return b.makeAs(slot, b.plainForm()) }

// makeAs does the same for a request of another form.
func (b *builder) makeAs(slot string, f form) *made {
	d, err := newDraft(f.body)
	if err != nil {
		b.fail(err)
		d = &draft{}
	}
	m := &made{form: f, draft: d, fresh: map[string]string{}}
	for _, f := range b.op.Request.Fresh {
		b.refresh(m, f, slot)
	}
	b.rekey(m, slot)
	b.plan.Makes++
	return m
}

// refresh puts a new value at a fresh pointer.
func (b *builder) refresh(m *made, f contract.Fresh, slot string) {
	text := b.freshText(f, slot)
	m.fresh[f.At] = text
	if !m.draft.set(f.At, text, f.As == "integer") {
		b.fail(fmt.Errorf("fresh %s is not in the body", f.At))
	}
}

// freshText spells a fresh value as declared (contract-v1, The file).
func (b *builder) freshText(f contract.Fresh, slot string) string {
	tag := b.tag("fresh", b.plan.Step, slot, f.At)
	switch f.As {
	case "uuid4":
		return uuid4(tag)
	case "integer":
		return strconv.FormatInt(b.integer(f), 10)
	}
	return "idem-" + hex.EncodeToString(tag[:10])
}

// Integers are few, and two operations that shared one would be counted as
// one: each step has a block of its own, and all of them follow one another
// from a place that is the run's.
const (
	integersOfAStep = 512
	fewestIntegers  = 32 * integersOfAStep
	mostIntegers    = 1<<31 - 1 // where the contract gives no max
)

// integerBlocks gives the steps in an order that never changes.
func integerBlocks() []string {
	return slices.Concat([]string{ControlStep}, contract.CoreSteps[:], contract.ExtendedSteps[:])
}

func (b *builder) integer(f contract.Fresh) int64 {
	limit := f.Max
	if limit <= 0 {
		limit = mostIntegers
	}
	if limit < fewestIntegers {
		b.fail(problem.New("", "fresh %s has %d values, a run needs %d that differ", f.At, limit, fewestIntegers).
			WithHint("max: %d or more, or as: text", fewestIntegers))
		return 1
	}
	block := int64(slices.Index(integerBlocks(), b.plan.Step)) + 1
	tag := b.tag("integers", f.At)
	from := int64(binary.BigEndian.Uint64(tag[:8]) % uint64(limit))
	b.integers++
	return (from+block*integersOfAStep+b.integers)%limit + 1
}

// uuid4 lays 16 bytes out as RFC 9562, 5.4 has it.
func uuid4(tag [32]byte) string {
	u := tag
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	h := hex.EncodeToString(u[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// rekey gives the operation the key of a slot. Where a recipe derives keys,
// the key is the one of that slot's own fresh values; a recipe that leaves
// those out would give two operations one key.
func (b *builder) rekey(m *made, slot string) {
	key, err := b.env.Keys.Key(b.op, b.tag("key", b.plan.Step, slot), m.draft.bytes())
	if err != nil {
		b.fail(err)
	}
	if other, taken := b.keys[key]; taken && err == nil {
		b.fail(problem.New("", "%q and %q get one key: the recipe's identity holds no fresh value", other, slot).
			WithHint("name a field of the identity under request.fresh"))
	}
	b.keys[key], m.key = slot, key
}

// rekeyAs gives an operation the key of another that is never sent: a valid key
// that is new, also where a recipe derives keys from the body.
func (b *builder) rekeyAs(m *made, slot string) {
	m.key = b.make(slot).key
}

// with copies an operation so that its body can be changed under the same key.
func (b *builder) with(m *made) *made {
	c := &made{form: m.form, fresh: map[string]string{}, key: m.key}
	for k, v := range m.fresh {
		c.fresh[k] = v
	}
	d, err := newDraft(m.form.body)
	if err != nil {
		b.fail(err)
		d = &draft{}
	}
	c.draft = d
	for _, f := range b.op.Request.Fresh {
		c.draft.set(f.At, c.fresh[f.At], f.As == "integer")
	}
	return c
}

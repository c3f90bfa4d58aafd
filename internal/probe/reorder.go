package probe

import (
	"bytes"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// reorderStep sends the same body in other spellings under the same key: JSON
// with its members in another order, white space, escapes; a form with its
// fields in another order and other percent-encoding.
var reorderStep = Step{
	Name:  "reorder",
	What:  "another spelling of the same body is the same request, or is not, as promised",
	plan:  planReorder,
	judge: judgeReorder,
}

type spelling struct {
	name     string
	style    jsonStyle
	form     formStyle
	advisory bool // told, never judged: many right servers read 1.0 as no integer
}

// Names of spellings, in the report's order.
const (
	memberOrder = "member order"
	whiteSpace  = "white space"
	escapes     = "escapes"
	capitals    = "escapes with capital digits"
	slashes     = "escaped slashes"
	surrogates  = "surrogate pairs"
	fieldOrder  = "field order"
	percents    = "percent-encoding"
	smallDigits = "percent-encoding with small digits"
	spacesAs20  = "spaces as %20"
	allTogether = "all together"
	fractions   = "numbers with a fraction"
	exponents   = "numbers with an exponent"
)

var spellingNames = []string{memberOrder, whiteSpace, escapes, capitals, slashes, surrogates,
	fieldOrder, percents, smallDigits, spacesAs20, allTogether, fractions, exponents}

// Bounds of the step: how many objects have their members turned on their own,
// and how many trials go on at the same time.
const (
	mostTurned   = 8
	reorderLanes = 3
)

// otherSpellings gives the other spellings that an operation's body has once
// key and fresh values are in it.
func otherSpellings(op *contract.Operation) ([]spelling, error) {
	d, err := newDraft(op.Request.Body)
	if err != nil {
		return nil, err
	}
	for _, f := range op.Request.Fresh {
		if f.As == "integer" {
			d.set(f.At, "1000", true)
		}
	}
	if op.Key.Body != "" {
		d.set(op.Key.Body, "key", false)
	}
	return spellingsOf(d), nil
}

// spellingsOf gives the other spellings that a body has.
func spellingsOf(d *draft) []spelling {
	var out []spelling
	seen := map[string]bool{d.spelt(spelling{}): true}
	for _, s := range candidates(d) {
		if text := d.spelt(s); !seen[text] {
			seen[text] = true
			out = append(out, s)
		}
	}
	return out
}

func candidates(d *draft) []spelling {
	const lower, upper = "%04x", "%04X"
	switch d.kind {
	case contract.FormBody:
		return formSpellings
	case contract.JSONBody:
		return append(turned(d.tree),
			spelling{name: whiteSpace, style: jsonStyle{spaces: true}},
			spelling{name: escapes, style: jsonStyle{escape: escaped(lower, anyRune)}},
			spelling{name: capitals, style: jsonStyle{escape: escaped(upper, anyRune)}},
			spelling{name: slashes, style: jsonStyle{escape: solidus}},
			spelling{name: surrogates, style: jsonStyle{escape: escaped(lower, beyondPlane)}},
			spelling{name: allTogether, style: jsonStyle{reversed: everywhere, spaces: true, escape: escaped(lower, anyRune)}},
			spelling{name: fractions, style: jsonStyle{number: withFraction}, advisory: true},
			spelling{name: exponents, style: jsonStyle{number: withExponent}, advisory: true},
		)
	}
	return nil
}

// turned gives member order: of all objects at once and, where there are
// several, of each at its depth.
func turned(v *fingerprint.Value) []spelling {
	out := []spelling{{name: memberOrder, style: jsonStyle{reversed: everywhere}}}
	walkValues(v, "", func(pointer string, v *fingerprint.Value) {
		if len(v.Members) < 2 || len(out) > mostTurned {
			return
		}
		name := memberOrder + " of " + pointer
		if pointer == "" {
			name = memberOrder + " outside"
		}
		out = append(out, spelling{name: name, style: jsonStyle{reversed: only(pointer)}})
	})
	return out
}

// spelt writes the body in a spelling; the zero one is how it is sent first.
func (d *draft) spelt(s spelling) string {
	if d.kind == contract.FormBody {
		return writeForm(d.form, s.form)
	}
	var b bytes.Buffer
	writeJSON(&b, d.tree, s.style)
	if s.style.spaces {
		return " " + b.String() + "\n"
	}
	return b.String()
}

func planReorder(b *builder) {
	p := b.op.Promise.Reorder
	switch {
	case !p.Known:
		b.plan.Idle = Reason{Text: "promise.reorder is not stated", Line: p.Pos.Line, Settle: stating("reorder")}
		return
	case p.Value == "any":
		b.plan.Idle = Reason{Text: "declared as not promised (reorder: any)", Line: p.Pos.Line}
		b.plan.Excused = true
		return
	case b.op.Request.Body.Kind != contract.JSONBody && b.op.Request.Body.Kind != contract.FormBody:
		b.plan.Idle = Reason{Text: "the body is neither JSON nor a form: there is no other spelling of it", Line: b.op.Request.Pos.Line}
		b.plan.Excused = true
		return
	}
	all, err := otherSpellings(b.op)
	b.fail(err)
	var trials []laneTrial
	judged := 0
	for _, s := range all {
		trials = append(trials, b.planSpelling(s))
		if !s.advisory {
			judged++
		}
	}
	if judged == 0 && b.err == nil {
		b.plan = &Plan{Operation: b.op.Name, Step: b.plan.Step, Excused: true,
			Idle: Reason{Text: "the body has no other spelling", Line: b.op.Request.Pos.Line}}
		return
	}
	b.lanes(reorderLanes, trials)
}

// planSpelling plans one spelling: the original, the control (the other
// spelling under its own key with new fresh values), the other spelling under
// the original's key, the original again. One that is only told of is sent and
// not counted.
func (b *builder) planSpelling(s spelling) laneTrial {
	original, control := b.make(s.name), b.make(s.name+"/control")
	first := b.freeze(s.name+"/original", original, "")
	controlID := b.freezeSpelt(s.name+"/control", control, s.name+ownKey, s)
	respelt := b.freezeSpelt(s.name+"/respelt", b.with(original), s.name, s)
	sends := []Action{comeBack("control", controlID, patience(b.op)), comeBack("first", first, patience(b.op))}
	if s.advisory {
		return laneTrial{trial: s.name, body: append(sends, b.comeBackOrConflict("respelt", respelt))}
	}
	return laneTrial{
		trial: s.name,
		body: join(
			b.count("before", original),
			sends,
			b.above("after-first", "before", original),
			[]Action{b.comeBackOrConflict("respelt", respelt)},
			[]Action{comeBack("again", first, patience(b.op))},
			[]Action{b.environment(s.name, 2, NoHold, "first", "control", "respelt", "again")},
		),
		look: b.count("settled", original),
	}
}

// freezeSpelt freezes a request whose body is spelled otherwise.
func (b *builder) freezeSpelt(id string, m *made, change string, s spelling) string {
	frozen := b.freeze(id, m, change)
	b.plan.Requests[len(b.plan.Requests)-1].Body = []byte(m.draft.spelt(s))
	return frozen
}

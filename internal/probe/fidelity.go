package probe

import (
	"cmp"
	"strconv"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// fidelityStep repeats requests whose answers are the ones that stores lose:
// large ones, redirects, empty ones.
var fidelityStep = Step{
	Name:  "fidelity",
	What:  "large, redirecting and empty answers are given again whole, and their requests run once",
	plan:  planFidelity,
	judge: judgeFidelity,
	lacks: func(_ *contract.Contract, op *contract.Operation) Reason {
		if len(op.Request.Variants) > 0 {
			return Reason{}
		}
		return Reason{Text: "request.variants is not given: what makes answers large, empty or redirecting is unknown", Line: op.Request.Pos.Line,
			Settle: "add request.variants, such as {large: {body: {...}}}"}
	},
}

// variants are the kinds of answer in the order in which they are tried.
var variants = [...]string{"large", "redirect", "empty"}

func planFidelity(b *builder) {
	for _, name := range variants {
		v, ok := b.op.Request.Variants[name]
		if !ok {
			continue
		}
		f := b.variantForm(v)
		op := b.makeAs(name, f)
		id := b.freeze(name+"/first", op, "")
		b.thread(name, join(
			b.count("before", op),
			[]Action{comeBack("variant", id, patience(b.op))},
			b.whereAccepted("variant", join(b.above("appeared", "before", op), b.settled("made", op))),
			[]Action{comeBack("retry", id, patience(b.op)), b.environmentAs(f, name, "environment", 2, NoHold, "variant", "retry")},
			[]Action{comeBack("again", id, patience(b.op)), b.environmentAs(f, name, "environment-again", 2, NoHold, "again")},
			b.settled("settled", op),
		)...)
	}
}

func judgeFidelity(j *judging) {
	if !j.op.Promise.Duplicate.Known {
		j.unknown("duplicate", j.op.Promise.Duplicate.Pos)
		return
	}
	j.tellable()
	for _, name := range variants {
		if v, ok := j.op.Request.Variants[name]; ok {
			j.tried(name, func(t *Trial) string { return j.judgeVariant(t, name, v) })
		}
	}
}

// judgeVariant judges one kind of answer and says in a few words what it was.
func (j *judging) judgeVariant(t *Trial, name string, v contract.Variant) (text string) {
	first, ok := j.first(t, "variant")
	if !ok {
		return ""
	}
	text = j.rules.describe(first) + ", " + some(int(first.Answer.Body.Size), "byte", "bytes")
	if size := first.Answer.Body.Size; name == "large" && size >= leastLarge && size <= limitLarge {
		j.note("large: its answer has %d bytes: limits above that, such as 64 KiB, were not met", size)
	}
	if why := unlikeItsName(name, first.Answer); why != "" {
		j.unsure(v.Pos.Line, "make request.variants."+name+" one whose answer is "+name, "%s: %s", name, why)
	}
	wrong := j.variantEffects(t, name, v)
	for _, label := range []string{"retry", "again"} {
		x := j.sentInTime(t, t.Under("variant")[0], label)
		if x == nil && len(t.Under(label)) > 0 {
			return text // it may be forgotten
		}
		next := []string{"settled"}
		if label == "retry" {
			next = []string{"again", "settled"}
		}
		if j.judgeRetried(t, name, first, x, wrong, next...) == "" {
			j.judgeVariantReplay(t, name, first, x, wrong)
		}
	}
	return text
}

// Sizes of a large answer: below the first it is none; many stores cut or
// refuse texts above the second.
const (
	leastLarge = 4 << 10
	limitLarge = 64 << 10
)

// unlikeItsName says why an answer is not of the kind that its variant is named
// for: then what the step is for was not tried.
func unlikeItsName(name string, a *trace.Answer) string {
	switch {
	case name == "large" && a.Body.Size < leastLarge:
		return "its answer has only " + itoa(a.Body.Size) + " bytes"
	case name == "redirect" && a.Status/100 != 3:
		return "its answer is no redirect: status " + strconv.Itoa(a.Status)
	case name == "empty" && a.Body.Size > 0:
		return "its answer has a body of " + itoa(a.Body.Size) + " bytes"
	}
	return ""
}

// variantEffects judges the counts. A variant may make more effects than the
// plain request: its own count after the first answer says how many.
func (j *judging) variantEffects(t *Trial, name string, v contract.Variant) string {
	if !j.sound() || j.anyLate(t, t.Under("variant")[0], "retry", "again") {
		return ""
	}
	before, ok0 := t.Counted("before")
	made, ok1 := t.Counted("made")
	if ok0 && ok1 && made.N <= before.N {
		j.unsure(v.Pos.Line, "make request.variants."+name+" an operation whose effects the counter counts",
			"%s: the counter shows nothing for it", name)
		return ""
	}
	unit := j.controls.Unit
	if ok0 && ok1 && t.Last("variant").Attempt == 0 { // else the first attempt may have run too
		unit = made.N - before.N
	}
	wrong, _ := j.tally(t, name, unit, true, false, [3]string{"before", "made", "settled"})
	return wrong
}

// judgeVariantReplay judges the marker of a replay that is otherwise right.
func (j *judging) judgeVariantReplay(t *Trial, name string, first, x *Exchange, wrong string) {
	p := j.op.Promise
	if !x.Whole() || p.Duplicate.Value.Mode != "replay" || len(j.rules.differences(first, x)) > 0 {
		return
	}
	if p.Marker != nil && !j.rules.marked(x) {
		j.accuse(t, Finding{Slug: j.slug("marker-missing"), Case: name, Follows: cmp.Or(wrong, j.follows("duplicate/marker-missing")),
			Expected: p.Marker.Header + ": " + p.Marker.Value, Actual: "the replay does not carry it"}, p.Pos,
			"the replay marker stands on every replay")
	}
}

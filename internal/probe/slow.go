package probe

import (
	"strconv"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// slowStep makes an operation that works longer than a lock is likely to last.
// While it works duplicates come, before the lease has passed and after: a live
// owner keeps its claim.
var slowStep = Step{
	Name:  "slow",
	What:  "an operation that works longer than the lease keeps its key: duplicates neither run it again nor get another result",
	plan:  planSlow,
	judge: judgeSlow,
	lacks: func(_ *contract.Contract, op *contract.Operation) Reason {
		if op.Request.Slow != nil {
			return Reason{}
		}
		return Reason{Text: "request.slow is not given: what makes the operation slow is unknown", Line: op.Request.Pos.Line,
			Settle: "add request.slow, such as {body: {...}}, that works longer than promise.lease"}
	},
}

// outlast is the time that a slow operation must work beyond: the lease, which
// is what locks are made to last, or what a live owner may keep its claim.
// Known is false where the contract states neither.
func outlast(op *contract.Operation) (d time.Duration, name string, known bool) {
	p := op.Promise
	switch {
	case p.Lease.Known:
		return p.Lease.Value, "lease", true
	case p.OwnerMax.Known:
		return p.OwnerMax.Value, "owner_max", true
	}
	return time.Second, "", false
}

// slowMoments are when duplicates of a slow operation come, from its sending.
// The first may wait across the lease; the others come after it. The last come
// where a claim that was renewed a few times has ended while its owner works,
// but not once owner_max has passed: then another may take it, and works on.
func slowMoments(op *contract.Operation) []time.Duration {
	d, _, _ := outlast(op)
	const tick = 20 * time.Millisecond // a clock's, and a request's way
	moments := []time.Duration{d / 2, d + d/20 + tick, d + d/4 + tick, d + d/2 + tick, 2*d + tick}
	for _, m := range []time.Duration{2*d + d/4 + tick, 2*d + 3*d/4 + tick, 3*d + d/4 + tick} {
		if most := op.Promise.OwnerMax; !most.Known || m < most.Value {
			moments = append(moments, m)
		}
	}
	if op.Promise.OwnerMax.Known {
		moments = append([]time.Duration{d/10 + tick}, moments...) // who is told of a claim then knows when it began
	}
	var out []time.Duration
	for _, m := range moments {
		if m <= withinRetention(op, m) {
			out = append(out, m)
		}
	}
	return out
}

func planSlow(b *builder) {
	f := b.variantForm(*b.op.Request.Slow)
	alone := b.makeAs("alone", f)
	aloneID := b.freeze("alone", alone, "")
	op := b.makeAs("slow", f)
	id := b.freeze("slow", op, "")
	long := func(label, id string) []Action {
		return []Action{Send{Label: label, Request: id, Copies: 1, Long: true}}
	}
	branches := [][]Action{long("control", aloneID), long("slow", id)}
	labels := []string{"slow", "again"}
	for i, at := range slowMoments(b.op) {
		label := duringLabel(i)
		labels = append(labels, label)
		branches = append(branches, []Action{Pause{For: at},
			If{When: Condition{Fact: Pending, Labels: []string{"slow"}}, Body: join(long(label, id), b.count(seenLabel(i), op))}})
	}
	b.thread("slow", join(
		b.count("before", op),
		b.count("control-before", alone),
		[]Action{Fan{Branches: branches}},
		b.count("counted", op),
		[]Action{comeBack("again", id, patience(b.op)), b.environmentAs(f, "slow", "environment", 2, NoHold, labels...)},
		b.above("appeared", "before", op),
		b.settled("settled", op),
		b.count("settled-control", alone),
	)...)
}

// seenLabel is of the count after a duplicate's answer: takeovers can go on
// beyond the retention, and what is counted at the end shows nothing then.
func seenLabel(i int) string { return "seen-" + strconv.Itoa(i+1) }

func duringLabel(i int) string { return "during-" + strconv.Itoa(i+1) }

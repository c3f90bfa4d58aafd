package probe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// Planting makes operations now, so that a harvest can judge hours later, after
// a deploy or a migration, whether their keys are still what was promised.
// harvest.go has what is sent then, harvested.go the judgement.

// PlantStep is the name under which planted operations are planned and recorded.
const PlantStep = "plant"

// Purpose is what a planted operation is for.
type Purpose string

// Purposes. Each operation serves one, so that what a harvest does to it
// spoils nothing else.
const (
	ForReplay   Purpose = "replay"   // sent again within the retention, again and again
	ForLast     Purpose = "last"     // left alone until the retention's last quarter
	ForConflict Purpose = "conflict" // sent again with another body
	ForForget   Purpose = "forget"   // left alone until the retention is over
)

// howMany operations are planted for each purpose.
var howMany = map[Purpose]int{ForReplay: 3, ForLast: 2, ForConflict: 3, ForForget: 2}

// purposes in the order in which they are planted.
var purposes = [...]Purpose{ForReplay, ForLast, ForConflict, ForForget}

// plantedOp is one operation of a plant plan.
type plantedOp struct {
	trial string // "replay-1"
	made  *made
	id    string // of its request
	leaf  *leaf  // for conflict, what will be changed
}

// PlantPlans makes what planting sends for an operation: the counter control
// and one plan with a thread for each planted operation. A plan is idle where
// nothing could be judged later.
func PlantPlans(op *contract.Operation, env Env) ([]*Plan, error) {
	b := newBuilder(op, PlantStep, env)
	p := op.Promise
	switch {
	case !p.Retention.Known:
		b.plan.Idle = Reason{Text: "promise.retention is not stated", Line: p.Retention.Pos.Line, Settle: stating("retention")}
		return []*Plan{b.plan}, nil
	case !p.Duplicate.Known:
		b.plan.Idle = Reason{Text: "promise.duplicate is not stated", Line: p.Duplicate.Pos.Line, Settle: stating("duplicate")}
		return []*Plan{b.plan}, nil
	}
	control, err := planControl(op, env)
	if err != nil {
		return nil, fmt.Errorf("operation %s: %w", op.Name, err)
	}
	for _, o := range b.plantOps() {
		b.thread(o.trial, join(
			b.count("before", o.made),
			[]Action{comeBack("first", o.id, patience(op))},
			b.whereAccepted("first", b.above("after-first", "before", o.made)),
		)...)
	}
	if b.err != nil {
		return nil, fmt.Errorf("operation %s: %w", op.Name, b.err)
	}
	return []*Plan{control, b.plan}, nil
}

// plantOps makes the planted operations: the same from the same run id, seed
// and keys, so that a harvest need not find their bytes in a file.
func (b *builder) plantOps() []plantedOp {
	var out []plantedOp
	leaves := changeable(b.op)
	_, atMost, _ := b.op.EffectiveRetention()
	for _, purpose := range purposes {
		n := howMany[purpose]
		switch {
		case purpose == ForConflict && !b.op.Promise.Conflict.Known:
			continue
		case purpose == ForConflict:
			n = min(n, len(leaves))
		case purpose == ForForget && atMost == 0:
			continue
		}
		for i := range n {
			o := plantedOp{trial: string(purpose) + "-" + strconv.Itoa(i+1)}
			o.made = b.make(o.trial)
			o.id = b.freeze(o.trial, o.made, "")
			if purpose == ForConflict {
				o.leaf = &leaves[i]
			}
			out = append(out, o)
		}
	}
	return out
}

// changeable gives the values of the body that a later conflict may be made
// of: those that the fingerprint covers, and that no counter looks for.
func changeable(op *contract.Operation) []leaf {
	d, err := newDraft(op.Request.Body)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(coveredIn(op, d), func(l leaf) bool { return freshAt(op, l.pointer) != nil })
}

// purposeOf reads a planted operation's name.
func purposeOf(trial string) Purpose {
	name, _, _ := strings.Cut(trial, "-")
	return Purpose(name)
}

// inexact is how far a time between two runs may be off: they were measured by
// the wall clock, perhaps on two machines. A hundredth, at least 10 ms and at
// most a minute.
func inexact(d time.Duration) time.Duration {
	return min(max(d/100, 10*time.Millisecond), time.Minute)
}

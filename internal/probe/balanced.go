package probe

import (
	"fmt"

	"github.com/idem-toolkit/idem/internal/contract"
)

// Replicas behind one URL: a balancer chooses. Requests wander (wander.go) until
// another instance has answered; races count where two instances did.

const (
	wanderings     = 2
	balancedCopies = 4
	callerTries    = 3 // for another caller's first request to meet another instance than the key's
	balancedBody   = "another body at another instance"
	sameBodyThere  = "another caller at another instance, the same body"
	otherBodyThere = "another caller at another instance, another body"
)

func wanderingName(i int) string {
	return fmt.Sprintf("one instance, then another, round %d", i+1)
}

func tryName(family string, i int) string { return fmt.Sprintf("%s, try %d", family, i+1) }

// balancedRaces are the races, by name.
func balancedRaces() []round {
	return splitOver("the balancer", balancedCopies)
}

func (b *builder) planBalanced() {
	for i := range wanderings {
		b.planWandering(wanderingName(i))
	}
	if f, ok := b.coveredFresh(); ok {
		b.planBalancedConflict(f)
	}
	b.planCallers(callersBehindOne())
	var release []Action
	var look [][]Action
	for _, r := range balancedRaces() {
		op := b.make(r.name)
		id := b.freeze(r.name, op, "")
		release = append(release, Try{Trial: r.name, Body: join(
			b.count("before", op),
			[]Action{Send{Label: "race", Request: id, Copies: r.copies, Hold: r.hold, Apart: true},
				b.environmentFor(planned{round: r, apart: true})},
			b.count("raced", op),
			[]Action{comeBack("again", id, patience(b.op))},
			b.wander(wandering{label: "afterwards", request: id, since: "race", alone: true}),
			[]Action{b.wanderEnvironment(r.name, "environment-again", append(wanderLabels("afterwards"), "again")...)},
		)})
		look = append(look, []Action{b.look(r.name, op)})
	}
	b.thread("rounds", append(release, Fan{Branches: look})...)
}

// planWandering: the first, then its retry until another instance has answered.
func (b *builder) planWandering(name string) {
	op := b.make(name)
	id := b.freeze(name, op, "")
	b.thread(name, join(
		b.count("before", op),
		[]Action{comeBack("first", id, patience(b.op))},
		b.above("after-first", "before", op),
		b.wander(wandering{label: "retry", request: id, than: "first", since: "first"}),
		[]Action{b.wanderEnvironment(name, "environment", append(wanderLabels("retry"), "first")...)},
		b.settled("settled", op),
	)...)
}

// planBalancedConflict: the key with another body until another instance than
// the one that made its result has answered; the original, which warms their
// caches; the other body again.
func (b *builder) planBalancedConflict(f contract.Fresh) {
	const name = balancedBody
	op := b.make(name)
	id := b.freeze(name, op, "")
	changed := b.with(op)
	b.refresh(changed, f, name+"/changed")
	changedID := b.freeze(name+"/changed", changed, f.At+" changed")
	conflict := func(label string) []Action {
		return b.wander(wandering{label: label, request: changedID, than: "first", since: "first", conflict: true})
	}
	b.thread(name, join(
		b.count("before", op), b.count("changed-before", changed),
		[]Action{comeBack("first", id, patience(b.op))},
		b.above("after-first", "before", op),
		conflict("changed"),
		b.wander(wandering{label: "again", request: id, than: "first", since: "first"}),
		conflict("changed-again"),
		[]Action{b.wanderEnvironment(name, "environment", append(wanderLabels("changed", "again", "changed-again"), "first")...)},
		b.settled("settled", op), b.count("settled-changed", changed),
	)...)
}

// callersBehindOne are the experiments with another caller's request, each tried
// again where it met the instance that made the first's result.
func callersBehindOne() []neighbour {
	var out []neighbour
	for _, n := range callersOver() {
		n.from, n.to = "", ""
		n.family = sameBodyThere
		if n.another {
			n.family = otherBodyThere
		}
		for i := range callerTries {
			n.trial = tryName(n.family, i)
			out = append(out, n)
		}
	}
	return out
}

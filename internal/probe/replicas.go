package probe

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// replicasStep sends one key to several replicas of a service: there and back,
// in races that are split over them, with another body and as another caller.
// Replicas that have a URL each are chosen here; balanced.go is for those that
// stand behind one.
var replicasStep = Step{
	Name:  "replicas",
	What:  "a key that one replica has seen is known to the others",
	plan:  planReplicas,
	judge: judgeReplicas,
	lacks: func(c *contract.Contract, op *contract.Operation) Reason {
		if replicated(c) {
			return Reason{}
		}
		return Reason{Text: "one base URL is given, and nothing that tells replicas behind it apart", Line: targetLine(c),
			Settle: "give target.base_urls of more than one replica; or target.instance: the response header in which each of them names itself"}
	},
}

// How much is tried.
const (
	mostReplicas   = 4 // that are tried
	splitRounds    = 6
	splitStampede  = 12
	acrossConflict = "another body at another replica"
	backConflict   = "another body at the first replica"
	acrossCaller   = "another caller at another replica, the same body"
	backCaller     = "another caller at the first replica, another body"
)

// journey is a sequence over two replicas, numbered from 0.
type journey struct{ from, to int }

func (w journey) name() string { return fmt.Sprintf("replica %d, then %d", w.from+1, w.to+1) }

// journeys go from the first replica to each other and the reverse.
func journeys(replicas int) []journey {
	var out []journey
	for i := 1; i < min(replicas, mostReplicas); i++ {
		out = append(out, journey{0, i}, journey{i, 0})
	}
	return out
}

// splits are the races, by name.
func splits(replicas int) []round {
	n := min(replicas, mostReplicas)
	return splitOver(fmt.Sprintf("%d replicas", n), n)
}

// splitOver are the races of so many copies over what is named.
func splitOver(what string, copies int) []round {
	var out []round
	for i := 1; i <= splitRounds; i++ {
		hold := HoldBody
		if i%3 == 0 {
			hold = HoldHeader
		}
		out = append(out, round{fmt.Sprintf("%d copies over %s, %s hold, round %d", copies, what, hold, i), copies, hold})
	}
	return append(out, round{fmt.Sprintf("%d copies over %s, %s hold", splitStampede, what, HoldBody), splitStampede, HoldBody})
}

// numbered names a replica as a send's target.
func numbered(replica int) string {
	if replica == 0 {
		return ""
	}
	return strconv.Itoa(replica)
}

// spread shares copies out among replicas in turn.
func spread(copies, replicas int) []string {
	out := make([]string, copies)
	for i := range out {
		out[i] = numbered(i % min(replicas, mostReplicas))
	}
	return out
}

func planReplicas(b *builder) {
	if balanced(b.env.Contract) {
		b.planBalanced()
		return
	}
	replicas := len(b.env.Contract.Target.BaseURLs)
	for _, w := range journeys(replicas) {
		b.planJourney(w)
	}
	if f, ok := b.coveredFresh(); ok {
		b.planAcross(f, acrossConflict, "", "1")
		b.planAcross(f, backConflict, "1", "")
	}
	b.planCallers(callersOver())
	var release []Action
	var look [][]Action
	for i, r := range splits(replicas) {
		op := b.make(r.name)
		id := b.freeze(r.name, op, "")
		ids := make([]string, r.copies)
		for k := range ids {
			ids[k] = id
		}
		targets := spread(r.copies, replicas)
		release = append(release, Try{Trial: r.name, Body: join(
			b.count("before", op),
			[]Action{Burst{Label: "race", Requests: ids, Hold: r.hold, Targets: targets},
				b.environmentOver(r.name, "environment", targets, r.hold, "race")},
			b.count("raced", op),
			[]Action{comeBackAt("again", id, numbered(i%min(replicas, mostReplicas)), patience(b.op)),
				b.environmentOver(r.name, "environment-again", targets[:2], NoHold, "again")},
		)})
		look = append(look, []Action{b.look(r.name, op)})
	}
	b.thread("rounds", append(release, Fan{Branches: look})...)
}

// planJourney: the first at one replica, its retry at another, then back.
func (b *builder) planJourney(w journey) {
	op := b.make(w.name())
	id := b.freeze(w.name(), op, "")
	b.thread(w.name(), join(
		b.count("before", op),
		[]Action{comeBackAt("first", id, numbered(w.from), patience(b.op))},
		b.above("after-first", "before", op),
		[]Action{comeBackAt("retry", id, numbered(w.to), patience(b.op)), comeBackAt("back", id, numbered(w.from), patience(b.op)),
			b.environmentOver(w.name(), "environment", []string{numbered(w.from), numbered(w.to)}, NoHold, "first", "retry", "back")},
		b.settled("settled", op),
	)...)
}

// coveredFresh gives a fresh value that the request fingerprint covers, where the
// contract names the conflict's answer.
func (b *builder) coveredFresh() (contract.Fresh, bool) {
	if b.op.Promise.Conflict.Value.Match == nil {
		return contract.Fresh{}, false
	}
	for _, f := range b.op.Request.Fresh {
		if covered(b.op, f.At) {
			return f, true
		}
	}
	return contract.Fresh{}, false
}

// callersOver are the experiments with another caller's request at another replica.
func callersOver() []neighbour {
	return []neighbour{
		{trial: acrossCaller, change: "of another caller", other: true, retry: true, to: "1"},
		{trial: backCaller, change: "of another caller, with another body", other: true, another: true, retry: true, from: "1"}}
}

// planCallers plans those experiments that the contract gives what they need for.
func (b *builder) planCallers(all []neighbour) {
	if lacksScope(b.env.Contract, b.op).Text != "" || !slices.Contains(b.op.Promise.Scope, "caller") {
		return
	}
	for _, n := range b.withBodies(all) {
		n.form = b.plainForm()
		b.planNeighbour(n)
	}
}

// planAcross: the key with another body at another replica than the one that
// made its result, then the original there, and then the other body again: the
// replica has replayed the result by then, and may have it in a cache.
func (b *builder) planAcross(f contract.Fresh, name, from, to string) {
	op := b.make(name)
	id := b.freeze(name, op, "")
	changed := b.with(op)
	b.refresh(changed, f, name+"/changed")
	changedID := b.freeze(name+"/changed", changed, f.At+" changed")
	conflict := func(label string) Action {
		return settlingConflict(comeBackAt(label, changedID, to, patience(b.op)))
	}
	b.thread(name, join(
		b.count("before", op), b.count("changed-before", changed),
		[]Action{comeBackAt("first", id, from, patience(b.op))},
		b.above("after-first", "before", op),
		[]Action{conflict("changed"), comeBackAt("again", id, to, patience(b.op)), conflict("changed-again"),
			b.environmentOver(name, "environment", []string{from, to}, NoHold, "first", "changed", "again", "changed-again")},
		b.settled("settled", op), b.count("settled-changed", changed),
	)...)
}

// comeBackAt is comeBack at a replica.
func comeBackAt(label, request, target string, within time.Duration) Repeat {
	return comeBackBy(Send{Label: label, Request: request, Copies: 1, Target: target}, within)
}

// environmentOver is the environment's control at the replicas that met trouble.
func (b *builder) environmentOver(trial, name string, targets []string, hold Hold, labels ...string) If {
	return b.environmentOf(trial, name, len(targets), hold, labels...).sentBy(func(burst *Burst) { burst.Targets = targets })
}

package probe

import (
	"fmt"
	"strconv"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

// replicasStep sends one key to several replicas of a service: there and back,
// in races that are split over them, and with another body.
var replicasStep = Step{
	Name:  "replicas",
	What:  "a key that one replica has seen is known to the others",
	plan:  planReplicas,
	judge: judgeReplicas,
	lacks: func(c *contract.Contract, op *contract.Operation) Reason {
		if c != nil && len(c.Target.BaseURLs) > 1 {
			return Reason{}
		}
		return Reason{Text: "one base URL is given", Line: targetLine(c), Settle: "give target.base_urls of more than one replica"}
	},
}

// How much is tried.
const (
	mostReplicas   = 4 // that are tried
	splitRounds    = 6
	splitStampede  = 12
	acrossConflict = "another body at another replica"
	backConflict   = "another body at the first replica"
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
	var out []round
	n := min(replicas, mostReplicas)
	for i := 1; i <= splitRounds; i++ {
		hold, word := HoldBody, "body"
		if i%3 == 0 {
			hold, word = HoldHeader, "header"
		}
		out = append(out, round{fmt.Sprintf("%d copies over %d replicas, %s hold, round %d", n, n, word, i), n, hold})
	}
	return append(out, round{fmt.Sprintf("%d copies over %d replicas, body hold", splitStampede, n), splitStampede, HoldBody})
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
	replicas := len(b.env.Contract.Target.BaseURLs)
	for _, w := range journeys(replicas) {
		b.planJourney(w)
	}
	if f, ok := b.fingerprinted(); ok && b.op.Promise.Conflict.Value.Match != nil {
		b.planAcross(f, acrossConflict, "", "1")
		b.planAcross(f, backConflict, "1", "")
	}
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
		look = append(look, []Action{Try{Trial: r.name, Body: join(b.above("after-race", "before", op), b.settled("settled", op))}})
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

// fingerprinted gives a fresh value that the request fingerprint covers.
func (b *builder) fingerprinted() (contract.Fresh, bool) {
	for _, f := range b.op.Request.Fresh {
		if covered(b.op, f.At) {
			return f, true
		}
	}
	return contract.Fresh{}, false
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
	control := b.environmentOf(trial, name, len(targets), hold, labels...)
	burst := control.Body[0].(Burst)
	burst.Targets = targets
	control.Body = []Action{burst}
	return control
}

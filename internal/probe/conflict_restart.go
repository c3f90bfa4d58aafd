package probe

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Bounds of what is tried over the restart.
const (
	mostRestarted = 12 // changes of one value each
	restartKept   = 2  // operations that show whether the store outlives it
)

// restartedName names the trial of a change over the restart, keptName that of
// an operation that only shows whether finished operations are remembered.
func restartedName(i int) string { return "restarted-" + itoa(int64(i+1)) }
func keptName(i int) string      { return "kept-" + itoa(int64(i+1)) }

// planRestarted has one restart for all: originals before it, after it the
// changed requests and the originals again. A fingerprint that is held beside
// the record is lost then. The thread comes after those of the crash step, whose
// kills it must not disturb.
func (b *builder) planRestarted(ms []mutation) {
	var first, then, end [][]Action
	try := func(trial string, body []Action) []Action { return []Action{Try{Trial: trial, Body: body}} }
	last := func(trial string, look []Action) {
		if len(look) > 0 {
			end = append(end, try(trial, look))
		}
	}
	for i := range restartKept {
		trial := keptName(i)
		m := b.make(trial)
		id := b.freeze(trial+"/original", m, "")
		first = append(first, try(trial, join(b.count("before", m), []Action{comeBack("first", id, patience(b.op))})))
		then = append(then, try(trial, []Action{b.recovering("again", id)}))
		last(trial, b.count("settled", m))
	}
	n := 0
	for _, m := range ms {
		if m.leaf == nil || n == mostRestarted {
			continue
		}
		trial := restartedName(n)
		n++
		original := b.make(trial)
		originalID := b.freeze(trial+"/original", original, "")
		changed := b.with(original)
		b.apply(changed, m, trial+"/changed")
		changedID := b.freeze(trial+"/changed", changed, m.name)
		first = append(first, try(trial, join(b.count("before", original),
			[]Action{comeBack("first", originalID, patience(b.op))}, b.above("after-first", "before", original))))
		then = append(then, try(trial, join([]Action{b.recovering("changed", changedID)},
			b.count("after-changed", original), []Action{b.recovering("again", originalID)})))
		look := b.count("settled", original)
		if m.fresh != nil && b.op.CounterReads(m.fresh.At) {
			look = join(look, b.count("settled-changed", changed))
		}
		last(trial, look)
	}
	actions := []Action{Fan{Branches: first}, Volley{}, Start{Within: restartMost}, Fan{Branches: then}}
	if len(end) > 0 {
		actions = append(actions, Settle{For: b.op.Effects.Settle}, Fan{Branches: end})
	}
	b.plan.Threads = append(b.plan.Threads, Thread{Trial: restartTrial, Exclusive: true, Late: true, Actions: actions})
}

// restartTrial is the trial that the kill and the start belong to.
const restartTrial = "restart"

// recovering is afterRestarting for a request that may meet the conflict's answer.
func (b *builder) recovering(label, request string) Action {
	r := afterRestarting(label, request, max(recovery(b.op), patience(b.op)))
	r.While.ConflictSettles = true
	return r
}

// judgeRestarted judges what the restart left of the fingerprints. Where it was
// not carried out, or took the records with it, that is told of: the crash step
// judges it.
func (j *judging) judgeRestarted() {
	t := j.history.known(restartTrial)
	switch {
	case t == nil:
		return
	case !t.wasRestarted():
		j.note("no conflict was tried after a restart: the service was not stopped and ready again")
		return
	}
	switch j.overRestart() {
	case keptUnknown:
		j.note("no conflict was judged after a restart: whether finished operations outlive it was not shown")
		return
	case keptInPart:
		if len(j.result.Findings) == 0 {
			j.unsure(j.op.Crash.Pos.Line, "see what the crash step says of results that were answered before",
				"finished operations do not get their results after a restart: what a conflict gets then cannot be told")
		}
		return
	case keptNone:
		j.lost = true
		j.result.Cases = append(j.result.Cases, Case{Name: restartTrial, Verdict: Skipped,
			Text: "not shown: records do not outlive a restart, which the crash step judges"})
		return
	}
	tried := 0
	for i := range mostRestarted {
		if t := j.history.known(restartedName(i)); t != nil && j.judgeOverRestart(t) {
			tried++
		}
	}
	if tried == 0 {
		return
	}
	j.measure("after a restart", some(tried, "changed body", "changed bodies")+" tried", itoa(int64(tried))+" of them after a restart too")
}

// contradicted says why a conflict that passed beside lost records does not,
// where the crash step shows that records outlive a restart: what was lost then
// is judged by neither.
func contradicted(op *contract.Operation) Reason {
	return Reason{Line: op.Crash.Pos.Line, Settle: "run both steps again",
		Text: "finished operations ran anew after a restart, where those of the crash step did not: what a conflict gets then cannot be told"}
}

func (t *Trial) wasRestarted() bool {
	killed, ready := false, false
	for _, m := range t.Moments {
		killed = killed || m.Kind == trace.KindKill && m.Process.Error == ""
		ready = ready || m.Kind == trace.KindReady && m.Process.Ready
	}
	return killed && ready
}

// kept is what became of finished operations that nobody meddled with.
type kept int

const (
	keptUnknown kept = iota // it was not shown
	keptAll                 // they get their results, and have no second effect
	keptNone                // each of them runs as if it had never been
	keptInPart              // anything else
)

// overRestart says what the restart left of finished operations.
func (j *judging) overRestart() kept {
	var all kept
	for i := range restartKept {
		one := j.keptOverRestart(j.history.known(keptName(i)))
		switch {
		case one == keptUnknown:
			return keptUnknown
		case i > 0 && one != all:
			return keptInPart
		}
		all = one
	}
	return all
}

func (j *judging) keptOverRestart(t *Trial) kept {
	if t == nil || j.late(t) || j.followsDuplicate() != "" {
		return keptUnknown
	}
	first, again := t.Last("first"), t.Last("again")
	if !j.rules.class(first).welcome || !j.rules.settledAfterCrash(again) {
		return keptUnknown
	}
	shown, unknown := told(j.rules.replay(first, again))
	before, ok1 := t.Counted("before")
	settled, ok2 := t.Counted("settled")
	ran := settled.N-before.N > j.controls.Unit
	switch {
	case j.sound() && (!ok1 || !ok2):
		return keptUnknown
	case j.rules.class(again).welcome && (j.sound() && ran || !j.sound() && len(shown) > 0):
		return keptNone
	case len(shown) > 0, j.sound() && ran:
		return keptInPart
	case unknown:
		return keptUnknown
	}
	return keptAll
}

// judgeOverRestart judges one change, and says whether it showed anything.
func (j *judging) judgeOverRestart(t *Trial) bool {
	first, changed, again := t.Last("first"), t.Last("changed"), t.Last("again")
	if changed == nil || again == nil || changed.Request == nil || !j.rules.class(first).welcome || j.late(t) {
		return false
	}
	change := changed.Request.Change
	if !j.proved[change] || !j.rules.settledAfterCrash(changed) || !j.rules.settledAfterCrash(again) {
		return false
	}
	before := j.mark()
	name := change + afterRestart
	ran, n := j.ranOverRestart(t)
	wrong := j.expectRefusal(t, name, first, changed, ran, n)
	j.judgeOriginal(t, name, first, again, wrong)
	j.examined(Case{Name: name}, before)
	return true
}

// ranOverRestart says whether more had an effect than the original, and how
// large: of the changed request, or of its own value where that is fresh.
func (j *judging) ranOverRestart(t *Trial) (bool, int64) {
	if !j.sound() {
		return false, 0
	}
	j.countersFailed(t, "before", "after-changed", "settled", "settled-changed")
	before, ok1 := t.Counted("before")
	after, ok2 := t.Counted("after-changed")
	rose := int64(0)
	if ok1 && ok2 {
		rose = max(after.N-before.N-j.controls.Unit, 0)
	}
	if own, ok := t.Counted("settled-changed"); ok {
		rose += own.N
	}
	return rose > 0, rose
}

// settledAfterCrash says that an answer after a restart is a final one: what
// stays blocked or not able is the crash step's to judge.
func (r rules) settledAfterCrash(x *Exchange) bool {
	return x.Whole() && (r.class(x).conflict || r.class(x).duplicate || !r.recovering(x))
}

// Ends of the names of cases: when the changed request came.
const (
	afterReplay  = ", after a replay"
	afterRestart = ", after a restart"
)

// when parts a case's name into the change and when it came, "" for at once.
func when(name string) (change, when string) {
	for _, suffix := range []string{afterReplay, afterRestart} {
		if change, ok := strings.CutSuffix(name, suffix); ok {
			return change, strings.TrimPrefix(suffix, ", after a ")
		}
	}
	return name, ""
}

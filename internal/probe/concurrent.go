package probe

import (
	"fmt"
	"strings"
	"time"
)

// concurrentStep releases copies of one request together, in rounds: pairs
// held at the last body byte, pairs held at the end of the headers (a server
// may look the key up before or after it reads the body), and one stampede.
var concurrentStep = Step{
	Name:  "concurrent",
	What:  "copies of one request in flight together have one effect and one result",
	plan:  planConcurrent,
	judge: judgeConcurrent,
}

// stampede is how many copies of one key test the losers: their answers, and
// their waiting.
const stampede = 30

// round is one release of copies of one request.
type round struct {
	name   string
	copies int
	hold   Hold
}

// planned is a round as it is released: copies on connections of their own, or
// several keys in one burst.
type planned struct {
	round
	apart bool
	keys  int // 0: one
}

// planned gives the rounds in order. Copies that HTTP/2 lets share a connection
// arrive closer together; but one connection may be pinned to one replica, so
// that rounds on connections of their own are made as well (release, Design).
func (b *builder) planned() []planned {
	races, share := b.env.Races, mayShare(b.env.Contract)
	near, own := pairs(races, sigmaApart), 0
	if share {
		near, own = pairs(races, sigmaShared), near
	}
	var out []planned
	add := func(n, copies int, form string, p planned) {
		for _, hold := range []Hold{HoldBody, HoldHeader} {
			p.round = round{fmt.Sprintf(form, hold, n), copies, hold}
			out = append(out, p)
		}
	}
	for i := 1; i <= max(near, own, bursts(races)); i++ {
		if i <= near {
			add(i, 2, "2 copies, %s hold, round %d", planned{})
		}
		if i <= own {
			add(i, 2, "2 copies apart, %s hold, round %d", planned{apart: true})
		}
		if i <= bursts(races) {
			add(i, 2, fmt.Sprintf("%d keys x 2 copies, %%s hold, burst %%d", races.Keys), planned{keys: races.Keys})
		}
	}
	out = append(out, planned{round: round{fmt.Sprintf("%d copies, body hold", stampede), stampede, HoldBody}})
	if share {
		out = append(out, planned{round: round{fmt.Sprintf("%d copies apart, body hold", stampede), stampede, HoldBody}, apart: true})
	}
	return out
}

// planConcurrent releases the rounds one after another, each key tried once
// more at once, and then looks at all of them together, so that waiting for
// late effects is done once.
func planConcurrent(b *builder) {
	var release []Action
	var look [][]Action
	for _, p := range b.planned() {
		if p.keys > 0 {
			one, looks := b.burst(p)
			release, look = append(release, one), append(look, looks...)
			continue
		}
		op := b.make(p.name)
		id := b.freeze(p.name, op, "")
		release = append(release, Try{Trial: p.name, Body: join(
			b.count("before", op),
			[]Action{
				Send{Label: "race", Request: id, Copies: p.copies, Hold: p.hold, Apart: p.apart},
				b.environmentFor(p)},
			b.count("raced", op),
			[]Action{comeBack("again", id, patience(b.op)), b.environmentOf(p.name, "environment-again", 2, NoHold, "again")},
		)})
		look = append(look, []Action{b.look(p.name, op)})
	}
	b.thread("rounds", append(release, Fan{Branches: look})...)
	b.assume()
}

// environmentFor is the environment's control of a round, on as many connections.
func (b *builder) environmentFor(p planned) If {
	return b.environment(p.name, p.copies, p.hold, "race").sentBy(func(burst *Burst) { burst.Apart = p.apart })
}

// look counts the effects of a round once more, when all are done.
func (b *builder) look(trial string, op *made) Action {
	return Try{Trial: trial, Body: join(b.above("after-race", "before", op), b.settled("settled", op))}
}

// keyOf stands in the name of a burst's trials, between the burst's own name and
// the key's number.
const keyOf = ", key "

// burstOf gives the burst that a trial is of, false where it had its release
// for itself.
func burstOf(trial string) (string, bool) {
	burst, _, of := strings.Cut(trial, keyOf)
	return burst, of
}

// burst releases two copies of several keys at once: more keys show a window
// more often, where more copies of one do not (release, What that teaches). Each
// key is a trial of its own. Only the environment's controls are the burst's,
// with as many copies as it has, since a limit is met by all of them together.
func (b *builder) burst(p planned) (release Action, looks [][]Action) {
	var ids, trials, each []string
	var before, after [][]Action
	for k := 1; k <= p.keys; k++ {
		trial := fmt.Sprint(p.name, keyOf, k)
		op := b.make(trial)
		id := b.freeze(trial, op, "")
		ids, trials, each = append(ids, id, id), append(trials, trial, trial), append(each, trial)
		if counts := b.count("before", op); len(counts) > 0 {
			before = append(before, []Action{Try{Trial: trial, Body: counts}})
		}
		after = append(after, []Action{Try{Trial: trial, Body: join(b.count("raced", op), []Action{comeBack("again", id, patience(b.op))})}})
		looks = append(looks, []Action{b.look(trial, op)})
	}
	control, controlAgain := b.environment(p.name, len(ids), p.hold, "race"), b.environmentOf(p.name, "environment-again", p.keys, NoHold, "again")
	control.When.Among, controlAgain.When.Among = each, each
	var body []Action
	if len(before) > 0 {
		body = append(body, Fan{Branches: before})
	}
	body = append(body, Burst{Label: "race", Requests: ids, Trials: trials, Hold: p.hold, Apart: p.apart}, control,
		Fan{Branches: after}, controlAgain)
	return Try{Trial: p.name, Body: body}, looks
}

// assume says in the plan what its number of rounds rests on.
func (b *builder) assume() {
	if mayTurnSecure(b.env.Contract) {
		b.plan.Notes = append(b.plan.Notes, "the base URL is not filled in: where it is https, pairs and the stampede are released on connections of their own as well")
	}
	r := b.env.Races
	window := time.Duration(r.Window)
	if window == 0 {
		return
	}
	shared, apart := pairs(r, sigmaShared), pairs(r, sigmaApart)
	rounds, power := fmt.Sprintf("%d pairs", apart), powerOf(window, []shot{{apart, sigmaApart}})
	how := fmt.Sprintf("with a deviation of %s on connections of their own", sigmaApart)
	if mayShare(b.env.Contract) {
		rounds = fmt.Sprintf("%d pairs on a shared connection, and %d on connections of their own,", shared, apart)
		power = min(power, powerOf(window, []shot{{shared, sigmaShared}}))
		how = fmt.Sprintf("with a deviation of %s on one HTTP/2 connection, %s on their own", sigmaShared, sigmaApart)
	}
	b.plan.Notes = append(b.plan.Notes, fmt.Sprintf("%s under each hold show a window of %s with %s, if two copies arrive as far apart as "+
		"measured on loopback, half-normal %s: an assumption, and on the way to a server elsewhere they may arrive further apart",
		rounds, window, percent(power), how))
}

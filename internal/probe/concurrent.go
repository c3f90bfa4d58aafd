package probe

import "fmt"

// concurrentStep releases copies of one request together, in rounds: pairs
// held at the last body byte, pairs held at the end of the headers (a server
// may look the key up before or after it reads the body), and one stampede.
var concurrentStep = Step{
	Name:  "concurrent",
	What:  "copies of one request in flight together have one effect and one result",
	plan:  planConcurrent,
	judge: judgeConcurrent,
}

// The rounds: how many pairs under each hold, and how large the stampede is.
const (
	pairRounds = 5
	stampede   = 30
)

// round is one release of copies of one request.
type round struct {
	name   string
	copies int
	hold   Hold
}

func rounds() []round {
	var out []round
	for i := 1; i <= pairRounds; i++ {
		out = append(out, round{fmt.Sprintf("2 copies, body hold, round %d", i), 2, HoldBody})
		out = append(out, round{fmt.Sprintf("2 copies, header hold, round %d", i), 2, HoldHeader})
	}
	return append(out, round{fmt.Sprintf("%d copies, body hold", stampede), stampede, HoldBody})
}

// planConcurrent releases the rounds one after another, each key tried once
// more at once, and then looks at all of them together, so that waiting for
// late effects is done once.
func planConcurrent(b *builder) {
	var release []Action
	var look [][]Action
	for _, r := range rounds() {
		op := b.make(r.name)
		id := b.freeze(r.name, op, "")
		release = append(release, Try{Trial: r.name, Body: join(
			b.count("before", op),
			[]Action{
				Send{Label: "race", Request: id, Copies: r.copies, Hold: r.hold},
				b.environment(r.name, r.copies, r.hold, "race")},
			b.count("raced", op),
			[]Action{comeBack("again", id, patience(b.op)), b.environmentOf(r.name, "environment-again", 2, NoHold, "again")},
		)})
		look = append(look, []Action{Try{Trial: r.name, Body: join(
			b.above("after-race", "before", op),
			b.settled("settled", op),
		)}})
	}
	b.thread("rounds", append(release, Fan{Branches: look})...)
}

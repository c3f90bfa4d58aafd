package probe

import (
	"iter"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// JudgeTrusting is Judge with controls believed unseen.
func JudgeTrusting(events iter.Seq2[trace.Event, error], controls ...string) (*Report, error) {
	trust := map[string]bool{}
	for _, c := range controls {
		trust[c] = true
	}
	return judgeTrusting(events, trust)
}

// Mutated is one change of a body: the original's bytes and the changed ones.
type Mutated struct {
	Name             string
	Original, Change []byte
	Advisory         bool
}

// Mutations gives the changes of an operation's body.
func Mutations(op *contract.Operation, seed uint64) ([]Mutated, error) {
	all, err := mutations(op, seed)
	var out []Mutated
	for _, m := range all {
		if m.change == nil {
			continue
		}
		original, err1 := newDraft(op.Request.Body)
		changed, err2 := newDraft(op.Request.Body)
		if err1 != nil || err2 != nil {
			return nil, err1
		}
		if m.base != nil {
			m.base(original)
			m.base(changed)
		}
		m.change(changed)
		out = append(out, Mutated{m.name, original.bytes(), changed.bytes(), m.advisory})
	}
	return out, err
}

// Spelt is one other spelling of a JSON value.
type Spelt struct {
	Name     string
	Body     []byte
	Advisory bool
}

// Spellings gives the other spellings of a JSON text.
func Spellings(op *contract.Operation) ([]byte, []Spelt, error) {
	d, err := newDraft(op.Request.Body)
	if err != nil {
		return nil, nil, err
	}
	var out []Spelt
	for _, s := range spellingsOf(d) {
		out = append(out, Spelt{s.name, []byte(d.spelt(s)), s.advisory})
	}
	return d.bytes(), out, nil
}

// The model of what rounds can show.
var (
	Chance    = chance
	RoundsFor = roundsFor
	WindowFor = windowFor
)

// Deviations of the model, and the most pairs under one hold.
const (
	SigmaShared = sigmaShared
	SigmaApart  = sigmaApart
	MostRounds  = mostRounds
)

// PowersOf gives what releases could have shown.
func PowersOf(releases []Release, races trace.Races) []Power { return powersOf(releases, races, true) }

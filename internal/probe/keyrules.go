package probe

import (
	"github.com/idem-toolkit/idem/internal/contract"
)

// keyRulesStep tries the rules that the contract declares of its keys at their
// borders: only what is declared is judged (contract-v1, The file).
var keyRulesStep = Step{
	Name:  "key-rules",
	What:  "keys at the borders of the declared rules are taken, told apart and refused as declared",
	plan:  planKeyRules,
	judge: judgeKeyRules,
	lacks: func(_ *contract.Contract, op *contract.Operation) Reason {
		if op.Key.Rules != nil {
			return Reason{}
		}
		return Reason{Text: "key.rules are not declared", Line: op.Key.Pos.Line,
			Settle: "declare key.rules, such as {max_length: 255, case: sensitive, too_long: {status: [400]}}"}
	},
}

// ruleKind says what a trial of the step asks.
type ruleKind int

const (
	takenKey    ruleKind = iota // the key is good: it is taken and remembered
	twoKeys                     // both are good and not the same
	oneKey                      // both are the same key
	badKey                      // refused, by the declared answer
	repeatedKey                 // the key's field stands twice
	shortKey                    // refused, by an answer that is not declared
	endlessly                   // refused in some way: what stands before the API may do it
)

// ruleTrial is one trial of the step.
type ruleTrial struct {
	name string
	kind ruleKind
	one  string
	two  string // of twoKeys, oneKey and repeatedKey
}

// Names of the trials.
const (
	longestKey   = "the longest key"
	lastDiffers  = "long keys that differ in their last character"
	tooLongKey   = "a key one character too long"
	endlessKey   = "a key of 3000 random characters"
	shortestKey  = "the shortest key"
	tooShortKey  = "a key one character too short"
	patternKey   = "a key by the pattern"
	specialKey   = "a key of special characters"
	afterSpecial = "keys that differ after special characters"
	inSpecial    = "keys that differ in a special character"
	firstDiffers = "long keys that differ in their first character"
	caseDiffers  = "keys that differ only in case"
	uuidCase     = "UUIDs that differ only in case"
	repeatedSame = "the key's field twice, alike"
	repeatedTwo  = "the key's field twice, with two keys"
)

// Lengths, in characters.
const (
	endlessLength = 3000 // more than an index entry takes where the text does not compress
	newLength     = 8    // shorter ones may have been used by an earlier run
	usualLength   = 24
)

// answer is what the rules declare for a key that breaks them; nil where they
// declare nothing.
func (k ruleKind) answer(rules *contract.KeyRules) *contract.Matcher {
	switch k {
	case badKey:
		return rules.TooLong
	case repeatedKey:
		return rules.Repeated
	}
	return nil
}

// ruleTrials gives the trials that the declared rules ask for.
func (b *builder) ruleTrials() []ruleTrial {
	var out []ruleTrial
	k := b.op.Key.Rules
	s := b.keySpace("keys")
	usual := b.usualLength()
	if k.MaxLength > 0 {
		out = append(out, b.lengthTrials(s)...)
	}
	if k.MinLength >= newLength {
		if key, ok := s.key(k.MinLength); ok {
			out = append(out, ruleTrial{name: shortestKey, kind: takenKey, one: key})
		}
	}
	if k.MinLength > 0 && (k.MinLength > 1 || b.op.Key.Header != "") {
		if key, ok := s.keyOrAny(k.MinLength - 1); ok || k.MinLength == 1 {
			out = append(out, ruleTrial{name: tooShortKey, kind: shortKey, one: key})
		}
	}
	if key, ok := s.key(usual); ok && k.Pattern != "" {
		out = append(out, ruleTrial{name: patternKey, kind: takenKey, one: key})
	}
	if key, ok := s.special(usual); ok {
		out = append(out, ruleTrial{name: specialKey, kind: takenKey, one: key})
		out = append(out, s.specialPairs(usual)...)
	}
	if key, ok := s.key(usual); ok && k.Case != "" {
		if other, ok := s.inOtherCase(key); ok {
			kind := map[string]ruleKind{"sensitive": twoKeys, "insensitive": oneKey}[k.Case]
			out = append(out, ruleTrial{name: caseDiffers, kind: kind, one: key, two: other})
		}
	}
	if lower, upper, ok := s.uuidPair(); ok && k.Case == "sensitive" && (k.MaxLength == 0 || k.MaxLength >= len(lower)) && k.MinLength <= len(lower) {
		out = append(out, ruleTrial{name: uuidCase, kind: twoKeys, one: lower, two: upper})
	}
	if k.Repeated != nil && b.op.Key.Header != "" {
		one, ok1 := s.key(usual)
		two, ok2 := s.key(usual)
		three, ok3 := s.key(usual)
		if ok1 && ok2 && ok3 {
			out = append(out, ruleTrial{name: repeatedSame, kind: repeatedKey, one: one, two: one},
				ruleTrial{name: repeatedTwo, kind: repeatedKey, one: two, two: three})
		}
	}
	return out
}

// lengthTrials are those of max_length.
func (b *builder) lengthTrials(s *keySpace) []ruleTrial {
	k := b.op.Key.Rules
	var out []ruleTrial
	longest, ok := s.key(k.MaxLength)
	if !ok {
		return nil
	}
	out = append(out, ruleTrial{name: longestKey, kind: takenKey, one: longest})
	if one, ok := s.key(k.MaxLength); ok {
		if two, ok := s.withOther(one, k.MaxLength-1); ok {
			out = append(out, ruleTrial{name: lastDiffers, kind: twoKeys, one: one, two: two})
		}
	}
	if over, ok := s.keyOrAny(k.MaxLength + 1); ok {
		out = append(out, ruleTrial{name: tooLongKey, kind: badKey, one: over})
	}
	if key, ok := s.key(k.MaxLength); ok {
		if two, ok := s.withOther(key, 0); ok {
			out = append(out, ruleTrial{name: firstDiffers, kind: twoKeys, one: key, two: two})
		}
	}
	if k.MaxLength+1 < endlessLength {
		if key, ok := s.unruled().key(endlessLength); ok {
			out = append(out, ruleTrial{name: endlessKey, kind: endlessly, one: key})
		}
	}
	return out
}

// usualLength is a length within the declared ones, long enough for a new key;
// where the pattern fixes another, that.
func (b *builder) usualLength() int {
	k := b.op.Key.Rules
	n := max(usualLength, k.MinLength)
	if k.MaxLength > 0 {
		n = min(n, k.MaxLength)
	}
	s := b.keySpace("usual")
	if _, ok := s.key(n); ok || s.tree == nil {
		return n
	}
	least, most := span(s.tree)
	for _, length := range []int{min(max(least, n), most), least, most} {
		if _, ok := s.key(length); ok {
			return length
		}
	}
	return n
}

func planKeyRules(b *builder) {
	all := b.ruleTrials()
	if len(all) == 0 {
		b.plan.Idle = Reason{Text: "key.rules declare nothing that can be tried", Line: b.op.Key.Rules.Pos.Line,
			Settle: "declare max_length, case, repeated, or a pattern that plain characters can match"}
		return
	}
	b.planControlKey()
	for _, r := range all {
		b.planRule(r)
	}
}

// controlKey is a trial of an ordinary key, which others are compared with.
const controlKey = "an ordinary key"

func (b *builder) planControlKey() {
	id := b.freeze("ordinary", b.make("ordinary"), "")
	b.thread(controlKey, comeBack("control", id, patience(b.op)))
}

// keyed prepares an operation of its own under a given key.
func (b *builder) keyed(slot, key string) *made {
	m := b.make(slot)
	m.key = key
	return m
}

// planRule plans one trial.
func (b *builder) planRule(r ruleTrial) {
	one := b.keyed(r.name+"/one", r.one)
	oneID := b.freeze(r.name+"/one", one, r.name)
	if r.kind == repeatedKey {
		q := b.plan.Requests[len(b.plan.Requests)-1]
		q.Header = append(q.Header, [2]string{b.op.Key.Header, b.keyText(r.two)})
	}
	send := func(label, id string) []Action { return []Action{comeBack(label, id, patience(b.op))} }
	watched := b.environment(r.name, 2, NoHold, "one", "two", "again")
	switch r.kind {
	case takenKey, oneKey:
		secondID := oneID
		if r.kind == oneKey {
			two := b.with(one)
			two.key = r.two
			secondID = b.freeze(r.name+"/two", two, "its key in the other case")
		}
		b.thread(r.name, join(b.count("before", one), send("one", oneID), b.above("after-first", "before", one),
			send("again", secondID), []Action{watched}, b.settled("settled", one))...)
	case twoKeys:
		two := b.keyed(r.name+"/two", r.two)
		twoID := b.freeze(r.name+"/two", two, "another key, other values")
		b.thread(r.name, join(b.count("before", one), b.count("before-two", two), send("one", oneID), b.above("after-first", "before", one),
			[]Action{b.comeBackOrConflict("two", twoID)}, send("again", oneID), []Action{watched},
			b.above("after-two", "before-two", two), b.settled("settled", one), b.count("settled-two", two))...)
	default:
		// A refusal is final, but not an error that any request may meet once.
		tried := comeBack("one", oneID, patience(b.op))
		tried.While, tried.Max = Condition{Fact: Troubled, Labels: []string{"one"}}, oftenEnough
		b.thread(r.name, join(b.count("before", one), []Action{tried, watched}, b.settled("settled", one))...)
	}
}

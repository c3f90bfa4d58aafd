package probe

import (
	"strings"
	"time"
)

// Behind one URL nobody can choose the replica that a request meets. So a
// request wanders: it is sent again, over a connection of its own each time,
// until an instance other than the first one's has given it a final answer, or
// its bound is reached.

const (
	// Unreached: fewer than Least answers came under the labels, or none of those
	// that are final is of another instance than the last one under Than; without
	// Than: they are all of one instance.
	Unreached Fact = "unreached"
	// Kept: some instance's last answer under the labels tells the caller to come
	// back, or so does the last one that names no instance.
	Kept Fact = "kept"
	// Uncrossed: in no trial whose name begins with Family an answer under the
	// label came from another instance than the one under Than.
	Uncrossed Fact = "uncrossed"
)

// Bounds of wandering. By chance all of so many requests meet one of two
// replicas once in some ten thousand times.
const (
	wanderLeast    = 4
	wanderMost     = 9
	wanderEvery    = 15 * time.Millisecond
	wanderTogether = 3 // some balancers give all to one replica that is idle
	wanderBursts   = 3
	wanderGivesUp  = 40 // answers that all come from one instance: so will the next
)

// Endings of the labels under which a wandering request is sent: alone; in
// copies together; and alone again when a finished key must give its result.
const (
	inCopies = "-together"
	inTheEnd = "-late"
)

// wandering is a request that is sent until another instance has answered.
type wandering struct {
	label, request string
	than           string // the label whose instance does not count; empty: two must answer
	since          string // the label after whose answer a key is finished
	other          bool   // as the other principal
	conflict       bool   // the conflict's answer is final
	alone          bool   // never in copies together
}

func (b *builder) wander(w wandering) []Action {
	header := b.env.Contract.Target.Instance
	while := func(fact Fact, labels ...string) Condition {
		return Condition{Fact: fact, Labels: labels, Than: w.than, Instance: header, ConflictSettles: w.conflict}
	}
	// As many answers as tell of every instance by chance.
	tooFew := func(label string) Condition {
		c := while(Unreached, label)
		c.Least = wanderLeast
		return c
	}
	send := func(label string, copies int) Send {
		return Send{Label: label, Request: w.request, Copies: copies, Apart: copies > 1, Other: w.other}
	}
	goOn := func(s Send, most int, c Condition) Repeat {
		return Repeat{Body: []Action{s}, While: c, Every: wanderEvery, Within: patience(b.op), Max: most}
	}
	out := []Action{goOn(send(w.label, 1), wanderMost, tooFew(w.label))}
	if !w.alone {
		still := while(Unreached, w.label, w.label+inCopies)
		out = append(out, If{When: while(Unreached, w.label), Body: []Action{goOn(send(w.label+inCopies, wanderTogether), wanderBursts, still)}})
	}
	return append(out, If{When: while(Kept, w.label, w.label+inCopies), Body: []Action{
		Wait{For: w.since, From: LastAnswered, Plus: patience(b.op)},
		goOn(send(w.label+inTheEnd, 1), wanderMost, tooFew(w.label+inTheEnd))}})
}

// wanderLabels are all labels of wandering requests.
func wanderLabels(labels ...string) []string {
	var out []string
	for _, l := range labels {
		out = append(out, l, l+inCopies, l+inTheEnd)
	}
	return out
}

// wanderEnvironment is the environment's control of a trial in which requests
// wander: whichever of their answers met trouble.
func (b *builder) wanderEnvironment(trial, name string, labels ...string) If {
	control := b.environmentOf(trial, name, 2, NoHold, labels...)
	control.When.All = true
	return control
}

// final says that an answer is not one that tells its caller to come back.
func (c Condition) final(r rules, x *Exchange) bool {
	return !r.unsettled(x) || c.ConflictSettles && r.class(x).conflict
}

func (c Condition) unreached(r rules, h *History, t *Trial) bool {
	n, reached := 0, map[string]bool{}
	for _, label := range c.Labels {
		for _, x := range t.Under(label) {
			n++
			if name := instanceName(x, c.Instance); name != "" && c.final(r, x) {
				reached[name] = true
			}
		}
	}
	if n < c.Least {
		return true
	}
	if h.oneInstance(c.Instance) {
		return false
	}
	if c.Than == "" {
		return len(reached) < 2
	}
	delete(reached, instanceName(t.Last(c.Than), c.Instance))
	return len(reached) == 0
}

// oneInstance says that a step's answers all came from one instance, and that
// they are enough to give up.
func (h *History) oneInstance(header string) bool {
	n, one := 0, ""
	for _, t := range h.Trials {
		for _, x := range t.Exchanges {
			name := instanceName(x, header)
			switch {
			case name == "":
			case n > 0 && name != one:
				return false
			default:
				one = name
				n++
			}
		}
	}
	return n >= wanderGivesUp
}

func (c Condition) kept(r rules, t *Trial) bool {
	last := map[string]*Exchange{}
	for _, label := range c.Labels {
		for _, x := range t.Under(label) {
			last[instanceName(x, c.Instance)] = x
		}
	}
	for _, x := range last {
		if !c.final(r, x) {
			return true
		}
	}
	return false
}

func (c Condition) uncrossed(h *History) bool {
	if h.oneInstance(c.Instance) {
		return false
	}
	for _, t := range h.Trials {
		if !strings.HasPrefix(t.Name, c.Family) {
			continue
		}
		than := instanceName(t.Last(c.Than), c.Instance)
		for _, label := range c.Labels {
			for _, x := range t.Under(label) {
				if name := instanceName(x, c.Instance); name != "" && than != "" && name != than {
					return false
				}
			}
		}
	}
	return true
}

package probe

import "time"

// How a neighbour's experiment goes over replicas. Where the contract gives one
// URL and does not tell instances apart, all of it goes there.

func (b *builder) retried(n neighbour, id string) []Action {
	switch {
	case !n.retry:
		return nil
	case n.family != "":
		return b.wander(wandering{label: "retried", request: id, than: "first", since: "neighbour", other: n.other})
	}
	return []Action{comeBackBy(Send{Label: "retried", Request: id, Copies: 1, Other: n.other, Target: n.from}, patience(b.op))}
}

func (b *builder) firstAgain(n neighbour, id string) []Action {
	if n.family != "" {
		return b.wander(wandering{label: "again", request: id, than: "first", since: "first"})
	}
	return []Action{comeBackAt("again", id, n.to, patience(b.op))}
}

// comeBack is comeBack of the neighbour, where it goes.
func (n neighbour) comeBack(label, request string, within time.Duration) Repeat {
	return comeBackBy(Send{Label: label, Request: request, Copies: 1, Other: n.other, Target: n.to}, within)
}

func (b *builder) neighbourEnvironment(n neighbour) If {
	labels := []string{"first", "control", "neighbour", "retried", "again"}
	if n.from == n.to && n.family == "" {
		return b.environment(n.trial, 2, NoHold, labels...)
	}
	if n.family != "" {
		return b.wanderEnvironment(n.trial, "environment", append([]string{"first", "control", "neighbour"}, wanderLabels("retried", "again")...)...)
	}
	return b.environmentOver(n.trial, "environment", []string{n.from, n.to}, NoHold, labels...)
}

// neighbourThread plans the experiment as a thread of its own; behind one URL as
// what is done where none before it has met two instances.
func (b *builder) neighbourThread(n neighbour, actions []Action) {
	if n.family == "" {
		b.thread(n.trial, actions...)
		return
	}
	met := Condition{Fact: Uncrossed, Labels: []string{"neighbour"}, Than: "first", Instance: b.env.Contract.Target.Instance, Family: n.family}
	try := Try{Trial: n.trial, Body: actions}
	if last := len(b.plan.Threads) - 1; last >= 0 && b.plan.Threads[last].Trial == n.family {
		b.plan.Threads[last].Actions = append(b.plan.Threads[last].Actions, If{When: met, Body: []Action{try}})
		return
	}
	b.thread(n.family, try)
}

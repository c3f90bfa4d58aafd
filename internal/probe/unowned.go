package probe

import "slices"

// An answer that the contract declares as in flight tells of its key: somebody
// owns it. Where a key that was never sent before gets it too, nobody can, and
// the answer tells of the service instead: a limit of requests at once, say.
// Whether a key is stuck, refused or in flight is then not told by it.

// keptOff says that an answer keeps its caller off the key as the contract
// declares, and is nothing else that it declares.
func (r rules) keptOff(x *Exchange) bool {
	c := r.class(x)
	return c.inFlight && !c.duplicate && !c.conflict
}

// keptOff says that a key alone was kept from its caller at last: of copies that
// go together all but one may be.
func (t *Trial) keptOff(r rules, labels []string) bool {
	return slices.ContainsFunc(labels, func(label string) bool {
		last := t.lastCopies(label)
		return len(last) == 1 && r.keptOff(last[0])
	})
}

// unownedMoment is when a key that was never sent before was told that it is in
// flight; false of any other exchange. Around an outage, a crash and requests
// that fail on purpose a service may say so for a while: that holds for then.
func unownedMoment(r rules, step string, x *Exchange) (busyMoment, bool) {
	if c := r.class(x); !x.ofNewKey() || !c.inFlight || c.duplicate {
		return busyMoment{}, false
	}
	m := busyMoment{status: x.Answer.Status, at: x.Answer.FirstByte, flight: true}
	switch {
	case step == outcomeStep.Name, step == storeDownStep.Name:
	case step == crashStep.Name:
		m.lasts = x.Label == "volley"
	default:
		// A control has values that another key may own.
		m.lasts = x.Label != "control" && x.Label != "other-key"
	}
	return m, true
}

// metByNew says that an answer is declared as in flight and new keys get the
// same: within a second, or where it tells of any time of the run.
func (j *judging) metByNew(x *Exchange) bool {
	if c := j.rules.class(x); !c.inFlight || c.duplicate || j.trusts("environment") {
		return false
	}
	for _, m := range j.busy {
		near := max(m.at, x.Answer.FirstByte)-min(m.at, x.Answer.FirstByte) <= sameSecond
		if m.flight && m.status == x.Answer.Status && (m.lasts || near) {
			return true
		}
	}
	return false
}

// unowned says that an answer is declared as in flight and is not about its
// key, since new keys get the same, and gives the reason.
func (j *judging) unowned(t *Trial, x *Exchange) bool {
	if !j.metByNew(x) {
		return false
	}
	j.control("environment", false, "new keys, which nobody owns, get the declared in-flight answer too (%s)", j.rules.describe(x))
	j.unsure(j.op.Promise.InFlight.Pos.Line, "tell the two apart: promise.in_flight.json, or another status; or run below the limit (limits.rate)",
		"%s: %s is declared as in flight, and new keys get the same answer: it is not about the key", t.Name, j.rules.describe(x))
	return true
}

package probe

import (
	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Unreached says that nothing of what a step sent got a connection: the
// target is not there, and sending more would show nothing. Why is what the
// network said.
func (h *History) Unreached() (why string, unreached bool) {
	for _, t := range h.Trials {
		for _, x := range t.Exchanges {
			if x.Sent != nil || x.Answer == nil || x.Answer.Outcome != trace.Refused {
				return "", false
			}
			why, unreached = x.Answer.Error, true
		}
	}
	return why, unreached
}

// TurnedAway says that the control's operations were both refused for good:
// the contract's request is not one that the API accepts, and no step built on
// it can show anything. The reason holds what was answered.
func TurnedAway(op *contract.Operation, control *History) (Reason, bool) {
	r := rules{op}
	t := control.Trial("counter")
	one, two := t.Last("one"), t.Last("other-key")
	for _, x := range []*Exchange{one, two} {
		if !x.Whole() || r.class(x).welcome || r.unsettled(x) {
			return Reason{}, false
		}
	}
	return Reason{
		Text:   "the API does not accept the contract's request: " + r.tell(one),
		Line:   op.Request.Pos.Line,
		Settle: "make the contract's request one that the API accepts",
	}, true
}

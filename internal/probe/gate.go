package probe

import (
	"strings"

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
	settle := "make the contract's request one that the API accepts"
	if r.wantsHTTP2(one) {
		settle = ifHTTP2Alone
	}
	return Reason{
		Text:   "the API does not accept the contract's request: " + r.tell(one),
		Line:   op.Request.Pos.Line,
		Settle: settle,
	}, true
}

// SettleUnreached says what would let a target be reached that was not, by what
// was said of it; old says that HTTP/1.1 alone was offered.
func SettleUnreached(said string, old bool) string {
	switch start := "start the API, or let crash.process start it"; {
	case strings.Contains(said, "failed to verify certificate"):
		return "let the server show a certificate that is valid now, for this host, and of an authority that this machine trusts " +
			"(on Linux SSL_CERT_FILE=ca.pem names another)"
	case old && strings.Contains(said, "no application protocol"): // the alert of RFC 7301, 3.2
		return ifHTTP2Alone
	case strings.Contains(said, "HTTP/2"):
		return start + "; if it speaks HTTP/1.1 alone, say so: target.http: 1.1"
	default:
		return start
	}
}

const ifHTTP2Alone = "if the server speaks HTTP/2 alone, say so: target.http: 2, or --http 2"

// wantsHTTP2 says that what came of a request over HTTP/1.1 may come of HTTP/2
// being all that the server speaks: a connection that ends without an answer, a
// frame of HTTP/2, or a refusal that says so.
func (r rules) wantsHTTP2(x *Exchange) bool {
	switch {
	case x == nil || x.Answer == nil || x.Sent == nil || x.Sent.Protocol == http2:
		return false
	case !x.Whole():
		return x.Answer.Outcome == trace.Reset || strings.HasPrefix(x.Answer.Error, "the server begins with HTTP/2")
	case x.status() < 400 || r.class(x).welcome:
		return false
	case x.status() == 505: // HTTP Version Not Supported (RFC 9110, 15.6.6)
		return true
	}
	said := strings.ToLower(string(bodyOf(x.Answer.Body)))
	for _, upgrade := range trace.Get(x.Answer.Header, "Upgrade") {
		said += "\n" + strings.ToLower(upgrade)
	}
	return strings.Contains(said, "http/2") || strings.Contains(said, "http2") || strings.HasSuffix(said, "\nh2c") || strings.HasSuffix(said, "\nh2")
}

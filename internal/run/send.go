package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// copy makes the bytes of a request as they travel. They depend on the request
// and the principal alone, so that a retry's are the same; a signature, which
// may hold a time or a nonce, is the one part that is made for each attempt.
func (x *actor) copy(ctx context.Context, id, target string, other bool) (wire.Copy, error) {
	q := x.p.asked[id]
	if q == nil {
		return wire.Copy{}, problem.New("", "the plan has no request %s", id)
	}
	to, err := x.endpoint(target)
	if err != nil {
		return wire.Copy{}, err
	}
	m := wire.Message{Method: q.Method, Target: q.Target, Body: q.Body}
	m.Header = append(m.Header, x.header(q)...)
	who := x.credential(other)
	if other {
		to = to.As(who.certificate)
	}
	added, err := who.added(ctx, to, m, q.Key)
	if err != nil {
		return wire.Copy{}, err
	}
	m.Header = append(m.Header, added...)
	return wire.Copy{Endpoint: to, Message: m}, nil
}

// credential is the principal's as whom a request is sent.
func (x *actor) credential(other bool) Credential {
	if other {
		return x.p.job.Target.Other
	}
	return x.p.job.Target.Auth
}

// endpoint finds a target: "" is the first base URL, "1" the second.
func (x *actor) endpoint(target string) (wire.Endpoint, error) {
	t := &x.p.job.Target
	if target == "expiry" && len(t.Expiry) > 0 {
		return t.Expiry[0], nil
	}
	n := 0
	if target != "" && target != "expiry" {
		n, _ = strconv.Atoi(target)
	}
	if n >= len(t.Bases) {
		return wire.Endpoint{}, problem.New("", "there is no base URL number %d", n)
	}
	return t.Bases[n], nil
}

func (x *actor) send(ctx context.Context, a probe.Send) {
	if a.Long || a.HangUp.When != probe.Stay {
		x.apart(ctx, a)
		return
	}
	ids := make([]string, max(a.Copies, 1))
	for i := range ids {
		ids[i] = a.Request
	}
	x.release(ctx, a.Label, ids, []string{a.Target}, a.Hold, a.Other)
}

func (x *actor) burst(ctx context.Context, a probe.Burst) {
	targets := a.Targets
	if len(targets) == 0 {
		targets = []string{a.Target}
	}
	x.release(ctx, a.Label, a.Requests, targets, a.Hold, false)
}

// release sends requests together and records each. The targets are those of
// the requests in turn, or one for all.
func (x *actor) release(ctx context.Context, label string, ids, targets []string, hold probe.Hold, other bool) {
	x.r.pace.await(ctx, len(ids))
	free, ok := x.shared(ctx)
	if !ok {
		return
	}
	if ctx.Err() != nil { // the place was free as well
		free()
		return
	}
	copies, err := x.copies(ctx, ids, targets, other)
	if err != nil {
		free()
		x.undone(label, err.Error())
		return
	}
	var results []wire.Result
	if len(copies) == 1 {
		results = []wire.Result{x.r.Client.SendCopy(ctx, copies[0])}
	} else {
		results = x.r.Client.Release(ctx, copies, wire.Hold(hold))
	}
	free()
	for i, res := range results {
		x.recordResult(label, i, came{ids[i], targets[i%len(targets)], other}, res)
	}
}

// came is which request a result is of, where it went and who sent it.
type came struct {
	id, target string
	other      bool
}

// recordResult records what was written of a copy and what came back.
func (x *actor) recordResult(label string, copy int, of came, res wire.Result) {
	mask, id := x.r.Mask, of.id
	p := plainBody(res)
	if res.WriteBegan > 0 {
		x.r.ledger.note(x, x.p.asked[id], res, p.body)
		x.emit(label, copy, &trace.Event{Kind: trace.KindSent, At: res.WriteEnded, Sent: &trace.Sent{
			Request: id, Target: targetName(of.target), Other: of.other, Connection: res.Connection, Protocol: res.Protocol,
			Hold: string(res.Hold), WriteBegan: res.WriteBegan, WriteEnded: res.WriteEnded, Whole: res.Whole}})
	}
	a := &trace.Answer{Request: id, Outcome: outcome(res), Status: res.Status, Header: mask.Header(res.Header),
		Body: mask.Body(p.body, p.size), FirstByte: res.FirstByte, LastByte: res.LastByte}
	a.Body.StillCoded = p.coded
	if p.rest != nil { // the digest tells of every byte, as far as it goes
		sum := sha256.Sum256(append([]byte(a.Body.SHA256), p.rest...))
		a.Body.SHA256 = hex.EncodeToString(sum[:])
	}
	if a.Body.Truncated && int64(len(p.body)) == p.size {
		a.Body.Value = probe.ValueDigest(x.p.job.Operation, mask.Bytes(p.body))
	}
	if res.Err != nil {
		a.Error = mask.Text(res.Err.Error())
	}
	if a.LastByte == 0 {
		a.LastByte = x.r.Clock()
	}
	if res.Outcome != trace.Answered {
		a.Ended = res.Ended
	}
	x.emit(label, copy, &trace.Event{Kind: trace.KindAnswer, Answer: a})
}

func targetName(target string) string {
	if target == "" {
		return "0"
	}
	return target
}

// mostRetryAfter bounds how long a server may make us wait between two passes.
const mostRetryAfter = 30 * time.Second

// retryAfter reads the Retry-After of the last answer under the labels, in
// seconds (RFC 9110, 10.2.3); a date is not waited for.
func (x *actor) retryAfter(labels []string) time.Duration {
	x.p.mu.Lock()
	defer x.p.mu.Unlock()
	t := x.p.history.Trial(x.trial)
	for i := len(t.Exchanges) - 1; i >= 0; i-- {
		e := t.Exchanges[i]
		if e.Answer == nil || len(labels) == 0 || e.Label != labels[0] {
			continue
		}
		for _, v := range trace.Get(e.Answer.Header, "Retry-After") {
			if n, err := strconv.Atoi(v); err == nil && n > 0 {
				return min(time.Duration(n)*time.Second, mostRetryAfter)
			}
		}
		return 0
	}
	return 0
}

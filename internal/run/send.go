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
	v := salvo{label: a.Label, targets: []string{a.Target}, hold: a.Hold, apart: a.Apart, other: a.Other}
	for range max(a.Copies, 1) {
		v.ids = append(v.ids, a.Request)
	}
	x.release(ctx, v)
}

func (x *actor) burst(ctx context.Context, a probe.Burst) {
	v := salvo{label: a.Label, ids: a.Requests, targets: a.Targets, trials: a.Trials, hold: a.Hold, apart: a.Apart}
	if len(v.targets) == 0 {
		v.targets = []string{a.Target}
	}
	x.release(ctx, v)
}

// salvo is requests that leave together. Targets and trials are those of the
// requests in turn; one trial, or none for the actor's own, is of all.
type salvo struct {
	label                string
	ids, targets, trials []string
	hold                 probe.Hold
	apart, other         bool
}

// in gives the actor of the trial that a copy is recorded in, and which copy of
// that trial it is.
func (v *salvo) in(x *actor, i int) (*actor, int) {
	if len(v.trials) == 0 {
		return x, i
	}
	trial, n := v.trials[i%len(v.trials)], 0
	for j := range i {
		if v.trials[j%len(v.trials)] == trial {
			n++
		}
	}
	y := *x
	y.trial = trial
	return &y, n
}

// undone records in every trial of the salvo that it was not carried out.
func (v *salvo) undone(x *actor, why string) {
	for i := range v.ids {
		if y, n := v.in(x, i); n == 0 {
			y.undone(v.label, why)
		}
	}
}

// release sends requests together and records each.
func (x *actor) release(ctx context.Context, v salvo) {
	x.r.pace.await(ctx, len(v.ids))
	free, ok := x.shared(ctx)
	if !ok {
		return
	}
	if ctx.Err() != nil { // the place was free as well
		free()
		return
	}
	copies, err := x.copies(ctx, v.ids, v.targets, v.other)
	if err != nil {
		free()
		v.undone(x, err.Error())
		return
	}
	fresh, why := x.goes(v.ids...)
	if why != "" {
		free()
		v.undone(x, why)
		return
	}
	for i := range copies {
		copies[i].Apart = v.apart
	}
	var results []wire.Result
	if len(copies) == 1 {
		results = []wire.Result{x.r.Client.SendCopy(ctx, copies[0])}
	} else {
		results = x.r.Client.Release(ctx, copies, wire.Hold(v.hold))
	}
	free()
	x.ended(fresh, false, results...)
	for i, res := range results {
		y, copy := v.in(x, i)
		y.recordResult(v.label, copy, came{v.ids[i], v.targets[i%len(v.targets)], v.other}, res)
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
			Stream: res.Stream, Trip: res.Trip, Released: res.Released,
			Hold: string(res.Hold), WriteBegan: res.WriteBegan, WriteEnded: res.WriteEnded, Whole: res.Whole}})
	}
	a := &trace.Answer{Request: id, Outcome: outcome(res), Status: res.Status, Header: mask.Header(res.Header),
		Body: mask.Body(p.body, p.size), FirstByte: res.FirstByte, LastByte: res.LastByte, Unprocessed: res.Unprocessed}
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

package probe_test

import (
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Times of the simulated wire.
const (
	oneWay  = 100 * time.Microsecond
	writing = 20 * time.Microsecond
	apart   = 5 * time.Microsecond // between two copies that are released together
	held    = time.Millisecond     // between a prefix and its release
)

// conn is one copy on its connection.
type conn struct {
	s       *sim
	number  int
	request *probe.Request
	wholeAt int64 // when the last byte of the request arrives
	over    bool
	loses   bool  // the answer is lost on the way
	head    int64 // when the answer's head came, before the rest; 0: with it
	gone    bool  // the caller hung up
	hangsUp probe.HangUp
	other   bool     // of the other principal
	target  string   // the base URL's number
	waiting *process // the caller, once it waits
	got     trace.Answer
}

// body waits until the whole request has arrived.
func (c *conn) body() {
	if left := c.wholeAt - c.s.now; left > 0 {
		c.s.sleep(time.Duration(left))
	}
}

// answer sends the answer; a second one, or one on a dead connection, goes nowhere.
func (c *conn) answer(status int, header [][2]string, body []byte) {
	if c.loses {
		c.reset(trace.Reset)
	}
	c.s.standStill(beforeAnswer)
	if c.over {
		return
	}
	if c.hangsUp.When == probe.InAnswer {
		c.hangUp(c.s.now + int64(oneWay))
		return
	}
	var unmasked *trace.Masker
	a := trace.Answer{Outcome: trace.Answered, Status: status, Header: header, Body: unmasked.Body(body, int64(len(body))),
		FirstByte: c.s.now + int64(oneWay), LastByte: c.s.now + int64(oneWay+writing)}
	if a.Body.Truncated {
		a.Body.Value = probe.ValueDigest(c.s.op, body)
	}
	c.end(a)
}

// hangUp ends the connection from the caller's side.
func (c *conn) hangUp(firstByte int64) {
	c.gone = true
	c.end(trace.Answer{Outcome: trace.HungUp, FirstByte: firstByte, LastByte: c.s.now + int64(oneWay), Error: "hung up on purpose"})
}

// reset ends the connection without an answer.
func (c *conn) reset(outcome trace.Outcome) {
	if c.over {
		return
	}
	a := trace.Answer{Outcome: outcome, LastByte: c.s.now + int64(oneWay), Error: "the connection ended"}
	if a.Ended = a.LastByte; c.head > 0 && outcome == trace.Reset {
		a.Outcome, a.FirstByte, a.LastByte = trace.Cut, c.head, c.head
	}
	c.end(a)
}

func (c *conn) end(a trace.Answer) {
	a.Request = c.request.ID
	if a.Outcome != trace.Answered && a.Ended == 0 {
		a.Ended = a.LastByte
	}
	c.over, c.got = true, a
	if c.waiting != nil {
		c.s.wakeAt(c.waiting, max(a.LastByte, a.Ended))
	}
}

// leg is how a copy travels: where copies share a connection, its number and the
// copy's stream, and how much later than its writing it arrives.
type leg struct {
	number, stream int
	late           time.Duration
	released       int64
}

// fly sends one copy: its head now, its last byte after a hold.
func (s *sim) fly(q *probe.Request, hold probe.Hold, target string, holding time.Duration) (*trace.Sent, trace.Answer) {
	return s.flyUntil(q, hold, target, holding, probe.HangUp{}, false, leg{})
}

func (s *sim) flyUntil(q *probe.Request, hold probe.Hold, target string, holding time.Duration, until probe.HangUp, other bool, on leg) (*trace.Sent, trace.Answer) {
	if !s.service.up() {
		return nil, trace.Answer{Request: q.ID, Outcome: trace.Refused, LastByte: s.now, Error: "connection refused"}
	}
	if on.number == 0 {
		s.connects++
		on.number = s.connects
	}
	c := &conn{s: s, number: on.number, request: q, wholeAt: s.now + int64(holding+writing+oneWay+on.late), hangsUp: until,
		other: other, target: target}
	if s.refuses != nil && s.refuses(c, on) {
		c.end(trace.Answer{Outcome: trace.Reset, LastByte: s.now + int64(holding+writing+2*oneWay), Error: "stream refused", Unprocessed: true})
	}
	if s.disturb != nil && !c.over {
		if outcome := s.disturb(c); outcome == trace.Reset {
			c.wholeAt += int64(time.Hour) // it never arrives
			c.end(trace.Answer{Outcome: outcome, LastByte: s.now + int64(holding+writing), Error: "connection reset by peer"})
		} else if outcome == trace.Cut {
			c.loses = true
		}
	}
	if !c.over {
		s.flying = append(s.flying, c)
		kills := s.kills
		s.spawn(func() {
			if hold == probe.HoldBody {
				s.sleep(oneWay)
			} else {
				c.body()
			}
			if s.standStill(beforeServing); s.kills == kills {
				s.service.serve(c)
			} // else its connection has ended with the process that had it
		})
	}
	s.sleep(holding)
	if target == "" {
		target = "0"
	}
	sent := &trace.Sent{Request: q.ID, Target: target, Other: other, Connection: c.number, Protocol: "HTTP/1.1", Hold: string(hold), WriteBegan: s.now,
		Stream: on.stream, Released: on.released}
	if s.http2 {
		if sent.Protocol = "HTTP/2"; hold == probe.HoldHeader {
			sent.Hold = "whole"
		}
	}
	s.sleep(writing)
	sent.WriteEnded, sent.Whole = s.now, !c.over || c.got.LastByte >= s.now
	if !c.over {
		c.waiting = s.current
		s.park(s.hangsUpAfter(until))
		c.waiting = nil
		if !c.over && until.When == probe.Written {
			c.hangUp(0)
		}
	} else if c.got.LastByte > s.now {
		s.sleep(time.Duration(c.got.LastByte - s.now))
	}
	if !c.over {
		c.reset(trace.TimedOut)
	}
	return sent, c.got
}

// hangsUpAfter is how long a caller waits for an answer.
func (s *sim) hangsUpAfter(h probe.HangUp) time.Duration {
	if h.When != probe.Written {
		return s.timeout
	}
	return h.After + time.Duration(h.Part*float64(s.answerTime())) + 1
}

// apart sends one copy that is unlike the others.
func (x *simActor) apart(a probe.Send) {
	if !a.Long {
		x.s.enter(&x.s.places)
	}
	sent, answer := x.s.flyUntil(x.p.asked[a.Request], probe.NoHold, a.Target, 0, a.HangUp, a.Other, leg{})
	if !a.Long {
		x.s.leave(&x.s.places)
	}
	x.result(a.Label, 0, sent, answer)
}

// salvo is requests that are released together.
type salvo struct {
	label                string
	ids, targets, trials []string
	hold                 probe.Hold
	other, apart         bool
}

// release sends requests together and records each.
func (x *simActor) release(v salvo) {
	x.s.enter(&x.s.places)
	sent := make([]*trace.Sent, len(v.ids))
	answers := make([]trace.Answer, len(v.ids))
	many := len(v.ids) > 1
	var on leg
	if many && v.hold != probe.NoHold {
		on.released = x.s.now + int64(held)
	}
	if many && x.s.http2 && !v.apart {
		x.s.connects++
		on.number = x.s.connects
	}
	var copies []func()
	for i, id := range v.ids {
		holding, hold, on := time.Duration(0), v.hold, on
		if on.number > 0 {
			on.stream = 2*i + 1 // RFC 9113, 5.1.1
		} else {
			holding = time.Duration(i) * apart
		}
		if on.released > 0 {
			holding += held
		}
		if !many {
			hold = probe.NoHold
		}
		if many && x.s.gap != nil {
			on.late = x.s.gap(i, on.number > 0)
		}
		copies = append(copies, func() {
			sent[i], answers[i] = x.s.flyUntil(x.p.asked[id], hold, v.targets[i%len(v.targets)], holding, probe.HangUp{}, v.other, on)
		})
	}
	x.s.together(copies)
	x.s.leave(&x.s.places)
	seen := map[string]int{}
	for i := range v.ids {
		y := *x
		if len(v.trials) > 0 {
			y.trial = v.trials[i]
		}
		y.result(v.label, seen[y.trial], sent[i], answers[i])
		seen[y.trial]++
	}
}

func (x *simActor) result(label string, copy int, sent *trace.Sent, a trace.Answer) {
	if sent != nil {
		x.emit(label, copy, &trace.Event{Kind: trace.KindSent, At: sent.WriteEnded, Sent: sent})
	}
	x.emit(label, copy, &trace.Event{Kind: trace.KindAnswer, Answer: &a})
}

// answerTime is what the control saw.
func (s *sim) answerTime() (answer time.Duration) {
	for _, p := range s.parts {
		if p.plan.Step == probe.ControlStep {
			answer = p.history.AnswerTime()
		}
	}
	return answer
}

// volley sends its requests at even spaces over the answer time that the
// control saw, and kills the service when the last is written.
func (x *simActor) volley(a probe.Volley) {
	if len(a.Requests) == 0 {
		x.kill()
		return
	}
	answer := x.s.answerTime()
	n := len(a.Requests)
	space := min(max(time.Duration(a.Reach*float64(answer)/float64(n)), 200*time.Microsecond), 250*time.Millisecond)
	sent := make([]*trace.Sent, n)
	answers := make([]trace.Answer, n)
	var all []func()
	for i, id := range a.Requests {
		all = append(all, func() {
			x.s.sleep(time.Duration(i) * space)
			sent[i], answers[i] = x.s.fly(x.p.asked[id], probe.NoHold, a.Target, 0)
		})
	}
	all = append(all, func() {
		x.s.sleep(time.Duration(n-1)*space + writing + time.Duration(a.Offset*float64(space)))
		x.kill()
	})
	x.s.together(all)
	for i := range a.Requests {
		x.result(a.Label, i, sent[i], answers[i])
	}
}

func (x *simActor) kill() {
	at := x.s.now
	killed := x.s.service.kill()
	if killed.Error == "" {
		x.s.kills++
		for _, c := range x.s.flying {
			c.reset(trace.Reset)
		}
		x.s.flying = nil
	}
	x.emit("kill", 0, &trace.Event{Kind: trace.KindKill, At: at, Process: &killed})
}

package wire

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

// patience is how long a request may go on being written once its answer has
// ended: a server that answers early and stops reading must not hold anybody.
const patience = 500 * time.Millisecond

// atOnce is how much the system takes in one go. A write of no more has ended
// by the time an answer comes, even where this side is scheduled so late that
// it notes the end after the answer's first byte.
const atOnce = 32 << 10

// flight is the life of one copy, whatever carries it. Writing and reading run
// side by side, so that an answer that comes before the request is whole is
// seen when it comes, and is not lost where the server then resets.
type flight struct {
	client  *Client
	of      Copy
	unsent  error   // why there was no connection
	carrier carrier // nil where unsent
	stream  int     // of HTTP/2

	sent     sent
	got      answer
	written  chan struct{} // closed when nothing more will be written
	answered chan struct{} // closed when nothing more will be read
}

// sent is what the writing side saw.
type sent struct {
	bytes        int
	whole        bool
	began, ended int64
	atOnce       bool // the system took the last write in one go
	hold         Hold // where the copy was held, as it came out
	released     int64
	err          error
}

// carrier is a connection as one version of HTTP uses it: alone for one copy,
// or shared by several.
type carrier interface {
	// line is the connection itself.
	line() *link
	// start sets its copies going. With a barrier, what goes before the release
	// does and the rest waits for it; nil lets all go.
	start(ctx context.Context, b *barrier)
	// quit stops writing a copy whose answer has ended.
	quit(f *flight)
	// leave tells that a copy is through; after the last one the connection ends.
	leave(f *flight)
}

func (c *Client) newFlight(of Copy) *flight {
	if of.Apart && of.Endpoint.speaks == Negotiated {
		of.Endpoint.speaks = rather1
	}
	return &flight{
		client: c, of: of, unsent: of.Message.Check(),
		written: make(chan struct{}), answered: make(chan struct{}),
	}
}

// refuse ends a flight that has found no connection.
func (f *flight) refuse(err error) {
	f.unsent = err
	f.tellWritten()
}

func (f *flight) tellWritten() {
	if f.of.Written != nil {
		f.of.Written()
	}
}

// wrote ends the writing side. A hang-up that follows the last byte takes its
// time first.
func (f *flight) wrote(ctx context.Context) {
	f.tellWritten()
	if f.of.HangUp.When == AfterWrite && f.sent.whole {
		f.hangUp(ctx, f.answered)
	}
	close(f.written)
}

// note takes down one write: how many bytes of this copy went, when, and why
// no more did.
func (s *sent) note(began, ended int64, n int, err error) {
	if s.began == 0 {
		s.began = began
	}
	s.ended = ended
	s.bytes += n
	s.err = err
}

// atAnswer is what is done at the answer's first byte, if anything.
func (f *flight) atAnswer(ctx context.Context) func() error {
	if f.of.HangUp.When != InAnswer {
		return nil
	}
	return func() error {
		f.hangUp(ctx, nil)
		return ErrHungUp
	}
}

// hangUp ends the connection as the copy asks for, unless it ended before.
func (f *flight) hangUp(ctx context.Context, unless <-chan struct{}) {
	if after := f.of.HangUp.After; after > 0 && !wait(ctx, after, unless) {
		return
	}
	f.carrier.line().end(ErrHungUp, f.of.HangUp.Abort)
}

// finish waits for both sides and tells what became of the copy.
func (f *flight) finish() Result {
	if f.unsent != nil {
		protocol := overHTTP1
		if f.of.Endpoint.speaks == HTTP2 {
			protocol = overHTTP2
		}
		return Result{Protocol: protocol, Outcome: trace.Refused, Err: f.unsent}
	}
	<-f.answered
	select {
	case <-f.written:
	case <-time.After(patience):
		f.carrier.quit(f)
		<-f.written
	}
	f.carrier.leave(f)
	return f.result()
}

// result merges what both sides saw.
func (f *flight) result() Result {
	a, s, line := &f.got, &f.sent, f.carrier.line()
	r := Result{
		Connection: line.number, Stream: f.stream, Protocol: line.protocol, Trip: int64(line.trip),
		Hold: s.hold, Released: s.released, WriteBegan: s.began, WriteEnded: s.ended, Whole: s.whole,
		Outcome: trace.Answered, Status: a.status, Header: a.header, Body: a.body, BodySize: a.size,
		FirstByte: a.first, LastByte: a.last, Ended: a.ended, Err: a.err,
		Unprocessed: a.unprocessed,
	}
	if a.rest != nil {
		r.BodyRest = a.rest.Sum(nil)
	}
	if r.Whole && a.first > r.WriteBegan && s.atOnce {
		r.WriteEnded = min(r.WriteEnded, a.first)
	}
	if a.err != nil {
		f.failed(&r)
	}
	return r
}

// failed says how an answer that did not come whole failed to.
func (f *flight) failed(r *Result) {
	if reason := f.carrier.line().why(); reason != nil {
		r.Err = reason
	}
	var late net.Error
	switch {
	case f.sent.bytes == 0 && !f.got.begun:
		r.Outcome = trace.Refused
	case errors.As(r.Err, &late) && late.Timeout():
		r.Outcome = trace.TimedOut
	case f.got.begun:
		r.Outcome = trace.Cut
	default:
		r.Outcome = trace.Reset
	}
}

// wait sleeps and reports whether it slept to the end.
func wait(ctx context.Context, d time.Duration, unless <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-unless:
	case <-ctx.Done():
	}
	return false
}

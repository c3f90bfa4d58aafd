package wire

import (
	"context"
	"errors"
	"net"
	"sync"
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

// flight is the life of one copy on a connection of its own. Writing and
// reading run side by side, so that an answer that comes before the request is
// whole is seen when it comes, and is not lost where the server then resets.
type flight struct {
	client *Client
	of     Copy
	raw    []byte
	split  int  // raw[:split] goes out before the release
	hold   Hold // what split amounts to
	trip   time.Duration
	conn   net.Conn
	number int

	unsent   error // why there was no connection
	sent     sent
	got      answer
	written  chan struct{} // closed when nothing more will be written
	answered chan struct{} // closed when nothing more will be read

	mu     sync.Mutex
	reason error       // why this side ended the connection
	undo   func() bool // takes back the watch over the context
}

// sent is what the writing side saw.
type sent struct {
	bytes        int
	began, ended int64
	held         bool
	err          error
}

func (c *Client) newFlight(of Copy, h Hold) *flight {
	f := &flight{client: c, of: of, written: make(chan struct{}), answered: make(chan struct{})}
	f.raw, f.unsent = of.Endpoint.Encode(of.Message)
	f.split, f.hold = of.Message.split(f.raw, h)
	return f
}

// open connects, and reports whether it could.
func (f *flight) open(ctx context.Context) bool {
	if f.unsent == nil {
		f.conn, f.trip, f.unsent = f.client.dial(ctx, f.of.Endpoint)
	}
	if f.unsent != nil {
		f.tellWritten()
		return false
	}
	f.number = int(f.client.connections.Add(1))
	return true
}

// start sets both sides going. prefixed is called when all that goes out
// before the release has, and release is closed to let the rest go; without a
// barrier both are nil. The deadline is the caller's to set.
func (f *flight) start(ctx context.Context, prefixed func(), release <-chan struct{}) {
	f.undo = context.AfterFunc(ctx, func() { f.end(context.Cause(ctx), false) })
	go func() {
		defer close(f.answered)
		f.got = readAnswer(f.conn, f.of.Message.Method, &f.client.options, f.atAnswer(ctx))
	}()
	go func() {
		defer close(f.written)
		f.write(ctx, prefixed, release)
		f.tellWritten()
		if f.of.HangUp.When == AfterWrite && f.sent.bytes == len(f.raw) {
			f.hangUp(ctx, f.answered)
		}
	}()
}

func (f *flight) write(ctx context.Context, prefixed func(), release <-chan struct{}) {
	if f.split > 0 {
		f.put(f.raw[:f.split])
	}
	if prefixed != nil {
		prefixed()
	}
	if release != nil && !f.await(ctx, release) || f.sent.err != nil {
		return
	}
	if f.sent.held {
		f.sent.began = 0 // what counts is the released part
	}
	f.put(f.raw[f.split:])
}

// put writes and notes when.
func (f *flight) put(b []byte) {
	if f.sent.began == 0 {
		f.sent.began = f.client.options.Clock()
	}
	n, err := f.conn.Write(b)
	f.sent.ended = f.client.options.Clock()
	f.sent.bytes += n
	f.sent.err = err
}

// await waits for the release and reports whether the rest is to be written.
// A copy that was still being written when the release came was not held.
func (f *flight) await(ctx context.Context, release <-chan struct{}) bool {
	select {
	case <-release:
	default:
		f.sent.held = f.hold != HoldNothing && f.sent.err == nil
	}
	select {
	case <-release:
	case <-f.answered:
		return false
	case <-ctx.Done():
		return false
	}
	if f.of.After > 0 {
		return wait(ctx, f.of.After, f.answered)
	}
	select {
	case <-f.answered: // it may have come before the release, unseen
		return false
	default:
		return true
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
	f.end(ErrHungUp, f.of.HangUp.Abort)
}

// end closes the connection from this side, for a reason. An abort resets it,
// beneath TLS, which would say goodbye first.
func (f *flight) end(reason error, abort bool) {
	f.mu.Lock()
	if f.reason == nil {
		f.reason = reason
	}
	f.mu.Unlock()
	if abort {
		conn := f.conn
		if secured, ok := conn.(interface{ NetConn() net.Conn }); ok {
			conn = secured.NetConn()
		}
		if tcp, ok := conn.(interface{ SetLinger(int) error }); ok {
			tcp.SetLinger(0)
			conn.Close()
		}
	}
	f.conn.Close()
}

func (f *flight) tellWritten() {
	if f.of.Written != nil {
		f.of.Written()
	}
}

// finish waits for both sides and tells what became of the copy.
func (f *flight) finish() Result {
	if f.unsent != nil {
		return Result{Protocol: "HTTP/1.1", Outcome: trace.Refused, Err: f.unsent}
	}
	<-f.answered
	select {
	case <-f.written:
	case <-time.After(patience):
		f.conn.SetWriteDeadline(time.Now())
		<-f.written
	}
	f.undo()
	f.conn.Close()
	return f.result()
}

// result merges what both sides saw.
func (f *flight) result() Result {
	a := &f.got
	r := Result{
		Connection: f.number, Protocol: "HTTP/1.1",
		WriteBegan: f.sent.began, WriteEnded: f.sent.ended, Whole: f.sent.bytes == len(f.raw),
		Outcome: trace.Answered, Status: a.status, Header: a.header, Body: a.body, BodySize: a.size,
		FirstByte: a.first, LastByte: a.last, Ended: a.ended, Err: a.err,
	}
	if f.sent.held {
		r.Hold = f.hold
	}
	if a.rest != nil {
		r.BodyRest = a.rest.Sum(nil)
	}
	if r.Whole && a.first > r.WriteBegan && len(f.raw)-f.split <= atOnce {
		r.WriteEnded = min(r.WriteEnded, a.first)
	}
	if a.err != nil {
		f.failed(&r)
	}
	return r
}

// failed says how an answer that did not come whole failed to.
func (f *flight) failed(r *Result) {
	f.mu.Lock()
	if f.reason != nil {
		r.Err = f.reason
	}
	f.mu.Unlock()
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

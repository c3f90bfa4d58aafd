package wire

import (
	"context"
	"time"
)

// lull is how long a connection outlives the answer to a released copy, though
// nobody waits for that: closing it at once would be work for the server while
// others arrive.
const lull = 5 * time.Millisecond

// alone is a connection that carries one copy, over HTTP/1.1.
type alone struct {
	*link
	f     *flight
	raw   []byte
	split int  // raw[:split] goes out before the release
	hold  Hold // what split amounts to

	lingers bool // released, and so closed after the lull
}

func newAlone(l *link, f *flight, h Hold) *alone {
	a := &alone{link: l, f: f}
	f.carrier = a
	a.raw, _ = f.of.Endpoint.Encode(f.of.Message) // which was checked
	a.split, a.hold = f.of.Message.split(a.raw, h)
	return a
}

func (a *alone) line() *link { return a.link }

func (a *alone) quit(*flight) { a.conn.SetWriteDeadline(time.Now()) }

func (a *alone) leave(*flight) {
	if a.lingers {
		a.unwatch()
		return
	}
	a.close()
}

func (a *alone) start(ctx context.Context, b *barrier) {
	f := a.f
	a.lingers = b != nil
	go func() {
		f.got = readAnswer(a.conn, f.of.Message.Method, &f.client.options, f.atAnswer(ctx))
		close(f.answered)
		if a.lingers {
			// A server that takes one connection after the other waits for this.
			<-f.written
			time.AfterFunc(lull, func() { a.conn.Close() })
		}
	}()
	if b != nil {
		b.held.Add(1)
	}
	go func() {
		a.write(ctx, b)
		f.wrote(ctx)
	}()
}

func (a *alone) write(ctx context.Context, b *barrier) {
	s := &a.f.sent
	if b == nil {
		a.put(a.raw)
		return
	}
	if a.split > 0 {
		a.put(a.raw[:a.split])
	}
	rest := a.raw[a.split:]
	sealed := s.err == nil && a.split > 0 && len(rest) <= mostAtOnce && a.seal(rest)
	b.held.Done()
	if !a.await(ctx, b) || s.err != nil {
		return
	}
	if s.hold != HoldNothing {
		s.began = 0 // what counts is the released part
	}
	if !sealed {
		a.put(rest)
		return
	}
	began := a.f.client.options.Clock()
	n, err := a.writeSealed(len(rest))
	a.note(began, n, err)
}

// put writes and notes when.
func (a *alone) put(b []byte) {
	began := a.f.client.options.Clock()
	n, err := a.conn.Write(b)
	a.note(began, n, err)
}

func (a *alone) note(began int64, n int, err error) {
	s := &a.f.sent
	s.note(began, a.f.client.options.Clock(), n, err)
	s.whole, s.atOnce = s.bytes == len(a.raw), n <= atOnce
}

// await waits for the release and reports whether the rest is to be written.
// A copy that was still being written when the release came was not held.
func (a *alone) await(ctx context.Context, b *barrier) bool {
	f := a.f
	held := HoldNothing
	select {
	case <-b.open:
	default:
		if f.sent.err == nil {
			held = a.hold
		}
	}
	select {
	case <-b.open:
		f.sent.released = b.at
	case <-f.answered:
		return false
	case <-ctx.Done():
		return false
	}
	f.sent.hold = held
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

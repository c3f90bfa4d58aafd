package stream

import (
	"context"
	"io"
	"sync"
)

// pipeline is a stream on its way. Every worker reads for itself, works, and
// writes what has become due, so that nothing is handed from one to another: a
// hand-over costs a wake-up, and the wait for a processor that may be busy.
type pipeline struct {
	Options
	source *source
	out    io.Writer
	turn   chan struct{} // holds one token: who has it reads

	mu      sync.Mutex
	changed sync.Cond // of all that follows
	idle    []*block  // empty ones
	under   int       // how many others there are
	held    int       // bytes of input in those
	ready   []*block  // worked on, by number: a ring
	read    int64     // how many blocks were, which is the number of the next
	written int64     // how many blocks were
	writing bool      // somebody is
	waiting bool      // somebody waits for input
	alive   int       // workers
	ended   bool      // nothing more is to be read
	failed  bool      // and nothing more written
	err     error     // why it ended; nil at the end of the input

	result  Result
	through int64 // bytes of the input
}

// block is some lines on their way.
type block struct {
	number  int64  // in order, from 0
	in      []byte // whole lines; only the input's last may lack its end
	first   int64  // number of the first
	refused error  // of one line, which was not kept: in is empty
	read    int64  // bytes of the input that it stands for
	out     []byte
	lines   int64
	failed  int64
	err     error
}

const (
	// mostKept is the largest buffer that is used again, in bytes: after one huge
	// line its memory is given back.
	mostKept = 1 << 20

	// mostAhead is how many bytes of usual lines are read ahead, so that workers
	// go on while one of them has no processor for some milliseconds.
	mostAhead = 3 << 19

	// mostHuge is how many bytes may be under way for another block to be read:
	// a few huge lines.
	mostHuge = 16 << 20
)

func (b *block) huge() bool { return max(cap(b.in), cap(b.out)) > mostKept }

func (b *block) reset() {
	if cap(b.in) > mostKept {
		b.in = nil
	}
	if cap(b.out) > mostKept {
		b.out = nil
	}
	*b = block{in: b.in[:0], out: b.out[:0]}
}

func newPipeline(o Options, s *source, out io.Writer) *pipeline {
	p := &pipeline{
		Options: o, source: s, out: out, alive: o.Workers,
		turn:  make(chan struct{}, 1),
		ready: make([]*block, max(2*o.Workers+2, mostAhead/readSize)),
	}
	p.changed.L = &p.mu
	p.turn <- struct{}{}
	return p
}

// run takes everything through and gives why it ended. When the context ends,
// what had been read is finished first.
func (p *pipeline) run(ctx context.Context) (Result, error) {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(ctx, func() { p.end(ctx.Err()) })()
	for range p.Workers {
		go p.work(reading)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.failed && (!p.ended || p.written < p.read) {
		p.changed.Wait()
	}
	p.ended = true
	stop()
	p.changed.Broadcast()
	for p.alive > 1 || p.alive == 1 && !p.waiting {
		p.changed.Wait()
	}
	return p.result, p.err
}

// end ends the reading.
func (p *pipeline) end(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.ended, p.err = true, why
		p.changed.Broadcast()
	}
}

func (p *pipeline) work(ctx context.Context) {
	work := p.NewWork()
	for b := p.next(ctx); b != nil; b = p.next(ctx) {
		p.lines(b, work)
		if b.huge() {
			work = p.NewWork() // its buffers are as large
		}
		p.deliver(b)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.alive--
	p.changed.Broadcast()
}

// next waits for its turn and reads a block; nil where there is none any more.
func (p *pipeline) next(ctx context.Context) *block {
	select {
	case <-p.turn:
	case <-ctx.Done():
		return nil
	}
	defer func() { p.turn <- struct{}{} }()
	for {
		b := p.take()
		if b == nil {
			return nil
		}
		more := p.source.fill(b)
		if b, again := p.taken(b, more); !again {
			return b
		}
	}
}

// take gives an empty block, nil when nothing more is to be read. While much is
// under way it waits: so many huge lines are never kept at once.
func (p *pipeline) take() *block {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.ended && !p.room() {
		p.changed.Wait()
	}
	if p.ended {
		return nil
	}
	p.waiting = true
	b := &block{}
	if last := len(p.idle) - 1; last >= 0 {
		b, p.idle = p.idle[last], p.idle[:last]
	}
	return b
}

// room says whether another block may be read. As many as keep every worker
// busy are, unless they are huge; more of them only within mostAhead.
func (p *pipeline) room() bool {
	most := mostAhead
	if p.under < 2*p.Workers+2 {
		most = max(mostHuge, (2*p.Workers+2)*2*readSize)
	}
	return p.under < len(p.ready) && p.held <= most
}

// taken puts a block that was read into its place in order. Again says that
// there was nothing in it, and more to come.
func (p *pipeline) taken(b *block, more bool) (_ *block, again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = false
	if p.ended { // while it was read
		p.changed.Broadcast()
		return nil, false
	}
	if !more {
		p.ended = true
		if p.source.err != io.EOF {
			p.err = &ReadError{p.source.err}
		}
		p.changed.Broadcast()
	}
	if len(b.in) == 0 && b.refused == nil {
		b.reset()
		p.idle = append(p.idle, b)
		return nil, more
	}
	b.number = p.read
	p.read++
	p.under++
	p.held += len(b.in)
	return b, false
}

// deliver writes all blocks that are due, or leaves that to who is writing.
func (p *pipeline) deliver(b *block) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready[p.place(b.number)] = b
	if p.writing {
		return
	}
	p.writing = true
	for !p.failed {
		b := p.ready[p.place(p.written)]
		if b == nil {
			break
		}
		p.ready[p.place(p.written)] = nil
		p.mu.Unlock()
		err := p.write(b)
		p.mu.Lock()
		if err != nil {
			p.failed, p.ended, p.err = true, true, err
		}
		p.written++
		p.under--
		p.held -= len(b.in)
		b.reset()
		p.idle = append(p.idle, b)
		p.changed.Broadcast()
	}
	p.writing = false
}

func (p *pipeline) place(number int64) int { return int(number % int64(len(p.ready))) }

// write writes what became of a block, and gives the error that ends the stream.
func (p *pipeline) write(b *block) error {
	if len(b.out) > 0 {
		n, err := p.out.Write(b.out)
		if err == nil && n < len(b.out) {
			err = io.ErrShortWrite
		}
		if err != nil {
			return &WriteError{err}
		}
	}
	p.result.Lines += b.lines
	p.result.Failed += b.failed
	p.through += b.read
	if p.Passed != nil {
		p.Passed(p.through, p.result)
	}
	return b.err
}

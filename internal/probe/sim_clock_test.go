package probe_test

import (
	"container/heap"
	"time"
)

// world is a virtual clock with processes that take turns: one runs at a
// time, in an order that the seedless queue alone decides, so that a simulated
// run is the same every time and takes no real time.
type world struct {
	now     int64 // nanoseconds since the run began
	serial  int
	queue   wakes
	turn    chan struct{} // given back by the process whose turn it was
	current *process
	broken  any // a process's panic, thrown again by run
}

// process is one line of control.
type process struct {
	resume chan struct{}
	wait   int // counts its waits, so that a wake of an old one is none
}

type wake struct {
	at     int64
	serial int
	who    *process
	wait   int
}

type wakes []wake

func (q wakes) Len() int { return len(q) }
func (q wakes) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].serial < q[j].serial
}
func (q wakes) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *wakes) Push(x any)   { *q = append(*q, x.(wake)) }
func (q *wakes) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// simulate runs f and all that it spawns until nothing is left to wake.
func simulate(w *world, f func()) {
	w.turn = make(chan struct{})
	w.now = int64(time.Millisecond) // 0 stands for "never" in a trace
	w.spawn(f)
	for w.queue.Len() > 0 {
		next := heap.Pop(&w.queue).(wake)
		if next.wait != next.who.wait {
			continue // it was woken before
		}
		w.now, w.current = next.at, next.who
		next.who.wait++
		next.who.resume <- struct{}{}
		<-w.turn
		if w.broken != nil {
			panic(w.broken)
		}
	}
}

// spawn starts a process at the present time, after what is due already.
func (w *world) spawn(f func()) *process {
	p := &process{resume: make(chan struct{})}
	go func() {
		<-p.resume
		defer func() {
			if broken := recover(); broken != nil {
				w.broken = broken
			}
			w.turn <- struct{}{}
		}()
		f()
	}()
	w.wakeAt(p, w.now)
	return p
}

func (w *world) wakeAt(p *process, at int64) {
	w.serial++
	heap.Push(&w.queue, wake{at, w.serial, p, p.wait})
}

// wake ends the wait that a process is in.
func (w *world) wake(p *process) { w.wakeAt(p, w.now) }

func (w *world) yield() {
	p := w.current
	w.turn <- struct{}{}
	<-p.resume
}

func (w *world) sleep(d time.Duration) {
	w.wakeAt(w.current, w.now+int64(max(d, 0)))
	w.yield()
}

// park waits until wake, or until a time has passed where it is not 0.
func (w *world) park(within time.Duration) {
	if within > 0 {
		w.wakeAt(w.current, w.now+int64(within))
	}
	w.yield()
}

// together runs all at the same time and waits for them.
func (w *world) together(all []func()) {
	left, parent := len(all), w.current
	for _, f := range all {
		w.spawn(func() {
			f()
			if left--; left == 0 {
				w.wake(parent)
			}
		})
	}
	if left > 0 {
		w.park(0)
	}
}

// places is a semaphore that serves in order.
type places struct {
	free    int
	waiting []*process
}

func (w *world) enter(s *places) {
	if s.free > 0 {
		s.free--
		return
	}
	s.waiting = append(s.waiting, w.current)
	w.park(0)
}

func (w *world) leave(s *places) {
	if len(s.waiting) == 0 {
		s.free++
		return
	}
	next := s.waiting[0]
	s.waiting = s.waiting[1:]
	w.wake(next)
}

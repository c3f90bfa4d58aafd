package process

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// Ready is where a service answers 2xx once it serves.
type Ready struct {
	Client   *wire.Client
	Endpoint wire.Endpoint
	Path     string
}

// Times of the readiness check.
const (
	between = 20 * time.Millisecond // two questions
	oneTry  = 2 * time.Second       // one answer
	vacate  = 2 * time.Second       // for a service that ended to give its port back
	doubted = 5 * time.Second       // an answer that says that the path is wrong, before it is believed
)

func (r Ready) String() string { return r.Endpoint.String() + r.Path }

// ask asks once.
func (r Ready) ask(ctx context.Context) wire.Result {
	ctx, cancel := context.WithTimeout(ctx, oneTry)
	defer cancel()
	return r.Client.Send(ctx, r.Endpoint, wire.Message{Method: "GET", Target: r.Path})
}

// Taken reports whether something is in the service's place already, whatever
// it answers. A proxy that says that it reaches nobody behind it (RFC 9110,
// 15.6.3 and 15.6.5) is none: the place behind it is free. Where what is there
// speaks another version of HTTP, a request in HTTP/1.1 is what tells.
func (r Ready) Taken(ctx context.Context) bool {
	answer := r.ask(ctx)
	if answer.Outcome == trace.Refused {
		r.Endpoint = r.Endpoint.Speaking(wire.HTTP1)
		answer = r.ask(ctx)
	}
	return answer.Outcome != trace.Refused && answer.Status != 502 && answer.Status != 504
}

// Await asks until the answer is 2xx, within a time. gone, where not nil, ends
// the waiting early: then the error is ErrEnded.
func (r Ready) Await(ctx context.Context, within time.Duration, gone <-chan struct{}) error {
	return r.await(ctx, within, 0, gone)
}

// await is Await. Where patience is not 0, it gives up as soon as the service
// has answered for so long that the path is no place to ask at.
func (r Ready) await(ctx context.Context, within, patience time.Duration, gone <-chan struct{}) error {
	wait, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	said := "no answer"
	var since time.Time // of answers that waiting does not change
	for {
		answer := r.ask(wait)
		switch {
		case answer.Outcome == trace.Answered && answer.Status/100 == 2:
			return nil
		case answer.Outcome == trace.Answered:
			said = "status " + strconv.Itoa(answer.Status)
		case !over(wait):
			said = answer.Err.Error()
		}
		switch {
		case answer.Outcome != trace.Answered || !settled(answer.Status):
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		case patience > 0 && time.Since(since) >= patience:
			return problem.New("", "%s answers %s, and has for %s: ready names a path that answers 2xx once the service serves", r, said, patience)
		}
		select {
		case <-gone:
			return ErrEnded
		case <-time.After(between):
		case <-wait.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return problem.New("", "%s did not answer 2xx within %s: %s", r, within, said)
		}
	}
}

// over says whether a context's time has passed. A connection that keeps the same
// deadline may fail by it a moment before the context ends.
func over(ctx context.Context) bool {
	until, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && !time.Now().Before(until)
}

// settled says whether a status comes from a service that runs, and will not
// turn into 2xx by waiting: the path is not there, not for GET, not for
// everybody, or elsewhere.
func settled(status int) bool {
	switch status {
	case 401, 403, 404, 405, 410, 501:
		return true
	}
	return status/100 == 3
}

// Service is a program that idem starts, kills and starts again, and the place
// where it answers. It is safe for concurrent use.
type Service struct {
	command Command
	ready   Ready
	doubt   time.Duration // until the first 2xx: how long the path is believed to be right

	mu      sync.Mutex
	current *Process
	served  bool // it was ready once, so that the path is right
}

// NewService makes a service; it starts nothing.
func NewService(c Command, r Ready) *Service { return &Service{command: c, ready: r, doubt: doubted} }

// Start starts the service and returns its process id. Where something else
// answers in its place already that would be judged instead, so it is an error.
func (s *Service) Start(ctx context.Context) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil && !s.current.ended() {
		return 0, problem.New("", "the service runs already, as process %d", s.current.PID())
	}
	if err := s.vacant(ctx); err != nil {
		return 0, err
	}
	p, err := Start(s.command)
	if err != nil {
		return 0, err
	}
	s.current = p
	return p.PID(), nil
}

// vacant makes sure that nobody is in the service's place. One that ran before
// is given the time to leave it.
func (s *Service) vacant(ctx context.Context) error {
	deadline := time.Now()
	if s.current != nil {
		deadline = deadline.Add(vacate)
	}
	for s.ready.Taken(ctx) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Now().After(deadline) {
			return problem.New("", "something else already answers at %s", s.ready).
				WithHint("stop what answers there, or let the service use a free port")
		}
		time.Sleep(between)
	}
	return ctx.Err()
}

// AwaitReady waits until the service answers 2xx, within a time. It fails as
// soon as the service ends, with the end of its output, and, as long as it was
// never ready, soon where its answers say that the path is wrong.
func (s *Service) AwaitReady(ctx context.Context, within time.Duration) error {
	p := s.process()
	if p == nil {
		return ErrEnded
	}
	patience := s.doubt
	if s.wasReady(false) {
		patience = 0
	}
	err := s.ready.await(ctx, within, patience, p.Done())
	s.wasReady(err == nil)
	switch {
	case p.ended(): // also where somebody answered: that was not the service
		return problem.New("", "the service ended (%s) before it was ready%s", p.exit, lastWords(p.Output()))
	case err != nil && ctx.Err() == nil:
		return problem.New("", "the service was not ready: %s%s", err, lastWords(p.Output()))
	}
	return err
}

// wasReady says whether the service ever was ready, and keeps that it is now.
func (s *Service) wasReady(now bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served = s.served || now
	return s.served
}

// Started says that Start made a process at any time: what answers else is
// somebody else's.
func (s *Service) Started() bool { return s.process() != nil }

// Kill ends the service at once, as a crash does, and returns when the signal
// is sent. ErrEnded: it did not run.
func (s *Service) Kill() error { return s.with((*Process).Kill) }

// Pause stops the service from running until Resume.
func (s *Service) Pause() error { return s.with((*Process).Pause) }

// Resume lets the service run on.
func (s *Service) Resume() error { return s.with((*Process).Resume) }

// Wait waits until the service has ended.
func (s *Service) Wait(ctx context.Context) (Exit, error) {
	p := s.process()
	if p == nil {
		return Exit{}, ErrEnded
	}
	return p.Wait(ctx)
}

// Stop asks the service to end, ends it after the grace, and returns when it
// is gone. It may be called at any time, also when nothing runs.
func (s *Service) Stop(grace time.Duration) {
	s.mu.Lock() // a start under way is waited for, and stopped
	defer s.mu.Unlock()
	if s.current != nil {
		s.current.Stop(grace)
	}
}

// PID is the process id of the service, also after its end; 0 before its start.
func (s *Service) PID() int {
	if p := s.process(); p != nil {
		return p.PID()
	}
	return 0
}

// Done is closed when the service that was started last has ended; nil before
// the first start.
func (s *Service) Done() <-chan struct{} {
	if p := s.process(); p != nil {
		return p.Done()
	}
	return nil
}

// Output is the end of what the service printed since it was started last.
func (s *Service) Output() string {
	if p := s.process(); p != nil {
		return p.Output()
	}
	return ""
}

func (s *Service) process() *Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

func (s *Service) with(do func(*Process) error) error {
	if p := s.process(); p != nil {
		return do(p)
	}
	return ErrEnded
}

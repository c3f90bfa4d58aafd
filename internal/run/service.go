package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/process"
	"github.com/idem-toolkit/idem/internal/trace"
)

// service is a service under test: a process of our own, or the user's hooks.
type service struct {
	world   *world
	where   string // in the contract
	name    string // of the process: its command and environment
	process *process.Service
	hooks   *contract.Hooks
	ready   process.Ready
}

// service gives the service of an operation. Operations that declare the same
// process share it.
func (w *world) service(op *contract.Operation) (*service, error) {
	l := w.live
	s := &service{world: w, where: l.options.Contract.Where(op.Crash.Pos), hooks: op.Crash.Hooks}
	s.ready = process.Ready{Client: l.client, Endpoint: l.bases[0]}
	if s.hooks != nil {
		s.ready.Path = s.hooks.Ready
		w.services = append(w.services, s)
		return s, nil
	}
	p := op.Crash.Process
	s.name = fmt.Sprintf("%q %q", p.Command, p.Env)
	for _, known := range w.services {
		if known.process != nil && known.name == s.name {
			return known, nil
		}
	}
	command := l.command(p.Command)
	command.Env = p.Env
	if p.Dir != "" {
		command.Dir = p.Dir
	}
	s.ready.Path = p.Ready
	s.process = process.NewService(command, s.ready)
	w.services = append(w.services, s)
	return s, nil
}

// Kill ends the service without warning and waits until it is gone.
func (s *service) Kill(ctx context.Context) trace.Process {
	if s.hooks != nil {
		p := trace.Process{Hook: true}
		if err := process.RunHook(ctx, "kill", s.world.live.command(s.hooks.Kill), 0, hookMost); err != nil {
			p.Error = err.Error()
		}
		return p
	}
	p := trace.Process{PID: s.process.PID()}
	if err := s.process.Kill(); err != nil {
		p.Error = err.Error()
		return p
	}
	exit, err := s.process.Wait(ctx)
	p.Exit = exit.String()
	if err != nil && !errors.Is(err, process.ErrEnded) {
		p.Error = err.Error()
	}
	return p
}

// Start starts the service and waits until it is ready or the time is over.
func (s *service) Start(ctx context.Context, within time.Duration) trace.Process {
	var p trace.Process
	err := s.start(ctx, within, &p)
	p.Ready = err == nil
	if err != nil {
		p.Error = err.Error()
	}
	return p
}

func (s *service) start(ctx context.Context, within time.Duration, p *trace.Process) error {
	if s.hooks != nil {
		p.Hook = true
		if err := process.RunHook(ctx, "start", s.world.live.command(s.hooks.Start), 0, within); err != nil {
			return err
		}
		if s.ready.Path == "" {
			return nil
		}
		return s.ready.Await(ctx, within, nil)
	}
	pid, err := s.process.Start(ctx)
	if err != nil {
		return err
	}
	p.PID = pid
	return s.process.AwaitReady(ctx, within)
}

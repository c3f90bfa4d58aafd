package keysource

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/problem"
)

// runCommand runs a program without a shell and takes what it prints. What it
// says on standard error is nobody's to show: it may hold the key.
func (w World) runCommand(ctx context.Context, argv []string) ([]byte, error) {
	for _, spec := range w.Specs {
		for _, s := range sourcesOf(spec) {
			if s.IsFD && s.FD > 2 {
				shieldFD(s.FD)
			}
		}
	}
	deadline := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = w.Dir
	cmd.Env = ChildEnv(w.Environ(), EnvNames(w.Specs...)...)
	cmd.WaitDelay = time.Second // a grandchild that holds the pipe open
	out := &limited{most: determ.MaxKeyText + 1, full: stop}
	cmd.Stdout = out
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case out.kept.Len() == out.most && deadline.Err() == nil:
		return nil, problem.New("", "it printed more than %d bytes", determ.MaxKeyText)
	case err == nil && out.kept.Len() == 0:
		return nil, problem.New("", "it printed nothing")
	case err == nil:
		return out.kept.Bytes(), nil
	case deadline.Err() != nil:
		return nil, ended(deadline)
	case errors.As(err, &exit) && exit.Exited():
		return nil, problem.New("", "it ended with status %d", exit.ExitCode()).
			WithHint("run it by hand to see why; what it prints is not shown, since it may be the key")
	case errors.As(err, &exit):
		return nil, problem.New("", "it was stopped by a signal")
	case errors.Is(err, exec.ErrWaitDelay):
		return nil, problem.New("", "it left a process behind that keeps its output open")
	}
	var start *exec.Error
	if errors.As(err, &start) {
		return nil, problem.New("", "it cannot be started: %s", start.Err)
	}
	return nil, problem.New("", "it cannot be started: %s", cause(err))
}

// limited keeps the first bytes, and says when it has as many as it takes. The
// buffer is not embedded: io.Copy would find its ReadFrom, which has no limit.
type limited struct {
	kept bytes.Buffer
	most int
	full func()
}

func (l *limited) Write(b []byte) (int, error) {
	if room := l.most - l.kept.Len(); room > 0 {
		l.kept.Write(b[:min(room, len(b))])
	}
	if l.kept.Len() == l.most {
		l.full()
	}
	return len(b), nil
}

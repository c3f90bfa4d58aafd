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
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = w.Dir
	cmd.Env = ChildEnv(w.Environ(), EnvNames(w.Specs...)...)
	cmd.WaitDelay = time.Second // a grandchild that holds the pipe open
	out := &limited{most: determ.MaxKeyText + 1}
	cmd.Stdout = out
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil && out.Len() == 0:
		return nil, problem.New("", "it printed nothing")
	case err == nil:
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, ended(ctx)
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

// limited keeps the first bytes and lets the rest go by.
type limited struct {
	bytes.Buffer
	most int
}

func (l *limited) Write(b []byte) (int, error) {
	if room := l.most - l.Len(); room > 0 {
		l.Buffer.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}

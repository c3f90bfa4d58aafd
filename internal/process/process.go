// Package process runs the programs that a contract names: the service that
// is killed and started again, the hooks, the counters that are commands
// (contract-v1, crash, expiry, effects).
//
// Every program runs in a process group of its own, inherits no variable that
// holds a secret, and is gone when idem is: stopped on every way out, killed
// by the system where idem itself is killed (Linux, the program itself; on
// Windows, its children too). Read process.go for one program, service.go for
// the service and its readiness, run.go for programs that run to their end.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Command is a program to run. There is no shell unless Argv names one.
type Command struct {
	Argv    []string
	Dir     string              // "" is the current directory; a relative Argv[0] is looked up in it
	Environ []string            // "NAME=value", what is inherited
	Deny    []string            // names that are never inherited: secrets
	Env     [][2]string         // added; wins over what is inherited, and over Deny
	Mask    func(string) string // takes secrets out of output that is shown; nil shows it as it is
	Input   []byte              // its standard input, with Run; nil: empty
}

// Exit is how a program ended.
type Exit struct {
	Code   int    // -1 where a signal ended it
	Signal string // "killed", "terminated", ...; empty where it exited
}

// String is "killed", or "exit 3".
func (e Exit) String() string {
	if e.Signal != "" {
		return e.Signal
	}
	return fmt.Sprintf("exit %d", e.Code)
}

// ErrEnded is returned by what needs a running program and finds it ended.
var ErrEnded = errors.New("the process has ended")

// Process is a running program, or one that ended.
type Process struct {
	cmd    *exec.Cmd
	group  *group
	output *ring
	mask   func(string) string
	done   chan struct{} // closed once it has ended and its group is gone
	exit   Exit          // set before done is closed

	mu     sync.Mutex
	killed bool // by Kill: Windows tells no signal
}

// Start starts a program. Its output goes to a bounded buffer, its input is
// empty.
func Start(c Command) (*Process, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("no pipe for the output: %w", err)
	}
	cmd, g, err := launch(c, nil, write, write)
	write.Close()
	if err != nil {
		read.Close()
		return nil, err
	}
	p := &Process{cmd: cmd, group: g, output: &ring{}, mask: c.Mask, done: make(chan struct{})}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		p.output.readFrom(read)
	}()
	go p.reap(read, copied)
	return p, nil
}

// launch starts a command in a group of its own; without stdin its input is
// empty.
func launch(c Command, stdin, stdout, stderr *os.File) (*exec.Cmd, *group, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, nil, problem.New("", "the command is empty").WithHint(`command: ["./api"]`)
	}
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.environ()
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if stdin != nil {
		cmd.Stdin = stdin
	}
	g, err := startInGroup(cmd)
	if err != nil {
		// The arguments are not shown: they may hold secrets.
		return nil, nil, problem.New("", "cannot start %s: %s", c.Argv[0], reason(err))
	}
	return cmd, g, nil
}

// reason takes the program's name, which the message has already, off an error.
func reason(err error) error {
	var path *os.PathError
	var look *exec.Error
	switch {
	case errors.As(err, &path):
		if path.Op == "chdir" {
			return fmt.Errorf("its directory %s: %w", path.Path, path.Err)
		}
		return path.Err
	case errors.As(err, &look):
		return look.Err
	}
	return err
}

// reap waits for the program's end, then ends what it left in its group: a
// child that still holds the port would answer in the next one's place.
func (p *Process) reap(output *os.File, copied <-chan struct{}) {
	p.cmd.Wait()
	p.group.close()
	select {
	case <-copied:
	case <-time.After(200 * time.Millisecond): // somebody outside the group has it open
	}
	output.Close()
	<-copied
	p.mu.Lock()
	p.exit = exitOf(p.cmd.ProcessState, p.killed)
	p.mu.Unlock()
	close(p.done)
}

// PID is the program's process id, also after its end.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits for the program's end.
func (p *Process) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-p.done:
		return p.exit, nil
	default:
	}
	select {
	case <-p.done:
		return p.exit, nil
	case <-ctx.Done():
		return Exit{}, ctx.Err()
	}
}

// Kill ends the program and all of its group at once, as a crash does. It
// returns when the signal is sent; ErrEnded where there was nobody to send it
// to.
func (p *Process) Kill() error {
	return p.signal(func() error {
		p.killed = true
		return p.group.kill()
	})
}

// Pause stops the group from running until Resume, as a stalled machine does.
func (p *Process) Pause() error { return p.signal(p.group.pause) }

// Resume lets the group run on.
func (p *Process) Resume() error { return p.signal(p.group.resume) }

// signal does not signal a number that may have become somebody else's.
func (p *Process) signal(send func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.done:
		return ErrEnded
	default:
		return send()
	}
}

// Stop asks the program to end, and ends it after the grace. It returns when
// it is gone; its context is time alone, since nothing may be left behind.
func (p *Process) Stop(grace time.Duration) Exit {
	p.signal(func() error {
		err := p.group.terminate()
		p.group.resume() // a paused program could not obey
		return err
	})
	select {
	case <-p.done:
		return p.exit
	case <-time.After(grace):
	}
	p.Kill()
	<-p.done
	return p.exit
}

// Output is the end of what the program printed, masked.
func (p *Process) Output() string {
	return masked(p.mask, p.output.String())
}

func masked(mask func(string) string, s string) string {
	if mask == nil {
		return s
	}
	return mask(s)
}

// lastWords is the end of an output for an error's text: a few lines, or
// nothing.
func lastWords(output string) string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(output, "?")), "\n")
	if len(lines) > 8 {
		lines = lines[len(lines)-8:]
	}
	words := strings.Join(lines, "\n  ")
	if len(words) > 2000 {
		words = "..." + strings.ToValidUTF8(words[len(words)-2000:], "")
	}
	if words == "" {
		return ""
	}
	return "; its last words:\n  " + words
}

func (p *Process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

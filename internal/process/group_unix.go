//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// group is a process group, named by the process id of the program that leads
// it. The number stays taken while anybody is in the group.
type group struct{ id int }

func startInGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithUs(cmd.SysProcAttr)
	if err := spawn(cmd.Start); err != nil {
		return nil, err
	}
	return &group{id: cmd.Process.Pid}, nil
}

func (g *group) send(s syscall.Signal) error {
	if err := syscall.Kill(-g.id, s); err == syscall.ESRCH {
		return ErrEnded
	} else if err != nil {
		return os.NewSyscallError("kill", err)
	}
	return nil
}

func (g *group) kill() error      { return g.send(syscall.SIGKILL) }
func (g *group) terminate() error { return g.send(syscall.SIGTERM) }
func (g *group) resume() error    { return g.send(syscall.SIGCONT) }

func (g *group) pause() error {
	err := g.send(syscall.SIGSTOP)
	if err == nil {
		awaitStopped(g.id)
	}
	return err
}

// close ends whoever is left in the group after its leader, and waits for
// them, though not for long: where nobody reaps orphans they stay as zombies.
func (g *group) close() {
	for range 50 {
		if g.kill() != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// leave lets whoever is left in the group live: a start hook's service.
func (g *group) leave() {}

func exitOf(state *os.ProcessState, _ bool) Exit {
	if state == nil {
		return Exit{Code: -1}
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return Exit{Code: -1, Signal: status.Signal().String()}
	}
	return Exit{Code: state.ExitCode()}
}

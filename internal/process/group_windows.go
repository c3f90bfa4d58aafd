package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object: it ends with its last handle, which is ours, and so
// with idem.
type group struct {
	job windows.Handle
	pid uint32
}

func startInGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	g := &group{job: job, pid: uint32(cmd.Process.Pid)}
	if err := g.take(); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		windows.CloseHandle(job)
		return nil, err
	}
	return g, nil
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, os.NewSyscallError("CreateJobObject", err)
	}
	if err := limit(job, windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE); err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

func limit(job windows.Handle, flags uint32) error {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = flags
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return os.NewSyscallError("SetInformationJobObject", err)
}

// take puts the program into the job. What it starts from then on is in it too.
func (g *group) take() error {
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, g.pid)
	if err != nil {
		return os.NewSyscallError("OpenProcess", err)
	}
	defer windows.CloseHandle(p)
	return os.NewSyscallError("AssignProcessToJobObject", windows.AssignProcessToJobObject(g.job, p))
}

func (g *group) kill() error {
	return os.NewSyscallError("TerminateJobObject", windows.TerminateJobObject(g.job, 1))
}

// terminate sends what a console sends for Ctrl-Break; there is no SIGTERM.
func (g *group) terminate() error {
	return os.NewSyscallError("GenerateConsoleCtrlEvent",
		windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, g.pid))
}

var errNoPause = errors.New("a process cannot be paused on Windows")

func (g *group) pause() error  { return errNoPause }
func (g *group) resume() error { return errNoPause }

// close ends whoever is left in the job.
func (g *group) close() {
	windows.TerminateJobObject(g.job, 1)
	windows.CloseHandle(g.job)
}

// leave lets whoever is left in the job live: a start hook's service.
func (g *group) leave() {
	limit(g.job, 0)
	windows.CloseHandle(g.job)
}

// exitOf: Windows knows no signals, so a kill is what we know to be one.
func exitOf(state *os.ProcessState, killed bool) Exit {
	if killed {
		return Exit{Code: -1, Signal: "killed"}
	}
	if state == nil {
		return Exit{Code: -1}
	}
	return Exit{Code: state.ExitCode()}
}

package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stillLimit is how long a process may take to stop.
const stillLimit = 2 * time.Second

// stopping makes the stillness of a child of this process.
func stopping(child *os.Process) stillness {
	return func(during func() error) (err error) {
		if child.Pid == os.Getpid() {
			return errors.New("a process that stops itself does not go on")
		}
		defer func() { err = errors.Join(err, os.NewSyscallError("SIGCONT", child.Signal(syscall.SIGCONT))) }()
		if err := child.Signal(syscall.SIGSTOP); err != nil {
			return os.NewSyscallError("SIGSTOP", err)
		}
		if err := awaitStop(child.Pid); err != nil {
			return err
		}
		return during()
	}
}

// awaitStop waits until every thread of a child has stopped: the system tells
// its parent when the last one has. The state in /proc is that of one thread.
func awaitStop(pid int) error {
	for end := time.Now().Add(stillLimit); ; time.Sleep(20 * time.Microsecond) {
		var told unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &told, unix.WSTOPPED|unix.WNOHANG, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return os.NewSyscallError("waitid", err)
		case told.Signo == int32(unix.SIGCHLD): // 0 where there is nothing to tell
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("it did not stop in %v", stillLimit)
		}
	}
}

// deafen has a connection wake nobody for what comes, or hear again: Go's poller
// would be woken by every answer, whether anybody reads it or not.
func deafen(conn net.Conn, deaf bool) error {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		return err
	}
	least := 1 // bytes
	if deaf {
		least = 1 << 20
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = os.NewSyscallError("setsockopt", unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVLOWAT, least))
	})
	return errors.Join(err, failed)
}

// bind has the system end a child with this process, however that ends: one that
// is stopped would not see that its standard input has.
func bind(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

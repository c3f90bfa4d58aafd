package process

import (
	"time"

	"golang.org/x/sys/unix"
)

// awaitStopped waits until a program that was sent SIGSTOP runs no more, in
// all of its threads. The signal's sender is back before that.
func awaitStopped(pid int) {
	for range 1000 {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WNOWAIT|unix.WNOHANG, nil)
		if err != nil && err != unix.EINTR || info.Signo != 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

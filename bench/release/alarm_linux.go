package main

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// alarm waits to within some microseconds, as for a disk or a database, and
// leaves the processor to others. A sleep of the runtime does not: its poller
// counts in milliseconds, so that 100 us become one where nothing else runs.
type alarm struct {
	fd   int
	file *os.File // of fd, read through the poller
}

func newAlarm() (*alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	return &alarm{fd, os.NewFile(uintptr(fd), "timer")}, nil
}

func (a *alarm) wait(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	at := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	if err := unix.TimerfdSettime(a.fd, 0, &at, nil); err != nil {
		return os.NewSyscallError("timerfd_settime", err)
	}
	var times [8]byte
	_, err := a.file.Read(times[:])
	return err
}

func (a *alarm) close() { a.file.Close() }

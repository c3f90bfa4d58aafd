//go:build linux || darwin

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the most memory that a process had, in bytes (getrusage(2): kB on
// Linux, bytes on macOS).
func peak(s *os.ProcessState) int64 {
	usage, ok := s.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "linux":
		return int64(usage.Maxrss) << 10
	}
	return int64(usage.Maxrss)
}

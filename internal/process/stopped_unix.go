//go:build unix && !linux

package process

import "time"

// awaitStopped gives a program that was sent SIGSTOP the time to obey.
func awaitStopped(int) { time.Sleep(20 * time.Millisecond) }

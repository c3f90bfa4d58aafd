package process

import (
	"runtime"
	"sync"
	"syscall"
)

// dieWithUs has the system kill the program when idem is killed and can do
// nothing itself.
func dieWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// spawn starts a program from a thread that lives as long as idem does. The
// system's parent is the thread that forked, not the process: a program
// started from any thread dies when the Go runtime lets that thread go
// (prctl(2), PR_SET_PDEATHSIG).
func spawn(start func() error) error {
	result := make(chan error, 1)
	spawner() <- func() { result <- start() }
	return <-result
}

var spawner = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for do := range work {
			do()
		}
	}()
	return work
})

//go:build unix

package cmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestSignalEndsAnyRead: a read that nobody feeds ends with the first
// signal, wherever it is from.
func TestSignalEndsAnyRead(t *testing.T) {
	program := buildIdem(t)
	for _, args := range [][]string{
		{"verify", "FIFO"}, {"report", "FIFO"}, {"recipe", "lint", "FIFO"}, {"canon", "FIFO"}, {"canon", "--ndjson", "FIFO"},
		{"verify", "-"}, {"report", "-"}, {"recipe", "lint", "-"}, {"canon", "-"}, {"canon", "--ndjson", "-"},
	} {
		t.Run(args[len(args)-2]+" "+args[len(args)-1], func(t *testing.T) {
			fifo := filepath.Join(t.TempDir(), "f")
			if err := unix.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			last := len(args) - 1
			named := args[last] == "FIFO"
			if named {
				args[last] = fifo
			}
			c := exec.Command(program, args...)
			var said bytes.Buffer
			c.Stderr = &said
			stdin, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			if named { // its reader is there when it can be opened
				w, err := os.OpenFile(fifo, os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer w.Close()
			} else { // more than a pipe holds
				stdin.Write(bytes.Repeat([]byte(" "), 200<<10))
			}
			c.Process.Signal(os.Interrupt)
			select {
			case <-ended:
			case <-time.After(30 * time.Second):
				c.Process.Kill()
				t.Fatal("it reads on")
			}
			if code := c.ProcessState.ExitCode(); code != ExitInterrupted || said.Len() > 0 && !strings.Contains(said.String(), "interrupted") {
				t.Errorf("exit %d, want %d: %s", code, ExitInterrupted, said.String())
			}
		})
	}
}

// TestSignalEndsAnyWrite: a result that nobody takes holds up the end no longer
// than it takes a reader that is only slow, and not at all after a second signal.
func TestSignalEndsAnyWrite(t *testing.T) {
	program := buildIdem(t)
	dir := t.TempDir()
	many, one := filepath.Join(dir, "many.ndjson"), filepath.Join(dir, "one.json")
	write(t, many, strings.Repeat(`{"a":1}`+"\n", 1<<19))
	write(t, one, "["+strings.Repeat(`"0123456789",`, 1<<18)+"0]")
	for _, args := range [][]string{{"canon", "--ndjson", many}, {"fingerprint", "--public", "--ndjson", many}, {"canon", one}} {
		for _, signals := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s, %d", strings.Join(args[:2], " "), signals), func(t *testing.T) {
				t.Parallel()
				stuck, out, err := os.Pipe() // that nobody reads
				if err != nil {
					t.Fatal(err)
				}
				defer stuck.Close()
				defer out.Close()
				c := exec.Command(program, args...)
				c.Stdout = out
				var said bytes.Buffer
				c.Stderr = &said
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				ended := make(chan error, 1)
				go func() { ended <- c.Wait() }()
				full(t, out)
				for range signals {
					c.Process.Signal(unix.SIGTERM)
					time.Sleep(100 * time.Millisecond)
				}
				select {
				case <-ended:
				case <-time.After(30 * time.Second):
					c.Process.Kill()
					t.Fatal("it writes on")
				}
				if code := c.ProcessState.ExitCode(); code != ExitInterrupted {
					t.Errorf("exit %d, want %d: %s", code, ExitInterrupted, said.String())
				}
			})
		}
	}
}

// full waits until a pipe takes no more, from when on its writer is stuck.
func full(t *testing.T, pipe *os.File) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		ready, err := unix.Poll([]unix.PollFd{{Fd: int32(pipe.Fd()), Events: unix.POLLOUT}}, 0)
		if err == nil && ready == 0 {
			return
		}
	}
	t.Fatal("the pipe takes more and more")
}

// TestIgnoredSignalsStayIgnored: as nohup has it, and a shell for what it puts in
// the background.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	program := buildIdem(t)
	for _, args := range []string{"canon --ndjson", "canon -", "fingerprint --public -"} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			c := exec.Command("sh", "-c", `trap "" HUP INT; exec "$0" `+args, program)
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			c.Stdout, c.Stderr = &said, &said
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			io.WriteString(in, strings.Repeat(" ", 200<<10)) // more than a pipe holds: it reads
			for _, one := range []os.Signal{unix.SIGHUP, os.Interrupt} {
				c.Process.Signal(one)
				time.Sleep(50 * time.Millisecond)
			}
			io.WriteString(in, "{}\n")
			in.Close()
			if err := c.Wait(); err != nil || said.Len() == 0 {
				t.Errorf("%v: %s", err, said.String())
			}
		})
	}
}

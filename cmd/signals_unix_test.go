//go:build unix

package cmd

import (
	"bytes"
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
		{"verify", "FIFO"}, {"report", "FIFO"}, {"recipe", "lint", "FIFO"}, {"canon", "FIFO"},
		{"verify", "-"}, {"report", "-"}, {"recipe", "lint", "-"}, {"canon", "-"},
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

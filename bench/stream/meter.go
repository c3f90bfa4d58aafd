package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// meterWord makes this program run another one and tell how it went. It is a
// process of its own since a new program's greatest size begins with that of
// the process which started it (getrusage(2), ru_maxrss): this one is small.
const meterWord = "meter"

// reading is what one run of a program took.
type reading struct {
	Wall int64 `json:"wall_ns"`
	CPU  int64 `json:"cpu_ns"`
	Peak int64 `json:"peak_bytes"` // of memory; 0 where the system does not tell
	Exit int   `json:"exit"`
}

// meter runs a program with its own standard streams and writes the reading
// into the file that its first argument names.
func meter(args []string) int {
	if len(args) < 2 {
		return 2
	}
	c := exec.Command(args[1], args[2:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	began := time.Now()
	err := c.Run()
	r := reading{Wall: int64(time.Since(began))}
	if c.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		return 4
	}
	r.CPU, r.Peak = int64(c.ProcessState.UserTime()+c.ProcessState.SystemTime()), peak(c.ProcessState)
	r.Exit = c.ProcessState.ExitCode()
	text, err := json.Marshal(r)
	if err == nil {
		err = os.WriteFile(args[0], text, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 4
	}
	return 0
}

// metered runs a way with an input, and gives what it wrote to out.
func (w way) metered(ctx context.Context, in io.Reader, out io.Writer) (r reading, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	file := w.dir + "/reading"
	c := exec.CommandContext(ctx, self, append([]string{meterWord, file, w.program}, w.args...)...)
	c.Env = append(os.Environ(), w.env...)
	c.Dir, c.Stdin, c.Stdout, c.Stderr = w.dir, in, out, os.Stderr
	if err := c.Run(); err != nil {
		return r, fmt.Errorf("%s: %w", w.name, err)
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err == nil && r.Exit != 0 {
		err = fmt.Errorf("%s: exit %d", w.name, r.Exit)
	}
	return r, err
}

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// hello is the first line that a child prints: where it listens.
type hello struct {
	Plain       string `json:"plain"`
	Secure      string `json:"secure,omitempty"`
	Certificate string `json:"certificate,omitempty"` // PEM, of Secure
	Processors  int    `json:"processors,omitempty"`  // that it uses at once
}

// child serves or relays where the arguments say that this process is one. It
// lives until its standard input ends, and so no longer than its parent.
func child(args []string) (code int, ok bool) {
	if len(args) == 0 {
		return 0, false
	}
	var said hello
	var err error
	switch {
	case args[0] == "serve" && len(args) == 1:
		said, err = serve()
	case args[0] == "relay" && len(args) == 4:
		said, err = relayTo(args[1], args[2], args[3])
	default:
		return 0, false
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(said)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 4, true
	}
	io.Copy(io.Discard, os.Stdin)
	return 0, true
}

func relayTo(address, delay, jitter string) (hello, error) {
	d, err := time.ParseDuration(delay)
	if err != nil {
		return hello{}, err
	}
	j, err := time.ParseDuration(jitter)
	if err != nil {
		return hello{}, err
	}
	r, err := startRelay(address, d, j)
	if err != nil {
		return hello{}, err
	}
	return hello{Plain: r.address()}, nil
}

// spawned is a child that has said hello.
type spawned struct {
	hello
	process *os.Process
	stop    func() // ends it and waits
}

// spawn starts this program as a child, with some variables more than its own.
func spawn(ctx context.Context, variables []string, args ...string) (*spawned, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, self, args...)
	c.Env = append(os.Environ(), variables...)
	c.Stderr = os.Stderr
	bind(c)
	stdin, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	s := &spawned{process: c.Process, stop: func() {
		stdin.Close()
		c.Wait()
	}}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &s.hello)
	}
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("%s did not start: %w", args[0], err)
	}
	return s, nil
}

// errStopped is what a run says that was interrupted.
var errStopped = errors.New("interrupted")

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Names of those who take part.
const (
	ofIdem     = "idem"
	ofProduct  = "idem, as its commands call it"
	ofJCS      = "gowebpki/jcs"
	ofJSONText = "jsontext"
	ofValid    = "json.Valid"
	ofNode     = "Node canonicalize"
	ofRust     = "serde_json_canonicalizer"
)

// process is one who takes part.
type process struct {
	name    string
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// build says how somebody's process is started; it makes what is not there yet
// in a folder.
type build struct {
	name string
	make func(ctx context.Context, dir string) (*exec.Cmd, error)
}

// taking gives those who are to take part, our own first.
func taking(o options) []build {
	all := []build{{ofIdem, linked(ofIdem)}, {ofProduct, linked(ofProduct)}, {ofJCS, linked(ofJCS)}, {ofValid, linked(ofValid)}, {ofJSONText, jsonText}}
	if o.node {
		all = append(all, build{ofNode, onNode})
	}
	if o.rust {
		all = append(all, build{ofRust, inRust})
	}
	return all
}

func linked(name string) func(context.Context, string) (*exec.Cmd, error) {
	return func(ctx context.Context, _ string) (*exec.Cmd, error) {
		self, err := os.Executable()
		return exec.CommandContext(ctx, self, "worker", name), err
	}
}

// sources is where the rivals' sources are: beneath this folder of the project.
func sources(name string) (string, error) {
	dir := filepath.Join("bench", "canon", name)
	if _, err := os.Stat(dir); err != nil {
		return "", errors.New("run it from the project's root: there is no " + dir + " here")
	}
	return dir, nil
}

func jsonText(ctx context.Context, dir string) (*exec.Cmd, error) {
	source, err := sources("jsontext")
	if err != nil {
		return nil, err
	}
	program := filepath.Join(dir, "jsontext.exe")
	c := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
	c.Dir, c.Env = source, append(os.Environ(), "CGO_ENABLED=0")
	return exec.CommandContext(ctx, program), told(c)
}

func onNode(ctx context.Context, dir string) (*exec.Cmd, error) {
	source, err := sources("node")
	if err != nil {
		return nil, err
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, fmt.Errorf("there is no %s", program)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "node"), os.DirFS(source)); err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--loglevel=error")
	c.Dir = filepath.Join(dir, "node")
	return exec.CommandContext(ctx, "node", filepath.Join(dir, "node", "worker.js")), told(c)
}

// inRust builds in the user's cache, since it takes a minute.
func inRust(ctx context.Context, dir string) (*exec.Cmd, error) {
	source, err := sources("rust")
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("cargo"); err != nil {
		return nil, errors.New("there is no cargo")
	}
	if cache, err := os.UserCacheDir(); err == nil {
		dir = filepath.Join(cache, "idem-bench")
	}
	c := exec.CommandContext(ctx, "cargo", "build", "--quiet", "--release", "--locked", "--target-dir", dir)
	c.Dir = source
	return exec.CommandContext(ctx, filepath.Join(dir, "release", "idem-bench-canonicalizer")), told(c)
}

// told runs a command and gives what it said as its error.
func told(c *exec.Cmd) error {
	said, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %.500s", filepath.Base(c.Path), err, strings.TrimSpace(string(said)))
	}
	return nil
}

// start starts somebody's process, which lives until stop or as long as this one.
func (b build) start(ctx context.Context, dir string) (*process, error) {
	c, err := b.make(ctx, dir)
	if err != nil {
		return nil, err
	}
	p := &process{name: b.name, command: c}
	c.Stderr = os.Stderr
	if p.in, err = c.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, c.Start()
}

func (p *process) stop() {
	p.in.Close()
	p.command.Wait()
}

// tell gives a process one command and reads its answer.
func (p *process) tell(words ...string) ([]string, error) {
	if _, err := io.WriteString(p.in, strings.Join(words, "\t")+"\n"); err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%s ended at %q: %w", p.name, words, err)
	}
	answer := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	if answer[0] != "ok" {
		return nil, fmt.Errorf("%s: %s", p.name, strings.Join(answer[1:], " "))
	}
	return answer[1:], nil
}

// run makes the canonical forms of an input some times.
func (p *process) run(input, times int) (took time.Duration, allocations int, err error) {
	answer, err := p.tell("run", strconv.Itoa(input), strconv.Itoa(times))
	if err != nil {
		return 0, 0, err
	}
	if len(answer) != 2 {
		return 0, 0, fmt.Errorf("%s answers %q", p.name, answer)
	}
	ns, err := strconv.ParseInt(answer[0], 10, 64)
	if err != nil || ns <= 0 {
		return 0, 0, fmt.Errorf("%s took %q", p.name, answer[0])
	}
	allocations, err = strconv.Atoi(answer[1])
	return time.Duration(ns), allocations, err
}

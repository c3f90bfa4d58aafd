package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Bounds of a program that runs to its end.
const (
	MaxOutput = 64 << 10 // bytes kept of its standard output, from the start
	maxSpill  = 16 << 20 // bytes a hook may print
)

// Output is what a program printed.
type Output struct {
	Stdout []byte // the first MaxOutput bytes
	More   bool   // there were more
	Stderr string // the end of it, masked
	Exit   Exit
}

// Run runs a program to its end, within a time, and leaves nobody of its group
// behind. An exit that is not 0 is no error here.
func Run(ctx context.Context, c Command, within time.Duration) (Output, error) {
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return Output{}, fmt.Errorf("no pipe for the output: %w", err)
	}
	errRead, errWrite, err := os.Pipe()
	if err != nil {
		outRead.Close()
		outWrite.Close()
		return Output{}, fmt.Errorf("no pipe for the output: %w", err)
	}
	in, err := give(c.Input)
	if err != nil {
		for _, f := range []*os.File{outRead, outWrite, errRead, errWrite} {
			f.Close()
		}
		return Output{}, err
	}
	defer in.close()
	cmd, g, err := launch(c, in.read, outWrite, errWrite)
	in.given()
	outWrite.Close()
	errWrite.Close()
	stdout, stderr := &start{max: MaxOutput}, &ring{}
	var copied sync.WaitGroup
	copied.Go(func() { io.Copy(stdout, outRead) })
	copied.Go(func() { io.Copy(stderr, errRead) })
	if err == nil {
		err = end(ctx, cmd, g, within, nil)
		g.close()
		time.AfterFunc(200*time.Millisecond, func() { // somebody outside the group may have them open
			outRead.Close()
			errRead.Close()
		})
	}
	copied.Wait()
	outRead.Close()
	errRead.Close()
	if err != nil {
		return Output{}, err
	}
	return Output{Stdout: stdout.kept, More: stdout.more, Stderr: masked(c.Mask, stderr.String()),
		Exit: exitOf(cmd.ProcessState, false)}, nil
}

// input is a program's standard input on its way.
type input struct{ read, write *os.File }

// give begins to write what a program is to read. A pipe of our own, rather
// than one of os/exec: whoever the program leaves behind may hold the reading
// end open for ever, and nobody must wait for that.
func give(b []byte) (input, error) {
	if b == nil {
		return input{}, nil
	}
	read, write, err := os.Pipe()
	if err != nil {
		return input{}, fmt.Errorf("no pipe for the input: %w", err)
	}
	go func() {
		write.Write(b) // a program that does not read all of it is free not to
		write.Close()
	}()
	return input{read, write}, nil
}

// given leaves the reading end to the program.
func (i input) given() {
	if i.read != nil {
		i.read.Close()
	}
}

// close ends what is still being written.
func (i input) close() {
	if i.write != nil {
		i.write.Close()
	}
}

// RunHook runs one of the contract's hooks to its end, within a time. seconds
// is told as IDEM_SECONDS where it is above 0. Whoever the hook leaves running
// lives on: a start hook's business is to leave a service.
func RunHook(ctx context.Context, name string, c Command, seconds int64, within time.Duration) error {
	if seconds > 0 {
		c.Env = append(c.Env[:len(c.Env):len(c.Env)], [2]string{"IDEM_SECONDS", strconv.FormatInt(seconds, 10)})
	}
	// A file, not a pipe: a service that the hook leaves would die of a pipe
	// that nobody reads any more.
	file, err := os.CreateTemp("", "idem-hook-")
	if err != nil {
		return problem.New("", "no file for the output of the %s hook: %s", name, err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	cmd, g, err := launch(c, nil, file, file)
	if err != nil {
		return problem.New("", "the %s hook: %s", name, err)
	}
	err = end(ctx, cmd, g, within, file)
	g.leave()
	if err != nil {
		return problem.New("", "the %s hook %s%s", name, err, lastWords(masked(c.Mask, tail(file))))
	}
	if exit := exitOf(cmd.ProcessState, false); exit != (Exit{}) {
		return problem.New("", "the %s hook ended with %s%s", name, exit, lastWords(masked(c.Mask, tail(file))))
	}
	return nil
}

// end waits for a program's end and brings it about where the time is up, the
// context is done, or it has printed too much into a file.
func end(ctx context.Context, cmd *exec.Cmd, g *group, within time.Duration, file *os.File) error {
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	timer := time.NewTimer(within)
	defer timer.Stop()
	watch := time.NewTicker(50 * time.Millisecond)
	defer watch.Stop()
	var err error
	for err == nil {
		select {
		case <-ended:
			return nil
		case <-ctx.Done():
			err = ctx.Err()
		case <-timer.C:
			err = fmt.Errorf("did not end within %s", within)
		case <-watch.C:
			if file != nil && spilled(file) {
				err = errors.New("printed more than 16 MiB")
			}
		}
	}
	g.kill()
	<-ended
	return err
}

func spilled(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Size() > maxSpill
}

// tail is the end of a file, as much as a ring keeps.
func tail(file *os.File) string {
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	b, _ := io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-ringSize), ringSize))
	return fromLine(string(b))
}

// LastWords is the end of the standard error for an error's text; empty where
// there was none.
func (o Output) LastWords() string { return lastWords(o.Stderr) }

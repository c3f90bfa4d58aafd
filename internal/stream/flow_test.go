package stream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestACoProcessGetsItsAnswers: a line goes in and nothing after it, and its
// answer comes. In the bubble nothing can leak: it ends when every goroutine
// has, and fails where one waits for ever.
func TestACoProcessGetsItsAnswers(t *testing.T) {
	for workers := 1; workers <= 3; workers++ {
		synctest.Test(t, func(t *testing.T) {
			in, ask := io.Pipe()
			answers, out := io.Pipe()
			ended := make(chan error, 1)
			go func() {
				_, err := Run(t.Context(), in, out, Options{Workers: workers, NewWork: shout, MaxLine: 100, OnError: inPlace})
				out.CloseWithError(io.EOF)
				ended <- err
			}()
			lines := bufio.NewReader(answers)
			for i, pair := range [][2]string{{"one\n", "[ONE]\n"}, {"two\r\n", "[TWO]\n"}, {"\n", "\n"}, {"x\n", "!4 bad\n"}, {"five\n", "[FIVE]\n"}} {
				fmt.Fprint(ask, pair[0])
				if got, err := lines.ReadString('\n'); got != pair[1] || err != nil {
					t.Errorf("line %d: %q, %v", i+1, got, err)
				}
			}
			// Several at once, the last of them not whole yet.
			fmt.Fprint(ask, "sigma\nseven\nei")
			for _, want := range []string{"[SIGMA]\n", "[SEVEN]\n"} {
				if got, err := lines.ReadString('\n'); got != want || err != nil {
					t.Errorf("%q, %v, not %q", got, err, want)
				}
			}
			fmt.Fprint(ask, "ght\nnine")
			if got, err := lines.ReadString('\n'); got != "[EIGHT]\n" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
			ask.Close()
			if got, err := io.ReadAll(lines); string(got) != "[NINE]\n" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestInterrupted: what was read by then is finished and written, also while
// the input pauses, and only its Read is left.
func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, ask := io.Pipe()
		ctx, interrupt := context.WithCancel(t.Context())
		release := make(chan struct{})
		o := Options{Workers: 3, MaxLine: 100, NewWork: func() Work {
			return func(out, line []byte) ([]byte, error) {
				<-release
				return append(out, line...), nil
			}
		}}
		var out bytes.Buffer
		var r Result
		ended := make(chan error, 1)
		go func() {
			var err error
			r, err = Run(ctx, in, &out, o)
			ended <- err
		}()
		fmt.Fprint(ask, "one\ntwo\n")
		fmt.Fprint(ask, "three\nfo")
		synctest.Wait()
		interrupt()
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("ended before its work: %v", err)
		default:
		}
		close(release)
		if err := <-ended; !errors.Is(err, context.Canceled) || out.String() != "one\ntwo\nthree\n" || r.Lines != 3 {
			t.Errorf("%v, %q, %+v", err, out.String(), r)
		}
		// Who reads is the last: it ends with its Read, and takes nothing on.
		fmt.Fprint(ask, "ur\n")
		synctest.Wait()
		if out.String() != "one\ntwo\nthree\n" {
			t.Errorf("written after the end: %q", out.String())
		}
	})
}

// TestInterruptedInFullFlow: whole lines from the first on, none left out.
func TestInterruptedInFullFlow(t *testing.T) {
	for _, workers := range []int{1, 3} {
		ctx, interrupt := context.WithCancel(t.Context())
		in := &numbers{}
		var out bytes.Buffer
		r, err := Run(ctx, in, &out, Options{Workers: workers, NewWork: shout, MaxLine: 100, Passed: func(_ int64, r Result) {
			if r.Lines > 200_000 {
				interrupt()
			}
		}})
		if !errors.Is(err, context.Canceled) || r.Lines < 200_000 || int64(bytes.Count(out.Bytes(), []byte("\n"))) != r.Lines {
			t.Errorf("%v, %+v", err, r)
		}
		for i := range r.Lines {
			line, err := out.ReadString('\n')
			if want := fmt.Sprintf("[%d]\n", i+1); line != want || err != nil {
				t.Fatalf("%q, %v, not %q", line, err, want)
			}
		}
	}
}

// numbers gives 1, 2, 3 and so on, a line each.
type numbers struct {
	n    int
	rest []byte
}

func (c *numbers) Read(b []byte) (int, error) {
	for len(c.rest) < len(b) {
		c.n++
		c.rest = fmt.Appendln(c.rest, c.n)
	}
	n := copy(b, c.rest)
	c.rest = c.rest[:copy(c.rest, c.rest[n:])]
	return n, nil
}

// TestNothingIsLeftBehind: however a stream ends, every goroutine of it does.
func TestNothingIsLeftBehind(t *testing.T) {
	for name, c := range map[string]struct {
		in  io.Reader
		out io.Writer
		ctx func(context.Context) (context.Context, context.CancelFunc)
	}{
		"the end":     {in: strings.NewReader("a\nb"), out: io.Discard},
		"a bad line":  {in: io.MultiReader(strings.NewReader("a\nx\n"), endless("a\n")), out: io.Discard},
		"a full disk": {in: endless("a\n"), out: &limited{left: 1000, err: errBad}},
		"an interrupt": {in: endless("a\n"), out: io.Discard, ctx: func(c context.Context) (context.Context, context.CancelFunc) {
			c, f := context.WithCancel(c)
			f()
			return c, f
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.ctx != nil {
					ctx, cancel = c.ctx(ctx)
					defer cancel()
				}
				_, err := Run(ctx, c.in, c.out, Options{Workers: 4, NewWork: shout, MaxLine: 100})
				if (name == "the end") != (err == nil) {
					t.Error(err)
				}
			})
		})
	}
}

// TestMemoryIsFlat counts what is allocated over inputs of one length and of
// ten times as much: neither is more than the buffers of all blocks.
func TestMemoryIsFlat(t *testing.T) {
	copied := func() Work { return func(out, line []byte) ([]byte, error) { return append(out, line...), nil } }
	allocated := func(in io.Reader) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Run(t.Context(), in, io.Discard, Options{Workers: 3, NewWork: copied, MaxLine: 1 << 30}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for name, line := range map[string]func(i int) int{
		"short lines":   func(int) int { return 200 },
		"growing lines": func(i int) int { return min(10+i, 300_000) },
		"mixed lines":   func(i int) int { return 1 + i%7*i%90_000 },
	} {
		short := allocated(&synthetic{left: 10 << 20, length: line})
		long := allocated(&synthetic{left: 100 << 20, length: line})
		if most := uint64(16 << 20); short > most || long > most {
			t.Errorf("%s: %d bytes over 10 MiB, %d over 100", name, short, long)
		}
	}
}

var letters = strings.Repeat("a", 4096)

// synthetic gives lines of given lengths.
type synthetic struct {
	left   int
	length func(i int) int
	i, rem int
}

func (s *synthetic) Read(b []byte) (int, error) {
	if s.left <= 0 {
		return 0, io.EOF
	}
	for n := 0; n < len(b); {
		if s.rem == 0 {
			b[n] = '\n'
			s.rem = s.length(s.i)
			s.i++
			n++
			continue
		}
		k := copy(b[n:], letters[:min(s.rem, len(letters))])
		n += k
		s.rem -= k
	}
	s.left -= len(b)
	return len(b), nil
}

// TestHugeLines: their buffers are given back, those of the work too.
func TestHugeLines(t *testing.T) {
	const huge = 24 << 20
	line := strings.Repeat("a", huge) + "\n"
	var works atomic.Int64
	in := io.MultiReader(strings.NewReader(line), strings.NewReader(line), strings.NewReader(line), strings.NewReader(strings.Repeat("b\n", 1000)))
	o := Options{Workers: 3, MaxLine: 1 << 30, NewWork: func() Work {
		works.Add(1)
		return func(out, line []byte) ([]byte, error) { return append(out, line[0]), nil }
	}}
	var out bytes.Buffer
	r, err := Run(t.Context(), in, &out, o)
	if err != nil || r.Lines != 1003 || out.Len() != 2006 {
		t.Fatalf("%v, %+v, %d bytes", err, r, out.Len())
	}
	if works.Load() != 3+3 {
		t.Errorf("%d works were made for 3 workers and 3 huge lines", works.Load())
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapInuse > 3*huge { // line itself is one
		t.Errorf("%d bytes are in use afterwards", m.HeapInuse)
	}
	runtime.KeepAlive(line)
}

// TestNoMoreThanSoMuchIsReadAhead: while one huge line is worked on, the next
// ones are left where they are.
func TestNoMoreThanSoMuchIsReadAhead(t *testing.T) {
	const huge = 24 << 20
	line := strings.Repeat("a", huge) + "\n"
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		in := &counting{in: io.MultiReader(strings.NewReader(line), strings.NewReader(line), strings.NewReader(line))}
		o := Options{Workers: 3, MaxLine: 1 << 30, NewWork: func() Work {
			return func(out, line []byte) ([]byte, error) {
				<-gate
				return append(out, line[0]), nil
			}
		}}
		var out bytes.Buffer
		ended := make(chan error, 1)
		go func() {
			_, err := Run(t.Context(), in, &out, o)
			ended <- err
		}()
		synctest.Wait()
		if n := in.n.Load(); n < huge || n > huge+1<<20 {
			t.Errorf("%d bytes are read while a line of %d is worked on", n, huge)
		}
		close(gate)
		if err := <-ended; err != nil || out.String() != "a\na\na\n" {
			t.Errorf("%v, %q", err, out.String())
		}
	})
}

type counting struct {
	in io.Reader
	n  atomic.Int64
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.n.Add(int64(n))
	return n, err
}

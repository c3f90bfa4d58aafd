package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/gowebpki/jcs"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
)

// A process that takes part reads commands, a line each, with tabs between
// their words:
//
//	load FILE      keep the file's lines as the next input
//	write I FILE   write the canonical forms of input I into a file, a line each
//	run I N        make them N times
//
// It answers each with a line: "ok", after run the nanoseconds that it took and
// how many pieces of memory were allocated meanwhile, -1 where it cannot tell;
// or "no" and the reason.

// way makes one document's canonical form: it gives it, or appends it to out
// where it can do so.
type way func(out, text []byte) ([]byte, error)

// ways are those that are linked into this program; made anew for a process.
func ways(name string) way {
	var w canon.Writer
	switch name {
	case ofIdem:
		return func(out, text []byte) ([]byte, error) {
			out, outcome := w.Append(out, text)
			if outcome == canon.Refused {
				return out, fmt.Errorf("refused: %.80s", text)
			}
			return out, nil
		}
	case ofProduct:
		c := &fingerprint.Canonicaliser{}
		return c.Append
	case ofJCS:
		return func(_, text []byte) ([]byte, error) { return jcs.Transform(text) }
	case ofValid:
		return func(out, text []byte) ([]byte, error) {
			if !json.Valid(text) {
				return out, fmt.Errorf("refused: %.80s", text)
			}
			return append(out, text...), nil
		}
	}
	return nil
}

// isWorker says which of the ways this process is to be.
func isWorker(args []string) (name string, ok bool) {
	if len(args) == 2 && args[0] == "worker" {
		return args[1], true
	}
	return "", false
}

// worker is one process: a way, and what it was given.
type worker struct {
	do     way
	inputs [][][]byte
	out    []byte
}

func work(name string, stdin io.Reader, stdout io.Writer) int {
	w := &worker{do: ways(name)}
	if w.do == nil {
		fmt.Fprintf(stdout, "no\tthere is no way %q\n", name)
		return 2
	}
	lines := bufio.NewScanner(stdin)
	for lines.Scan() {
		answer, err := w.obey(strings.Split(lines.Text(), "\t"))
		if err != nil {
			answer = "no\t" + err.Error()
		}
		if _, err := fmt.Fprintln(stdout, answer); err != nil {
			return 4
		}
	}
	return 0
}

func (w *worker) obey(words []string) (string, error) {
	if words[0] == "load" && len(words) == 2 {
		text, err := os.ReadFile(words[1])
		w.inputs = append(w.inputs, bytes.Split(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\n'}))
		return "ok", err
	}
	if len(words) != 3 {
		return "", fmt.Errorf("what is %q", words)
	}
	i, err := strconv.Atoi(words[1])
	if err != nil || i < 0 || i >= len(w.inputs) {
		return "", fmt.Errorf("there is no input %s", words[1])
	}
	switch words[0] {
	case "write":
		return "ok", w.write(w.inputs[i], words[2])
	case "run":
		n, err := strconv.Atoi(words[2])
		if err != nil {
			return "", err
		}
		return w.run(w.inputs[i], n)
	}
	return "", fmt.Errorf("what is %q", words)
}

func (w *worker) write(texts [][]byte, file string) error {
	var all []byte
	for _, text := range texts {
		out, err := w.do(w.out[:0], text)
		if err != nil {
			return err
		}
		all = append(append(all, out...), '\n')
	}
	return os.WriteFile(file, all, 0o600)
}

func (w *worker) run(texts [][]byte, n int) (string, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	for range n {
		for _, text := range texts {
			out, err := w.do(w.out[:0], text)
			if err != nil {
				return "", err
			}
			if cap(out) > cap(w.out) {
				w.out = out
			}
		}
	}
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	return fmt.Sprintf("ok\t%d\t%d", took.Nanoseconds(), after.Mallocs-before.Mallocs), nil
}

// alone keeps the collector to the one processor that a process is given, so
// that what is thrown away is paid for by who throws it away.
func alone() { runtime.GOMAXPROCS(1); debug.SetGCPercent(100) }

// Command jsontext is the process that writes canonical forms by
// go-json-experiment's jsontext; see ../worker.go for what it is told. It is a
// module of its own, so that nothing of it comes into the program's.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

func main() {
	w := &worker{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		answer, err := w.obey(strings.Split(lines.Text(), "\t"))
		if err != nil {
			answer = "no\t" + err.Error()
		}
		fmt.Println(answer)
	}
}

type worker struct {
	inputs [][][]byte
	value  jsontext.Value
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
	if words[0] == "write" {
		return "ok", w.write(w.inputs[i], words[2])
	}
	n, err := strconv.Atoi(words[2])
	if err != nil || words[0] != "run" {
		return "", fmt.Errorf("what is %q", words)
	}
	return w.run(w.inputs[i], n)
}

// canonical works in place, on a copy in a buffer that is kept.
func (w *worker) canonical(text []byte) error {
	w.value = append(w.value[:0], text...)
	return w.value.Canonicalize()
}

func (w *worker) write(texts [][]byte, file string) error {
	var all []byte
	for _, text := range texts {
		if err := w.canonical(text); err != nil {
			return err
		}
		all = append(append(all, w.value...), '\n')
	}
	return os.WriteFile(file, all, 0o600)
}

func (w *worker) run(texts [][]byte, n int) (string, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	for range n {
		for _, text := range texts {
			if err := w.canonical(text); err != nil {
				return "", err
			}
		}
	}
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	return fmt.Sprintf("ok\t%d\t%d", took.Nanoseconds(), after.Mallocs-before.Mallocs), nil
}

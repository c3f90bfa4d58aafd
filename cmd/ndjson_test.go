package cmd

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/stream"
)

const streamRecipe = `{"idem": "recipe/v1", "namespace": "n", "operation": "o", "version": 1, "prefix": "p", "boundary": "One each.",
 "identity": {"a": "/a"}, "key": {"kid": "k1", "env": "K"}}`

var streamEnv = map[string]string{"K": "idemkey1-k1-q3xd5nd7ik6qciwawbgyiwiswp6ypxr6n3vm3jj5fhrcwojzx6va-zic36va"}

// TestStreamIsEachLineByItself: whatever stands on the lines, what comes out
// for each is what comes out for it alone, or an error of the same class.
func TestStreamIsEachLineByItself(t *testing.T) {
	recipe := filepath.Join(t.TempDir(), "r.yaml")
	write(t, recipe, streamRecipe)
	lines := []string{
		`{"a":1}`, `{"a":"x","b":[1.0,2e3]}`, `{"a":null}`, `{"b":1}`, `{`, `[1]`, `{"a":1,"\u0061":2}`, `{"a":1e999}`, `{"a":0.1000000000000000055511151231257827}`,
		"{\"a\":\"\xff\"}", "\ufeff{\"a\":1}", "{\"a\":\x00}", `{"a":"\ud800"}`, `{"a":[[]]}`, strings.Repeat("[", 1001), `nul`, `{"a":1} x`, `{"a":"é"}`, `"` + strings.Repeat("long", 500_000) + `"`,
		`{"a":"` + strings.Repeat("long", 500_000) + `"}`, `{"a":1,"c":"someone@example.org"}`,
	}
	for _, args := range [][]string{
		{"canon"}, {"canon", "--numbers", "ieee754"}, {"canon", "--engine", "reference"}, {"canon", "--cross-check"},
		{"fingerprint", "--public"}, {"fingerprint"}, {"fingerprint", "--key-env", "K", "--namespace", "n"}, {"derive", "-r", recipe}, {"derive", "-r", recipe, "--with-listed"},
	} {
		for _, workers := range []int{1, 4} {
			stream := append(args[:len(args):len(args)], "--ndjson", "--on-error", "emit", "--workers", strconv.Itoa(workers), "-")
			all, _, code := runHere(streamEnv, strings.NewReader(strings.Join(lines, "\n")), stream...)
			got := strings.Split(strings.TrimSuffix(all, "\n"), "\n")
			if code != ExitUsage || len(got) != len(lines) {
				t.Fatalf("%v: %d lines for %d, %d", stream, len(got), len(lines), code)
			}
			for i, line := range lines {
				alone, said, code := runHere(streamEnv, strings.NewReader(line), append(args[:len(args):len(args)], "-")...)
				if code == ExitDone && strings.TrimSuffix(alone, "\n") != got[i] {
					t.Errorf("%v: %.60q gives %.80q, and %.80q alone", stream, line, got[i], alone)
				}
				if refused := strings.HasPrefix(got[i], `{"error":{"class":"`); refused != (code != ExitDone) || refused && !strings.Contains(got[i], `"line":`+strconv.Itoa(i+1)+`,`) {
					t.Errorf("%v: %.60q gives %.80q, and %d alone: %s", stream, line, got[i], code, said)
				}
			}
		}
	}
}

// TestStreamsAnswerAtOnce: every command is a co-process.
func TestStreamsAnswerAtOnce(t *testing.T) {
	recipe := filepath.Join(t.TempDir(), "r.yaml")
	write(t, recipe, streamRecipe)
	for _, args := range [][]string{
		{"canon", "--ndjson"}, {"fingerprint", "--ndjson", "--public", "-"}, {"derive", "--ndjson", "-r", recipe},
		{"derive", "--ndjson", "--annotate", "id", "-r", recipe, "-"}, {"canon", "--ndjson", "--on-error", "emit", "--workers", "3"},
	} {
		in, ask := io.Pipe()
		answers, out := io.Pipe()
		app := System()
		app.In, app.Out, app.Err = in, out, io.Discard
		app.LookupEnv = func(name string) (string, bool) { v, ok := streamEnv[name]; return v, ok }
		code := make(chan int, 1)
		go func() {
			code <- Main(app, args)
			out.Close()
		}()
		lines := bufio.NewReader(answers)
		for range 5 {
			fmt.Fprintln(ask, `{ "a": 1 }`)
			if line, err := lines.ReadString('\n'); len(line) < 7 || err != nil {
				t.Errorf("%v: %q, %v", args, line, err)
			}
		}
		ask.Close()
		if rest, _ := io.ReadAll(lines); len(rest) > 0 || <-code != ExitDone {
			t.Errorf("%v: %q at the end", args, rest)
		}
	}
}

// TestAnInterruptedStream ends with the code for it, and what was read by then
// is written; one whose output is stuck ends too.
func TestAnInterruptedStream(t *testing.T) {
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	app := System()
	app.In, app.Out, app.Err = in, out, io.Discard
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	code := make(chan int, 1)
	go func() {
		root := newRootCmd(app, subcommand{})
		root.SetArgs([]string{"canon", "--ndjson"})
		root.SetContext(ctx)
		code <- finish(app, root.Execute())
	}()
	fmt.Fprint(ask, "[ 1 ]\n[ 2 ]\n[ 3")
	lines := bufio.NewReader(answers)
	for _, want := range []string{"[1]\n", "[2]\n"} {
		if got, err := lines.ReadString('\n'); got != want || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	interrupt()
	if got := <-code; got != ExitInterrupted {
		t.Errorf("%d", got)
	}
	ask.Close()

	_, nobody := io.Pipe() // never read from
	app = System()
	app.In, app.Out, app.Err = strings.NewReader("1\n2\n"), nobody, io.Discard
	ctx, interrupt = context.WithCancel(t.Context())
	go func() {
		root := newRootCmd(app, subcommand{})
		root.SetArgs([]string{"canon", "--ndjson"})
		root.SetContext(ctx)
		code <- finish(app, root.Execute())
	}()
	interrupt()
	if got := <-code; got != ExitInterrupted {
		t.Errorf("with its output stuck: %d", got)
	}
}

// TestALineOf100MB goes through, and those around it.
func TestALineOf100MB(t *testing.T) {
	long := `{"b":1,"a":"` + strings.Repeat("0123456789", 10<<20) + `"}`
	file := filepath.Join(t.TempDir(), "long")
	write(t, file, "[ 1 ]\n"+long+"\n[ 2 ]")
	out, said, code := runHere(nil, nil, "canon", "--ndjson", file)
	if code != ExitDone || said != "" || len(out) != len("[1]\n\n[2]\n")+len(long) || !strings.HasPrefix(out, "[1]\n{\"a\":\"0") || !strings.HasSuffix(out, "9\",\"b\":1}\n[2]\n") {
		t.Errorf("%d, %s, %d bytes", code, said, len(out))
	}
}

// TestAFileThatGrows is read to where it ends when its end is met.
func TestAFileThatGrows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "grows")
	write(t, file, strings.Repeat("[ 1 ]\n", 100_000))
	more, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer more.Close()
	app := System()
	grown := &growing{more: more}
	app.Out, app.Err = grown, io.Discard
	if code := Main(app, []string{"canon", "--ndjson", "--workers", "1", file}); code != ExitDone {
		t.Error(code)
	}
	if want := strings.Repeat("[1]\n", 100_000) + "[2]\n"; grown.String() != want {
		t.Errorf("%d bytes, not %d", grown.Len(), len(want))
	}
}

// growing adds a line to a file when the first has come out of it.
type growing struct {
	bytes.Buffer
	more io.WriteCloser
}

func (g *growing) Write(b []byte) (int, error) {
	if g.Len() == 0 {
		fmt.Fprint(g.more, "[ 2 ]")
	}
	return g.Buffer.Write(b)
}

// TestStreamProgress stands on a terminal, where the size is known, and leaves
// nothing behind.
func TestStreamProgress(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lines")
	write(t, file, strings.Repeat("[ 1 ]\nx\n", 200_000))
	clock := time.Unix(0, 0)
	run := func(change func(*App)) string {
		var said bytes.Buffer
		app := System()
		app.In, app.Out, app.Err, app.ErrTTY, app.OutTTY = strings.NewReader("1\n"), io.Discard, &said, true, false
		app.Now = func() time.Time { clock = clock.Add(150 * time.Millisecond); return clock }
		file := file
		if change != nil {
			change(app)
			if app.In == nil {
				file = "-"
				app.In = strings.NewReader("1\nx")
			}
		}
		if code := Main(app, []string{"canon", "--ndjson", "--on-error", "emit", file}); code != ExitUsage {
			t.Error(code)
		}
		return said.String()
	}
	said := run(nil)
	shown, end, found := strings.Cut(said, "\r\x1b[Kidem: ")
	if !found || !strings.Contains(shown, " %  ") || !strings.Contains(shown, " lines  ") || !strings.Contains(shown, " refused") || !strings.HasSuffix(end, "of each\n") {
		t.Errorf("%.300q", said)
	}
	for name, change := range map[string]func(*App){
		"no terminal":   func(a *App) { a.ErrTTY = false },
		"results on it": func(a *App) { a.OutTTY = true },
		"quiet": func(a *App) {
			a.Quiet = true
			a.LookupEnv = func(n string) (string, bool) { return "true", n == "IDEM_QUIET" }
		},
		"a size not known": func(a *App) { a.In = nil },
	} {
		if said := run(change); strings.Contains(said, "%") || strings.Contains(said, "\x1b") {
			t.Errorf("%s: %.200q", name, said)
		}
	}
	app := &App{ErrTTY: true, Terminal: io.Discard, Now: time.Now}
	var lines bytes.Buffer
	app.Terminal = &lines
	show := app.streamProgress(100)
	app.Now = func() time.Time { return time.Now().Add(time.Hour) }
	show(150, stream.Result{Lines: 7}) // it has grown
	if !strings.Contains(lines.String(), "100 %  7 lines") {
		t.Errorf("%q", lines.String())
	}
}

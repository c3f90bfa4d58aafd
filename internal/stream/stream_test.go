package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

var errBad = errors.New("bad")

// shout is work that can be told from its input: upper case between brackets.
// A line with an x in it fails.
func shout() Work {
	return func(out, line []byte) ([]byte, error) {
		if bytes.IndexByte(line, 'x') >= 0 {
			return append(out, "leftover"...), errBad
		}
		out = append(out, '[')
		for _, c := range line {
			if c >= 'a' && c <= 'z' {
				c -= 'a' - 'A'
			}
			out = append(out, c)
		}
		return append(out, ']'), nil
	}
}

// inPlace puts errors in the place of their lines.
func inPlace(out []byte, line int64, err error) ([]byte, bool) {
	return fmt.Appendf(out, "!%d %s", line, err), true
}

// naive is what a stream must give, by the book. It stops where stop says.
func naive(in string, maxLine int, stop bool) (out string, r Result, failed *LineError) {
	var b strings.Builder
	for number := int64(1); in != ""; number++ {
		line, rest, _ := strings.Cut(in, "\n")
		in = rest
		line = strings.TrimSuffix(line, "\r")
		var err error
		var done []byte
		switch {
		case len(line) > maxLine:
			err = ErrLongLine
		case strings.Trim(line, " \t\r") != "":
			done, err = shout()(nil, []byte(line))
		}
		if err != nil && stop {
			return b.String(), r, &LineError{number, err}
		}
		if err != nil {
			done, _ = inPlace(nil, number, err)
			r.Failed++
		}
		r.Lines++
		b.Write(done)
		b.WriteByte('\n')
	}
	return b.String(), r, nil
}

func TestLines(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "",
		"\n":                   "\n",
		"\n\n":                 "\n\n",
		"a":                    "[A]\n",
		"a\n":                  "[A]\n",
		"a\nb":                 "[A]\n[B]\n",
		"a\r\nb\r\n":           "[A]\n[B]\n",
		"a\r":                  "[A]\n",
		"a\rb\n":               "[A\rB]\n",
		"a\r\r\n":              "[A\r]\n",
		"\r\n \t\r\n\r":        "\n\n\n",
		" a \n":                "[ A ]\n",
		"a\n\n\nb\n":           "[A]\n\n\n[B]\n",
		"\x00\n\xff\n":         "[\x00]\n[\xff]\n",
		"\ufeffa\nb":           "[\ufeffA]\n[B]\n",
		"x":                    "!1 bad\n",
		"a\nx\nb\n\nx":         "[A]\n!2 bad\n[B]\n\n!5 bad\n",
		"12345678901":          "!1 the line is too long\n",
		"1234567890\r\na":      "[1234567890]\n[A]\n",
		"12345678901\r\na":     "!1 the line is too long\n[A]\n",
		"a\n12345678901234\nb": "[A]\n!2 the line is too long\n[B]\n",
	} {
		for name, through := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "with the end": iotest.DataErrReader,
		} {
			for workers := 1; workers <= 3; workers++ {
				var out strings.Builder
				r, err := Run(t.Context(), through(strings.NewReader(in)), &out, Options{Workers: workers, NewWork: shout, MaxLine: 10, OnError: inPlace})
				if err != nil || out.String() != want || r.Lines != int64(strings.Count(want, "\n")) || r.Failed != int64(strings.Count(want, "!")) {
					t.Errorf("%q, %s, %d workers: %q, not %q; %+v, %v", in, name, workers, out.String(), want, r, err)
				}
			}
		}
	}
}

// pieces reads a text in pieces of given sizes, over and over.
type pieces struct {
	text  string
	sizes []int
	at    int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.sizes[p.at%len(p.sizes)])], p.text)
	p.at++
	p.text = p.text[n:]
	return n, nil
}

// TestAnyNumberOfWorkersGivesTheSame: whatever the input, however it comes, and
// however many work on it.
func TestAnyNumberOfWorkersGivesTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.OneOf(rapid.StringOfN(rapid.RuneFrom([]rune("ab \r\x00ü")), 0, 12, -1), rapid.SampledFrom([]string{"", "", "x", "\r", " ", "abcdefghijklmnopqrstuvw"}))
		in := strings.Join(rapid.SliceOfN(line, 0, 60).Draw(t, "lines"), "\n")
		maxLine := rapid.IntRange(1, 20).Draw(t, "longest")
		sizes := rapid.SliceOfN(rapid.IntRange(0, 30), 1, 5).Draw(t, "sizes")
		sizes = append(sizes, 1) // so that it ends
		stop := rapid.Bool().Draw(t, "stop")
		o := Options{Workers: rapid.IntRange(1, 5).Draw(t, "workers"), NewWork: shout, MaxLine: maxLine}
		if !stop {
			o.OnError = inPlace
		}
		var read int64
		o.Passed = func(bytes int64, _ Result) { read = bytes }
		want, counted, failed := naive(in, maxLine, stop)
		var out strings.Builder
		r, err := Run(context.Background(), &pieces{text: in, sizes: sizes}, &out, o)
		if out.String() != want || r != counted {
			t.Fatalf("%q: %q, not %q; %+v, not %+v", in, out.String(), want, r, counted)
		}
		var at *LineError
		switch errors.As(err, &at); {
		case failed == nil && err != nil, failed != nil && (at == nil || *at != *failed):
			t.Fatalf("%q: %v, not %v", in, err, failed)
		case err == nil && in != "" && read > int64(len(in)):
			t.Fatalf("%d bytes through, and %d were there", read, len(in))
		}
	})
}

// TestOrderIsKept: a later block is done before an earlier one, by force.
func TestOrderIsKept(t *testing.T) {
	in := strings.Repeat("first\n", readSize/6) + strings.Repeat("second\n", readSize/7)
	second := make(chan struct{})
	o := Options{Workers: 2, MaxLine: 10, NewWork: func() Work {
		waited := false
		return func(out, line []byte) ([]byte, error) {
			if string(line) == "second" && !waited {
				waited = true
				close(second)
			}
			if string(line) == "first" && !waited {
				waited = true
				<-second
			}
			return append(out, line...), nil
		}
	}}
	var out strings.Builder
	if r, err := Run(t.Context(), strings.NewReader(in), &out, o); err != nil || out.String() != in || r.Lines != int64(strings.Count(in, "\n")) {
		t.Fatalf("%+v, %v, %d bytes", r, err, out.Len())
	}
}

// TestALineThatEndsTheStream: what came before it is written, nothing after.
func TestALineThatEndsTheStream(t *testing.T) {
	for _, at := range []int{1, 2, 1000, 100_000} {
		var in, want strings.Builder
		for i := 1; i < at; i++ {
			fmt.Fprintf(&in, "line %d\n", i)
			fmt.Fprintf(&want, "[LINE %d]\n", i)
		}
		in.WriteString("x\n" + strings.Repeat("after\n", 200_000))
		for name, onError := range map[string]func([]byte, int64, error) ([]byte, bool){
			"no word": nil, "not that one": func(out []byte, _ int64, _ error) ([]byte, bool) { return append(out, "half"...), false },
		} {
			var out strings.Builder
			r, err := Run(t.Context(), strings.NewReader(in.String()), &out, Options{Workers: 3, NewWork: shout, MaxLine: 100, OnError: onError})
			var failed *LineError
			if !errors.As(err, &failed) || failed.Line != int64(at) || !errors.Is(err, errBad) || err.Error() != "bad" {
				t.Errorf("line %d, %s: %v", at, name, err)
			}
			if out.String() != want.String() || r.Lines != int64(at-1) || r.Failed != 0 {
				t.Errorf("line %d, %s: %+v, %d bytes, not %d", at, name, r, out.Len(), want.Len())
			}
		}
	}
}

// TestEndsOfOtherKinds: errors of reading and writing.
func TestEndsOfOtherKinds(t *testing.T) {
	full := errors.New("full")
	var read *ReadError
	var written *WriteError
	var out strings.Builder
	torn := io.MultiReader(strings.NewReader("a\nb\nhalf a li"), iotest.ErrReader(errBad))
	r, err := Run(t.Context(), torn, &out, Options{Workers: 2, NewWork: shout, MaxLine: 100})
	if !errors.As(err, &read) || !errors.Is(err, errBad) || err.Error() != "bad" || out.String() != "[A]\n[B]\n" || r.Lines != 2 {
		t.Errorf("a reader that fails in a line: %v, %q", err, out.String())
	}
	if _, err := Run(t.Context(), iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("abc\n"))), io.Discard, Options{Workers: 1, NewWork: shout, MaxLine: 9}); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("a reader that fails at once: %v", err)
	}
	if _, err := Run(t.Context(), lazy{}, io.Discard, Options{Workers: 1, NewWork: shout, MaxLine: 9}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that gives nothing: %v", err)
	}
	_, err = Run(t.Context(), endless("line\n"), &limited{1 << 20, full}, Options{Workers: 2, NewWork: shout, MaxLine: 9})
	if !errors.As(err, &written) || !errors.Is(err, full) || err.Error() != "full" {
		t.Errorf("a writer that fails: %v", err)
	}
	_, err = Run(t.Context(), endless("line\n"), &limited{1 << 20, nil}, Options{Workers: 2, NewWork: shout, MaxLine: 9})
	if !errors.As(err, &written) || !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a writer that writes less: %v", err)
	}
}

type lazy struct{}

func (lazy) Read([]byte) (int, error) { return 0, nil }

// endless gives a text for ever.
type endless string

func (e endless) Read(b []byte) (int, error) {
	n := 0
	for n < len(b)-len(e) {
		n += copy(b[n:], e)
	}
	return n, nil
}

// limited takes so many bytes, and then fails, or takes less where err is nil.
type limited struct {
	left int
	err  error
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(l.left, len(b))
	if l.left -= n; n < len(b) {
		return n, l.err
	}
	return n, nil
}

// TestAnEndlessLine ends the stream when it is too long, or when its head says
// that nothing can come of it, and is passed over where errors are emitted.
func TestAnEndlessLine(t *testing.T) {
	o := Options{Workers: 2, NewWork: shout, MaxLine: 3 << 20}
	_, err := Run(t.Context(), endless("abcdefgh"), io.Discard, o)
	if !errors.Is(err, ErrLongLine) {
		t.Errorf("%v", err)
	}
	var shown int
	o.Hopeless = func(head []byte) error { shown++; return fmt.Errorf("%d bytes: %w", len(head), errBad) }
	if _, err = Run(t.Context(), endless("abcdefgh"), io.Discard, o); !errors.Is(err, errBad) || err.Error() != "1048576 bytes: bad" || shown != 1 {
		t.Errorf("%v, shown %d times", err, shown)
	}
	shown = 0
	o.Hopeless = func(head []byte) error {
		if shown++; head[0] == 'a' {
			return nil
		}
		return errBad
	}
	o.OnError = inPlace
	long := strings.Repeat("a", 2<<20)
	in := "one\n" + long + "\ntwo\nb" + long + "\n" + long + long + "\nthree\nb" + long
	var out strings.Builder
	var through int64
	o.Passed = func(n int64, _ Result) { through = n }
	r, err := Run(t.Context(), strings.NewReader(in), &out, o)
	want := "[ONE]\n[" + strings.ToUpper(long) + "]\n[TWO]\n!4 bad\n!5 the line is too long\n[THREE]\n!7 bad\n"
	if err != nil || out.String() != want || r != (Result{7, 3}) {
		t.Errorf("%+v, %v, %d bytes, not %d", r, err, out.Len(), len(want))
	}
	if shown != 4 {
		t.Errorf("%d heads of 4 long lines were shown", shown)
	}
	if through < int64(len(in))-3<<20 || through > int64(len(in)) {
		t.Errorf("%d bytes through of %d", through, len(in))
	}
}

func TestProgressAddsUp(t *testing.T) {
	in := strings.Repeat("line\n\nx\n", 100_000)
	var at int64
	var last Result
	r, err := Run(t.Context(), strings.NewReader(in), io.Discard, Options{Workers: 2, NewWork: shout, MaxLine: 9, OnError: inPlace, Passed: func(n int64, r Result) {
		if n < at || r.Lines < last.Lines {
			t.Errorf("from %d to %d", at, n)
		}
		at, last = n, r
	}})
	if err != nil || at != int64(len(in)) || last != r || r != (Result{300_000, 100_000}) {
		t.Errorf("%d of %d, %+v, %+v, %s", at, len(in), last, r, strconv.Quote(fmt.Sprint(err)))
	}
}

package cmd

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// runHere runs one command line in this process, with its own streams and an
// environment of its own.
func runHere(env map[string]string, in io.Reader, args ...string) (stdout, stderr string, code int) {
	var out, err bytes.Buffer
	app := &App{
		In: in, Out: &out, Err: &err,
		LookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Environ:   func() []string { return nil },
		Now:       time.Now,
	}
	code = Main(app, args)
	return out.String(), err.String(), code
}

// Every case of testdata/cases/canonical.json through the command line.
func TestCanonCases(t *testing.T) {
	src, err := os.ReadFile("../testdata/cases/canonical.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Why       string
		Input     []byte `json:"input_base64"`
		Canonical *string
		IEEE754   *string `json:"ieee754"`
		Error     string
	}
	if err := json.Unmarshal(src, &cases); err != nil || len(cases) < 40 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		strict, rounded := c.Canonical, c.Canonical
		if c.IEEE754 != nil {
			rounded = c.IEEE754
		}
		wantCanon(t, c.Why, c.Input, strict)
		wantCanon(t, c.Why, c.Input, rounded, "--numbers", "ieee754")
	}
}

func wantCanon(t *testing.T, why string, in []byte, want *string, flags ...string) {
	t.Helper()
	stdout, stderr, code := runHere(nil, bytes.NewReader(in), append([]string{"canon", "-"}, flags...)...)
	if want != nil {
		if stdout != *want || stderr != "" || code != ExitDone {
			t.Errorf("%s: %d, %q, %q; want %q", why, code, stdout, stderr, *want)
		}
		return
	}
	place := strings.TrimPrefix(stderr, "idem: standard input: ")
	if stdout != "" || code != ExitUsage || !strings.HasPrefix(place, "/") && !strings.HasPrefix(place, "byte ") {
		t.Errorf("%s: %d, %q, %q", why, code, stdout, stderr)
	}
}

// endless is an input that never ends and counts what was taken of it.
type endless struct{ taken int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '['
	}
	e.taken += len(p)
	return len(p), nil
}

func TestCanonTakesLittleOfWhatIsNestedTooDeep(t *testing.T) {
	in := &endless{}
	stdout, stderr, code := runHere(nil, in, "canon")
	if stdout != "" || code != ExitUsage || !strings.Contains(stderr, "nested more than 1000 deep") {
		t.Errorf("%d, %q, %q", code, stdout, stderr)
	}
	if in.taken > 4*documentHead {
		t.Errorf("%d bytes were taken", in.taken)
	}
}

func TestCanonBeyondTheHead(t *testing.T) {
	item := `{"n":1.50,"s":"` + strings.Repeat("é", 1000) + `"}`
	text := "[" + strings.Repeat(item+" , ", 2000) + item + "]"
	want := strings.ReplaceAll(strings.ReplaceAll(text, " ", ""), "1.50", "1.5")
	file := filepath.Join(t.TempDir(), "long.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]io.Reader{"-": iotest.HalfReader(strings.NewReader(text)), file: nil} {
		if stdout, stderr, code := runHere(nil, in, "canon", name); stdout != want || stderr != "" || code != 0 {
			t.Errorf("%s: %d, %d bytes, %q", name, code, len(stdout), stderr)
		}
	}
}

// repeated never ends; what is read of it is counted.
type repeated struct {
	piece string
	read  int
}

func (e *repeated) Read(b []byte) (int, error) {
	n := 0
	for n+len(e.piece) <= len(b) {
		n += copy(b[n:], e.piece)
	}
	if n == 0 {
		n = copy(b, e.piece[:1])
	}
	e.read += n
	return n, nil
}

// TestHeadIsEnough: what no continuation can mend is refused without reading on.
func TestHeadIsEnough(t *testing.T) {
	for _, piece := range []string{"\x00", "{}\n", "[", "x"} {
		in := &repeated{piece: piece}
		if _, _, code := runHere(nil, in, "canon"); code != ExitUsage || in.read > 4*documentHead {
			t.Errorf("%q: %d, %d bytes read", piece, code, in.read)
		}
	}
}

// TestHeadMayEndAnywhere: a text that is right is not refused for where its
// head was cut.
func TestHeadMayEndAnywhere(t *testing.T) {
	for _, item := range []string{`-1234567890.5e-3`, `"\ud83d\ude00"`, "\"\U0001F600é\"", "false", "1e+07"} {
		for shift := range len(item) + 2 {
			text := "[" + strings.Repeat(" ", shift) + strings.Repeat(item+",", documentHead/len(item)+100) + "1]"
			if err := refuseHead([]byte(text[:documentHead])); err != nil {
				t.Errorf("%s, %d: %v", item, shift, err)
			}
		}
	}
	if refuseHead([]byte(strings.Repeat(`[1,2,01]`, 100))) == nil {
		t.Error("a number that is none passes")
	}
}

// TestOtherBodiesAreNoJSON: brackets are a text like any other where the body
// is no JSON, or its bytes count.
func TestOtherBodiesAreNoJSON(t *testing.T) {
	body := strings.Repeat("[", documentHead+5)
	for want, args := range map[int][][]string{
		ExitDone:  {{"--header", "Content-Type: text/plain"}, {"--reorder", "bytes"}},
		ExitUsage: {{}, {"--header", "Content-Type: a/b+json"}},
	} {
		for _, more := range args {
			all := append([]string{"fingerprint", "--request", "--path", "/", "-"}, more...)
			if _, stderr, code := runHere(nil, strings.NewReader(body), all...); code != want {
				t.Errorf("%v: %d %s", more, code, stderr)
			}
		}
	}
}

func TestCanonBrokenStreams(t *testing.T) {
	_, stderr, code := runHere(nil, iotest.ErrReader(io.ErrUnexpectedEOF), "canon")
	if code != ExitUsage || stderr != "idem: standard input: cannot be read: unexpected EOF\n" {
		t.Errorf("%d, %q", code, stderr)
	}
	var errs bytes.Buffer
	app := &App{In: strings.NewReader("{}"), Out: failingWriter{}, Err: &errs, LookupEnv: os.LookupEnv}
	if code := Main(app, []string{"canon"}); code != ExitUsage || !strings.Contains(errs.String(), "standard output: cannot be written") {
		t.Errorf("%d, %q", code, errs.String())
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

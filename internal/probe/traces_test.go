package probe_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

var update = flag.Bool("update", false, "write the golden files anew")

// traceFiles gives the traces under testdata/traces: for every step one of a
// server that keeps its promise and some of servers that do not.
func traceFiles(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/traces/*.ndjson")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no traces: %v", err)
	}
	files := map[string][]byte{}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(filepath.Base(p), ".ndjson")] = text
	}
	return files
}

func TestTraces(t *testing.T) {
	for name, text := range traceFiles(t) {
		t.Run(name, func(t *testing.T) {
			r := judgedText(t, text)
			if good := strings.HasSuffix(name, "-good"); good != (r.Verdict == probe.Pass) || good != (r.Exit == 0) {
				t.Errorf("%s, exit %d", r.Verdict, r.Exit)
			}
			golden := filepath.Join("testdata", "traces", name+".golden")
			got := told(r)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// told writes all that a report says, for golden files.
func told(r *probe.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, exit %d\n", r.Verdict, r.Exit)
	for _, op := range r.Operations {
		for _, s := range op.Steps {
			if s.Verdict != probe.Skipped {
				tellStep(&b, s)
			}
		}
	}
	return b.String()
}

func tellStep(b *strings.Builder, s probe.Result) {
	fmt.Fprintf(b, "\n%s: %s\n", s.Step, s.Verdict)
	for _, reason := range s.Reasons {
		fmt.Fprintf(b, "  reason: %s (line %d; %s)\n", reason.Text, reason.Line, reason.Settle)
	}
	if e := s.Evidence.Effects; e != nil {
		fmt.Fprintf(b, "  effects: before %d, after %d, settled %d, unit %d, by %s\n", e.Before, e.After, e.Settled, e.Unit, e.CountedBy)
	}
	for _, c := range s.Evidence.Controls {
		fmt.Fprintf(b, "  control %s, held %t: %s\n", c.Name, c.Held, c.Text)
	}
	for _, m := range s.Evidence.Measures {
		fmt.Fprintf(b, "  %s: %s\n", m.Name, strings.TrimSuffix(m.Value+"; "+m.Text, "; "))
	}
	for _, c := range s.Cases {
		fmt.Fprintf(b, "  case %s: %s %s\n", c.Name, c.Verdict, c.Text)
	}
	for _, note := range s.Notes {
		fmt.Fprintf(b, "  note: %s\n", note)
	}
	for _, f := range s.Findings {
		fmt.Fprintf(b, "  finding %s\n    requirement: %s\n    expected: %s\n    actual: %s\n", f.ID, f.Requirement, f.Expected, f.Actual)
		if f.Follows != "" {
			fmt.Fprintf(b, "    follows: %s\n", f.Follows)
		}
		for _, also := range f.Also {
			fmt.Fprintf(b, "    also: %s\n", also)
		}
		for _, x := range f.Exchanges {
			fmt.Fprintf(b, "    %s %s %d.%d", x.Trial, x.Label, x.Attempt, x.Copy)
			if x.Answer != nil {
				fmt.Fprintf(b, ": %s %d %s", x.Answer.Outcome, x.Answer.Status, x.Answer.Body.Head)
			}
			b.WriteString("\n")
		}
	}
}

// TestTracesAreWritten holds that a trace is written as it is read: whoever
// judges it again, and writes it again, has the same bytes.
func TestTracesAreWritten(t *testing.T) {
	for name, text := range traceFiles(t) {
		var events []trace.Event
		for e, err := range trace.Read(bytes.NewReader(text)) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			events = append(events, e)
		}
		if again := written(t, events); !bytes.Equal(again, text) {
			t.Errorf("%s is written otherwise", name)
		}
	}
}

// TestTornAndCut tears every trace within its lines: what was recorded is
// judged, the run counts as interrupted, nobody who passes in the end is
// accused, and a broken line elsewhere is an error that names it.
func TestTornAndCut(t *testing.T) {
	for name, text := range traceFiles(t) {
		first := bytes.IndexByte(text, '\n') + 1
		for n := first; n < len(text); n += 509 {
			r, err := probe.Judge(trace.Read(bytes.NewReader(text[:n])))
			if err != nil {
				t.Fatalf("%s torn at %d: %v", name, n, err)
			}
			if r.Exit != 130 || !r.Interrupted {
				t.Errorf("%s torn at %d: exit %d", name, n, r.Exit)
			}
			if strings.HasSuffix(name, "-good") && r.Verdict == probe.Fail {
				t.Errorf("%s torn at %d accuses:\n%s", name, n, outcome(r))
			}
		}
		if whole := judgedText(t, bytes.TrimSuffix(text, []byte("\n"))); whole.Exit == 130 {
			t.Errorf("%s: a last line without its newline is not read", name)
		}
		broken := bytes.Replace(text, []byte(`"kind":"count"`), []byte(`"kind":"cuont"`), 1)
		if _, err := probe.Judge(trace.Read(bytes.NewReader(broken))); err == nil || !strings.Contains(err.Error(), "trace line") {
			t.Errorf("%s with a broken line: %v", name, err)
		}
	}
}

// TestBadEndIsKept: a finding that was recorded before a run was interrupted
// is still told.
func TestBadEndIsKept(t *testing.T) {
	text := traceFiles(t)["duplicate-twice"]
	lines := bytes.SplitAfter(text, []byte("\n"))
	r := judgedText(t, bytes.Join(lines[:len(lines)-3], nil)) // without the step's end, the run's end
	if got := verdicts(r); !strings.HasPrefix(got, "duplicate fail duplicate/effect-ran-twice") || r.Exit != 130 || r.Verdict != probe.Fail {
		t.Errorf("exit %d, %s:\n%s", r.Exit, r.Verdict, got)
	}
}

// TestNotTraces holds what is no trace to an error.
func TestNotTraces(t *testing.T) {
	good := traceFiles(t)["duplicate-good"]
	lines := bytes.SplitAfter(good, []byte("\n"))
	swap := func(old, new string) []byte { return bytes.Replace(good, []byte(old), []byte(new), 1) }
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"empty":                   {nil, "the trace is empty"},
		"only a torn line":        {lines[0][:100], "the trace is empty"},
		"no header":               {bytes.Join(lines[1:], nil), "trace line 1: event 2 stands where event 1 belongs"},
		"another first event":     {[]byte(`{"seq":1,"at":1,"kind":"end","text":"complete"}` + "\n"), "event 1: the trace does not begin with a run's header"},
		"a line left out":         {bytes.Join(append(slices.Clone(lines[:3]), lines[4:]...), nil), "trace line 4: event 5 stands where event 4 belongs"},
		"two lines swapped":       {bytes.Join(append([][]byte{lines[0], lines[2], lines[1]}, lines[3:]...), nil), "trace line 2: event 3 stands where event 2 belongs"},
		"one trace after another": {append(slices.Clone(good), good...), "event 1 stands where event"},
		"another schema":          {swap(`"schema":"trace/v1"`, `"schema":"trace/v9"`), `the trace is of schema "trace/v9", this tool reads "trace/v1"`},
		"another contract":        {swap(`duplicate: replay`, `duplicate: current`), "the contract in the trace is not the one that was run"},
		"a broken contract":       {masked(swap(`idem: contract/v1`, `idem: contract/v7`)), "contract.yaml:1:7"},
		"a contract cut short":    {masked(swap(`operations:\n`, `operation:\n`)), "contract.yaml"},
		"an event without part":   {swap(`"count":{`, `"cuont":{`), "trace line"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := probe.Judge(trace.Read(bytes.NewReader(c.text))); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// masked marks the contract of a trace as one in which something is masked, so
// that its digest is not held against it.
func masked(text []byte) []byte {
	return bytes.Replace(text, []byte(`"contract":`), []byte(`"masked":true,"contract":`), 1)
}

package probe_test

import (
	"bytes"
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// FuzzJudge judges traces that nobody wrote: bytes as they are, and lines taken
// out, doubled, moved and changed as edits say. It never panics, gives the same
// report twice, and passes no step whose end was not recorded.
func FuzzJudge(f *testing.F) {
	for _, text := range traceFiles(f) {
		f.Add(text, []byte{})
		for n := range byte(15) {
			f.Add(text, []byte{n % 5, 7 + n, n * 3})
		}
	}
	f.Add([]byte(`{"kind":"run","run":{"schema":"trace/v1","contract":"idem: contract/v1"}}`), []byte{})
	f.Fuzz(func(t *testing.T, text, edits []byte) {
		text = edited(text, edits)
		r, err := probe.Judge(trace.Read(bytes.NewReader(text)))
		if err != nil {
			return
		}
		complete, over := map[[2]string]bool{}, false
		for e := range trace.Read(bytes.NewReader(text)) {
			if e.Kind == trace.KindStep && e.Idle == nil {
				complete[[2]string{e.Operation, e.Step}] = true
			}
			over = over || e.Kind == trace.KindEnd && e.Text == "complete"
		}
		for _, op := range r.Operations {
			for _, s := range op.Steps {
				if s.Verdict == probe.Pass && !complete[[2]string{op.Name, s.Step}] {
					t.Errorf("%s of %s passes without its end", s.Step, op.Name)
				}
				if s.Verdict == probe.Inconclusive && len(s.Reasons) == 0 || s.Verdict == probe.Fail && len(s.Findings) == 0 {
					t.Errorf("%s of %s is %s without a word", s.Step, op.Name, s.Verdict)
				}
				for _, reason := range s.Reasons {
					if reason.Text == "judging failed" {
						t.Errorf("judging %s panics", s.Step)
					}
				}
			}
		}
		if !over && r.Exit != 130 {
			t.Errorf("exit %d without an end", r.Exit)
		}
		if again, err := probe.Judge(trace.Read(bytes.NewReader(text))); err != nil || told(again) != told(r) {
			t.Errorf("judged again it is another report: %v", err)
		}
	})
}

// edited changes the lines of a text, three bytes an edit: what, which, with
// which.
func edited(text, edits []byte) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	for ; len(edits) >= 3 && len(lines) > 1; edits = edits[3:] {
		a, b := int(edits[1])%len(lines), int(edits[2])%len(lines)
		switch edits[0] % 5 {
		case 0: // out
			lines = append(lines[:a:a], lines[a+1:]...)
		case 1: // doubled elsewhere
			lines = append(lines[:b:b], append([][]byte{lines[a]}, lines[b:]...)...)
		case 2: // two in each other's place
			lines[a], lines[b] = lines[b], lines[a]
		case 3: // another digit
			line := bytes.Clone(lines[a])
			for i, c := range line {
				if c == '1' || c == '2' {
					line[i] = '0' + edits[2]%10
					break
				}
			}
			lines[a] = line
		case 4: // a part nulled
			for _, part := range []string{`"answer":{`, `"sent":{`, `"count":{`, `"request":{`, `"process":{`, `"header":[`} {
				lines[a] = bytes.Replace(lines[a], []byte(part), []byte(`"x`+part[1:]), 1)
			}
		}
	}
	return bytes.Join(lines, nil)
}

package report

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/probe"
)

// command is a command as the runner of GitHub's workflows reads it off a line
// of a log (actions/runner, ActionCommand).
type command struct {
	name, data string
	properties map[string]string
}

// obeyed gives the commands that the runner finds in a log.
func obeyed(log string) []command {
	var found []command
	for line := range strings.Lines(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(log)) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "::"); ok {
			if head, data, ok := strings.Cut(rest, "::"); ok {
				found = append(found, readCommand(head, data))
				continue
			}
		}
		if _, rest, ok := strings.Cut(line, "##["); ok && strings.Contains(rest, "]") {
			found = append(found, command{name: "##[" + rest})
		}
	}
	return found
}

func readCommand(head, data string) command {
	back := strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
	name, rest, _ := strings.Cut(head, " ")
	c := command{name: name, data: strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(data), properties: map[string]string{}}
	for _, p := range strings.Split(rest, ",") {
		if key, value, ok := strings.Cut(strings.TrimSpace(p), "="); ok {
			c.properties[key] = back.Replace(value)
		}
	}
	return c
}

// TestLogsHoldNoForeignCommand: whatever a server said, the runner finds the
// report's own annotations and nothing else.
func TestLogsHoldNoForeignCommand(t *testing.T) {
	for _, r := range reports {
		log := string(render(t, "github", r.make()))
		for _, c := range obeyed(log) {
			if c.name != "error" && c.name != "warning" && c.name != "notice" {
				t.Errorf("%s: the runner obeys %q", r.name, c.name)
			}
		}
		text, _, _ := strings.Cut(log, "\n::")
		if found := obeyed(text); len(found) > 0 {
			t.Errorf("%s: the human report has commands: %v", r.name, found)
		}
	}
	for _, told := range []string{"::error::x", "  \t::set-output name=a::b", "x\r::add-mask::y", "see ##[error]it", "\u00a0::stop-commands::z", "a\n::warning::", "::::"} {
		if len(obeyed(told)) == 0 {
			t.Errorf("%q is no command to begin with", told)
		}
		if found := obeyed(ForLog(told)); len(found) > 0 {
			t.Errorf("%q: still %v", told, found)
		}
	}
	for _, plain := range []string{"a::b\n", "promised: yes", "  [::1]:80\n", "# heading\n", ""} {
		if got := ForLog(plain); got != plain {
			t.Errorf("%q became %q", plain, got)
		}
	}
}

func TestNothingInALogIsACommand(t *testing.T) {
	piece := rapid.SampledFrom([]string{"::", ":", " ", "\n", "\r", "##[", "#", "[", "]", "error", "x", "\u2028", "%0A", "\t"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "text"), "")
		if found := obeyed(ForLog(text)); len(found) > 0 {
			t.Fatalf("%q: %v", text, found)
		}
	})
}

// TestAnnotationsComeBack: file, place, title and text arrive as they were
// given, and one annotation is one command.
func TestAnnotationsComeBack(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("a:,%=\n\r; ]0AD2C\"'`${}")))
	rapid.Check(t, func(t *rapid.T) {
		a := Annotation{Level: rapid.SampledFrom([]string{AnnotationError, AnnotationWarning, AnnotationNotice}).Draw(t, "level"),
			File: "f" + text.Draw(t, "file") + ".yaml", Line: rapid.IntRange(0, 9).Draw(t, "line"), Title: "t" + text.Draw(t, "title") + ".", Text: "x" + text.Draw(t, "text") + "."}
		found := obeyed(Annotations([]Annotation{a}))
		if len(found) != 1 || found[0].name != a.Level {
			t.Fatalf("%v", found)
		}
		p := found[0].properties
		want := ""
		if a.Line > 0 {
			want = fmt.Sprint(a.Line)
		}
		if p["file"] != clean(a.File) || p["line"] != want || p["title"] != clean(a.Title) {
			t.Fatalf("%+v came back as %v", a, p)
		}
		if got := found[0].data; got != strings.Join(cleanLines(a.Text), "\n") {
			t.Fatalf("%q came back as %q", a.Text, got)
		}
	})
}

// TestAnnotationsAreBounded: GitHub drops what is beyond ten of a level without
// a word, so the tenth says it.
func TestAnnotationsAreBounded(t *testing.T) {
	for n, want := range map[int]string{9: "t8", 10: "t9", 11: "2 more", 40: "31 more"} {
		var all []Annotation
		for i := range n {
			all = append(all, Annotation{Level: AnnotationError, Title: fmt.Sprint("t", i), Text: "x"})
		}
		found := obeyed(Annotations(append(all, Annotation{Level: AnnotationNotice, Title: "n", Text: "y"})))
		if len(found) != min(n, 10)+1 {
			t.Fatalf("%d: %d commands", n, len(found))
		}
		if got := found[len(found)-2].properties["title"]; got != want {
			t.Errorf("%d: the last is %s, not %s", n, got, want)
		}
		if last := found[len(found)-1]; last.name != "notice" {
			t.Errorf("%d: the notice is pushed out by %v", n, last)
		}
	}
}

// TestEveryRunIsAnnotated: a finding each as an error at the contract's line,
// and a run without any says what it came to.
func TestEveryRunIsAnnotated(t *testing.T) {
	for _, r := range reports {
		made := r.make()
		errors, findings := 0, 0
		for _, op := range made.Operations {
			for _, s := range op.Steps {
				findings += len(s.Findings)
			}
		}
		found := obeyed(Annotations(githubAnnotations(made)))
		for _, c := range found {
			if c.name == "error" {
				errors++
			}
		}
		switch {
		case len(found) == 0:
			t.Errorf("%s: no annotation", r.name)
		case made.Verdict == probe.Fail && (errors == 0 || errors > findings):
			t.Errorf("%s: %d errors for %d findings", r.name, errors, findings)
		case made.Verdict == probe.Pass && errors > 0:
			t.Errorf("%s: an error on a pass: %v", r.name, found)
		}
	}
	for file, want := range map[string]string{"-": "", `ci\c.yaml`: "ci/c.yaml", "./c.yaml": "c.yaml", "/w/c.yaml": "/w/c.yaml"} {
		if got := githubFile(file); got != want {
			t.Errorf("%s: %s", file, got)
		}
	}
}

package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/explain"
	"github.com/idem-toolkit/idem/internal/probe"
)

// For the log of a GitHub workflow: the human report, and behind it what GitHub
// shows at the lines of a file. The runner obeys commands that it finds in a
// log, so what a server said must not be one.

// The levels of an annotation.
const (
	AnnotationError   = "error"
	AnnotationWarning = "warning"
	AnnotationNotice  = "notice"
)

// mostAnnotations is how many of one level GitHub shows of a step.
const mostAnnotations = 10

// Annotation is what GitHub shows at a line of a file, or at the run where it
// names no file. Texts may be anything; Text may have several lines.
type Annotation struct {
	Level        string
	File         string // slashed, from the repository's folder; may be empty
	Line, Column int    // from 1; 0: none
	Title, Text  string
}

// Annotations gives the commands that make annotations. Of more than GitHub
// shows of one level, the last says how many are not shown.
func Annotations(all []Annotation) string {
	var b strings.Builder
	for _, level := range []string{AnnotationError, AnnotationWarning, AnnotationNotice} {
		var of []Annotation
		for _, a := range all {
			if a.Level == level {
				of = append(of, a)
			}
		}
		if over := len(of) - mostAnnotations; over > 0 {
			of = append(slices.Clone(of[:mostAnnotations-1]), Annotation{Level: level,
				Title: fmt.Sprintf("%d more", over+1), Text: fmt.Sprintf("GitHub shows %d of a level: the log has all of them.", mostAnnotations)})
		}
		for _, a := range of {
			a.write(&b)
		}
	}
	return b.String()
}

func (a Annotation) write(b *strings.Builder) {
	var properties []string
	add := func(name, value string) {
		if value != "" {
			properties = append(properties, name+"="+githubProperty.Replace(value))
		}
	}
	if a.File != "" {
		add("file", clean(a.File)) // no file of a repository that anyone can look at is named otherwise
		if a.Line > 0 {
			add("line", fmt.Sprint(a.Line))
			if a.Column > 0 {
				add("col", fmt.Sprint(a.Column))
			}
		}
	}
	add("title", strings.TrimSpace(clean(a.Title)))
	command := a.Level
	if len(properties) > 0 {
		command += " " + strings.Join(properties, ",")
	}
	fmt.Fprintf(b, "::%s::%s\n", command, githubData.Replace(strings.Join(cleanLines(a.Text), "\n")))
}

// What the runner takes back from a command's data and from its properties.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// ForLog gives text in which the runner finds no command: one is a line whose
// first characters but spaces are ::, or that has ##[ anywhere.
func ForLog(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)) {
		words := strings.TrimSpace(line)
		if strings.HasPrefix(words, "::") {
			at := strings.Index(line, "::")
			line = line[:at] + ": :" + line[at+2:]
		}
		b.WriteString(strings.ReplaceAll(line, "##[", "## ["))
	}
	return b.String()
}

func writeGitHub(b *bytes.Buffer, r probe.Report, o Options) error {
	o.Color, o.Width = false, 0 // a log is no terminal
	return githubLog(b, githubAnnotations(r), func(text *bytes.Buffer) error { return writeHuman(text, r, o) })
}

func writeDryGitHub(b *bytes.Buffer, d Dry, o Options) error {
	o.Color, o.Width = false, 0 // a log is no terminal
	a := Annotation{Level: AnnotationNotice, File: githubFile(d.File), Title: "idem verify", Text: nothingSent}
	if d.Exit != 0 {
		a.Level = AnnotationError
	}
	return githubLog(b, []Annotation{a}, func(text *bytes.Buffer) error { return writeDryHuman(text, d, o) })
}

func githubLog(b *bytes.Buffer, all []Annotation, human func(*bytes.Buffer) error) error {
	var text bytes.Buffer
	if err := human(&text); err != nil {
		return err
	}
	b.WriteString(ForLog(text.String()))
	b.WriteString(Annotations(all))
	return nil
}

// githubAnnotations are a finding each, what could not be settled as warnings,
// and for a run without either what it came to.
func githubAnnotations(r probe.Report) []Annotation {
	var all []Annotation
	file := githubFile(r.File)
	for _, op := range r.Operations {
		for _, s := range op.Steps {
			for _, f := range s.Findings {
				all = append(all, githubFinding(file, op.Name, f))
			}
			if s.Verdict != probe.Inconclusive {
				continue
			}
			for _, reason := range folded(s.Reasons, len(s.Cases)) {
				all = append(all, Annotation{Level: AnnotationWarning, File: file, Line: reason.Line, Title: s.Step + " is inconclusive",
					Text: clean(op.Name) + ": " + clean(reason.Text) + prefixed("\nto settle it: ", clean(reason.Settle))})
			}
		}
	}
	if len(all) > 0 && r.Exit != 2 && r.Exit != 4 && !r.Interrupted {
		return all
	}
	level := AnnotationNotice
	if r.Exit != 0 {
		level = AnnotationError
	}
	return append(all, Annotation{Level: level, File: file, Title: "idem verify", Text: summary(r)})
}

func githubFinding(file, operation string, f probe.Finding) Annotation {
	a := Annotation{Level: AnnotationError, File: file, Line: f.Line, Title: f.Slug}
	lines := []string{clean(operation) + ": " + clean(cmp.Or(explain.Title(f.Slug), f.Slug))}
	if f.Follows != "" {
		a.Level = AnnotationWarning
		lines = append(lines, "follows from "+clean(f.Follows))
	}
	for _, part := range [][2]string{{"case: ", f.Case}, {"expected: ", f.Expected}, {"actual: ", f.Actual}} {
		if part[1] != "" {
			lines = append(lines, part[0]+clean(part[1]))
		}
	}
	a.Text = strings.Join(append(lines, "what it means and how to fix it: idem explain "+clean(f.Slug)), "\n")
	return a
}

// githubFile is a contract's file as GitHub finds it in the repository; empty
// for standard input.
func githubFile(file string) string {
	if file == "-" {
		return ""
	}
	return strings.TrimPrefix(strings.ReplaceAll(file, `\`, "/"), "./")
}

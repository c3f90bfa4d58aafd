package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/idem-toolkit/idem/internal/probe"
)

// One suite an operation, one case a step. A fail is a failure, an inconclusive
// an error: a pipeline that reads JUnit must not go green on what could not be
// shown. All text is cleaned first: XML 1.0 cannot hold most control characters.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Timestamp  string          `xml:"timestamp,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property,omitempty"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name      string       `xml:"name,attr"`
	Classname string       `xml:"classname,attr"`
	File      string       `xml:"file,attr,omitempty"`
	Line      int          `xml:"line,attr,omitempty"`
	Failure   *junitReason `xml:"failure"`
	Error     *junitReason `xml:"error"`
	Skipped   *junitReason `xml:"skipped"`
	Out       string       `xml:"system-out,omitempty"`
}

type junitReason struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

func writeJUnit(b *bytes.Buffer, r probe.Report, o Options) error {
	all := junitOf(r, o)
	if r.Exit != 0 && all.Failures+all.Errors == 0 { // interrupted, nothing sent, nothing ran
		suite := junitSuite{Name: "run", Timestamp: clean(r.Began)}
		suite.add(junitCase{Name: "run", Classname: "idem", File: clean(r.File),
			Error: &junitReason{Message: summary(r), Type: fmt.Sprintf("exit %d", r.Exit)}})
		all.add(suite)
	}
	return encodeXML(b, all)
}

func junitOf(r probe.Report, o Options) junitSuites {
	properties := []junitProperty{
		{"tool", clean(r.Tool)}, {"mode", clean(r.Mode)}, {"run", clean(r.Run)}, {"seed", fmt.Sprint(r.Seed)},
		{"contract.sha256", clean(r.SHA256)}, {"exit", fmt.Sprint(r.Exit)},
	}
	all := junitSuites{Name: "idem verify"}
	for _, op := range r.Operations {
		suite := junitSuite{Name: clean(op.Name), Timestamp: clean(r.Began), Properties: properties}
		for _, s := range op.Steps {
			suite.add(junitStep(r, o, op.Name, s))
		}
		all.add(suite)
	}
	return all
}

func (s *junitSuite) add(c junitCase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func (all *junitSuites) add(s junitSuite) {
	all.Tests += s.Tests
	all.Failures += s.Failures
	all.Errors += s.Errors
	all.Skipped += s.Skipped
	all.Suites = append(all.Suites, s)
}

func junitStep(r probe.Report, o Options, operation string, s probe.Result) junitCase {
	c := junitCase{Name: clean(s.Step), Classname: clean(operation), File: clean(r.File), Out: evidence(s, true)}
	switch s.Verdict {
	case probe.Pass:
	case probe.Fail:
		c.Failure = &junitReason{Message: "a promise is broken", Type: string(probe.Fail), Text: failureText(r, o, operation, s)}
		if len(s.Findings) > 0 {
			f := s.Findings[0]
			c.Line = f.Line
			c.Failure.Type = clean(f.Slug)
			c.Failure.Message = clean(f.Slug) + ": expected " + clean(f.Expected) + ", actual " + clean(f.Actual)
		}
	case probe.Skipped, probe.Waived, probe.NotRun:
		c.Skipped = &junitReason{Message: because(s)}
	default: // inconclusive, and what no judge gives
		c.Error = &junitReason{Message: because(s), Type: clean(string(s.Verdict)), Text: reasonText(r, s)}
		if len(s.Reasons) > 0 {
			c.Line = s.Reasons[0].Line
		}
	}
	return c
}

// because is a verdict with its reasons in one line.
func because(s probe.Result) string {
	return clean(string(s.Verdict)) + prefixed(": ", strings.Join(reasonTexts(s), "; "))
}

// failureText is what the human report says of a step's findings.
func failureText(r probe.Report, o Options, operation string, s probe.Result) string {
	var b bytes.Buffer
	b.WriteByte('\n')
	h := human{b: &b, o: o.plain(), r: r}
	h.details(operation, []probe.Result{s})
	return b.String()
}

func reasonText(r probe.Report, s probe.Result) string {
	var b strings.Builder
	for _, reason := range folded(s.Reasons, len(s.Cases)) {
		b.WriteString("\nwhy: " + clean(reason.Text))
		b.WriteString(prefixed("\nat: ", place(r.File, reason.Line)))
		b.WriteString(prefixed("\nsettle: ", clean(reason.Settle)))
	}
	b.WriteByte('\n')
	return b.String()
}

func encodeXML(b *bytes.Buffer, v any) error {
	b.WriteString(xml.Header)
	e := xml.NewEncoder(b)
	e.Indent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("the report cannot be written as XML: %w", err)
	}
	b.WriteByte('\n')
	return nil
}

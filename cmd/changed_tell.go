package cmd

import (
	"fmt"
	"strings"

	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/report"
)

func changedJSON(app *App, r changedReport) error { return printJSON(app.Out, r) }

func changedText(app *App, r changedReport) error { return writeText(app, r.text()) }

func (r changedReport) text() string {
	var b strings.Builder
	for _, p := range r.Payloads {
		fmt.Fprintf(&b, "%s: %s\n", problem.Line(p.File), p.meaning())
		if detail := p.detail(); detail != "" {
			fmt.Fprintf(&b, "    %s\n", problem.Line(detail))
		}
		switch {
		case p.Before != "" && p.Before == p.After:
			fmt.Fprintf(&b, "    before and after  %s\n", p.After)
			continue
		case p.Before != "":
			fmt.Fprintf(&b, "    before  %s\n", p.Before)
		}
		if p.After != "" {
			fmt.Fprintf(&b, "    after   %s\n", p.After)
		}
	}
	return b.String()
}

// shortPrint is how much of a fingerprint a table shows: enough to tell the
// payloads of one change apart.
const shortPrint = len("sha256:") + 16

// changedMarkdown writes a table for the summary of a workflow's run.
func changedMarkdown(app *App, r changedReport) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### Changed payloads, by %s\n\n| payload | is | before | after |\n| --- | --- | --- | --- |\n", report.MarkdownText(r.Recipe))
	for _, p := range r.Payloads {
		is := report.MarkdownText(p.meaning())
		if p.Is == refused || p.Is == conflicting || p.Is == another {
			is = "**" + is + "**"
		}
		if detail := p.detail(); detail != "" {
			is += "<br>" + report.MarkdownText(detail)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", report.MarkdownText(p.File), is, printCell(p.Before), printCell(p.After))
	}
	b.WriteByte('\n')
	return writeText(app, b.String())
}

func printCell(print string) string {
	if print == "" {
		return "-"
	}
	return "`" + print[:min(len(print), shortPrint)] + "`"
}

// changedGitHub writes what a person reads, then an annotation for each payload
// that somebody has to think about.
func changedGitHub(app *App, r changedReport) error {
	var all []report.Annotation
	for _, p := range r.Payloads {
		level, ok := map[fate]string{refused: report.AnnotationError, conflicting: report.AnnotationWarning, another: report.AnnotationNotice}[p.Is]
		if !ok {
			continue
		}
		text := p.meaning()
		if detail := p.detail(); detail != "" {
			text += "\n" + withHint(detail, p.Hint)
		}
		all = append(all, report.Annotation{Level: level, File: p.File, Title: "changed payload", Text: text})
	}
	return writeText(app, report.ForLog(r.text())+report.Annotations(all))
}

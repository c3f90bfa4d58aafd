package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/idem-toolkit/idem/internal/probe"
)

// markdownFindings is how many findings are told in full: a step summary is
// bounded, and a table of everything comes first.
const markdownFindings = 40

func writeMarkdown(b *bytes.Buffer, r probe.Report, o Options) error {
	fmt.Fprintf(b, "## idem verify: %s\n\n", r.Verdict)
	fmt.Fprintf(b, "%s\n\n", mdText(summary(r)))
	fmt.Fprintf(b, "%s, %s run %s, seed %d, contract %s\n\n", mdCode(r.Tool), mdText(r.Mode), mdCode(r.Run), r.Seed, mdCode(r.File))
	if r.Interrupted {
		b.WriteString("**Interrupted**: what was recorded until then is judged.\n\n")
	}
	for _, note := range r.Notes {
		fmt.Fprintf(b, "> %s\n\n", mdText(note))
	}
	for _, op := range r.Operations {
		fmt.Fprintf(b, "### %s: %s\n\n", mdCode(op.Name), op.Verdict)
		b.WriteString("| step | verdict | evidence |\n| --- | --- | --- |\n")
		for _, s := range op.Steps {
			fmt.Fprintf(b, "| %s | %s | %s |\n", mdText(s.Step), mdVerdict(s.Verdict), mdText(evidence(s, false)))
		}
		b.WriteByte('\n')
	}
	left := markdownFindings
	for _, op := range r.Operations {
		for _, s := range op.Steps {
			mdDetails(b, r, o, op.Name, s, &left)
			mdReleases(b, r, o, op.Name, s)
		}
	}
	if left < 0 {
		fmt.Fprintf(b, "%s more in the JSON report.\n\n", plural(-left, "finding"))
	}
	return nil
}

func mdVerdict(v probe.Verdict) string {
	if v == probe.Fail || v == probe.Inconclusive {
		return "**" + string(v) + "**"
	}
	return mdText(string(v))
}

// mdDetails tells findings and open questions. What a server said stands in
// fenced blocks only.
func mdDetails(b *bytes.Buffer, r probe.Report, o Options, operation string, s probe.Result, left *int) {
	for _, f := range s.Findings {
		if *left--; *left < 0 {
			continue
		}
		fmt.Fprintf(b, "#### %s in %s\n\n", mdCode(f.Slug), mdCode(operation))
		var text bytes.Buffer
		h := human{b: &text, o: o.plain(), r: r}
		if f.Follows != "" {
			h.following(operation, f)
		} else {
			h.finding(operation, s, f)
		}
		mdFence(b, text.String())
	}
	if s.Verdict == probe.Inconclusive || s.Verdict == probe.Fail && len(s.Reasons) > 0 {
		mdReasons(b, r.File, operation, s)
	}
}

// mdReasons lists what could not be settled, and how it would be.
func mdReasons(b *bytes.Buffer, file, operation string, s probe.Result) {
	for _, reason := range folded(s.Reasons, len(s.Cases)) {
		fmt.Fprintf(b, "- **not settled**, %s in %s: %s", mdText(s.Step), mdCode(operation), mdText(reason.Text))
		if at := place(file, reason.Line); at != "" && !strings.Contains(clean(reason.Text), at) {
			b.WriteString(" (" + mdCode(at) + ")")
		}
		if reason.Settle != "" {
			b.WriteString("; to settle it: " + mdText(reason.Settle))
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
}

// mdFence puts text into a fence that is longer than any in it (CommonMark,
// 4.5), the heading line of the human form left out.
func mdFence(b *bytes.Buffer, text string) {
	_, text, _ = strings.Cut(text, "\n")
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "%stext\n%s\n%s\n\n", fence, strings.TrimRight(text, "\n"), fence)
}

// mdCode is a code span that holds any text (CommonMark, 6.1); not for tables,
// which read | first.
func mdCode(s string) string {
	s = clean(s)
	if s == "" {
		return "-"
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.TrimSpace(s) == "" {
		s = " " + s + " "
	}
	return fence + s + fence
}

// MarkdownText is text for one place in a Markdown document, a cell of a table
// too, in which nothing is markup, a link, a mention or an image.
func MarkdownText(s string) string { return mdText(s) }

// mdText is text in which nothing is markup, a link, a mention or an image.
func mdText(s string) string {
	var b strings.Builder
	for _, r := range clean(s) {
		if strings.ContainsRune("\\`*_[]<>#|~&$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	// What GitHub makes a link or a mention without any markup.
	return strings.NewReplacer("://", `:\//`, "www.", `www\.`, "@", "@<!-- -->").Replace(b.String())
}

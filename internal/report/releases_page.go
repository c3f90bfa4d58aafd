package report

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/idem-toolkit/idem/internal/probe"
)

// How copies were released, for pages: folded away, since a reader who trusts
// the verdict needs none of it.

// drawn gives a step's pictures as they stand in a pipe.
func drawn(r probe.Report, o Options, s probe.Result) string {
	var b bytes.Buffer
	human{b: &b, o: o.plain(), r: r}.pictures(s.Evidence.Pictures)
	return strings.TrimRight(b.String(), "\n")
}

func mdReleases(b *bytes.Buffer, r probe.Report, o Options, operation string, s probe.Result) {
	if nothingReleased(s) {
		return
	}
	fmt.Fprintf(b, "<details><summary>%s in %s: how copies were released</summary>\n\n", mdHTML(s.Step), mdHTML(operation))
	if len(s.Evidence.Releases) > 0 {
		mdRow(b, releaseColumns)
		fmt.Fprintf(b, "|%s\n", strings.Repeat(" --- |", len(releaseColumns)))
		for _, release := range s.Evidence.Releases {
			mdRow(b, releaseRow(release))
		}
		fmt.Fprintf(b, "\n%s.\n\n", mdText(releaseLegend))
	}
	if lines := aboutReleases(s.Evidence); len(lines) > 0 {
		for _, line := range lines {
			fmt.Fprintf(b, "- %s: %s\n", line[0], mdText(line[1]))
		}
		b.WriteByte('\n')
	}
	if len(s.Evidence.Pictures) > 0 {
		mdFence(b, "\n"+drawn(r, o, s))
	}
	b.WriteString("</details>\n\n")
}

// mdHTML is text inside of HTML, in which nothing of Markdown is read (CommonMark,
// 4.6) but what GitHub makes a mention.
func mdHTML(s string) string {
	return strings.ReplaceAll(html.EscapeString(clean(s)), "@", "@<!-- -->")
}

func mdRow(b *bytes.Buffer, cells []string) {
	b.WriteByte('|')
	for _, cell := range cells {
		fmt.Fprintf(b, " %s |", mdText(cell))
	}
	b.WriteByte('\n')
}

func (p page) releases(s probe.Result) {
	if nothingReleased(s) {
		return
	}
	p.raw("<details><summary>")
	p.text(s.Step + ": how copies were released")
	p.raw("</summary>\n")
	if len(s.Evidence.Releases) > 0 {
		p.raw("<table>\n")
		p.row("th", releaseColumns)
		for _, release := range s.Evidence.Releases {
			p.row("td", releaseRow(release))
		}
		p.raw("</table>\n")
		p.element("p", "small", releaseLegend)
	}
	for _, line := range aboutReleases(s.Evidence) {
		p.element("p", "", line[0]+": "+line[1])
	}
	if len(s.Evidence.Pictures) > 0 {
		p.pre(drawn(p.r, p.o, s))
	}
	p.raw("</details>\n")
}

func (p page) row(cell string, texts []string) {
	p.raw("<tr>")
	for _, text := range texts {
		p.raw("<" + cell + ">")
		p.text(text)
		p.raw("</" + cell + ">")
	}
	p.raw("</tr>\n")
}

// nothingReleased says that a step released no copies together.
func nothingReleased(s probe.Result) bool {
	return len(s.Evidence.Releases)+len(s.Evidence.Pictures)+len(s.Evidence.Powers) == 0
}

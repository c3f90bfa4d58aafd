package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/probe"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain text, ümlaut, 漢字, ﷽, 😀 and 'quotes'", "plain text, ümlaut, 漢字, ﷽, 😀 and 'quotes'"},
		{"\x1b[31mred", `\u001b[31mred`},
		{"a\r\nb\tc\x00\x7f", `a\r\nb\tc\u0000\u007f`},
		{"\u009b31m", `\u009b31m`},
		{"\u202eabc\u2066\u200b\u00a0\u2028\ufeff", `\u202eabc\u2066\u200b\u00a0\u2028\ufeff`},
		{"\U000e0041", `\U000e0041`},
		{"\xff\xc3", `\xff\xc3`},
		{"\ufffd", "\ufffd"},
		{"\ufffe", `\ufffe`},
	} {
		if got := clean(c.in); got != c.want {
			t.Errorf("clean(%q) = %q, want %q", c.in, got, c.want)
		}
		if isClean(c.in) != (c.in == c.want) {
			t.Errorf("isClean(%q)", c.in)
		}
	}
}

func TestCutAndWrap(t *testing.T) {
	if got := cut("äöü漢字", 5); got != "äöü漢字" {
		t.Error(got)
	}
	if got := cut("äöü漢字", 4); got != "ä..." {
		t.Error(got)
	}
	rapid.Check(t, func(t *rapid.T) {
		text, n := rapid.String().Draw(t, "text"), rapid.IntRange(1, 40).Draw(t, "width")
		lines := Wrap(text, n)
		if got, want := strings.Join(lines, " "), strings.Join(strings.Fields(text), " "); got != want {
			t.Fatalf("%q became %q", want, got)
		}
		for _, l := range lines {
			if utf8.RuneCountInString(l) > n && strings.ContainsRune(l, ' ') {
				t.Fatalf("%q is longer than %d and could be broken", l, n)
			}
		}
		if got := cut(text, n+3); utf8.RuneCountInString(got) > n+3 {
			t.Fatalf("%q is longer than %d", got, n+3)
		}
	})
}

// render writes r in a format and checks what holds of every report.
func render(t interface{ Fatal(...any) }, format string, r probe.Report) []byte {
	var b bytes.Buffer
	if err := Write(&b, format, r, goldenOptions); err != nil {
		t.Fatal(err)
	}
	out := b.Bytes()
	if !utf8.Valid(out) {
		t.Fatal(format, "is not UTF-8")
	}
	for _, c := range string(out) {
		if c != '\n' && !printable(c) {
			t.Fatal(format, "holds what a terminal or a reader's eye obeys: ", c)
		}
	}
	if out[len(out)-1] != '\n' {
		t.Fatal(format, "does not end its last line")
	}
	return out
}

// xmlTexts reads an XML document whole and gives its text and attribute values.
func xmlTexts(t interface{ Fatal(...any) }, doc []byte) []string {
	var texts []string
	d := xml.NewDecoder(bytes.NewReader(doc))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return texts
		}
		if err != nil {
			t.Fatal("not XML: ", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			for _, a := range token.Attr {
				texts = append(texts, a.Value)
			}
		case xml.CharData:
			texts = append(texts, string(token))
		}
	}
}

func TestHostileTextStaysText(t *testing.T) {
	r := hostile()
	for _, format := range Formats() {
		render(t, format, r)
	}
	texts := xmlTexts(t, render(t, "junit", r))
	if !slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, clean(evil)) }) {
		t.Error("the text was lost in JUnit")
	}
	var back struct {
		Operations []struct {
			Steps []struct{ Notes []string }
		}
	}
	if err := json.Unmarshal(render(t, "json", r), &back); err != nil {
		t.Fatal(err)
	}
	if got, want := back.Operations[0].Steps[0].Notes[0], strings.ToValidUTF8(evil, "\ufffd\ufffd"); got != want {
		t.Errorf("JSON gave %q", got)
	}
	for line := range strings.Lines(string(render(t, "markdown", r))) {
		checkMarkdownLine(t, line)
	}
}

// checkMarkdownLine looks for the evil text where it would be markup: outside
// of code.
func checkMarkdownLine(t *testing.T, line string) {
	t.Helper()
	table := strings.HasPrefix(line, "| ")
	markups := []string{"**bold**", "<script>", "https://evil", " @all"}
	if strings.HasPrefix(line, "<details>") {
		markups = []string{"<script>", " @all"} // HTML, in which Markdown is text (CommonMark, 4.6)
	}
	for _, markup := range markups {
		inCode := strings.HasPrefix(line, "  ") || strings.Contains(line, "`````")
		if strings.Contains(line, markup) && (table || !inCode) {
			t.Errorf("%s is markup in %q", markup, line)
		}
	}
	cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") - 1
	if table && cells != 3 && cells != len(releaseColumns) {
		t.Errorf("a table row of %d cells: %q", cells, line)
	}
}

// anywhere puts one text everywhere that a server or file can put text.
func anywhere(text string) probe.Report {
	r := failing()
	s := &r.Operations[0].Steps[0]
	s.Notes = []string{text}
	s.Findings[0].Actual, s.Findings[0].Requirement, s.Findings[0].Repro = text, text, text
	s.Findings[0].Exchanges[0].Answer.Body.Head = text
	s.Findings[0].Exchanges[0].Answer.Error = text
	s.Reasons = []probe.Reason{{Text: text, Settle: text}}
	r.Operations[0].Name, r.File = text, text
	e := &r.Operations[0].Steps[1].Evidence
	e.Releases = []probe.Release{{Copies: 2, Protocol: text, Hold: text, Uncounted: []probe.Uncounted{{Why: text, Rounds: 1}}}}
	e.Pictures = []probe.Picture{{Case: text, Why: text, Copies: []probe.Pictured{{Written: true, Class: text}}}}
	return r
}

func FuzzWrite(f *testing.F) {
	for _, s := range []string{"", evil, "]]>", "]]]]>>", "<![CDATA[", "&#x0;", "\ud7ff\ue000\ufffe\U0010ffff", "a\x00b", "`````", "\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := anywhere(text)
		for _, format := range Formats() {
			out := render(t, format, r)
			switch format {
			case "json":
				if !json.Valid(out) {
					t.Fatal("not JSON")
				}
			case "junit":
				found := false
				for _, s := range xmlTexts(t, out) {
					found = found || strings.Contains(s, clean(text))
				}
				if !found {
					t.Fatal("the text was lost")
				}
			}
		}
	})
}

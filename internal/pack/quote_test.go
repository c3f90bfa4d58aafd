package pack

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/document"
)

// hostile are texts that mean something somewhere.
var hostile = []string{
	"", " ", "  two  ", "plain", "no", "on", "Yes", "true", "null", "~", "010", "1e3", "0x1F", "1_000", ".inf", "2026-11-30", "12:30:45",
	"-", "--", "-rf /", "--force", "- item", "? key", "! tag", "&anchor", "*alias", "%YAML", "@at", "`tick`", "|", ">", "{}", "[]", "{{ x }}", "[[ .X ]]",
	"a: b", "a #b", "#", ": ", "a:", "'", "''", `"`, `""`, `'"` + "`", `\`, `\\`, `\n`, `C:\new`, "$", "$$", "$HOME", "${HOME}", "$(touch x)", "`touch x`",
	"${{ secrets.TOKEN }}", "$${{ x }}", "${{{ x }}}", "${{ '${{' }}", "={{ $env.X }}", "=1+1", "==", "}}", "{{", "\n", "a\nb", "a\r\nb", "\r", "\t", "a\tb",
	"\u0085", "\u2028", "\u2029", "\ufeff", "\u200f\u202e", "\x00", "\x1b[31m", "\x7f", "\u009b", "🛒", "é", "e\u0301", "漢字", "\U0010fffd", "\ufffd",
	"*/", "**//", "//", "-->", "--!>", "--->", "<!--", "</script>", "<script>", "]]>", "&amp;", "<b>", "1. x", "# x", "[a](b)", "![a](b)", "a|b", "  indented",
	"'; DROP TABLE orders; --", "!x", "!!", "a;b", "a&b", "a|b", "a>b", "*", "?", "~root", "a'b'c", "%s", "%n", "Idempotency-Key", "/v1/checkouts?x=1&y=2", "```", "``", "`a", "a`",
}

// texts are the hostile ones, pieces of them put together, and any other.
func texts() *rapid.Generator[string] {
	pieces := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(hostile), 0, 6), func(all []string) string { return strings.Join(all, "") })
	return rapid.OneOf(rapid.SampledFrom(hostile), pieces, rapid.String())
}

// backs are, by function, what its language makes of what it wrote.
var backs = map[string]func(t *rapid.T, quoted string) string{
	"gh":      func(t *rapid.T, q string) string { return fromGitHub(t, fromYAML(t, q)) },
	"compose": func(t *rapid.T, q string) string { return fromCompose(t, fromYAML(t, q)) },
	"sh":      fromShell,
}

func TestEveryValueComesBack(t *testing.T) {
	for name, back := range backs {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := texts().Draw(t, "text")
				quoted, err := quoting()[name].(func(string) (string, error))(s)
				if err != nil {
					if refusable(name, s) {
						return
					}
					t.Fatalf("%q: %v", s, err)
				}
				if refusable(name, s) {
					t.Fatalf("%q was not refused: %s", s, quoted)
				}
				if name != "sh" && strings.ContainsAny(quoted, "\n\r\u2028\u2029\u0085") {
					t.Fatalf("%q is on more than one line: %q", s, quoted)
				}
				if got := back(t, quoted); got != s {
					t.Fatalf("%q was written %s and read as %q", s, quoted, got)
				}
			})
		})
	}
}

// refusable says whether a language has no way to write a text.
func refusable(name, s string) bool {
	if name == "sh" {
		return strings.Contains(s, "\x00")
	}
	return !utf8.ValidString(s)
}

// fromYAML asks two readers, as a value and within a flow mapping.
func fromYAML(t *rapid.T, q string) string {
	var v struct{ X, Y any }
	if err := yaml.Unmarshal([]byte("x: "+q+" # c\ny: {z: "+q+", w: ["+q+"]}\n"), &v); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	n, err := document.Parse("x.yaml", []byte("x: "+q+"\n"))
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	s, ok := v.X.(string)
	if !ok || s != n.Lookup("x").Text || n.Lookup("x").Kind != document.String {
		t.Fatalf("%s: one reader has %#v, another %q", q, v.X, n.Lookup("x").Text)
	}
	return s
}

// fromGitHub evaluates expressions as GitHub does; the only one that may be
// there is the text of its own beginning.
func fromGitHub(t *rapid.T, s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "${{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		after, ok := strings.CutPrefix(rest, " '${{' }}")
		if !ok {
			t.Fatalf("an expression: %q", rest)
		}
		b.WriteString("${{")
		s = after
	}
}

func fromCompose(t *rapid.T, s string) string {
	out := strings.ReplaceAll(s, "$$", "\x00dollar")
	if strings.Contains(out, "$") {
		t.Fatalf("a variable: %q", s)
	}
	return strings.ReplaceAll(out, "\x00dollar", "$")
}

// fromShell reads one word of single quotes and of \' between them; the shell
// itself is asked in quote_unix_test.go.
func fromShell(t *rapid.T, q string) string {
	var b strings.Builder
	for q != "" {
		switch {
		case strings.HasPrefix(q, `\'`):
			b.WriteByte('\'')
			q = q[2:]
		case strings.HasPrefix(q, "'") && strings.Contains(q[1:], "'"):
			inner, rest, _ := strings.Cut(q[1:], "'")
			b.WriteString(inner)
			q = rest
		default:
			t.Fatalf("something without quotes: %q", q)
		}
	}
	return b.String()
}

// TestMarkdownIsText: no mark is left that would be one, and the words come back.
func TestMarkdownIsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "text")
		q := quoteMarkdown(s)
		var words strings.Builder
		escaped := false
		for _, r := range q {
			mark := r < 0x80 && (unicode.IsPunct(r) || unicode.IsSymbol(r))
			switch {
			case escaped:
				words.WriteRune(r)
				escaped = false
			case r == '\\':
				escaped = true
			case mark || r == '\n':
				t.Fatalf("%q: %q is a mark in %q", s, r, q)
			default:
				words.WriteRune(r)
			}
		}
		if want := strings.TrimSpace(oneLine(s)); words.String() != want || escaped {
			t.Fatalf("%q came back as %q", s, words.String())
		}
	})
}

// TestCodeIsCode: no run of backticks within is as long as the fence.
func TestCodeIsCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "text")
		q := quoteCode(s)
		if strings.TrimSpace(oneLine(s)) == "" {
			return
		}
		fence := q[:len(q)-len(strings.TrimLeft(q, "`"))]
		inner := strings.TrimSuffix(strings.TrimPrefix(q, fence), fence)
		if strings.HasPrefix(inner, "`") || strings.HasSuffix(inner, "`") {
			t.Fatalf("%q: %q", s, q)
		}
		for _, run := range strings.FieldsFunc(inner, func(r rune) bool { return r != '`' }) {
			if len(run) == len(fence) {
				t.Fatalf("%q: %q ends early", s, q)
			}
		}
		if strings.HasPrefix(inner, " ") && strings.HasSuffix(inner, " ") { // CommonMark, 6.1: one is taken off
			inner = inner[1 : len(inner)-1]
		}
		if inner != oneLine(s) {
			t.Fatalf("%q is read as %q", s, inner)
		}
	})
}

// TestNoTextIsRefused: bytes that are no text are an error, never a wrong text.
func TestNoTextIsRefused(t *testing.T) {
	for _, name := range []string{"gh", "compose"} {
		if got, err := quoting()[name].(func(string) (string, error))("a\xffb"); err == nil {
			t.Errorf("%s wrote %q", name, got)
		}
	}
}

package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/probe"
)

func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, n := rapid.String().Draw(t, "text"), rapid.IntRange(8, 60).Draw(t, "width")
		lines := fold(text, n)
		bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got, want := bare(strings.Join(lines, "")), bare(text); got != want {
			t.Fatalf("%q became %q", want, got)
		}
		for _, l := range lines {
			if utf8.RuneCountInString(l) > n {
				t.Fatalf("%q is longer than %d", l, n)
			}
		}
	})
	for _, c := range []struct {
		text string
		want []string
	}{
		{`{"a":1,"b":22,"c":333}`, []string{`{"a":1,`, `"b":22,`, `"c":333}`}},
		{"0123456789abcdef", []string{"0123456789", "abcdef"}},
		{"a,bcdefghijklm", []string{"a,bcdefghi", "jklm"}},
		{"", []string{""}},
	} {
		if got := fold(c.text, 10); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}

// copied says that a line is meant to be copied, and so never broken.
func copied(line string) bool {
	return strings.HasPrefix(line, "    idem ")
}

// TestLinesFitTheTerminal: no row breaks a second time at the terminal's edge.
func TestLinesFitTheTerminal(t *testing.T) {
	for _, width := range []int{60, 80, 100, 120} {
		for name, write := range humans(Options{Width: width, BaseURLs: goldenOptions.BaseURLs, Auth: goldenOptions.Auth}) {
			lines := strings.Split(strings.TrimSuffix(write(t), "\n"), "\n")
			longest := 0
			for _, line := range lines {
				n := utf8.RuneCountInString(line)
				if n > width && !copied(line) {
					t.Errorf("%s at %d: %q", name, width, line)
				}
				if !copied(line) {
					longest = max(longest, n)
				}
			}
			if longest < width*2/3 && name != "pass" {
				t.Errorf("%s at %d: no line has more than %d characters", name, width, longest)
			}
		}
	}
}

// humans are the reports for people, each as it is written.
func humans(o Options) map[string]func(t *testing.T) string {
	all := map[string]func(t *testing.T) string{}
	for _, r := range reports {
		if r.name != "hostile" { // its file's and its operation's name are of no length that fits
			all[r.name] = func(t *testing.T) string {
				var b bytes.Buffer
				if err := Write(&b, "human", r.make(), o); err != nil {
					t.Fatal(err)
				}
				return b.String()
			}
		}
	}
	for _, verbose := range []bool{false, true} {
		all[fmt.Sprintf("dry, verbose %v", verbose)] = func(t *testing.T) string {
			var b bytes.Buffer
			o := o
			o.Verbose = verbose
			if err := WriteDry(&b, "human", dryRun(), o); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
	}
	return all
}

// TestNoWidthIsAHundred: what a pipe gets does not hang on a terminal. Its last
// line alone is not broken.
func TestNoWidthIsAHundred(t *testing.T) {
	given := humans(Options{Width: 100})
	for name, write := range humans(Options{}) {
		if strings.Join(strings.Fields(write(t)), " ") != strings.Join(strings.Fields(given[name](t)), " ") {
			t.Errorf("%s: 0 is not 100", name)
		}
		for line := range strings.Lines(write(t)) {
			if n := utf8.RuneCountInString(line) - 1; n > 100 && !copied(line) && !strings.Contains(line, "; exit ") {
				t.Errorf("%s: %q", name, line)
			}
		}
	}
}

// TestWidthIsForPeople: formats for programs and files have one width.
func TestWidthIsForPeople(t *testing.T) {
	for _, format := range Formats()[1:] {
		for _, r := range []probe.Report{failing(), unsettled()} {
			var a, b bytes.Buffer
			if Write(&a, format, r, Options{Width: 60}) != nil || Write(&b, format, r, Options{Width: 120}) != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("%s hangs on the width", format)
			}
		}
	}
}

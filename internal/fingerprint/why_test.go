package fingerprint

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

// Why a long text is refused is told as that of a short one is, whatever part
// of it is read again for that.
func TestWhyIsToldAlikeHoweverLong(t *testing.T) {
	const long = 3 << 20
	spaces, lines := strings.Repeat(" ", long), strings.Repeat(" \r\n\t", long/4)
	for what, text := range map[string]string{
		"nothing":             "",
		"a space":             " ",
		"spaces":              spaces,
		"lines":               lines,
		"lines and spaces":    lines + "\n" + spaces[:7],
		"a mark behind":       spaces + "\uFEFF{}",
		"a word behind":       lines + "x",
		"a name twice":        lines + `{"a":1,"a":2}`,
		"an open string":      lines + `"` + spaces,
		"a wrong middle":      "[" + spaces + "x" + spaces + "]",
		"a control character": `["` + spaces + "\x01" + spaces + `"]`,
		"a wrong end":         "[" + strings.Repeat("1,", long/2) + "]",
		"broken UTF-8":        `["` + strings.Repeat("é", long/2) + "\xff" + `"]`,
		"half a pair":         `{"a":"` + spaces + `\ud800"}`,
		"a million digits":    "[" + strings.Repeat("9", 1_000_000) + "]",
		"trailing":            `{"b":1,"a":[` + spaces + `]}` + spaces + "1",
		"a late name twice":   `{"n":"` + spaces + `","n":1}`,
	} {
		_, got := (&Canonicaliser{}).Append(nil, []byte(text))
		_, want := (&Canonicaliser{Engine: Reference}).Append(nil, []byte(text))
		var g, w *Error
		if !errors.As(got, &g) || !errors.As(want, &w) || *g != *w {
			t.Errorf("%s: %+.300v, not %+.300v", what, got, want)
		}
	}
}

// A text of white space is not copied to say so, and of one that is wrong early
// little is.
func TestWhyCopiesLittle(t *testing.T) {
	const size = 64 << 20
	for what, c := range map[string]struct {
		text string
		most uint64
	}{
		"spaces":  {strings.Repeat(" ", size), size + 1<<20},
		"a start": {"[1,x" + strings.Repeat(" ", size), size + 8<<20},
	} {
		src := []byte(c.text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := (&Canonicaliser{}).Append(nil, src); err == nil {
			t.Errorf("%s is taken", what)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > c.most { // the output has as much room as the text
			t.Errorf("%s: %d bytes are allocated for %d", what, n, size)
		}
	}
}

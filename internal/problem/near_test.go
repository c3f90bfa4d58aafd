package problem

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	words := []string{"identity", "encode", "env", "fd", "JSON"}
	for in, want := range map[string]string{
		"identty": "identity", "idnetity": "identity", "enocde": "encode", "ENV": "env", "evn": "env", "jsn": "JSON",
		"": "", "zz": "", "file": "", "e": "", "idntt": "", "ide": "identity", "IDEN": "identity", "en": "", "enc": "env", "enco": "encode", strings.Repeat("a", 99): "", "\xff\xff\xff": "",
	} {
		if got := Nearest(in, words); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	if got := Nearest("identty", nil); got != "" {
		t.Errorf("%q", got)
	}
}

func TestMeaning(t *testing.T) {
	wrong := New("--format", "what")
	for word, want := range map[string]string{"jsn": `did you mean "json"?`, "yaml": "one of text, json", "": "one of text, json"} {
		if got := Hint(wrong.Meaning(word, []string{"text", "json"})); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	if wrong.Hint != "" {
		t.Error("the problem itself has changed")
	}
}

// The distance of two words is what a plain recursion over its definition says.
func TestDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc]{0,6}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if got, want := Distance(a, b), plainly(a, b); got != want {
			t.Fatalf("%q, %q: %d, want %d", a, b, got, want)
		}
	})
}

func plainly(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	n, m := len(a)-1, len(b)-1
	least := min(plainly(a[:n], b), plainly(a, b[:m])) + 1
	replaced := 1
	if a[n] == b[m] {
		replaced = 0
	}
	least = min(least, plainly(a[:n], b[:m])+replaced)
	if n > 0 && m > 0 && a[n] == b[m-1] && a[n-1] == b[m] {
		least = min(least, plainly(a[:n-1], b[:m-1])+1)
	}
	return least
}

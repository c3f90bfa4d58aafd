package contract

import (
	"slices"
	"strings"
	"testing"
)

func TestFresh(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                  nil,
		"/v1/charges?id={fresh:/id}":        {"/id"},
		"{fresh:/a}{fresh:/b/0}-{fresh:/a}": {"/a", "/b/0", "/a"},
		"{Fresh:/a} {fresh /a} {print $1}":  nil,
		"{fresh:}":                          {""},
		"{fresh:{fresh:/a}}":                {"{fresh:/a"},
	} {
		if got, ok := FreshPointers(text); !ok || !slices.Equal(got, want) {
			t.Errorf("%q: %q %v", text, got, ok)
		}
	}
	for _, text := range []string{"{fresh:", "{fresh:/a} {fresh:/b"} {
		if got, ok := FreshPointers(text); ok {
			t.Errorf("%q: %q", text, got)
		}
	}
	got := FillFresh("a={fresh:/a}&b={fresh:/b}&{c}", func(p string) string { return strings.ToUpper(p) + "{fresh:/a}" })
	if want := "a=/A{fresh:/a}&b=/B{fresh:/a}&{c}"; got != want {
		t.Errorf("got %s want %s", got, want)
	}
	if got := FillFresh("{fresh:/a} {fresh:/b", func(string) string { return "1" }); got != "1 {fresh:/b" {
		t.Error(got)
	}
}

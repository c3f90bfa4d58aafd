package problem

import "testing"

func TestEnumerated(t *testing.T) {
	for want, words := range map[string][]string{
		"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"},
	} {
		if got := Enumerated(words); got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}

package reference

import "testing"

func TestIsCurrency(t *testing.T) {
	for text, want := range map[string]bool{"EUR": true, "ZZZ": true, "": false, "EU": false, "EURO": false, "eur": false, "EU1": false, "EU ": false, "EUR\n": false, "É1": false} {
		if isCurrency(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}

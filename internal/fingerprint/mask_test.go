package fingerprint

import (
	"errors"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
)

// TestMaskCutsPointers: a pointer that goes below a sensitive place ends there,
// and one that does not stays as it is, with what the error shows.
func TestMaskCutsPointers(t *testing.T) {
	card, s, whole := Pointer{"card"}, Pointer{"s"}, Pointer{}
	for _, c := range []struct {
		src       string
		sensitive []Pointer
		want      string
	}{
		{`{"s":{"tok_SECRET":{"a":1e999}}}`, []Pointer{card, s}, "/s/«masked»: number beyond the double range"},
		{`{"s":{"tok_SECRET":1,"tok_SECRET":2}}`, []Pointer{s}, "/s/«masked»: the object has this name twice (again at byte 21)"},
		{`{"s":{"tok_SECRET":9007199254740993}}`, []Pointer{s}, "/s/«masked»: number that the canonical form would change"},
		{`{"s":[[1e999]]}`, []Pointer{{"s", "0", "0"}, {"s", "0"}}, "/s/0/«masked»: number beyond the double range"},
		{`{"s":1e999}`, []Pointer{s}, "/s: number beyond the double range"},
		{`{"s":1,"s":2}`, []Pointer{s}, "/s: the object has this name twice (again at byte 7)"},
		{`{"tok_SECRET":1e999}`, []Pointer{whole}, "/«masked»: number beyond the double range"},
		{`{"t":{"s":1e999}}`, []Pointer{s}, "/t/s: number beyond the double range: 1e999"},
		{`{"` + strings.Repeat("s", 400) + `":1e999}`, []Pointer{whole}, "/«masked»: number beyond the double range"},
	} {
		for _, engine := range []Engine{Own, Reference, CrossCheck} {
			_, err := Payload([]byte(c.src), Policy{Engine: engine, Public: true, Sensitive: c.sensitive})
			if err == nil || err.Error() != c.want {
				t.Errorf("%.60s: %v, not %s", c.src, err, c.want)
			}
			var e *Error
			if !errors.As(err, &e) || strings.Contains(e.Pointer, "SECRET") {
				t.Errorf("%.60s: %v", c.src, err)
			}
		}
	}
}

// A disagreement is told where nothing says which names are sensitive.
func TestDisagreementsShowNoName(t *testing.T) {
	refusal := &Error{Class: OutOfRange, Offset: 17, Line: 1, Pointer: "/s/tok_SECRET", Detail: "number beyond the double range", Literal: "1e999"}
	c := Canonicaliser{Engine: CrossCheck}
	_, err := c.crossed(nil, []byte("[1]"), canon.Exact, nil, refusal)
	if !IsDisagreement(err) || strings.Contains(err.Error(), "SECRET") || !strings.Contains(err.Error(), "byte 17") {
		t.Error(err)
	}
}

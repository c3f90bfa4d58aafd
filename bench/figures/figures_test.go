package figures

import (
	"slices"
	"strings"
	"testing"
)

func TestGatesHold(t *testing.T) {
	for _, c := range []struct {
		gate  Gate
		holds bool
	}{
		{Gate{Want: 3, Got: 3}, true},
		{Gate{Want: 3, Got: 2.99}, false},
		{Gate{Want: 3, Got: 2.99, Most: true}, true},
		{Gate{Want: 3, Got: 3.01, Most: true}, false},
		{Gate{Most: true}, true},
		{Gate{Most: true, None: true}, false},
		{Gate{Want: 1, Got: 2, None: true}, false},
	} {
		if c.gate.Holds() != c.holds {
			t.Errorf("%+v", c.gate)
		}
	}
	all := []Gate{{What: "one", Want: 1, Got: 2}, {What: "two", Want: 2, Got: 1}, {What: "three", None: true}}
	if got := Missed(all); !slices.Equal(got, []string{"two", "three"}) {
		t.Error(got)
	}
	var b strings.Builder
	if err := Print(&b, 3, all); err != nil || !strings.Contains(b.String(), "| two | >= 2 | 1 | missed |\n| three | >= 0 | not measured | missed |\n") {
		t.Error(err, b.String())
	}
}

func TestMedian(t *testing.T) {
	for want, values := range map[float64][]float64{0: nil, 2: {3, 1, 2}, 2.5: {4, 1, 2, 3}, 7: {7}} {
		if got := Median(values); got != want {
			t.Error(values, got)
		}
	}
}

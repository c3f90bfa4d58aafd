package wire

import "testing"

// TestOneWriteHasOneEnd: copies that one write has ended have ended by the time
// any of them is answered; another write, or one that the system did not take
// in one go, is another matter.
func TestOneWriteHasOneEnd(t *testing.T) {
	one, two := carrier(&shared{}), carrier(&shared{})
	copyOf := func(c carrier, began, ended int64) *flight {
		return &flight{carrier: c, stream: 1, sent: sent{began: began, ended: ended, whole: true, atOnce: true}}
	}
	piecemeal, partly, alone := copyOf(one, 10, 90), copyOf(one, 10, 90), copyOf(one, 10, 90)
	piecemeal.sent.atOnce, partly.sent.whole, alone.stream = false, false, 0
	for _, c := range []struct {
		name    string
		flights []*flight
		ends    []int64 // of the results, as each by itself has it
		want    []int64
	}{
		{"answered before it was noticed", []*flight{copyOf(one, 10, 90), copyOf(one, 10, 90)}, []int64{50, 70}, []int64{50, 50}},
		{"noticed in time", []*flight{copyOf(one, 10, 90), copyOf(one, 10, 90)}, []int64{90, 90}, []int64{90, 90}},
		{"no answer to one", []*flight{copyOf(one, 10, 90), copyOf(one, 10, 90)}, []int64{90, 40}, []int64{40, 40}},
		{"two writes", []*flight{copyOf(one, 10, 90), copyOf(one, 20, 90)}, []int64{50, 70}, []int64{50, 70}},
		{"further writes after the same", []*flight{copyOf(one, 10, 90), copyOf(one, 10, 95)}, []int64{50, 70}, []int64{50, 70}},
		{"two connections", []*flight{copyOf(one, 10, 90), copyOf(two, 10, 90)}, []int64{50, 70}, []int64{50, 70}},
		{"not in one go", []*flight{copyOf(one, 10, 90), piecemeal}, []int64{50, 90}, []int64{50, 90}},
		{"not whole", []*flight{copyOf(one, 10, 90), partly}, []int64{50, 90}, []int64{50, 90}},
		{"not HTTP/2", []*flight{copyOf(one, 10, 90), alone}, []int64{50, 90}, []int64{50, 90}},
		{"unsent", []*flight{{unsent: errUnsentHere}, copyOf(one, 10, 90)}, []int64{0, 90}, []int64{0, 90}},
	} {
		results := make([]Result, len(c.ends))
		for i, end := range c.ends {
			results[i].WriteEnded = end
		}
		level(c.flights, results)
		for i, want := range c.want {
			if results[i].WriteEnded != want {
				t.Errorf("%s: copy %d ended at %d, want %d", c.name, i, results[i].WriteEnded, want)
			}
		}
	}
}

var errUnsentHere = ErrHungUp // any error

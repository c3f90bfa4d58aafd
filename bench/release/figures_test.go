package main

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/bench/figures"
)

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		values    []time.Duration
		mid, tail time.Duration
	}{
		{nil, 0, 0},
		{[]time.Duration{7}, 7, 7},
		{[]time.Duration{30, 10}, 20, 28},
		{[]time.Duration{50, 10, 30, 20, 40}, 30, 46},
		{[]time.Duration{10, 0, 20, 30, 40, 50, 60, 70, 80, 90, 100}, 50, 90},
		{[]time.Duration{5, 5, 5, 5, 1000}, 5, 602},
	} {
		if mid, tail := median(c.values), ninetieth(c.values); mid != c.mid || tail != c.tail {
			t.Errorf("%v: %d and %d, not %d and %d", c.values, mid, tail, c.mid, c.tail)
		}
	}
}

func TestQuantileLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(0, 1_000_000).Draw(t, "ns"))
		}), 1, 50).Draw(t, "values")
		before := slices.Clone(values)
		mid, tail := median(values), ninetieth(values)
		if !slices.Equal(before, values) {
			t.Fatal("the values were reordered")
		}
		if mid > tail || mid < slices.Min(values) || tail > slices.Max(values) {
			t.Fatalf("median %d, 90th percentile %d", mid, tail)
		}
		below, above := 0, 0
		for _, v := range values {
			if v < mid {
				below++
			}
			if v > mid {
				above++
			}
		}
		if 2*below > len(values) || 2*above > len(values) {
			t.Fatalf("%d below and %d above the median of %d", below, above, len(values))
		}
	})
}

func TestRatioAndWidth(t *testing.T) {
	if r := ratio(900, 300); r != 3 {
		t.Errorf("900 to 300 is %v", r)
	}
	if ratio(0, 300) != 0 || ratio(900, 0) != 0 {
		t.Error("a ratio of what was not measured")
	}
	if w := width([]int64{300, 100, 250}); w != 200 {
		t.Errorf("width %d", w)
	}
	if width(nil) != 0 || width([]int64{4}) != 0 {
		t.Error("fewer than two have no width")
	}
}

func TestGates(t *testing.T) {
	wide, _ := waits(window)
	r := &results{
		Spreads: []spread{
			{Place: onLoopback, Way: http2Body, Copies: 2, Rounds: 9, Ratio: 1, RatioP90: 1},
			{Place: onLoopback, Way: http2Body, Copies: 30, Rounds: 9, Ratio: 3, RatioP90: 3.9, Pace: 1.31},
			{Place: onLoopback, Way: http1Body, Copies: 30, Rounds: 0, Ratio: 9},
			{Place: overTLS, Way: http2Body, Copies: 30, Rounds: 9, Ratio: 2, Pace: 1.3},
			{Place: viaRelay, Way: http2Body, Copies: 30, Rounds: 9, Ratio: 5},
		},
		Rates: []rate{
			{Server: keyFirst, Place: onLoopback, Way: http2Body, Trials: 100, Caught: 95, Window: 9000, n: 2},
			{Server: keyFirst, Place: onLoopback, Way: cold, Trials: 100, Caught: 26, n: 2},
			{Server: keyFirstOne, Place: onLoopback, Way: cold, Trials: 100, Caught: 25, Window: 1200, n: 2},
			{Server: keyFirstOne, Place: onLoopback, Way: http1Body, Trials: 100, Caught: 94, Window: 900, n: 2},
			{Server: keyFirstOne, Place: onLoopback, Way: http2Body, Trials: 100, Caught: 100, Window: 800, n: 2},
			{Server: keyFirstOne, Place: viaRelay, Way: http2Body, Trials: 100, Caught: 100, Window: 5000, n: 2},
			{Server: wide, Place: viaRelay, Way: http2Turns, Trials: 100, Caught: 98, n: 2},
			{Server: wide, Place: onLoopback, Way: http2Turns, Trials: 100, Caught: 100, n: 30},
		},
		Safe: &safe{Trials: 10_000, Doubles: 1},
	}
	var table strings.Builder
	if err := figures.Print(&table, 5, gates(r)); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for line := range strings.Lines(table.String()) {
		if cells := strings.Split(line, " | "); len(cells) == 4 {
			got[strings.TrimPrefix(cells[0], "| ")] = cells[2] + " " + strings.TrimSuffix(cells[3], " |\n")
		}
	}
	for what, want := range map[string]string{
		"loopback, idem, HTTP/2, body hold: median, x tighter":                        "3 holds",
		"loopback, idem, HTTP/2, body hold: 90th percentile, x tighter":               "3.9 missed",
		"loopback, idem, HTTP/1.1, body hold: median, x tighter":                      "not measured missed",
		"key before body, loopback, idem, HTTP/2, body hold: caught":                  "0.95 holds",
		"key before body, loopback, goroutines on net/http: caught":                   "0.26 missed",
		"100us wait after body, relay, idem, HTTP/2, holds in turn: caught":           "0.98 missed",
		"100us wait after body, loopback, idem, HTTP/2, holds in turn: caught":        "not measured missed",
		"loopback, idem, HTTP/2, body hold: median, x the server's own pace":          "1.31 missed",
		"loopback, TLS, idem, HTTP/2, body hold: median, x the server's own pace":     "1.3 holds",
		"key before body, one processor, loopback, goroutines on net/http: caught":    "0.25 holds",
		"key before body, one processor, loopback, idem, HTTP/1.1, body hold: caught": "0.94 missed",
		"key before body, one processor, loopback, idem, HTTP/2, body hold: caught":   "1 holds",
		"key before body, one processor: window in us":                                "0.9 holds",
		"key before body: window in us":                                               "", // told, and no gate
		"safe server: trials":                                                         "10000 holds",
		"safe server: doubles":                                                        "1 missed",
	} {
		if got[what] != want {
			t.Errorf("%s: %q, not %q", what, got[what], want)
		}
	}
	r.Spreads[1].Pace = 0
	if missed := strings.Join(figures.Missed(gates(r)), "\n"); !strings.Contains(missed, "loopback, idem, HTTP/2, body hold: median, x the server's own pace") {
		t.Errorf("a pace that was not measured is held: %s", missed)
	}
	if n := len(figures.Missed(gates(r))); n == 0 || n >= len(gates(r)) {
		t.Errorf("%d missing", n)
	}
}

// What is compared with what: the first way of a place and number of copies, and
// the server's own pace of the same.
func TestReckoning(t *testing.T) {
	of := func(place, way string, copies int, samples ...time.Duration) *spread {
		return &spread{Place: place, Way: way, Copies: copies, samples: samples}
	}
	got := reckon([]*spread{
		of(onLoopback, cold, 2, 50), of(onLoopback, floorBody, 2, 100),
		of(onLoopback, cold, 30, 900), of(onLoopback, http2Body, 30, 360, 300, 330), of(onLoopback, floorBody, 30, 300), of(onLoopback, floorWhole, 30, 150),
		of(viaRelay, cold, 30, 500), of(viaRelay, http2Body, 30),
	})
	for i, want := range []struct{ ratio, pace float64 }{
		{1, 0.5}, {0.5, 1}, {1, 3}, {900. / 330, 1.1}, {3, 1}, {6, 0.5}, {1, 0}, {0, 0},
	} {
		if s := got[i]; math.Abs(s.Ratio-want.ratio) > 1e-9 || math.Abs(s.Pace-want.pace) > 1e-9 {
			t.Errorf("%s, %s, %d: %v and %v, not %+v", s.Place, s.Way, s.Copies, s.Ratio, s.Pace, want)
		}
	}
	r := &results{Spreads: got}
	var table strings.Builder
	if err := r.Print(&table); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| loopback | copies | median | 90th percentile | x tighter, median | x tighter, 90th | x the server's own pace | rounds |\n|---|---|---|---|---|---|---|---|\n",
		"| idem, HTTP/2, body hold | 30 | 0.3 us | 0.4 us | 2.7 | 2.5 | 1.10 | 3 |\n",
		"\n| relay | copies | median | 90th percentile | x tighter, median | x tighter, 90th | rounds |\n|---|---|---|---|---|---|---|\n",
		"| goroutines on net/http | 30 | 0.5 us | 0.5 us | 1.0 | 1.0 | 1 |\n",
	} {
		if !strings.Contains(table.String(), line) {
			t.Errorf("no %q in\n%s", line, table.String())
		}
	}
}

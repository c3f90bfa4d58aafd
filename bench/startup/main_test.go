package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/bench/figures"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]string{
		"": "", "--short": "", "--gates": "", "--traces 0": "", "--json": "",
		"--rounds 0":           "rounds are between",
		"--traces -1":          "rounds are between",
		"--rounds 199 --gates": "gates need at least",
		"--short --gates":      "gates need at least",
		"--nope":               "not defined",
		"x":                    "unexpected argument",
	} {
		_, err := parse(strings.Fields(line), io.Discard)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestReadTrace(t *testing.T) {
	got := readTrace([]byte("init internal/bytealg @0.008 ms, 0 ms clock, 0 bytes, 0 allocs\n" +
		"noise\ninit example.org/x/y @1.4 ms, 0.019 ms clock, 3072 bytes, 1 allocs\nidem: done\n"))
	want := []initial{{Package: "internal/bytealg"}, {Package: "example.org/x/y", Us: 19, Bytes: 3072}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// A machine that slows down by a factor leaves the ratio of each round as it was.
func TestReckoning(t *testing.T) {
	r := &results{Rows: []row{
		{Way: ofDerive, took: []float64{2, 20, 200}, cpu: []float64{1, 2, 3}},
		{Way: ofOpenSSL, took: []float64{4, 40, 400}, cpu: []float64{1, 2, 3}},
	}}
	r.reckon()
	if r.Rows[0].Times != 0.5 || r.Rows[0].Ms != 20 || r.Rows[0].CPUMs != 2 || len(figures.Missed(r.Gates)) != 0 {
		t.Errorf("%+v", r)
	}
	r.Rows[0].took = []float64{3.8, 38, 380}
	if r.reckon(); len(figures.Missed(r.Gates)) != 1 {
		t.Errorf("%+v", r)
	}
	r.Rows = r.Rows[:1]
	if r.reckon(); len(figures.Missed(r.Gates)) != 1 {
		t.Error("what was not measured holds")
	}
}

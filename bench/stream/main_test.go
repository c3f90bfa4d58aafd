package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/bench/documents"
	"github.com/idem-toolkit/idem/bench/figures"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]string{
		"": "", "--short": "", "--gates": "", "--loop 0": "", "--json": "",
		"--rounds 0":         "rounds are between",
		"--loop -1":          "rounds are between",
		"--size 10":          "sizes are",
		"--jq 400000000":     "sizes are",
		"--short --gates":    "gates need at least",
		"--rounds 4 --gates": "gates need at least",
		"--nope":             "not defined",
		"x":                  "unexpected argument",
	} {
		_, err := parse(strings.Fields(line), io.Discard)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestTheFeedGivesWholeBlocks(t *testing.T) {
	block := []byte("one\ntwo\n")
	for size, times := range map[int]int{1: 1, 8: 1, 9: 2, 80: 10} {
		got, err := io.ReadAll(io.MultiReader(newFeed(block, size)))
		if err != nil || !bytes.Equal(got, bytes.Repeat(block, times)) {
			t.Errorf("%d: %q %v", size, got, err)
		}
	}
}

func TestPartsOfABlockAreWholeLines(t *testing.T) {
	block := []byte("1\n22\n333\n")
	for size, want := range map[int]string{2: "1\n", 4: "1\n", 5: "1\n22\n", 100: "1\n22\n333\n"} {
		if got := upTo(block, size); string(got) != want {
			t.Errorf("%d: %q", size, got)
		}
	}
	for n, want := range map[int]string{0: "", 1: "1\n", 3: "1\n22\n333\n", 9: "1\n22\n333\n"} {
		if got := records(block, n); string(got) != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestTheRecordsHaveIDs(t *testing.T) {
	block := documents.RecordLines(20_000)
	ids, err := derived(block)
	if err != nil || bytes.Count(ids, []byte{'\n'}) != bytes.Count(block, []byte{'\n'}) || !bytes.HasPrefix(ids, []byte("chg_1_")) {
		t.Errorf("%.100q %v", ids, err)
	}
	if _, err := derived([]byte("{}\n")); err == nil {
		t.Error("a record without an identity has an ID")
	}
}

func TestReckoning(t *testing.T) {
	r := &results{Peak: 10, Rows: []row{
		{Way: workers(1), Bytes: 300e6, Records: 1e6, took: []float64{1, 2, 1}, cpu: []float64{1, 1, 1}},
		{Way: workers(2), Bytes: 300e6, Records: 1e6, took: []float64{0.5, 1, 0.5}, cpu: []float64{1, 1, 1}},
		{Way: ofJQ, Bytes: 20e6, Records: 7e4, took: []float64{1, 2, 1}, cpu: []float64{1, 1, 1}},
	}}
	r.reckon()
	if one := r.Rows[0]; one.MBs != 300 || one.Each != 1 || one.Times != 15 || r.Rows[1].OfOne != 2 || r.Rows[2].Times != 1 {
		t.Errorf("%+v", r.Rows)
	}
	if missed := figures.Missed(r.Gates); len(missed) != 0 {
		t.Error(missed)
	}
	r.Rows[1].took, r.Rows[0].Bytes, r.Peak = []float64{0.7, 1.4, 0.7}, 100e6, 25
	r.reckon()
	if missed := figures.Missed(r.Gates); len(missed) != 2 {
		t.Error(missed)
	}
	r.Rows, r.Peak = r.Rows[:1], 0
	r.reckon()
	if missed := figures.Missed(r.Gates); len(missed) != 3 {
		t.Error("what was not measured holds:", missed)
	}
}

package main

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/bench/documents"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]string{
		"": "", "--short": "", "--rounds 9 --gates": "", "--no-rust --no-node --json": "",
		"--rounds 0":         "rounds are between",
		"--rounds 8 --gates": "gates need at least",
		"--short --gates":    "gates need at least",
		"--records 1":        "records are between",
		"--at-least 1h":      "a measurement takes",
		"x":                  "unexpected argument",
		"--nope":             "not defined",
	} {
		_, err := parse(strings.Fields(line), io.Discard)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// toldTo gives what a process answers to commands.
func toldTo(t *testing.T, name string, commands ...string) []string {
	t.Helper()
	var out strings.Builder
	work(name, strings.NewReader(strings.Join(commands, "\n")+"\n"), &out)
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestProcessesWriteTheSame(t *testing.T) {
	dir := t.TempDir()
	file, written := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	text := "{\"b\":123.40,\"a\":[\"\\u00e9\",1e3]}\n[]\n"
	want := "{\"a\":[\"é\",1000],\"b\":123.4}\n[]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{ofIdem, ofProduct, ofJCS, ofValid} {
		got := toldTo(t, name, "load\t"+file, "write\t0\t"+written, "run\t0\t3")
		if len(got) != 3 || got[0] != "ok" || got[1] != "ok" || !strings.HasPrefix(got[2], "ok\t") {
			t.Errorf("%s: %q", name, got)
			continue
		}
		out, err := os.ReadFile(written)
		if name == ofValid {
			want = text
		}
		if err != nil || string(out) != want {
			t.Errorf("%s: %q %v", name, out, err)
		}
	}
	if got := toldTo(t, "nobody"); !strings.HasPrefix(got[0], "no\t") {
		t.Error(got)
	}
}

func TestProcessesSayNo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(file, []byte("{\"a\":1,\"a\":2}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"run\t0\t1", "write\t0\t" + file + "2", "run\t1\t1", "run\t-1\t1", "run\t0\tx", "load\t" + file + "none", "what", ""} {
		if got := toldTo(t, ofIdem, "load\t"+file, command); len(got) != 2 || !strings.HasPrefix(got[1], "no\t") {
			t.Errorf("%q: %q", command, got)
		}
	}
}

// A difference in one byte must end it, and name the place.
func TestADifferenceIsSeen(t *testing.T) {
	if got := firstOther([]byte("0123456789abc"), []byte("0123456789xbc")); !strings.HasPrefix(got, "byte 10, ") {
		t.Error(got)
	}
	if got := firstOther([]byte("01"), []byte("012")); !strings.HasPrefix(got, "byte 2, ") {
		t.Error(got)
	}
	kinds := []documents.Kind{{Name: "spaced", Texts: []string{`{"a": 1}`}}}
	dir := t.TempDir()
	ours := &process{name: ofIdem}
	other := &process{name: "other"}
	for p, way := range map[*process]string{ours: ofIdem, other: ofValid} { // that keeps the space
		serve(t, p, way)
	}
	all := []*process{ours, other}
	if err := hand(kinds, all, dir); err != nil {
		t.Fatal(err)
	}
	err := compare(kinds, all, dir)
	if d, ok := err.(*difference); !ok || d.who != "other" || d.input != "spaced" {
		t.Error(err)
	}
	if err := compare(kinds, all[:1], dir); err != nil {
		t.Error(err)
	}
}

// serve lets a way work within the test.
func serve(t *testing.T, p *process, way string) {
	commands, in := io.Pipe()
	out, answers := io.Pipe()
	p.in, p.out = in, bufio.NewReader(out)
	go work(way, commands, answers)
	t.Cleanup(func() { in.Close() })
}

func TestReckoning(t *testing.T) {
	r := row{Input: documents.Records, Bytes: 10_000_000, MBs: map[string]float64{}, Times: map[string]float64{}, Made: map[string]int{}, took: map[string][]time.Duration{}}
	for i := range 9 {
		slow := time.Duration(1+i%3) * time.Millisecond // the machine slows both down
		r.note(ofIdem, 10*slow, i)
		r.note(ofJCS, 130*slow, 5)
	}
	r.reckon()
	if r.MBs[ofIdem] != 500 || r.Times[ofJCS] != 13 || r.Times[ofIdem] != 1 || r.Made[ofIdem] != 8 {
		t.Errorf("%+v", r)
	}
	all := &results{Rows: []row{r}}
	for _, g := range gates(all) {
		switch g.What {
		case documents.Records + ": x " + ofJCS:
			if !g.Holds() || g.Got != 13 {
				t.Errorf("%+v", g)
			}
		case documents.Records + ": x " + ofJSONText, documents.Records + ": allocations":
			if g.Holds() {
				t.Errorf("%+v", g)
			}
		}
	}
}

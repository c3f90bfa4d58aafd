package trace

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func written(t *testing.T, events ...*Event) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := NewWriter(&buf)
	for _, e := range events {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	return buf.Bytes()
}

func some() []*Event {
	return []*Event{
		{At: 1, Kind: KindRun, Run: &Run{Schema: Schema, ID: "00", Contract: "a <b> & «c»\n"}},
		{At: 2, Kind: KindCount, Operation: "o", Step: "s", Trial: "t", Label: "l", Count: &Count{Subject: "x=1", N: 3}},
		{At: 3, Kind: KindAnswer, Operation: "o", Step: "s", Answer: &Answer{Outcome: Answered, Status: 201, Header: [][2]string{{"A", "b"}, {"a", "c"}}}},
		{At: 4, Kind: KindEnd, Text: "complete"},
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	events := some()
	text := written(t, events...)
	if bytes.Contains(text, []byte(`\u00`)) {
		t.Errorf("a person cannot read it: %s", text)
	}
	i := 0
	for e, err := range Read(bytes.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(&e, events[i]) {
			t.Errorf("event %d: %+v", i, e)
		}
		i++
	}
	if i != len(events) {
		t.Errorf("%d of %d events", i, len(events))
	}
}

func readAll(text []byte) (n int, err error) {
	for _, bad := range Read(bytes.NewReader(text)) {
		if bad != nil {
			return n, bad
		}
		n++
	}
	return n, nil
}

// TestTornEnd: a run that was killed wrote half of its last line. Every prefix
// reads as the events that it holds whole.
func TestTornEnd(t *testing.T) {
	text := written(t, some()...)
	for cut := range text {
		n, err := readAll(text[:cut])
		if whole := bytes.Count(text[:cut], []byte("\n")); err != nil || n < whole || n > whole+1 {
			t.Fatalf("cut at %d: %d events, %v", cut, n, err)
		}
	}
}

func TestWhatIsNoTraceIsRefused(t *testing.T) {
	lines := bytes.SplitAfter(written(t, some()...), []byte("\n"))
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":           {"hello\n" + string(lines[0]), "trace line 1: not an event of a trace"},
		"an unknown kind":   {`{"seq":1,"kind":"dance"}` + "\n\n", "its kind is unknown"},
		"a part is missing": {`{"seq":1,"kind":"count"}` + "\n\n", "a part of it is missing"},
		"a line missing":    {string(lines[0]) + string(lines[2]), "trace line 2: event 3 stands where event 2 belongs"},
		"a line twice":      {string(lines[0]) + string(lines[0]), "trace line 2: event 1 stands where event 2 belongs"},
	} {
		if _, err := readAll([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if _, err := readAll(bytes.Repeat([]byte("x"), LineCap+2)); err == nil || !strings.Contains(err.Error(), "longer than any event") {
		t.Errorf("an endless line: %v", err)
	}
}

type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestAFullDiskIsRemembered: after an error nothing more is written, so that
// no hole comes into being.
func TestAFullDiskIsRemembered(t *testing.T) {
	out := &full{left: 200}
	w := NewWriter(out)
	var first error
	for range 20 {
		err := w.Write(&Event{Kind: KindEnd, Text: "complete"})
		if first == nil {
			first = err
		} else if !errors.Is(err, errFull) {
			t.Fatalf("written after an error: %v", err)
		}
		out.left += 10
	}
	if !errors.Is(first, errFull) {
		t.Errorf("the error is lost: %v", first)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"seq":1,"at":1,"kind":"end"}` + "\n" + `{"seq":2`))
	f.Fuzz(func(t *testing.T, text []byte) {
		n, _ := readAll(text)
		if lines := bytes.Count(text, []byte("\n")) + 1; n > lines {
			t.Errorf("%d events in %d lines", n, lines)
		}
	})
}

package cmd

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

// TestHarvestThatTookADay: where the last request of a harvest comes longer
// after the duplicates before it than the retention is, it may run by right, and
// what ran once more is nobody's fault.
func TestHarvestThatTookADay(t *testing.T) {
	s := newStaging(t, "--fault", "runs-thrice-after-expiry")
	s.plant(ExitDone)
	s.pass(26 * time.Hour)
	const slug = "expiry/ran-more-than-once"
	if _, slugs := s.harvest(ExitBroken, "--trace", s.file("trace")); !strings.Contains(slugs, slug) {
		t.Fatal(slugs)
	}
	text, err := os.ReadFile(s.file("trace"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, s.file("later"), later(t, text, "again", 30*time.Hour))
	r := s.command("report", s.file("later"))
	if r.code != ExitInconclusive || strings.Contains(r.out, slug) || !strings.Contains(r.out, "may be forgotten again by then") {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
}

// later gives a trace in which all came later from the first request of a label on.
func later(t *testing.T, text []byte, label string, by time.Duration) string {
	t.Helper()
	var out bytes.Buffer
	w := trace.NewWriter(&out)
	move := int64(0)
	moved := func(at *int64) {
		if *at != 0 {
			*at += move
		}
	}
	for e, err := range trace.Read(bytes.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Label == label && e.Sent != nil {
			move = int64(by)
		}
		moved(&e.At)
		if e.Sent != nil {
			moved(&e.Sent.WriteBegan)
			moved(&e.Sent.WriteEnded)
			moved(&e.Sent.Released)
		}
		if e.Answer != nil {
			moved(&e.Answer.FirstByte)
			moved(&e.Answer.LastByte)
			moved(&e.Answer.Ended)
		}
		if e.Count != nil {
			moved(&e.Count.Began)
		}
		if err := w.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

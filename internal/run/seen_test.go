package run

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// witness is a counter that sees what it is told to.
type witness struct {
	n    int64
	seen string
	err  error
}

func (w witness) Count(context.Context, probe.Subject) (int64, error) { return w.n, w.err }

func (w witness) Look(context.Context, probe.Subject) (int64, string, error) {
	return w.n, w.seen, w.err
}

// countedBy records one count and gives it.
func countedBy(t *testing.T, w witness, a probe.Count) trace.Count {
	t.Helper()
	var out strings.Builder
	mask := &trace.Masker{}
	mask.Add("s3cr3t-token", "auth")
	r := &Runner{Mask: mask, Clock: func() int64 { return 1 }, Trace: trace.NewWriter(&out), slots: make(chan struct{}, 1)}
	op := &contract.Operation{Name: "op", Effects: &contract.Effects{Kind: contract.ByHTTP}}
	p := &part{job: &Job{Operation: op, Target: Target{Counter: w}}, plan: &probe.Plan{Step: "duplicate"}, history: probe.NewHistory("duplicate")}
	(&actor{r: r, p: p, trial: "t"}).count(t.Context(), a)
	c, _ := p.history.Trial("t").Counted(a.Label)
	if strings.Contains(out.String(), "s3cr3t") {
		t.Errorf("the trace shows a secret: %s", out.String())
	}
	return c.Count
}

// TestWhatACounterSawIsRecorded where it failed or waited in vain, and nowhere else.
func TestWhatACounterSawIsRecorded(t *testing.T) {
	const seen = "asked GET /v1/charges?token=s3cr3t-token, got {\n  \"items\": []\n}"
	const masked = `asked GET /v1/charges?token=«auth», got { "items": [] }`
	for _, c := range []struct {
		name string
		w    witness
		a    probe.Count
		want string
	}{
		{"waited in vain", witness{0, seen, nil}, probe.Count{Label: "one", Poll: true}, masked},
		{"waited for more than there was before", witness{2, seen, nil}, probe.Count{Label: "one", Poll: true, Above: "before"}, ""},
		{"found", witness{1, seen, nil}, probe.Count{Label: "one", Poll: true}, ""},
		{"nothing before the first", witness{0, seen, nil}, probe.Count{Label: "before"}, ""},
		{"failed", witness{0, seen, errors.New("answered 404 to s3cr3t-token")}, probe.Count{Label: "before"}, masked},
	} {
		if got := countedBy(t, c.w, c.a); got.Seen != c.want {
			t.Errorf("%s: %q, want %q", c.name, got.Seen, c.want)
		}
	}
	long := countedBy(t, witness{0, strings.Repeat("é", 150) + "s3cr3t-token" + strings.Repeat("é", 1000), nil}, probe.Count{Label: "one", Poll: true}).Seen
	if len(long) > mostSeen || !utf8.ValidString(long) || !strings.HasSuffix(long, "...") || !strings.Contains(long, "«auth»") {
		t.Errorf("%d bytes: %q", len(long), long)
	}
	if got := countedBy(t, witness{0, "\xff\x00 x", nil}, probe.Count{Label: "one", Poll: true}).Seen; got != "?\x00 x" {
		t.Errorf("%q", got)
	}
}

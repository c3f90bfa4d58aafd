package probe_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// plantText is a small plant file: one operation of which one request was
// answered.
func plantText(t testing.TB) string {
	t.Helper()
	c, err := contract.Parse("contract.yaml", []byte(charge), nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := trace.NewWriter(&b)
	for _, e := range []*trace.Event{
		{Kind: trace.KindRun, At: 1, Run: &trace.Run{Schema: trace.Schema, ID: "00000000000000a1", File: c.File, SHA256: c.SHA256,
			Contract: charge, Began: "2026-11-30T12:00:00Z", Phase: trace.PhasePlant, Epoch: "2026-11-30T12:00:00.5Z"}},
		{Kind: trace.KindRequest, At: 2, Operation: "create-charge", Step: probe.PlantStep, Request: &trace.Request{ID: "plant/replay-1", Method: "POST"}},
		{Kind: trace.KindSent, At: 3, Operation: "create-charge", Step: probe.PlantStep, Trial: "replay-1", Label: "first",
			Sent: &trace.Sent{Request: "plant/replay-1", WriteBegan: 3, WriteEnded: 4, Whole: true}},
		{Kind: trace.KindAnswer, At: 5, Operation: "create-charge", Step: probe.PlantStep, Trial: "replay-1", Label: "first",
			Answer: &trace.Answer{Request: "plant/replay-1", Outcome: trace.Answered, Status: 201, FirstByte: 5, LastByte: 6}},
		{Kind: trace.KindHarvest, At: 7, Harvest: &trace.Harvest{Run: "00000000000000a2", Uses: []trace.Use{{Operation: "create-charge", Record: "replay-1", As: "replay"}}}},
	} {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func TestReadPlanted(t *testing.T) {
	p, err := probe.ReadPlanted(trace.Read(strings.NewReader(plantText(t))))
	if err != nil || len(p.Records) != 1 || p.Events != 5 || p.Last != 7 || p.Whole {
		t.Fatalf("%v %+v", err, p)
	}
	if r := p.Records[0]; !r.Accepted || r.FirstSent != 3 || r.LastAnswered != 6 || len(r.Uses) != 1 || r.Purpose != probe.ForReplay {
		t.Errorf("%+v", r)
	}
}

// FuzzReadPlanted: whatever a plant file holds, it is read or refused.
func FuzzReadPlanted(f *testing.F) {
	text := plantText(f)
	f.Add([]byte(text))
	f.Add([]byte(text[:len(text)-40]))
	f.Add([]byte(strings.Replace(text, "plant/replay-1", "p", 3)))
	f.Add([]byte(strings.Replace(text, `"phase":"plant"`, `"phase":"harvest"`, 1)))
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := probe.ReadPlanted(trace.Read(bytes.NewReader(src)))
		if err != nil || p == nil {
			return
		}
		c, err := contract.ParseRecorded(p.Run.File, []byte(p.Run.Contract), p.Run.Profile)
		if err != nil {
			return
		}
		for _, op := range c.Operations {
			p.WindowsOf(op)
			p.Standing(op.Name)
		}
	})
}

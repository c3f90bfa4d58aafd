package report

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/idem-toolkit/idem/internal/trace"
)

// jsonDry is the report's least shape with the six sections and the plan: each
// section an object with a member for each operation, and all of them once more
// as parts, which say of each fact whether it is known, and by which line.
type jsonDry struct {
	jsonReport
	RequestFingerprint ordered    `json:"request_fingerprint"`
	StableID           ordered    `json:"stable_id"`
	Duplicate          ordered    `json:"duplicate"`
	Replay             ordered    `json:"replay"`
	Conflict           ordered    `json:"conflict"`
	Retention          ordered    `json:"retention"`
	Parts              []jsonPart `json:"parts"`
	Plan               []jsonPlan `json:"plan"`
	Makes              int        `json:"makes_at_most"`
	Sends              int        `json:"sends_at_most"`
	ExpectMakes        int        `json:"makes_expected"`
	ExpectSends        int        `json:"sends_expected"`
}

type jsonPlan struct {
	Operation string        `json:"operation"`
	Step      string        `json:"step"`
	Idle      *jsonReason   `json:"idle,omitempty"`
	Makes     int           `json:"makes_at_most"`
	Sends     int           `json:"sends_at_most"`
	ExpMakes  int           `json:"makes_expected"`
	ExpSends  int           `json:"sends_expected"`
	Notes     []string      `json:"notes,omitempty"`
	Requests  []jsonPlanned `json:"requests"`
	Actions   []jsonAction  `json:"actions"`
}

type jsonPlanned struct {
	*trace.Request
	Fingerprint string `json:"fingerprint,omitempty"`
}

type jsonAction struct {
	Depth  int    `json:"depth"`
	Action string `json:"action"`
	Text   string `json:"text"`
}

func writeDryJSON(b *bytes.Buffer, d Dry, o Options) error {
	out := jsonDry{jsonReport: reportJSON(d.asReport(), o), Parts: partsJSON(d.Operations), Plan: []jsonPlan{}}
	out.Contract.Name = d.Name
	t := d.totals()
	out.Makes, out.Sends, out.ExpectMakes, out.ExpectSends = t.Makes, t.Sends, t.ExpectMakes, t.ExpectSends
	parts := []*ordered{&out.RequestFingerprint, &out.StableID, &out.Duplicate, &out.Replay, &out.Conflict, &out.Retention}
	for _, op := range d.Operations {
		for i, s := range op.Sections.named() {
			*parts[i] = append(*parts[i], member{op.Name, factsJSON(s.facts)})
		}
		for _, s := range op.Steps {
			out.Plan = append(out.Plan, planJSON(op.Name, s, o.Auth))
		}
	}
	return encode(b, out)
}

func planJSON(operation string, s DryStep, auth [][2]string) jsonPlan {
	p := jsonPlan{
		Operation: operation, Step: s.Step, Makes: s.Makes, Sends: s.Sends, ExpMakes: s.ExpectMakes, ExpSends: s.ExpectSends, Notes: s.Notes,
		Requests: mapped(s.Requests, func(q DryRequest) jsonPlanned {
			sent := *q.Request
			sent.Header = slices.Concat(q.Header, auth)
			return jsonPlanned{&sent, q.Fingerprint}
		}),
		Actions: mapped(s.Lines, func(l PlanLine) jsonAction { return jsonAction(l) }),
	}
	if s.Idle.Text != "" {
		idle := jsonReason(s.Idle)
		p.Idle = &idle
	}
	return p
}

func factsJSON(facts []Fact) ordered {
	out := ordered{}
	for _, f := range facts {
		out = append(out, member{f.Name, f.json()})
	}
	return out
}

// json is a fact's value: null where it is open.
func (f Fact) json() any {
	switch {
	case f.Open:
		return nil
	case f.List != nil:
		return f.List
	}
	return f.Value
}

// ordered is a JSON object that keeps its members' order.
type ordered []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (o ordered) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		for _, part := range []any{m.name, m.value} {
			text, err := json.Marshal(part)
			if err != nil {
				return nil, err
			}
			b = append(b, text...)
			b = append(b, ':')
		}
		b = b[:len(b)-1]
	}
	return append(b, '}'), nil
}

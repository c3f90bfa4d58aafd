package probe

import (
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Hide registers with a masker what stands at sensitive places of the plan's
// bodies, under the place's pointer as its label.
func (p *Plan) Hide(m *trace.Masker, sensitive []fingerprint.Pointer) {
	for _, at := range sensitive {
		for _, q := range p.Requests {
			body, err := fingerprint.Parse(q.Body)
			if err != nil {
				continue
			}
			if v, ok := body.At(at); ok {
				hideValue(m, v, at.String())
			}
		}
	}
}

// hideValue masks every scalar of a value.
func hideValue(m *trace.Masker, v *fingerprint.Value, label string) {
	m.Add(v.Str, label)
	m.Add(v.Number, label)
	for _, item := range v.Items {
		hideValue(m, item, label)
	}
	for _, member := range v.Members {
		hideValue(m, member.Value, label)
	}
}

// Masked is a request as it may be shown.
func (q *Request) Masked(m *trace.Masker) *Request {
	out := *q
	out.Target, out.Key, out.Header, out.Body = m.Text(q.Target), m.Text(q.Key), m.Header(q.Header), m.Bytes(q.Body)
	return &out
}

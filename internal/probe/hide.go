package probe

import (
	"net/url"
	"strings"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Hide registers with a masker what stands at sensitive places of the plan's
// bodies, under the place's pointer as its label.
func (p *Plan) Hide(m *trace.Masker, sensitive []fingerprint.Pointer) {
	for _, at := range sensitive {
		for _, q := range p.Requests {
			for _, v := range q.at(at) {
				hideValue(m, v, at.String())
			}
		}
	}
}

// at gives the values at a pointer of the request's body: of JSON, or of a form,
// where a pointer has one token and a field may come several times.
func (q *Request) at(p fingerprint.Pointer) []*fingerprint.Value {
	for _, media := range trace.Get(q.Header, "Content-Type") {
		if essence, _, _ := strings.Cut(media, ";"); !strings.EqualFold(strings.TrimSpace(essence), formMedia) {
			continue
		}
		fields, err := url.ParseQuery(string(q.Body))
		if err != nil || len(p) != 1 {
			return nil
		}
		var out []*fingerprint.Value
		for _, text := range fields[p[0]] {
			out = append(out, &fingerprint.Value{Kind: fingerprint.KindString, Str: text})
		}
		return out
	}
	body, err := fingerprint.Parse(q.Body)
	if err != nil {
		return nil
	}
	if v, ok := body.At(p); ok {
		return []*fingerprint.Value{v}
	}
	return nil
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

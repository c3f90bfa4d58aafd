package fingerprint

import (
	"encoding/hex"
	"hash"

	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
)

// Printer makes the fingerprints of many payloads under one policy, with the
// same buffers and one derived key. It is not safe for concurrent use.
type Printer struct {
	policy        Policy
	canonicaliser Canonicaliser
	sensitive     *canon.Finder // of the places that are called so; nil where none needs a look
	spans         []canon.Span

	hash hash.Hash
	head string // before the digits
	text []byte
	sum  []byte
}

// Printer makes one. It fails with *problem.Error for a key that is none.
func (p Policy) Printer() (*Printer, error) {
	h, head, err := p.hasher(payloadForm)
	if err != nil {
		return nil, err
	}
	printer := &Printer{policy: p, canonicaliser: Canonicaliser{Numbers: p.Numbers, Engine: p.Engine}, hash: h, head: head}
	if !p.shows() && len(p.Sensitive) > 0 {
		paths := make([][]string, len(p.Sensitive))
		for i, pointer := range p.Sensitive {
			paths[i] = pointer
		}
		printer.sensitive = canon.NewFinder(paths)
	}
	return printer, nil
}

// Append appends the fingerprint of a JSON text, as Payload gives it. At an
// error out comes back as it was.
func (p *Printer) Append(out, payload []byte) ([]byte, error) {
	text, err := p.canonicaliser.Append(canon.Reused(p.text), payload)
	if err != nil {
		return out, Mask(err, p.policy.Sensitive)
	}
	p.text = text
	if err := p.allows(payload); err != nil {
		return out, err
	}
	p.hash.Reset()
	p.hash.Write(text)
	p.sum = p.hash.Sum(p.sum[:0])
	return hex.AppendEncode(append(out, p.head...), p.sum), nil
}

// allows refuses the unkeyed form where it would give something away of the
// payload, whose canonical form p.text is.
func (p *Printer) allows(payload []byte) error {
	if p.policy.shows() {
		return nil
	}
	if p.sensitive != nil {
		p.spans = p.sensitive.Find(p.text, p.spans)
		for i, s := range p.spans {
			if s.End > 0 {
				return calledSensitive(p.policy.Sensitive[i]).refusal("")
			}
		}
	}
	if !p.policy.byLooks() {
		return nil
	}
	if f, found := looksPrivate(payload); found {
		return f.refusal("")
	}
	return nil
}

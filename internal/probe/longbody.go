package probe

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/trace"
)

// NoValue is ValueDigest's word for bytes that are no JSON.
const NoValue = "none"

// ValueDigest tells two answers apart that are longer than a trace keeps: the
// SHA-256, hexadecimal, of a body's canonical form (RFC 8785) without what the
// promise says may differ; NoValue where it is no JSON. Where a canonical form
// would not tell its numbers apart, such as ids beyond 2^53, they are taken as
// they are spelled, and the digest is "spelled:", one that leaves numbers out, ":"
// and one with them.
func ValueDigest(op *contract.Operation, body []byte) string {
	v, err := fingerprint.Parse(body)
	if err != nil {
		return NoValue
	}
	for _, text := range op.Promise.Ignore {
		if p, err := fingerprint.ParsePointer(text); err == nil {
			v = without(v, p)
		}
	}
	if canonical, err := v.Canonical(fingerprint.Strict, ""); err == nil {
		return digestOf(canonical)
	}
	spelled, err := withNumbers(v, func(literal string) string { return "number " + literal })
	alone, err2 := withNumbers(v, func(string) string { return "" })
	if err != nil || err2 != nil {
		return ""
	}
	return asSpelled + alone + ":" + spelled
}

const asSpelled = "spelled:"

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// withNumbers is the digest of a value whose numbers are texts.
func withNumbers(v *fingerprint.Value, text func(literal string) string) (string, error) {
	canonical, err := textsFor(v, text).Canonical(fingerprint.Strict, "")
	return digestOf(canonical), err
}

func textsFor(v *fingerprint.Value, text func(string) string) *fingerprint.Value {
	c := *v
	if v.Kind == fingerprint.KindNumber {
		return fingerprint.String(text(v.Number))
	}
	c.Items, c.Members = slices.Clone(v.Items), slices.Clone(v.Members)
	for i, item := range v.Items {
		c.Items[i] = textsFor(item, text)
	}
	for i, m := range v.Members {
		c.Members[i].Value = textsFor(m.Value, text)
	}
	return &c
}

// maybeOne says that two digests as spelled may be of one value: all but the
// numbers are the same, and a number may be spelled in two ways.
func maybeOne(a, b string) bool {
	restA, okA := strings.CutPrefix(a, asSpelled)
	restB, okB := strings.CutPrefix(b, asSpelled)
	aloneA, _, _ := strings.Cut(restA, ":")
	aloneB, _, _ := strings.Cut(restB, ":")
	return a != b && (okA != okB || okA && aloneA == aloneB)
}

// without takes a place out of a value. An array's item becomes null, so that
// the others keep their places.
func without(v *fingerprint.Value, at fingerprint.Pointer) *fingerprint.Value {
	null := &fingerprint.Value{Kind: fingerprint.KindNull}
	if len(at) == 0 {
		return null
	}
	parent, ok := v.At(at[:len(at)-1])
	if !ok {
		return v
	}
	last := at[len(at)-1]
	switch parent.Kind {
	case fingerprint.KindObject:
		parent.Members = slices.DeleteFunc(parent.Members, func(m fingerprint.Member) bool { return m.Name == last })
	case fingerprint.KindArray:
		for i := range parent.Items {
			if itoa(int64(i)) == last {
				parent.Items[i] = null
			}
		}
	}
	return v
}

// longDifferences compares bodies of which the trace keeps the beginning of
// one at least, as JSON.
func (r rules) longDifferences(a, b trace.Body) []difference {
	va, vb := r.valueOf(a), r.valueOf(b)
	size := func(d trace.Body, v string) string {
		if v == NoValue {
			return itoa(d.Size) + " bytes that are no JSON"
		}
		return itoa(d.Size) + " bytes"
	}
	switch {
	case va != vb && (va == NoValue || vb == NoValue):
		return []difference{{what: "body", a: size(a, va), b: size(b, vb)}}
	case va == "" || vb == "", maybeOne(va, vb):
		return []difference{{what: "body beyond what the trace holds", unknown: true}}
	case va != vb, va == NoValue:
		return []difference{{what: "body", a: size(a, va), b: size(b, vb)}}
	}
	return nil
}

func (r rules) valueOf(b trace.Body) string {
	if b.Truncated {
		return b.Value
	}
	return ValueDigest(r.op, bodyOf(b))
}

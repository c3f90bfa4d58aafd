package probe

import (
	"slices"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/trace"
)

// difference is one respect in which a replay is not the first answer.
type difference struct {
	what    string // "status", "body at /id", "header Location"
	a, b    string
	unknown bool // the trace does not hold enough to tell
}

// differences compares a replay with the first answer by the promise: status,
// body (json or bytes, less ignored pointers) and the headers named.
func (r rules) differences(first, again *Exchange) []difference {
	if !first.Whole() || !again.Whole() {
		return []difference{{what: "answer", a: r.describe(first), b: r.describe(again)}}
	}
	var out []difference
	a, b := first.Answer, again.Answer
	if a.Status != b.Status {
		out = append(out, difference{what: "status", a: strconv.Itoa(a.Status), b: strconv.Itoa(b.Status)})
	}
	out = append(out, r.bodyDifferences(a.Body, b.Body)...)
	return append(append(out, r.headerDifferences(a, b)...), r.placeDifferences(a, b)...)
}

func (r rules) headerDifferences(a, b *trace.Answer) []difference {
	var out []difference
	for _, name := range r.op.Promise.SameHeaders {
		va, vb := trace.Get(a.Header, name), trace.Get(b.Header, name)
		if !slices.Equal(va, vb) {
			out = append(out, difference{what: "header " + name, a: absent(strings.Join(va, ", ")), b: absent(strings.Join(vb, ", "))})
		}
	}
	return out
}

func (r rules) bodyDifferences(a, b trace.Body) []difference {
	if a.StillCoded != b.StillCoded {
		return []difference{{what: "body", a: coded(a), b: coded(b)}}
	}
	if a.SHA256 == b.SHA256 && a.Size == b.Size {
		return nil
	}
	if r.op.Promise.Compare == "bytes" {
		return []difference{{what: "body bytes", a: short(bodyOf(a)), b: short(bodyOf(b))}}
	}
	if a.Truncated || b.Truncated {
		return r.longDifferences(a, b)
	}
	va, errA := fingerprint.Parse(bodyOf(a))
	vb, errB := fingerprint.Parse(bodyOf(b))
	if errA != nil || errB != nil {
		return []difference{{what: "body bytes", a: short(bodyOf(a)), b: short(bodyOf(b))}}
	}
	var out []difference
	for _, d := range fingerprint.Diff(va, vb, fingerprint.DiffOptions{}) {
		if !d.Matters || r.ignored(d.Pointer) || d.Other != "" && r.ignored(d.Other) {
			continue
		}
		out = append(out, difference{what: "body at " + pointerName(d.Pointer), a: absent(d.Before), b: absent(d.After)})
	}
	return out
}

func coded(b trace.Body) string {
	if b.StillCoded {
		return "not what its Content-Encoding says"
	}
	return "readable"
}

// ignored says that an answer pointer, or one above it, may differ.
func (r rules) ignored(pointer string) bool {
	for _, p := range r.op.Promise.Ignore {
		if pointer == p || strings.HasPrefix(pointer, p+"/") {
			return true
		}
	}
	return false
}

func absent(json string) string {
	if json == "" {
		return "absent"
	}
	return json
}

func pointerName(p string) string {
	if p == "" {
		return "the whole"
	}
	return p
}

// replay says what is wrong with an answer that should be the duplicate's by
// the promise; nothing where it is right.
func (r rules) replay(first, again *Exchange) []difference {
	switch d := r.op.Promise.Duplicate.Value; d.Mode {
	case "replay":
		return r.differences(first, again)
	case "current":
		if r.accepted(again) {
			return append(r.sameResource(first, again), r.headerDifferences(first.Answer, again.Answer)...)
		}
		return []difference{{what: "status", a: "a success", b: r.describe(again)}}
	default:
		switch {
		case !again.Whole() || !r.matches(d.Match, again.Answer):
			return []difference{{what: "answer", a: d.Match.String(), b: r.describe(again)}}
		case !r.linked(again.Answer):
			return []difference{{what: "link at " + d.Link, a: "a link to the resource", b: "absent"}}
		}
		return nil
	}
}

// resource is what is compared of a present state.
const resource = "the resource"

// sameResource compares what names the resource where the present state may
// differ: the member /id of both bodies, or else the Location field of both.
// Where there is neither, whether it is the same is unknown.
func (r rules) sameResource(first, again *Exchange) []difference {
	id := fingerprint.Pointer{"id"}
	va, errA := fingerprint.Parse(bodyOf(first.Answer.Body))
	vb, errB := fingerprint.Parse(bodyOf(again.Answer.Body))
	if r.ignored("/id") {
		return nil
	}
	unnamed := []difference{{what: resource, unknown: true}}
	if sameLocation(first.Answer, again.Answer) {
		unnamed = nil
	}
	if errA != nil || errB != nil {
		return unnamed
	}
	a, okA := va.At(id)
	b, okB := vb.At(id)
	if !okA || !okB {
		return unnamed
	}
	if ta, tb := scalarText(a), scalarText(b); ta != tb {
		return []difference{{what: "body at /id", a: ta, b: tb}}
	}
	return nil
}

func sameLocation(a, b *trace.Answer) bool {
	one, two := trace.Get(a.Header, "Location"), trace.Get(b.Header, "Location")
	return len(one) == 1 && slices.Equal(one, two) && one[0] != ""
}

// varies says that the answers of two operations, alike in all but the key,
// differ in more than the key that they tell: then an answer that comes again
// is a stored one.
func (r rules) varies(one, two *Exchange) bool {
	a, b := withoutKey(one), withoutKey(two)
	shown, _ := told(append(r.bodyDifferences(a.Body, b.Body), r.headerDifferences(&a, &b)...))
	return len(shown) > 0
}

// withoutKey gives an exchange's answer with the request's key blotted out.
func withoutKey(x *Exchange) trace.Answer {
	a := *x.Answer
	if x.Request == nil || x.Request.Key == "" {
		return a
	}
	blot := func(s string) string { return strings.ReplaceAll(s, x.Request.Key, "key") }
	head := blot(string(bodyOf(a.Body)))
	// The digest only has to tell two bodies apart here.
	a.Body = trace.Body{Size: int64(len(head)), SHA256: head, Head: head, Truncated: a.Body.Truncated}
	a.Header = slices.Clone(a.Header)
	for i, f := range a.Header {
		a.Header[i][1] = blot(f[1])
	}
	return a
}

// told splits differences into those that are shown and those that the trace
// cannot tell.
func told(ds []difference) (shown []difference, unknown bool) {
	for _, d := range ds {
		if d.unknown {
			unknown = true
			continue
		}
		shown = append(shown, d)
	}
	return shown, unknown
}

// list writes differences for a sentence: the first of them.
func list(ds []difference) string {
	const most = 3
	var parts []string
	for i, d := range ds {
		if i == most {
			parts = append(parts, "and "+strconv.Itoa(len(ds)-most)+" more")
			break
		}
		parts = append(parts, d.what+" was "+d.a+", now "+d.b)
	}
	return strings.Join(parts, "; ")
}

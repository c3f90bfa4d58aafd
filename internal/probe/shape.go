package probe

import (
	"mime"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/trace"
)

// shape is what the answers of one operation have in common whatever their
// values: a result that was lost is mostly answered in another.
type shape struct {
	status  int
	media   string          // media type without its parameters; empty: none
	kind    string          // of the body: "object", "array", "value", "text", "nothing", "unknown"
	members map[string]bool // pointers of object members; what stands in arrays is data
}

// firstLabels are the labels under which operations are sent for the first time
// with nothing in their way.
var firstLabels = map[string]bool{"one": true, "other-key": true, "first": true, "volley": true}

// shapeOf reads an answer. Members of ignored pointers do not count.
func (r rules) shapeOf(a *trace.Answer) shape {
	s := shape{status: a.Status, kind: "nothing", members: map[string]bool{}}
	if v := trace.Get(a.Header, "Content-Type"); len(v) > 0 {
		s.media, _, _ = mime.ParseMediaType(v[0])
	}
	switch {
	case a.Body.Size == 0:
		return s
	case a.Body.Truncated:
		s.kind = "unknown"
		return s
	}
	v, err := fingerprint.Parse(bodyOf(a.Body))
	if err != nil {
		s.kind = "text"
		return s
	}
	switch v.Kind {
	case fingerprint.KindObject:
		s.kind = "object"
		r.members(s.members, v, "")
	case fingerprint.KindArray:
		s.kind = "array"
	default:
		s.kind = "value"
	}
	return s
}

func (r rules) members(into map[string]bool, v *fingerprint.Value, at string) {
	for _, m := range v.Members {
		p := at + fingerprint.Pointer{m.Name}.String()
		if r.ignored(p) {
			continue
		}
		into[p] = true
		if m.Value.Kind == fingerprint.KindObject {
			r.members(into, m.Value, p)
		}
	}
}

// misshapen says in which respect an answer is none of the shapes that first
// answers had: a status, media type or kind of body that none of them had, or
// without a member that all of them have; "" where it is one. Members that
// come beside those are no loss.
func misshapen(known []shape, s shape) string {
	if len(known) == 0 {
		return ""
	}
	had := func(same func(shape) bool) bool { return slices.ContainsFunc(known, same) }
	one := known[0]
	switch {
	case !had(func(k shape) bool { return k.status == s.status }):
		return "status was " + itoa(int64(one.status)) + ", now " + itoa(int64(s.status))
	case had(func(k shape) bool { return k.kind == "unknown" }) || s.kind == "unknown":
		return ""
	case !had(func(k shape) bool { return k.media == s.media }):
		return "media type was " + orAbsent(one.media) + ", now " + orAbsent(s.media)
	case !had(func(k shape) bool { return k.kind == s.kind }):
		return "body was " + one.kind + ", now " + s.kind
	}
	var lost []string
	for p := range one.members {
		if s.kind == "object" && !s.members[p] && !had(func(k shape) bool { return k.kind == "object" && !k.members[p] }) {
			lost = append(lost, p)
		}
	}
	if len(lost) == 0 {
		return ""
	}
	slices.Sort(lost)
	return "body without " + strings.Join(lost, ", ")
}

func orAbsent(s string) string {
	if s == "" {
		return "absent"
	}
	return s
}

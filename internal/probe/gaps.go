package probe

import (
	"slices"
	"strings"
)

// Gap is a part of the request that the server's fingerprint does not cover: a
// change of it alone got the first result.
type Gap struct {
	What  string // a JSON Pointer where one value was changed, else the change: "/items in another order"
	After string // "" at once; "replay", "restart": only then
}

// notCovered keeps a gap by its case's name; one that is known keeps when it
// was found first.
func (j *judging) notCovered(name string) {
	change, after := when(name)
	if !j.gap(change) {
		e := &j.result.Evidence
		e.NotCovered = append(e.NotCovered, Gap{strings.TrimSuffix(change, changedSuffix), after})
	}
}

// gap says that a change is known not to be covered.
func (j *judging) gap(change string) bool {
	what := strings.TrimSuffix(change, changedSuffix)
	return slices.ContainsFunc(j.result.Evidence.NotCovered, func(g Gap) bool { return g.What == what })
}

// tellGaps measures what the fingerprint leaves out, and tells it in the
// finding too.
func (j *judging) tellGaps() {
	gaps := j.result.Evidence.NotCovered
	if len(gaps) == 0 {
		return
	}
	var parts []string
	for _, after := range []string{"", "replay", "restart"} {
		var what []string
		for _, g := range gaps {
			if g.After == after {
				what = append(what, g.What)
			}
		}
		switch {
		case len(what) == 0:
		case after == "":
			parts = append(parts, strings.Join(what, ", "))
		default:
			parts = append(parts, "after a "+after+" "+strings.Join(what, ", "))
		}
	}
	text := strings.Join(parts, "; ")
	j.measure("not covered", text, "the fingerprint does not cover "+text)
	for i := range j.result.Findings {
		if f := &j.result.Findings[i]; f.Slug == "conflict/first-result-returned" {
			f.Actual += "; the fingerprint does not cover " + text
		}
	}
}

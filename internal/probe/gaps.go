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

// partOfGap says that a gap goes without saying: of a value that is not covered
// at all, digits at its end are not either.
func (j *judging) partOfGap(g Gap) bool {
	value, _, found := strings.Cut(g.What, ", ")
	return found && slices.ContainsFunc(j.result.Evidence.NotCovered, func(all Gap) bool {
		return all.What == value && (all.After == "" || all.After == g.After)
	})
}

// enumerated lists changes, which may have commas of their own.
func enumerated(what []string) string {
	if slices.ContainsFunc(what, func(s string) bool { return strings.Contains(s, ", ") }) {
		return strings.Join(what, "; ")
	}
	return strings.Join(what, ", ")
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
			if g.After == after && !j.partOfGap(g) {
				what = append(what, g.What)
			}
		}
		switch {
		case len(what) == 0:
		case after == "":
			parts = append(parts, enumerated(what))
		default:
			parts = append(parts, "after a "+after+" "+enumerated(what))
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

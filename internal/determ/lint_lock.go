package determ

import (
	"errors"
	"time"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// lock holds the recipe to what its folder's lock says of it and of its
// earlier versions.
func (l *linter) lock(lock *Lock, now time.Time) {
	if lock == nil {
		return
	}
	if err := lock.Check(l.recipe); err != nil {
		var p *problem.Error
		if errors.As(err, &p) {
			l.add("lock-changed", LevelError, l.recipe.node, p.Hint, p.What)
		}
		return
	}
	known := len(lock.versions(l.recipe.Triple)) > 0
	for _, listed := range l.recipe.All() {
		t := listed.Recipe.Triple
		if lock.Has(t) {
			continue
		}
		what := "the " + string(listed.State) + " version " + t.String() + " is not in " + lock.File + " yet"
		if !known {
			what = lock.File + " holds other recipes and not this one: nobody would notice that the IDs of its " +
				string(listed.State) + " version change"
		}
		l.add("lock-missing", LevelWarning, versionAt(listed.Recipe), "idem recipe lock "+l.recipe.File, what)
	}
	l.unlisted(lock, now)
}

// versionAt is where a recipe, or an entry of previous or next, says its
// version.
func versionAt(r *Recipe) *document.Node {
	if n := r.node.Lookup("version"); n != nil {
		return n
	}
	return r.node
}

// unlisted: a version that was in use and is not listed is not looked up, so
// that a retry of what it identified looks new (determ-v1, Changing a recipe).
// One that was listed until its time had passed is done with.
func (l *linter) unlisted(lock *Lock, now time.Time) {
	listed := map[int]bool{}
	for _, v := range l.recipe.All() {
		listed[v.Recipe.Version] = true
	}
	for _, version := range lock.versions(l.recipe.Triple) {
		earlier := l.recipe.Triple
		earlier.Version = version
		until, promised := lock.until[earlier.String()]
		if version >= l.recipe.Version || listed[version] || promised && now.After(until) {
			continue
		}
		why := "is not listed under previous"
		if promised {
			why = "was taken off previous before " + until.Format(time.RFC3339)
		} else {
			until = now.AddDate(0, 0, 30).UTC().Truncate(24 * time.Hour)
		}
		hint := "previous: [{version: " + itoa(version) + ", until: " + until.Format(time.RFC3339) + "}]"
		if !same(lock.digests[earlier.String()], l.recipe.Digest()) {
			hint += ", with the prefix, encode, numbers or identity that it had"
		}
		hint += "; until is the switch and the longest retry, at least"
		at := versionAt(l.recipe)
		l.findings = append(l.findings, Finding{Slug: "previous-missing", Level: LevelWarning, Where: at.At(), Line: at.Line, Column: at.Column,
			Message: "version " + itoa(version) + " is in " + lock.File + " and " + why + ": a retry of an operation that it identified would look new",
			Hint:    hint, Allow: "previous-missing:" + itoa(version)})
	}
}

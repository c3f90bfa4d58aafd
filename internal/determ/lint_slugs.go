package determ

import "slices"

// LintSlugs gives the slug of everything that lint can find. A slug is for
// ever: one is added, never renamed or taken out.
func LintSlugs() []string {
	return []string{
		"missing-boundary", "boundary-says-nothing", "customer-and-amount", "volatile-time", "volatile-id", "volatile-ciphertext", "volatile-caller",
		"empty-value", "private-value", "sensitive-nowhere", "whole-payload", "identity-may-be-empty",
		"example-missing", "example-fails", "example-id-missing", "example-wrong",
		"lock-changed", "lock-missing", "previous-missing", "previous-expired", "version-outgrows-limits", "triple-twice",
	}
}

// Refused says whether every other command refuses a recipe with this finding,
// so that nothing is gained by leaving it out.
func Refused(slug string) bool { return slug == "missing-boundary" || slug == "lock-changed" }

// allowance gives what leaves a finding out where the recipe is right: its slug,
// or SLUG:FIELD for one identity field. It is empty where lint does not judge
// by looks: then the recipe is what must change.
func (f Finding) allowance() string {
	facts := []string{"missing-boundary", "lock-changed", "identity-may-be-empty", "example-fails", "example-id-missing", "example-wrong", "triple-twice"}
	switch {
	case slices.Contains(facts, f.Slug):
		return ""
	case f.Field != "":
		return f.Slug + ":" + f.Field
	}
	return f.Slug
}

package determ

// LintRun remembers the recipes of one run over several files. Its zero value
// has seen none.
type LintRun struct {
	seen map[string]writtenAt // Triple.String() to what was first seen under it
}

type writtenAt struct{ digest, where string }

// run: a triple names one recipe for ever, in whatever file it is written
// (determ-v1, Words). A file that lists the same version again agrees.
func (l *linter) run(run *LintRun) {
	if run == nil {
		return
	}
	if run.seen == nil {
		run.seen = map[string]writtenAt{}
	}
	for _, listed := range l.recipe.All() {
		r := listed.Recipe
		triple, at := r.Triple.String(), versionAt(r)
		first, known := run.seen[triple]
		if !known {
			run.seen[triple] = writtenAt{r.Digest(), at.At()}
			continue
		}
		if !same(first.digest, r.Digest()) {
			l.add("triple-twice", LevelError, at, "give one of the two an operation or a version of its own",
				triple+" is written in "+first.where+" too, with another prefix, encode, numbers or identity")
		}
	}
}

package determ

import (
	"sort"
	"time"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// Level says what a finding means for the exit code.
type Level string

// The levels.
const (
	LevelError   Level = "error"   // the recipe will charge twice, or one charge for two
	LevelWarning Level = "warning" // it may
)

// Finding is one thing that lint says of a recipe. Slugs are for ever.
type Finding struct {
	Slug    string `json:"slug"`
	Level   Level  `json:"level"`
	Where   string `json:"where"` // "file:line:column"
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Field   string `json:"field,omitempty"` // the identity field, where it is about one
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Allow   string `json:"allow,omitempty"` // leaves it out, where the recipe is right as it is; empty where it cannot be
}

// LintOptions are what a recipe is held against besides itself.
type LintOptions struct {
	Now  time.Time // tells which previous versions may go
	Lock *Lock     // of the recipe's folder; nil where there is none
	Run  *LintRun  // what the recipes before this one were; nil for one alone

	Engine fingerprint.Engine // who writes canonical forms
}

// Lint reads a recipe and says what is wrong or doubtful with it, in the
// file's order. The error is for a file that is no recipe at all, and where two
// engines differ; a missing boundary is a finding.
func Lint(file string, src []byte, o LintOptions) ([]Finding, error) {
	n, err := document.Parse(file, src)
	if err != nil {
		return nil, err
	}
	r, err := readRecipe(n, false)
	if err != nil {
		return nil, err
	}
	if err := r.Use(o.Engine); err != nil {
		return nil, err
	}
	l := &linter{recipe: r}
	l.boundary()
	for _, listed := range append([]Listed{{State: Current, Recipe: r}}, r.Next...) {
		l.identity(listed.Recipe)
		l.room(listed.Recipe)
	}
	l.example()
	l.listed(o.Now)
	l.lock(o.Lock, o.Now)
	l.run(o.Run)
	if l.broken != nil {
		return nil, l.broken
	}
	for i, f := range l.findings {
		if f.Allow == "" {
			l.findings[i].Allow = f.allowance()
		}
	}
	sort.SliceStable(l.findings, func(i, j int) bool {
		a, b := l.findings[i], l.findings[j]
		return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
	})
	return l.findings, nil
}

type linter struct {
	recipe   *Recipe
	findings []Finding
	selected *Selected // of the example; nil where it has none
	broken   error     // two engines differ
	seen     map[*document.Node]map[string]bool
}

// add notes a finding once a place and slug: the next version often shares
// its identity with the current one.
func (l *linter) add(slug string, level Level, at *document.Node, hint, message string) *Finding {
	if l.seen == nil {
		l.seen = map[*document.Node]map[string]bool{}
	}
	if l.seen[at] == nil {
		l.seen[at] = map[string]bool{}
	}
	f := Finding{Slug: slug, Level: level, Where: at.At(), Line: at.Line, Column: at.Column, Message: message, Hint: hint}
	if l.seen[at][slug] {
		return &f
	}
	l.seen[at][slug] = true
	l.findings = append(l.findings, f)
	return &l.findings[len(l.findings)-1]
}

// about is add for one identity field.
func (l *linter) about(e *Entry, slug string, level Level, hint, message string) {
	l.add(slug, level, e.at, hint, "identity field "+document.Show(e.Name)+" "+message).Field = e.Name
}

// room: a version with more digits must still fit.
func (l *linter) room(r *Recipe) {
	const later = 999
	if r.Limits.at == nil || r.Version >= later {
		return
	}
	if why := r.Limits.refuse(r.Encode.length(r.Prefix, later), r.Encode.characters(r.Prefix)); why != "" {
		l.add("version-outgrows-limits", LevelWarning, r.Limits.at, "a shorter prefix, or encode: short",
			"an ID of version 999 would be outside the limits: "+why)
	}
}

// listed: a previous version that every retry has outlived only costs lookups.
func (l *linter) listed(now time.Time) {
	for _, p := range l.recipe.Previous {
		if now.After(p.Until) {
			l.add("previous-expired", LevelWarning, p.Recipe.node, "take it off the list once no retry can need it",
				"the previous version was to be listed until "+p.Until.Format(time.RFC3339)+", which has passed")
		}
	}
}

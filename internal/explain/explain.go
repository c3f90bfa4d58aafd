// Package explain is what idem knows about each way a promise can break: what
// it means for money, how it comes about, how to fix it, and which evidence
// shows it; and so of each way a recipe can be wrong. It is data and a lookup;
// one file holds one step and its slugs, recipe.go and recipe_kept.go those of
// recipe lint.
//
// A slug is permanent: people grep for it, waive it and link to it. An entry
// may be reworded, never renamed or removed (contract-v1, Verdicts).
package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Entry explains one slug. Texts are plain sentences on one line.
type Entry struct {
	Slug     string   `json:"slug"`  // "duplicate/effect-ran-twice"
	Title    string   `json:"title"` // what happened, in a few words, lower case
	Money    string   `json:"money"` // what it means for who pays and who is paid
	Causes   []string `json:"causes"`
	Fixes    []string `json:"fixes"`
	Evidence string   `json:"evidence"` // what was sent and counted to show it
}

// Step gives the step that shows the entry: the slug up to its slash.
func (e Entry) Step() string {
	step, _, _ := strings.Cut(e.Slug, "/")
	return step
}

// Term is a word of a step's evidence and what it means, in plain sentences on
// one line.
type Term struct {
	Word  string `json:"word"`
	Means string `json:"means"`
}

// Step explains one step of the check. Of recipe lint, which is none, it has
// no Unsure and no Needs.
type Step struct {
	Name     string   `json:"step"`
	Asks     string   `json:"asks"`         // the question that it answers
	Does     []string `json:"does"`         // what it sends and counts, in order
	Controls []string `json:"controls"`     // what must hold for its verdict to mean anything
	Pass     string   `json:"pass"`         // what a pass needs
	Unsure   string   `json:"inconclusive"` // what makes it inconclusive
	Needs    string   `json:"needs"`        // what the contract must say
	Terms    []Term   `json:"terms,omitempty"`
	Entries  []Entry  `json:"findings"`
}

// Controls that several steps have alike.
const (
	unitControl      = "counter: one operation gives the unit u; the same values under another key must give 2u; new values start at 0"
	otherKeysControl = "environment: a 429, 5xx or reset that the contract does not declare is tried with as many other keys; if they meet it too, it was not the key's doing"
)

// steps are all steps in the report's order.
var steps = []*Step{&duplicate, &concurrent, &conflict, &reorder, &crash, &expiry,
	&slow, &disconnect, &outcome,
	&missingKey, &binding, &scope,
	&fidelity,
	&keyRules, &replicas, &storeDown,
}

// Steps gives all steps in the order of a report.
func Steps() []*Step { return slices.Clone(steps) }

// Topics gives everything that is explained: the steps, then recipe lint.
func Topics() []*Step { return append(Steps(), &recipe) }

// FindStep gives the step of that name, or "recipe", nil where there is none.
func FindStep(name string) *Step {
	for _, s := range Topics() {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Find gives the entry of a slug, nil where there is none. Those of recipe
// lint are found without "recipe/" too, as lint prints them.
func Find(slug string) *Entry {
	step, _, parted := strings.Cut(slug, "/")
	if !parted {
		step, slug = recipe.Name, recipe.Name+"/"+slug
	}
	s := FindStep(step)
	if s == nil {
		return nil
	}
	for i := range s.Entries {
		if s.Entries[i].Slug == slug {
			return &s.Entries[i]
		}
	}
	return nil
}

// Title gives the title of a slug, "" where it is not known.
func Title(slug string) string {
	if e := Find(slug); e != nil {
		return e.Title
	}
	return ""
}

// near is how many letters, of all that a word and a name have together, may
// differ at most for the name to be offered: a fourth.
const near = 4

// Near gives the names of steps and slugs that a mistyped word most likely
// meant, nearest first, at most five. A word without a step ("effect-missing")
// meets every slug that ends so, a part of a slug ("stuck") every slug with it.
func Near(word string) []string {
	word = strings.ToLower(word)
	if len(word) > 80 {
		return nil
	}
	type candidate struct {
		name string
		far  int
	}
	var found []candidate
	offer := func(name, part string) {
		far := problem.Distance(word, part)
		if len(word) >= near && strings.Contains(name, word) {
			far = 0
		}
		if far*near <= len(word)+len(part) && far < len(part) {
			found = append(found, candidate{name, far})
		}
	}
	for _, s := range Topics() {
		offer(s.Name, s.Name)
		for _, e := range s.Entries {
			if strings.Contains(word, "/") {
				offer(e.Slug, e.Slug)
			} else {
				offer(e.Slug, e.Slug[len(s.Name)+1:])
			}
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
	var names []string
	for _, c := range found {
		if len(names) < 5 && c.far <= found[0].far+2 {
			names = append(names, c.name)
		}
	}
	return names
}

package explain

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/determ"
)

// permanent lists every slug that was ever printed. A line is added, never
// changed and never removed.
const permanent = `
duplicate/effect-ran-twice duplicate/effect-missing duplicate/other-answer duplicate/refused
duplicate/not-refused duplicate/marker-missing duplicate/marker-on-first
concurrent/effect-ran-twice concurrent/effect-missing concurrent/loser-error concurrent/results-differ
concurrent/stuck-after-race concurrent/other-answer
conflict/first-result-returned conflict/changed-body-ran conflict/wrong-answer
conflict/refused-not-promised conflict/record-replaced conflict/effect-ran-twice
reorder/effect-ran-twice reorder/refused reorder/other-answer reorder/accepted-as-same
crash/effect-ran-twice crash/receipt-without-effect crash/stuck-in-progress crash/result-lost
crash/result-changed crash/refused crash/did-not-restart
expiry/forgot-early expiry/other-answer expiry/never-forgets expiry/extended-by-replay expiry/extended-by-conflict
expiry/ran-more-than-once expiry/wrong-answer
slow/effect-ran-twice slow/effect-missing slow/other-answer slow/refused slow/stuck slow/claim-outlived
disconnect/effect-ran-twice disconnect/effect-missing disconnect/result-lost disconnect/other-answer
disconnect/refused disconnect/stuck
outcome/stuck outcome/not-stored outcome/not-released outcome/conflict-not-seen outcome/wrong-answer outcome/refused
outcome/effect-ran-twice outcome/effect-missing outcome/other-answer
fidelity/effect-ran-twice fidelity/effect-missing fidelity/other-answer fidelity/refused fidelity/stuck fidelity/marker-missing
recipe/missing-boundary recipe/customer-and-amount recipe/volatile-time recipe/volatile-id recipe/volatile-ciphertext
recipe/empty-value recipe/private-value recipe/whole-payload recipe/identity-may-be-empty
recipe/example-missing recipe/example-fails recipe/example-id-missing recipe/example-wrong
recipe/lock-changed recipe/lock-missing recipe/previous-missing recipe/previous-expired recipe/version-outgrows-limits
recipe/boundary-says-nothing recipe/volatile-caller recipe/sensitive-nowhere recipe/triple-twice
missing-key/not-refused missing-key/effect-ran missing-key/first-result-returned missing-key/refused missing-key/effect-missing missing-key/effect-ran-twice
binding/first-result-returned binding/refused-not-promised binding/ran-not-promised binding/wrong-answer binding/effect-missing binding/effect-ran-twice binding/record-replaced
scope/other-callers-result scope/other-callers-conflict scope/other-caller-refused scope/effect-missing scope/effect-ran-twice scope/record-replaced scope/retry-not-recognised scope/query-shares-keys
key-rules/valid-key-refused key-rules/bad-key-accepted key-rules/wrong-answer key-rules/server-error key-rules/effect-ran key-rules/effect-ran-twice key-rules/effect-missing key-rules/other-answer key-rules/keys-merged key-rules/keys-split
replicas/effect-ran-twice replicas/effect-missing replicas/other-answer replicas/refused replicas/loser-error replicas/results-differ replicas/stuck-after-race replicas/conflict-not-seen replicas/other-callers-result replicas/other-caller-refused
store-down/effect-ran-twice store-down/effect-missing store-down/result-lost store-down/stuck-in-progress store-down/refused
`

func TestSlugsArePermanent(t *testing.T) {
	known := strings.Fields(permanent)
	for _, slug := range known {
		if Find(slug) == nil {
			t.Errorf("%s is gone", slug)
		}
	}
	for _, s := range Topics() {
		for _, e := range s.Entries {
			if !slices.Contains(known, e.Slug) {
				t.Errorf("%s is not in the permanent list", e.Slug)
			}
		}
	}
}

func TestEntriesAreWhole(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+(-[a-z]+)*/[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, s := range Topics() {
		check := s.Name != "recipe" // lint asks no API
		if s.Asks == "" || len(s.Does) == 0 || len(s.Controls) == 0 || s.Pass == "" || (s.Unsure != "") != check || (s.Needs != "") != check || len(s.Entries) == 0 {
			t.Errorf("step %s lacks a part", s.Name)
		}
		for _, term := range s.Terms {
			if term.Word == "" || !strings.HasSuffix(term.Means, ".") || strings.ContainsAny(term.Word+term.Means, "\n\t") {
				t.Errorf("%s: not a term: %q", s.Name, term)
			}
		}
		for _, e := range s.Entries {
			if !form.MatchString(e.Slug) || e.Step() != s.Name || seen[e.Slug] {
				t.Errorf("%q in step %s: no slug, misplaced or twice", e.Slug, s.Name)
			}
			seen[e.Slug] = true
			if len(e.Causes) < 1 || len(e.Fixes) < 1 {
				t.Errorf("%s: no causes or fixes", e.Slug)
			}
			checkTexts(t, e)
		}
	}
}

// TestRacesAreNeverCalledSafe: rounds without a double show no absence of one.
func TestRacesAreNeverCalledSafe(t *testing.T) {
	for _, name := range []string{"concurrent", "replicas"} {
		text := strings.ToLower(fmt.Sprint(*FindStep(name)))
		if regexp.MustCompile(`\bsafe`).MatchString(text) {
			t.Errorf("%s promises more than it has seen", name)
		}
	}
	for _, word := range []string{"round", "body hold", "header hold", "one write", "power", "window", "a proxy in front"} {
		if !slices.ContainsFunc(concurrent.Terms, func(term Term) bool { return term.Word == word }) {
			t.Errorf("concurrent does not say what %s is", word)
		}
	}
}

// checkTexts holds an entry to its form: lines without a line break, lower-case
// list items without a full stop, whole sentences elsewhere.
func checkTexts(t *testing.T, e Entry) {
	t.Helper()
	for _, sentence := range []string{e.Money, e.Evidence} {
		if !strings.HasSuffix(sentence, ".") || strings.ContainsAny(sentence, "\n\t") {
			t.Errorf("%s: not a sentence: %q", e.Slug, sentence)
		}
	}
	for _, item := range append(append([]string{e.Title}, e.Causes...), e.Fixes...) {
		if item == "" || strings.HasSuffix(item, ".") || strings.ContainsAny(item, "\n\t") {
			t.Errorf("%s: not a list item: %q", e.Slug, item)
		}
	}
}

func TestFind(t *testing.T) {
	if e := Find("crash/stuck-in-progress"); e == nil || e.Step() != "crash" || Title(e.Slug) != e.Title {
		t.Errorf("got %v", e)
	}
	for _, slug := range []string{"", "crash", "crash/", "/stuck-in-progress", "crash/stuck", "Crash/stuck-in-progress", "duplicate/stuck-in-progress"} {
		if e := Find(slug); e != nil {
			t.Errorf("Find(%q) = %s", slug, e.Slug)
		}
		if got := Title(slug); got != "" {
			t.Errorf("Title(%q) = %q", slug, got)
		}
	}
	for _, name := range []string{"recipe/volatile-time", "volatile-time"} {
		if e := Find(name); e == nil || e.Slug != "recipe/volatile-time" || e.Step() != "recipe" {
			t.Errorf("Find(%q) = %v", name, e)
		}
	}
	for _, s := range Steps() {
		if s.Name == "recipe" {
			t.Error("recipe is no step of a check")
		}
	}
	if FindStep("conflict") == nil || FindStep("conflicts") != nil {
		t.Error("FindStep")
	}
}

// What lint can find is explained, and nothing else is.
func TestEveryLintSlugIsExplained(t *testing.T) {
	slugs := determ.LintSlugs()
	if len(slugs) < 18 {
		t.Errorf("lint has only %d slugs", len(slugs))
	}
	for _, slug := range slugs {
		for _, name := range []string{slug, "recipe/" + slug} {
			if e := Find(name); e == nil || e.Slug != "recipe/"+slug {
				t.Errorf("%s is not explained", name)
			}
		}
	}
	for _, e := range recipe.Entries {
		if !slices.Contains(slugs, strings.TrimPrefix(e.Slug, "recipe/")) {
			t.Errorf("%s is explained, and lint never finds it", e.Slug)
		}
	}
}

func TestNear(t *testing.T) {
	for _, c := range []struct {
		word  string
		first string
		count int // -1: any
	}{
		{"crash/stuck-in-progres", "crash/stuck-in-progress", -1},
		{"Duplicate/Effect-Ran-Twice", "duplicate/effect-ran-twice", -1},
		{"duplicates/effect-run-twice", "duplicate/effect-ran-twice", -1},
		{"conflit", "conflict", -1},
		{"effect-ran-twice", "duplicate/effect-ran-twice", 5},
		{"receipt-without-efect", "crash/receipt-without-effect", 1},
		{"stuck", "crash/stuck-in-progress", 5},
		{"recipes", "recipe", 1},
		{"volatile-tme", "recipe/volatile-time", -1},
		{"recipe/custmer-and-amount", "recipe/customer-and-amount", 1},
		{"zebra", "", 0},
		{"", "", 0},
		{strings.Repeat("duplicate", 20), "", 0},
	} {
		got := Near(c.word)
		first := ""
		if len(got) > 0 {
			first = got[0]
		}
		if c.word == "stuck" {
			slices.Sort(got)
			first = "crash/stuck-in-progress"
			if !slices.Contains(got, "concurrent/stuck-after-race") {
				t.Errorf("stuck: %v", got)
			}
		}
		if first != c.first || c.count >= 0 && len(got) != c.count {
			t.Errorf("Near(%q) = %v", c.word, got)
		}
	}
}

package cmd

import (
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// oneOf refuses a flag's value that is none of the flag's words.
func oneOf(flag, value, sample string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	return noneOf(flag, value, sample, words...)
}

// noneOf says that a flag's value is none of the flag's words. The hint is the
// one most likely meant, or the flag with a sample of them.
func noneOf(flag, value, sample string, words ...string) error {
	what := "none of " + strings.Join(words, ", ")
	if len(words) == 2 {
		what = "neither " + words[0] + " nor " + words[1]
	}
	return problem.New(flag, "%s is %s", document.Show(value), what).MeaningOr(value, words, "%s %s", flag, sample)
}

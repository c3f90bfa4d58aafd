package report

import (
	"fmt"
	"strings"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
)

// told says of a call which it is, by whom, and what it got when it was
// recorded: answers are read beside it.
func told(x probe.Exchange, several bool) string {
	s := prefixed(" ", clean(x.Label))
	if x.Attempt > 0 {
		s += fmt.Sprintf(", try %d", x.Attempt+1)
	}
	s += sentBy(x.Sent, several)
	if x.Answer != nil {
		s += "; recorded: " + answered(*x.Answer)
	}
	return s
}

// freshKeys asks for a new value of every key: one that is kept would be
// answered from its record.
func (c *script) freshKeys() string {
	var names []string
	for i := range c.names.keys {
		names = append(names, "KEY_"+letter(i))
	}
	if len(names) == 0 {
		return ""
	}
	s := ", set " + problem.Enumerated(names) + " to " + verb(len(names), "a new value", "new values")
	if c.source.Step == "key-rules" {
		s += " of the same kind (length, letters, what they have in common)"
	}
	return s
}

// lastWords say what to compare the answers with. Effects no script counts.
func lastWords(f probe.Finding) []string {
	var words []string
	say := func(what, text string) {
		if text != "" {
			words = append(words, shQuote(what+": "+cut(clean(text), 2*textMost)))
		}
	}
	say("expected", f.Expected)
	say("recorded", f.Actual)
	if n := len(f.Counts); n > 0 {
		say("recorded", counted(f.Counts[n-1])+": no answer shows that, count again")
	}
	if len(words) == 0 {
		return nil
	}
	return []string{"say " + strings.Join(words, " \\\n  ")}
}

package report

import (
	"fmt"
	"strings"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// answered describes what became of a copy.
func answered(a trace.Answer) string {
	var s string
	switch a.Outcome {
	case trace.Answered, trace.Cut:
		s = fmt.Sprint(a.Status)
		if a.Outcome == trace.Cut {
			s += " (broken off)"
		}
		for _, h := range a.Header {
			if telling(h[0]) {
				s += " " + clean(h[0]) + ": " + cut(clean(h[1]), bodyMost)
			}
		}
		return s + " " + shortBody(a.Body)
	case trace.Reset:
		s = "the connection ended without an answer"
	case trace.TimedOut:
		s = "no whole answer in time"
	case trace.Refused:
		s = "no connection"
	case trace.HungUp:
		if a.FirstByte > 0 {
			return "the caller hung up on purpose, in the answer"
		}
		return "the caller hung up on purpose, before any answer"
	default:
		s = clean(string(a.Outcome))
	}
	if a.Error != "" {
		s += ": " + cut(clean(a.Error), textMost)
	}
	return s
}

// telling picks the answer headers that tell a replay, a wait or a place.
func telling(name string) bool {
	name = strings.ToLower(name)
	return name == "retry-after" || name == "location" ||
		strings.Contains(name, "replay") || strings.Contains(name, "idempot") || strings.Contains(name, "repeatab")
}

func shortBody(b trace.Body) string {
	switch {
	case b.Size == 0:
		return "(no body)"
	case b.Base64:
		return fmt.Sprintf("(%s, not text)", plural(b.Size, "byte"))
	}
	short := cut(clean(b.Head), bodyMost)
	if short != b.Head || b.Truncated {
		short += fmt.Sprintf(" (%s)", plural(b.Size, "byte"))
	}
	return short
}

// counted describes a reading of the counter.
func counted(c probe.Counted) string {
	s := "counted " + plural(c.N, "effect")
	if c.Error != "" {
		s = "the counter failed: " + cut(clean(c.Error), textMost)
	}
	s += " for " + cut(clean(c.Subject), textMost)
	if c.By != "" {
		s += " by " + clean(c.By)
	}
	if c.Seen != "" {
		s += "; it " + clean(c.Seen)
	}
	return s
}

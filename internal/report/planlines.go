package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

// PlanLine is one line of a printed plan. Lines beneath a repeat, a condition,
// a branch, a trial or a thread are one deeper.
type PlanLine struct {
	Depth  int    // from 0
	Action string // "thread", "branch", or the action's name
	Text   string
}

// PlanLines prints all that a plan may do, thread by thread, with the bound of
// everything that is adaptive. Branches that differ in nothing but their
// requests and names are printed once.
func PlanLines(p probe.Plan) []PlanLine {
	var lines []PlanLine
	for _, t := range p.Threads {
		text := "overlaps others"
		if t.Exclusive {
			text = "has the target to itself"
		}
		if t.Late {
			text += ", after the others that have"
		}
		if t.Trial != "" {
			text = t.Trial + ", " + text
		}
		lines = append(lines, PlanLine{0, "thread", text})
		lines = actionLines(lines, t.Actions, 1)
	}
	if n := len(p.Last); n > 0 {
		lines = append(lines, PlanLine{0, "at the end", fmt.Sprintf("of the run counts are read once more, as many as %d", n)})
	}
	return lines
}

func actionLines(lines []PlanLine, actions []probe.Action, depth int) []PlanLine {
	for _, a := range actions {
		lines = append(lines, PlanLine{depth, a.Name(), actionText(a)})
		switch a := a.(type) {
		case probe.Repeat:
			lines = actionLines(lines, a.Body, depth+1)
		case probe.If:
			lines = actionLines(lines, a.Body, depth+1)
		case probe.Try:
			lines = actionLines(lines, a.Body, depth+1)
		case probe.Fan:
			lines = branchLines(lines, a.Branches, depth+1)
		}
	}
	return lines
}

// branchLines prints the first of each kind of branch and says which others
// are alike.
func branchLines(lines []PlanLine, branches [][]probe.Action, depth int) []PlanLine {
	kinds := map[string][]int{}
	shapes := make([]string, len(branches))
	for i, branch := range branches {
		shapes[i] = shape(branch)
		kinds[shapes[i]] = append(kinds[shapes[i]], i+1)
	}
	for i, branch := range branches {
		kind := kinds[shapes[i]]
		if kind[0] != i+1 {
			continue
		}
		text := fmt.Sprintf("%s of %d", ranges(kind), len(branches))
		if len(kind) > 1 {
			text += ", alike but for requests and names; the first is"
		}
		lines = append(lines, PlanLine{depth, "branch", text})
		lines = actionLines(lines, branch, depth+1)
	}
	return lines
}

// ranges writes rising numbers: "1-24", "1, 3, 5-7".
func ranges(n []int) string {
	var parts []string
	for i := 0; i < len(n); {
		j := i
		for j+1 < len(n) && n[j+1] == n[j]+1 {
			j++
		}
		part := fmt.Sprint(n[i])
		if j > i {
			part += fmt.Sprintf("-%d", n[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// shape is what actions do, whatever their requests and names.
func shape(actions []probe.Action) string {
	return fmt.Sprint(actionLines(nil, blanked(actions), 0))
}

// blanked takes requests and names out of actions.
func blanked(actions []probe.Action) []probe.Action {
	out := make([]probe.Action, len(actions))
	for i, a := range actions {
		switch b := a.(type) {
		case probe.Send:
			b.Label, b.Request = "", ""
			a = b
		case probe.Burst:
			b.Label, b.Requests = "", make([]string, len(b.Requests))
			a = b
		case probe.Volley:
			b.Label, b.Requests = "", make([]string, len(b.Requests))
			a = b
		case probe.Count:
			b.Label, b.Subject = "", probe.Subject{}
			if b.Above != "" {
				b.Above = "another"
			}
			a = b
		case probe.Wait:
			b.For, b.While.Labels = "", nil
			a = b
		case probe.Repeat:
			b.Body, b.While.Labels = blanked(b.Body), nil
			a = b
		case probe.If:
			b.Body, b.When.Labels = blanked(b.Body), nil
			a = b
		case probe.Try:
			b.Trial, b.Body = "", blanked(b.Body)
			a = b
		case probe.Fan:
			branches := make([][]probe.Action, len(b.Branches))
			for k := range b.Branches {
				branches[k] = blanked(b.Branches[k])
			}
			a = probe.Fan{Branches: branches}
		}
		out[i] = a
	}
	return out
}

// actionText says what an action does, its name left out.
func actionText(a probe.Action) string {
	switch a := a.(type) {
	case probe.Send:
		return sendText(a)
	case probe.Burst:
		return withLabel(a.Label, burstText(a)+holdText(a.Hold)+apartText(a.Apart)+targetText(a.Target)+targetsText(a.Targets))
	case probe.Count:
		return countText(a)
	case probe.Settle:
		return "wait " + span(a.For) + ", so that a late second effect is seen"
	case probe.Pause:
		return "for " + span(a.For)
	case probe.Wait:
		return waitText(a)
	case probe.Repeat:
		s := fmt.Sprintf("at most %s, every %s, for at most %s, ", plural(a.Max, "time"), span(a.Every), span(a.Within))
		if a.Least > 0 {
			s += fmt.Sprintf("but %s where no answer comes, ", plural(a.Least, "time"))
		}
		return s + "while " + conditionText(a.While)
	case probe.If:
		return "where " + conditionText(a.When)
	case probe.Fan:
		return fmt.Sprintf("%d branches at the same time", len(a.Branches))
	case probe.Try:
		return a.Trial
	case probe.Volley:
		if len(a.Requests) == 0 {
			return "the service"
		}
		return withLabel(a.Label, fmt.Sprintf("%s one after another over %g times an answer's time, then the kill: %s%s",
			plural(len(a.Requests), "request"), a.Reach, idsText(a.Requests), targetText(a.Target)))
	case probe.Start:
		return "the service again, ready within " + span(a.Within)
	case probe.Advance:
		return "the target's clock by " + span(a.By)
	case probe.Store:
		if a.Up {
			return "brought back by the contract's hook"
		}
		return "taken away by the contract's hook"
	}
	return ""
}

// idsText lists requests; of many the first and the last.
func idsText(ids []string) string {
	if n := len(ids); n > 6 {
		return ids[0] + ", " + ids[1] + ", ... " + ids[n-1]
	}
	return strings.Join(ids, ", ")
}

func sendText(a probe.Send) string {
	s := "request " + a.Request
	if a.Copies > 1 {
		s = fmt.Sprintf("%d copies together of request %s", a.Copies, a.Request)
	}
	s += holdText(a.Hold) + apartText(a.Apart) + targetText(a.Target)
	if a.Other {
		s += ", as the other principal"
	}
	return withLabel(a.Label, s+hangUpText(a.HangUp))
}

func hangUpText(h probe.HangUp) string {
	if h.When == probe.Stay {
		return ""
	}
	s := ", then hang up"
	switch {
	case h.Part > 0:
		s += fmt.Sprintf(" %.2g of an answer's time after", h.Part)
	case h.After > 0:
		s += " " + span(h.After) + " after"
	default:
		s += " at"
	}
	if h.When == probe.InAnswer {
		return s + " the answer's first byte"
	}
	return s + " its last byte"
}

func countText(a probe.Count) string {
	s := "the effects for " + a.Subject.Text
	if a.Sibling {
		s += " with the sibling's counter"
	}
	switch {
	case a.Poll && a.Above != "":
		s += ", read again until more than at " + a.Above + " are there or the time for them has passed"
	case a.Poll:
		s += ", read again until the first is there or the time for it has passed"
	}
	return withLabel(a.Label, s)
}

func withLabel(label, text string) string {
	if label == "" {
		return text
	}
	return label + ": " + text
}

func targetText(t string) string {
	if t == "" || t == "0" {
		return ""
	}
	return ", to " + target(t)
}

func waitText(a probe.Wait) string {
	s := "until " + span(a.Plus) + " after " + a.For + " " + markText(a.From)
	if a.While.Fact != "" {
		s += ", no longer than while " + conditionText(a.While)
	}
	return s
}

func markText(m probe.Mark) string {
	switch m {
	case probe.Ready:
		return "was last ready again"
	case probe.FirstSent:
		return "began to be sent"
	case probe.LastAnswered:
		return "was answered"
	}
	return string(m)
}

func conditionText(c probe.Condition) string {
	labels := strings.Join(c.Labels, ", ")
	switch c.Fact {
	case probe.Unsettled:
		s := "the last answer to " + labels + " is missing or says to come back (in flight, 429, 502, 503, 504)"
		if c.ConflictSettles {
			s += " and is not the conflict's"
		}
		if c.Unlike != "" {
			s += " and has not the status of " + c.Unlike
		}
		return s
	case probe.Troubled:
		return "an answer to " + labels + " is missing or an undeclared 429 or 5xx"
	case probe.Accepted:
		return "the answer to " + labels + " is a success"
	case probe.Sparse:
		return "no kill has fallen between an effect and its answer, or few kills were made within " + span(c.Within)
	case probe.InTime:
		return "another is over within " + span(c.Within) + " of the first one's beginning"
	case probe.Pending:
		return "nothing has come back yet for " + labels
	case probe.Awaited:
		if len(c.Labels) == 1 {
			return labels + " has no answer yet"
		}
		return "some of " + idsText(c.Labels) + " has no answer yet"
	case probe.Unwelcome:
		return "the last answer to " + labels + " is no success"
	case probe.Settled:
		return "the last answer to " + labels + " is final"
	case probe.Risen:
		return "the count at " + c.Labels[1] + " is above the one at " + c.Labels[0]
	case probe.Begun:
		return "it was done"
	case probe.Unreached:
		return unreachedText(c, labels)
	case probe.Kept:
		return "an instance's last answer to " + labels + " says to come back"
	case probe.Uncrossed:
		return "no such trial met two instances by " + c.Instance
	}
	return string(c.Fact) + prefixed(" of ", labels)
}

func unreachedText(c probe.Condition, labels string) string {
	s := "no other instance than that of " + c.Than + " has answered " + labels + " for good"
	if c.Than == "" {
		s = "one instance alone has answered " + labels + " for good"
	}
	s += ", by " + c.Instance
	if c.Least > 0 {
		s += fmt.Sprintf(", or fewer than %d answers came", c.Least)
	}
	return s
}

// span writes a duration as a contract does: "2s", "1m30s", "24h".
func span(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// How much of a finding a person is shown; the JSON report has all of it.
const (
	rowsHead = 20  // of a timeline that is too long, the first rows
	rowsTail = 8   // and the last
	bodyMost = 100 // characters of an answer's body in its row
	textMost = 200
)

// timeline is what was sent and came back in one finding, in the order of
// time: lines for people, and a legend for the keys and bodies, which rows
// name by letters so that same and different are seen at once.
type timeline struct {
	lines  []moment
	legend []meaning
}

// moment is a line of a timeline.
type moment struct{ when, text string }

// meaning is what a letter of a timeline stands for.
type meaning struct{ name, text string }

type row struct {
	at    int64 // nanoseconds since the run began
	known bool  // the time was recorded
	arrow string
	same  string                // rows next to each other that have it in common are shown as one
	text  func(n *namer) string // called for the rows that are shown, in order
	tag   string
	more  int   // copies that the row stands for beside itself
	until int64 // the time of the last of them
}

// timelineOf gives the timeline of a finding, empty where it has no exchange
// and no count. Times are milliseconds since the first row.
func timelineOf(f probe.Finding) timeline {
	trials := map[string]bool{}
	for _, x := range f.Exchanges {
		trials[x.Trial] = true
	}
	var rows []row
	several := severalTargets(f.Exchanges)
	for _, x := range f.Exchanges {
		rows = append(rows, exchangeRows(x, tag(x, len(trials) > 1), several)...)
	}
	for _, c := range f.Counts {
		rows = append(rows, row{at: c.At, known: true, arrow: "==", text: func(*namer) string { return counted(c) },
			tag: labelled(c.Label, c.Attempt)})
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.at, b.at) })
	n := &namer{}
	lines := rowLines(merged(rows), n)
	return timeline{lines, n.legend}
}

// merged puts copies that were sent, or answered alike, one after another
// into one row.
func merged(rows []row) []row {
	var out []row
	for _, r := range rows {
		if last := len(out) - 1; last >= 0 && r.same != "" && out[last].same == r.same && out[last].known == r.known {
			out[last].more++
			out[last].until = r.at
			continue
		}
		out = append(out, r)
	}
	return out
}

func rowLines(rows []row, n *namer) []moment {
	var lines []moment
	for i, r := range rows {
		if skipped := len(rows) - rowsHead - rowsTail; skipped > 1 && i >= rowsHead && i < rowsHead+skipped {
			if i == rowsHead {
				lines = append(lines, moment{fmt.Sprintf("%11s", "..."), fmt.Sprintf("%d more lines are in the JSON report", skipped)})
			}
			continue
		}
		when := "?"
		if r.known {
			when = sinceText(time.Duration(r.at - rows[0].at))
		}
		text := r.text(n) + r.tag
		if r.more > 0 {
			text += fmt.Sprintf(", %d copies", r.more+1)
			if r.known {
				text += " within " + time.Duration(r.until-r.at).Round(time.Microsecond).String()
			}
		}
		lines = append(lines, moment{fmt.Sprintf("%11s %s", when, r.arrow), text})
	}
	return lines
}

// sinceText is a time since the first row: in milliseconds, and in seconds
// where hours lie between.
func sinceText(d time.Duration) string {
	if d >= 1000*time.Second {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.1f ms", float64(d)/1e6)
}

// exchangeRows gives the row of a copy's sending and that of its answer.
// Several says that not all went to the same place.
func exchangeRows(x probe.Exchange, tag string, several bool) []row {
	var rows []row
	var last int64
	if x.Answer != nil {
		last = x.Answer.LastByte
		if first := x.Answer.FirstByte; first != 0 && (last == 0 || first > last) {
			last = first // times of a planting are below 0
		}
	}
	known := last != 0
	if s := x.Sent; s != nil {
		rows = append(rows, row{at: s.WriteBegan, known: true, arrow: "->", tag: tag, same: sameSent(x, tag),
			text: func(n *namer) string { return sent(x, n, several) }})
		if last == 0 || s.WriteEnded > last {
			last = s.WriteEnded
		}
	} else if x.Request != nil {
		rows = append(rows, row{at: last, arrow: "->", tag: tag, same: sameSent(x, tag),
			text: func(n *namer) string { return sent(x, n, several) + ", nothing was written" }})
	}
	switch {
	case x.Answer != nil:
		text := answered(*x.Answer)
		rows = append(rows, row{at: last, known: known, arrow: "<-", tag: tag, same: "<-" + tag + text,
			text: func(*namer) string { return text }})
	case x.Sent != nil:
		rows = append(rows, row{at: last, arrow: "<-", tag: tag, same: "<-" + tag,
			text: func(*namer) string { return "nothing was recorded" }})
	}
	return rows
}

// sameSent tells which sendings a reader need not see apart: copies of one
// request under one label.
func sameSent(x probe.Exchange, tag string) string {
	if x.Request == nil {
		return ""
	}
	same := "->" + tag + x.Request.ID
	if x.Sent != nil {
		same += fmt.Sprint(x.Sent.Target, x.Sent.Whole, x.Sent.Other)
	}
	return same
}

// sent describes a request: "POST /v1/charges, key A, body B, as the other caller".
func sent(x probe.Exchange, n *namer, several bool) string {
	if x.Request == nil {
		return "a request that was not recorded"
	}
	q := *x.Request
	parts := []string{clean(q.Method) + " " + cut(clean(q.Target), textMost)}
	if q.Key != "" {
		parts = append(parts, "key "+n.key(q.Key))
	}
	if q.Body.Size > 0 {
		parts = append(parts, "body "+n.body(q.Body, q.Change))
	} else if q.Change != "" {
		parts = append(parts, clean(q.Change))
	}
	text := strings.Join(parts, ", ") + sentBy(x.Sent, several)
	if x.Sent != nil && !x.Sent.Whole {
		text += ", only partly written"
	}
	return text
}

// sentBy says what sets a copy apart from others: where it went, where not all
// go to the first base URL, and that the other principal sent it.
func sentBy(s *trace.Sent, several bool) (text string) {
	if s == nil {
		return ""
	}
	if several {
		text = ", to " + target(s.Target)
	}
	if s.Other {
		text += ", as the other caller"
	}
	return text
}

// severalTargets says that some copy went elsewhere than to the first base URL.
func severalTargets(xs []probe.Exchange) bool {
	return slices.ContainsFunc(xs, func(x probe.Exchange) bool {
		return x.Sent != nil && x.Sent.Target != "" && x.Sent.Target != "0"
	})
}

// target names which base URL a request went to.
func target(t string) string {
	if t == "expiry" {
		return "the expiry instance"
	}
	return "replica " + cmp.Or(replica(t), clean(t))
}

// replica gives the number of a base URL as the step replicas counts them, from
// 1; empty for what is no number.
func replica(t string) string {
	n, err := strconv.Atoi(cmp.Or(t, "0"))
	if err != nil || n < 0 {
		return ""
	}
	return strconv.Itoa(n + 1)
}

// tag says which action of the plan a copy belongs to: " [retry, try 2]".
func tag(x probe.Exchange, withTrial bool) string {
	label := x.Label
	if withTrial && x.Trial != "" {
		label = x.Trial + ": " + label
	}
	return labelled(label, x.Attempt)
}

func labelled(label string, attempt int) string {
	if label == "" {
		return ""
	}
	s := clean(label)
	if attempt > 0 {
		s += fmt.Sprintf(", try %d", attempt+1)
	}
	return " [" + s + "]"
}

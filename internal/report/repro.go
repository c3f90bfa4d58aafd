package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Source is what a reproduction needs beside the finding.
type Source struct {
	File      string // the contract file as given
	Operation string // empty where the contract has one only
	Step      string
	Seed      uint64
	HTTP      string // --http, where the run had it
	Target    string // --target, where the run had it
	Races     trace.Races
	Harvest   bool // hours lie between its requests: planting comes first
	Options        // what a script needs to send as idem does
}

func sourceOf(r probe.Report, o Options, operation, step string) Source {
	if r.Contract != nil && len(r.Contract.Operations) == 1 {
		operation = "" // there is no other
	}
	return Source{File: r.File, Operation: operation, Step: step, Seed: r.Seed, HTTP: r.HTTP, Target: r.Target, Races: r.Races, Harvest: r.Planted != "", Options: o}
}

const (
	requestsMost = 12       // of a script: more is no longer read by anybody
	scriptMost   = 96 << 10 // bytes of a script: one argument may have 128 KiB on Linux
	scriptLines  = 15       // of a reproduction that a person is shown without asking
	scriptShown  = 4 << 10  // bytes of one that stands in a report for people at all
)

// alone are the steps whose findings no script of single requests shows again,
// with what it would have to do beside sending them.
var alone = map[string]string{
	"concurrent": "the copies have to be released together",
	"crash":      "the service has to be killed in between",
	"expiry":     "the key's retention has to pass in between",
	"slow":       "a duplicate has to come while the first request is at work",
	"disconnect": "the caller has to hang up at the right moment",
	"store-down": "the record store has to be taken away in between",
}

// Repro gives the commands that show a finding again: for a finding of
// requests one after another a POSIX shell script around curl that sends the
// recorded bytes, secrets being asked for by name; else a command that runs
// the step again, with new keys, and why there is no script.
func Repro(s Source, f probe.Finding) string {
	again := verifyCommand(s) + "\n"
	script, why := scriptOf(s, f, again)
	if why == "" {
		return script
	}
	return again + noScript + why + "\n"
}

// noScript begins the line that says why there is none.
const noScript = "# no curl script: "

func scriptOf(s Source, f probe.Finding, again string) (script, why string) {
	switch {
	case s.Harvest:
		return "", "hours lie between its requests"
	case alone[s.Step] != "":
		return "", alone[s.Step]
	case s.NoScript != "":
		return "", s.NoScript
	case s.NoOther != "" && slices.ContainsFunc(f.Exchanges, byOther):
		return "", s.NoOther
	}
	exchanges, why := sequence(f)
	if why != "" {
		return "", why
	}
	c := newScript(s, exchanges)
	if c == nil {
		return "", "a request has more than one secret in its header"
	}
	if script = c.text(again, f); len(script) > scriptMost {
		return "", "it would be longer than a shell takes"
	}
	return script, ""
}

// byOther says that the other principal sent a copy (target.other_auth).
func byOther(x probe.Exchange) bool { return x.Sent != nil && x.Sent.Other }

// reproOf gives the finding's own reproduction where it has one.
func reproOf(s Source, f probe.Finding) string {
	if f.Repro != "" {
		return f.Repro
	}
	return Repro(s, f)
}

// shortRepro is reproOf for people: a script that is too long to read gives
// way to the command.
func shortRepro(s Source, f probe.Finding) string {
	r := reproOf(s, f)
	if len(r) <= scriptShown {
		return r
	}
	return verifyCommand(s) + "\n# the JSON report has a curl script\n"
}

// Script gives the curl script of a finding, named by its slug or its id.
func Script(r probe.Report, o Options, name string) (string, error) {
	var known, without []string
	for _, op := range r.Operations {
		for _, s := range op.Steps {
			for _, f := range s.Findings {
				script := reproOf(sourceOf(r, o, op.Name, s.Step), f)
				found, isScript := name == f.Slug || name == f.ID, strings.HasPrefix(script, shebang)
				switch {
				case found && isScript:
					return script, nil
				case isScript:
					known = append(known, f.Slug)
				case found:
					without = append(without, strings.TrimSpace(script))
				}
			}
		}
	}
	if len(without) > 0 {
		why := "cannot be shown by single requests"
		command, comment, _ := strings.Cut(without[0], "\n")
		if _, told, ok := strings.Cut(comment, noScript); ok {
			why = "has no curl script: " + told
		}
		return "", problem.New("--script", "%s %s", document.Show(name), why).WithHint("%s", command)
	}
	err := problem.New("--script", "the run has no finding %s", document.Show(name))
	if len(known) > 0 {
		return "", err.WithHint("--script %s", strings.Join(slices.Compact(known), ", or "))
	}
	return "", err
}

// verifyCommand runs a step of an operation again.
func verifyCommand(s Source) string {
	only := ""
	if s.Operation != "" {
		only = " --operation " + shWord(s.Operation)
	}
	if s.HTTP != "" {
		only += " --http " + shWord(s.HTTP)
	}
	if s.Target != "" {
		only += " --target " + shWord(s.Target)
	}
	if s.Harvest {
		return fmt.Sprintf("idem verify %[1]s --live --plant planted.ndjson%[3]s\n# hours later\n"+
			"idem verify %[1]s --live --harvest planted.ndjson --only %[2]s%[3]s", shWord(fileArgument(s.File)), shWord(s.Step), only)
	}
	return fmt.Sprintf("idem verify %s --live --only %s%s --seed %d%s",
		shWord(fileArgument(s.File)), shWord(s.Step), only, s.Seed, raceFlags(s.Races))
}

// raceFlags says how races were run: they are part of what makes a plan.
func raceFlags(r trace.Races) string {
	flags := ""
	if r.Rounds > 0 {
		flags += fmt.Sprintf(" --rounds %d", r.Rounds)
	}
	if r.Power > 0 {
		flags += fmt.Sprintf(" --power %g", r.Power)
	}
	if r.Window > 0 {
		flags += " --window " + time.Duration(r.Window).String()
	}
	if r.Keys > 0 {
		flags += fmt.Sprintf(" --burst-keys %d", r.Keys)
	}
	return flags
}

// fileArgument keeps a file name that begins with a dash from being a flag.
func fileArgument(file string) string {
	if strings.HasPrefix(file, "-") && file != "-" {
		return "./" + file
	}
	return file
}

// sequence gives the finding's exchanges in the order of their sending, or why
// a script cannot send them again: one after another, every byte known.
func sequence(f probe.Finding) (xs []probe.Exchange, why string) {
	switch n := len(f.Exchanges); {
	case n == 0:
		return nil, "no request of it is recorded"
	case n > requestsMost:
		return nil, fmt.Sprintf("it takes %d requests, and a script has %d at most", n, requestsMost)
	}
	xs = slices.Clone(f.Exchanges)
	for _, x := range xs {
		if why := unsendable(x); why != "" {
			return nil, why
		}
	}
	slices.SortStableFunc(xs, func(a, b probe.Exchange) int { return cmp.Compare(a.Sent.WriteBegan, b.Sent.WriteBegan) })
	for i := 1; i < len(xs); i++ {
		a := xs[i-1].Answer
		if a == nil || xs[i].Sent.WriteBegan < max(a.FirstByte, a.LastByte) {
			return nil, "its requests have to overlap"
		}
	}
	return xs, ""
}

// unsendable says why curl cannot send a copy as it was sent; empty: it can.
func unsendable(x probe.Exchange) string {
	q, s := x.Request, x.Sent
	switch {
	case q == nil || s == nil || !s.Whole:
		return "a request was not written whole"
	case x.Answer != nil && x.Answer.Outcome == trace.HungUp:
		return alone["disconnect"]
	case s.Hold != "" || x.Copy > 0:
		return alone["concurrent"]
	}
	if !isToken(q.Method) || !strings.HasPrefix(q.Target, "/") || !isClean(q.Target) ||
		strings.Contains(q.Target, " ") || masks(q.Target) != nil {
		return "curl does not send such a request line"
	}
	for _, h := range q.Header {
		if !isToken(h[0]) || strings.ContainsAny(h[1], "\r\n\x00") {
			return "curl does not send such a header"
		}
	}
	if raw, ok := bodyBytes(q.Body); !ok || masks(string(raw)) != nil {
		return "a body is masked, or longer than the trace keeps"
	}
	return ""
}

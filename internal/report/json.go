package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Schema names the form of the JSON report. Members may be added, none is
// renamed (contract-v1, Record first, judge later).
const Schema = "report/v1"

type jsonReport struct {
	Idem           string          `json:"idem"`
	Tool           string          `json:"tool"`
	Run            string          `json:"run"`
	Mode           string          `json:"mode"`
	Seed           uint64          `json:"seed"`
	Exit           int             `json:"exit"`
	Verdict        probe.Verdict   `json:"verdict"`
	Began          string          `json:"began,omitempty"`
	Interrupted    bool            `json:"interrupted"`
	RequireEffects bool            `json:"require_effects"`
	HTTP           string          `json:"http,omitempty"`   // --http, where it overrode the contract
	Target         string          `json:"target,omitempty"` // --target, where it overrode the contract
	Contract       jsonContract    `json:"contract"`
	Counts         jsonCounts      `json:"counts"`
	Notes          []string        `json:"notes"`
	Operations     []jsonOperation `json:"operations"`
}

type jsonContract struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Name   string `json:"name,omitempty"`
}

type jsonCounts struct {
	Pass         int `json:"pass"`
	Fail         int `json:"fail"`
	Inconclusive int `json:"inconclusive"`
	Skipped      int `json:"skipped"`
	Waived       int `json:"waived"`
	NotRun       int `json:"not-run,omitempty"`
}

type jsonOperation struct {
	Name    string        `json:"name"`
	Verdict probe.Verdict `json:"verdict"`
	Steps   []jsonStep    `json:"steps"`
}

type jsonStep struct {
	Step     string        `json:"step"`
	Verdict  probe.Verdict `json:"verdict"`
	Reasons  []jsonReason  `json:"reasons"`
	Notes    []string      `json:"notes"`
	Evidence jsonEvidence  `json:"evidence"`
	Cases    []jsonCase    `json:"cases"`
	Findings []jsonFinding `json:"findings"`
}

type jsonReason struct {
	Text   string `json:"text"`
	Line   int    `json:"line,omitempty"` // of the contract
	Settle string `json:"settle,omitempty"`
}

type jsonEvidence struct {
	Effects  *jsonEffects  `json:"effects,omitempty"`
	Controls []jsonControl `json:"controls,omitempty"`
	Measures []jsonMeasure `json:"measures,omitempty"`

	// conflict: what the server's fingerprint does not cover
	NotCovered []jsonGap `json:"not_covered,omitempty"`

	// races: how copies were released
	Releases []jsonRelease `json:"releases,omitempty"`
	Powers   []jsonPower   `json:"powers,omitempty"`
	Pictures []jsonPicture `json:"pictures,omitempty"`
}

type jsonGap struct {
	What  string `json:"what"`            // a JSON Pointer of the body, or the change that was made
	After string `json:"after,omitempty"` // "replay", "restart": only then
}

type jsonEffects struct {
	Before    int64  `json:"before"`
	After     int64  `json:"after"`
	Settled   int64  `json:"settled"`
	Unit      int64  `json:"unit"`
	CountedBy string `json:"counted_by"`
}

type jsonControl struct {
	Name string `json:"name"`
	Held bool   `json:"held"`
	Text string `json:"text,omitempty"`
}

type jsonMeasure struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Text  string `json:"text,omitempty"`
}

type jsonCase struct {
	Name    string        `json:"name"`
	Verdict probe.Verdict `json:"verdict"`
	Text    string        `json:"text,omitempty"`
}

type jsonFinding struct {
	ID          string         `json:"id"`
	Slug        string         `json:"slug"`
	Case        string         `json:"case,omitempty"`
	Also        []string       `json:"also,omitempty"`
	Requirement string         `json:"requirement"`
	Line        int            `json:"line,omitempty"` // of the contract
	Expected    string         `json:"expected"`
	Actual      string         `json:"actual"`
	Follows     string         `json:"follows,omitempty"`
	Repro       string         `json:"repro"`
	Exchanges   []jsonExchange `json:"exchanges"`
	Counts      []jsonCounted  `json:"counts"`
}

// jsonExchange has the forms of a trace: times in nanoseconds since the run began.
type jsonExchange struct {
	Trial   string         `json:"trial,omitempty"`
	Label   string         `json:"label,omitempty"`
	Attempt int            `json:"attempt,omitempty"`
	Copy    int            `json:"copy,omitempty"`
	Request *trace.Request `json:"request,omitempty"`
	Sent    *trace.Sent    `json:"sent,omitempty"`
	Answer  *trace.Answer  `json:"answer,omitempty"`
}

type jsonCounted struct {
	Trial   string `json:"trial,omitempty"`
	Label   string `json:"label,omitempty"`
	Attempt int    `json:"attempt,omitempty"`
	At      int64  `json:"at"`
	trace.Count
}

func writeJSON(b *bytes.Buffer, r probe.Report, o Options) error {
	return encode(b, reportJSON(r, o))
}

func reportJSON(r probe.Report, o Options) jsonReport {
	out := jsonReport{
		Idem: Schema, Tool: r.Tool, Run: r.Run, Mode: r.Mode, Seed: r.Seed, Exit: r.Exit, Verdict: r.Verdict,
		Began: r.Began, Interrupted: r.Interrupted, RequireEffects: r.RequireEffects, HTTP: clean(r.HTTP), Target: clean(r.Target),
		Contract: jsonContract{File: r.File, SHA256: r.SHA256},
		Counts: jsonCounts{r.Counts[probe.Pass], r.Counts[probe.Fail], r.Counts[probe.Inconclusive],
			r.Counts[probe.Skipped], r.Counts[probe.Waived], r.Counts[probe.NotRun]},
		Notes: list(r.Notes),
	}
	out.Operations = mapped(r.Operations, func(op probe.OperationReport) jsonOperation {
		return jsonOperation{op.Name, op.Verdict, mapped(op.Steps, func(s probe.Result) jsonStep {
			return stepJSON(s, sourceOf(r, o, op.Name, s.Step))
		})}
	})
	return out
}

func stepJSON(s probe.Result, from Source) jsonStep {
	return jsonStep{
		Step: s.Step, Verdict: s.Verdict, Notes: list(s.Notes),
		Reasons: mapped(s.Reasons, func(r probe.Reason) jsonReason { return jsonReason(r) }),
		Evidence: jsonEvidence{
			Effects:  (*jsonEffects)(s.Evidence.Effects),
			Controls: mapped(s.Evidence.Controls, func(c probe.Control) jsonControl { return jsonControl(c) }),
			Measures: mapped(s.Evidence.Measures, func(m probe.Measure) jsonMeasure { return jsonMeasure(m) }),

			NotCovered: mapped(s.Evidence.NotCovered, func(g probe.Gap) jsonGap { return jsonGap(g) }),

			Releases: mapped(s.Evidence.Releases, releaseJSON),
			Powers:   mapped(s.Evidence.Powers, powerJSON),
			Pictures: mapped(s.Evidence.Pictures, pictureJSON),
		},
		Cases:    mapped(s.Cases, func(c probe.Case) jsonCase { return jsonCase(c) }),
		Findings: mapped(s.Findings, func(f probe.Finding) jsonFinding { return findingJSON(f, from) }),
	}
}

func findingJSON(f probe.Finding, from Source) jsonFinding {
	return jsonFinding{
		ID: f.ID, Slug: f.Slug, Case: f.Case, Also: f.Also, Requirement: f.Requirement, Line: f.Line,
		Expected: f.Expected, Actual: f.Actual, Follows: f.Follows, Repro: reproOf(from, f),
		Exchanges: mapped(f.Exchanges, func(x probe.Exchange) jsonExchange { return jsonExchange(x) }),
		Counts: mapped(f.Counts, func(c probe.Counted) jsonCounted {
			return jsonCounted{c.Trial, c.Label, c.Attempt, c.At, c.Count}
		}),
	}
}

// mapped never gives nil: an empty list is [] in the report, not null.
func mapped[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i := range in {
		out[i] = f(in[i])
	}
	return out
}

func list(in []string) []string { return append([]string{}, in...) }

// encode writes v indented, with a newline at its end, and spells out what a
// terminal would obey: encoding/json escapes C0 controls only.
func encode(b *bytes.Buffer, v any) error {
	var raw bytes.Buffer
	e := json.NewEncoder(&raw)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("the report cannot be written as JSON: %w", err)
	}
	for text := raw.Bytes(); len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\n' || printable(r):
			b.Write(text[:size])
		case r <= 0xFFFF:
			fmt.Fprintf(b, `\u%04x`, r)
		default: // a surrogate pair (RFC 8259, section 7)
			fmt.Fprintf(b, `\u%04x\u%04x`, 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF)
		}
		text = text[size:]
	}
	return nil
}

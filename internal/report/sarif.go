package report

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/idem-toolkit/idem/internal/explain"
	"github.com/idem-toolkit/idem/internal/probe"
)

// SARIF 2.1.0: one result a finding, placed at the contract's line. What could
// not be settled is a result of kind open: "insufficient information to decide"
// (3.27.9), whose level must be none (3.27.10). Passes are no results: viewers
// show every result as something to look at.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	Automation  sarifID           `json:"automationDetails"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
	Columns     string            `json:"columnKind"`
	Properties  map[string]any    `json:"properties"`
}

type sarifID struct {
	ID string `json:"id"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string     `json:"id"`
	Short sarifText  `json:"shortDescription"`
	Full  *sarifText `json:"fullDescription,omitempty"`
	Help  *sarifText `json:"help,omitempty"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	Successful bool   `json:"executionSuccessful"`
	Exit       int    `json:"exitCode"`
	Began      string `json:"startTimeUtc,omitempty"`
}

type sarifResult struct {
	Rule         string            `json:"ruleId"`
	Index        int               `json:"ruleIndex"`
	Kind         string            `json:"kind"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	} `json:"physicalLocation"`
}

type sarifRegion struct {
	Line int `json:"startLine"`
}

func writeSARIF(b *bytes.Buffer, r probe.Report, o Options) error {
	s := sarif{r: r, o: o, rules: map[string]int{}}
	s.run.Tool.Driver.Name, s.run.Tool.Driver.Version, _ = strings.Cut(clean(r.Tool), " ")
	s.run.Tool.Driver.Rules, s.run.Results = []sarifRule{}, []sarifResult{}
	s.run.Automation.ID = "idem verify/" + path.Base(s.uri())
	s.run.Invocations = []sarifInvocation{{Successful: r.Exit == 0 || r.Exit == 1 || r.Exit == 3, Exit: r.Exit, Began: clean(r.Began)}}
	s.run.Columns = "unicodeCodePoints"
	s.run.Properties = map[string]any{"run": clean(r.Run), "seed": r.Seed, "mode": clean(r.Mode),
		"verdict": string(r.Verdict), "contract.sha256": clean(r.SHA256)}
	for _, op := range r.Operations {
		for _, step := range op.Steps {
			s.step(op.Name, step)
		}
	}
	return s.write(b)
}

func writeDrySARIF(b *bytes.Buffer, d Dry, o Options) error { return writeSARIF(b, d.asReport(), o) }

type sarif struct {
	r     probe.Report
	o     Options
	run   sarifRun
	rules map[string]int
}

func (s *sarif) write(b *bytes.Buffer) error {
	return encode(b, sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{s.run}})
}

func (s *sarif) step(operation string, step probe.Result) {
	for _, f := range step.Findings {
		e := explain.Find(f.Slug)
		rule := sarifRule{ID: clean(f.Slug), Short: sarifText{clean(f.Slug)}}
		if e != nil {
			rule.Short.Text = e.Title
			rule.Full = &sarifText{e.Money}
			rule.Help = &sarifText{"How it comes about: " + strings.Join(e.Causes, "; ") + ". How to mend it: " + strings.Join(e.Fixes, "; ") + "."}
		}
		text := fmt.Sprintf("%s: %s. Expected: %s. Actual: %s.", clean(operation), rule.Short.Text, clean(f.Expected), clean(f.Actual))
		if f.Case != "" {
			text += " Case: " + clean(f.Case) + "."
		}
		if f.Follows != "" {
			text += " It follows from " + clean(f.Follows) + "."
		}
		level := "error"
		if f.Follows != "" {
			level = "warning"
		}
		s.add(rule, sarifResult{Kind: "fail", Level: level, Message: sarifText{text}}, f.Line, f.ID)
	}
	if step.Verdict != probe.Inconclusive {
		return
	}
	rule := sarifRule{ID: clean(step.Step) + "/inconclusive", Short: sarifText{"the step could not be judged"}}
	for _, reason := range folded(step.Reasons, len(step.Cases)) {
		text := clean(operation) + ": " + clean(reason.Text) + "." + prefixed(" To settle it: ", clean(reason.Settle))
		s.add(rule, sarifResult{Kind: "open", Level: "none", Message: sarifText{text}}, reason.Line, rule.ID+"#"+operation)
	}
}

func (s *sarif) add(rule sarifRule, result sarifResult, line int, id string) {
	i, known := s.rules[rule.ID]
	if !known {
		i = len(s.run.Tool.Driver.Rules)
		s.rules[rule.ID] = i
		s.run.Tool.Driver.Rules = append(s.run.Tool.Driver.Rules, rule)
	}
	var at sarifLocation
	at.Physical.Artifact.URI = s.uri()
	if line > 0 {
		at.Physical.Region = &sarifRegion{line}
	}
	result.Rule, result.Index, result.Locations = rule.ID, i, []sarifLocation{at}
	result.Fingerprints = map[string]string{"idemFindingId/v1": clean(id)}
	s.run.Results = append(s.run.Results, result)
}

// uri is the contract file as a URI reference, relative where the file is
// (SARIF, 3.4.3); "-", standard input, stays a name.
func (s *sarif) uri() string {
	file := strings.ReplaceAll(cmp.Or(s.r.File, "-"), `\`, "/")
	if len(file) > 2 && file[1] == ':' && file[2] == '/' { // a Windows drive
		return "file:///" + file[:2] + (&url.URL{Path: file[2:]}).EscapedPath()
	}
	if strings.HasPrefix(file, "/") {
		return "file://" + (&url.URL{Path: file}).EscapedPath()
	}
	return (&url.URL{Path: file}).String() // "./" before a name with a colon (RFC 3986, 4.2)
}

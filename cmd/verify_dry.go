package cmd

import (
	"bytes"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/report"
	"github.com/idem-toolkit/idem/internal/trace"
)

// dryRunID is the run id of every dry run: its plan is the same everywhere.
const dryRunID = "0000000000000000"

// runDry prints what the contract says and what a live run would send. It
// opens no socket, starts no process and reads no key: keys derived from a
// recipe are those of the public test secret (contract-v1, Dry run).
func runDry(app *App, o *verifyOptions, spec *contract.Contract) error {
	keys, err := dryKeys(app, o, spec)
	if err != nil {
		return err
	}
	d, err := dryResult(o, spec, keys)
	if err != nil {
		return err
	}
	err = o.writeReports(app, func(b *bytes.Buffer, to report.Destination) error {
		return report.WriteDry(b, to.Format, d, o.rendering(app, spec, to))
	})
	if err != nil {
		return err
	}
	return exitWith(d.Exit)
}

// dryResult makes the result of a dry run: of the contract and its keys alone,
// whatever the machine.
func dryResult(o *verifyOptions, spec *contract.Contract, keys *contractKeys) (report.Dry, error) {
	d := report.Dry{Tool: tool(), Run: dryRunID, Seed: o.seed, File: spec.File, SHA256: spec.SHA256, Name: spec.Name}
	d.Notes = append(keys.notes(), liveNotes(spec)...)
	if o.http != "" {
		d.Notes = append(d.Notes, probe.HTTPNote(o.http))
	}
	if o.target != "" {
		d.Notes = append(d.Notes, probe.TargetNote(o.target))
	}
	if note := probe.UnaskedNote(spec, o.selection); note != "" {
		d.Notes = append(d.Notes, note)
	}
	for _, op := range o.selection.Chosen(spec) {
		one, err := dryOperation(op, probe.Env{RunID: dryRunID, Seed: o.seed, Keys: keys, Contract: spec, Races: o.races.chosen()}, o.selection, keys)
		if err != nil {
			return d, err
		}
		d.Operations = append(d.Operations, one)
	}
	report.Locate(spec, d.Operations)
	if o.requireLive {
		d.Exit = ExitInconclusive
	}
	return d, nil
}

// liveNotes say what a live run of the contract will refuse or cannot show. A
// dry run reads no environment: hosts that stand there are not looked at.
func liveNotes(spec *contract.Contract) []string {
	var notes []string
	open := slices.Clone(spec.Target.AllowHosts)
	open = append(open, spec.Target.BaseURLs...)
	for _, op := range spec.Operations {
		if op.Expiry != nil {
			open = append(open, op.Expiry.BaseURLs...)
		}
	}
	if !strings.Contains(strings.Join(open, " "), "${") {
		if err := spec.CheckHosts(); err != nil {
			notes = append(notes, "a live run is refused as this stands: "+err.Error()+"; "+problem.Hint(err))
		}
	}
	if spec.Profile != "" {
		notes = append(notes, "profile "+spec.Profile+" states what the contract does not: idem profile show "+spec.Profile)
	}
	for _, op := range spec.Operations {
		if op.Effects == nil {
			notes = append(notes, op.Name+" declares no effects: answers are the only evidence, and crash cannot pass")
		}
	}
	return notes
}

// tool names the tool and its version, as traces and reports do.
func tool() string { return "idem " + Version }

func dryOperation(op *contract.Operation, env probe.Env, s probe.Selection, keys *contractKeys) (report.DryOperation, error) {
	out := report.DryOperation{Name: op.Name}
	plans, err := probe.Plans(op, env, s)
	if err != nil {
		return out, err
	}
	form, first := "", ""
	var mask trace.Masker
	for _, p := range plans {
		p.Hide(&mask, keys.policy(op).Sensitive)
	}
	for _, p := range plans {
		prints := map[string]string{}
		for i, q := range p.Requests {
			f, kind, err := requestFingerprint(op, q, keys)
			if err != nil {
				return out, err
			}
			prints[q.ID] = f
			if first == "" {
				form, first = kind, f
			}
			p.Requests[i] = q.Masked(&mask)
		}
		out.Steps = append(out.Steps, report.NewDryStep(*p, prints))
	}
	out.Sections = report.SectionsOf(op, report.FingerprintFacts(op, form, first), keys.facts(op), out.Steps)
	return out, nil
}

// requestFingerprint makes a planned request's fingerprint. Where the body
// holds something sensitive, the keyed form is made; a recipe gives its
// namespace (determ-v1, Fingerprints v1).
func requestFingerprint(op *contract.Operation, q *probe.Request, keys *contractKeys) (value, form string, err error) {
	req := fingerprint.Request{Method: q.Method, Target: q.Target, Body: q.Body}
	for _, h := range q.Header {
		req.Headers = append(req.Headers, fingerprint.Header{Name: h[0], Value: h[1]})
		if strings.EqualFold(h[0], "Content-Type") {
			req.MediaType = h[1]
		}
	}
	rules := fingerprint.Rules{Headers: op.Fingerprint.Headers, Bytes: op.Promise.Reorder.Value == "bytes",
		Key: fingerprint.KeyPlace{Header: op.Key.Header, Query: op.Key.Query}}
	if op.Key.Body != "" {
		if rules.Key.Body, err = fingerprint.ParsePointer(op.Key.Body); err != nil {
			return "", "", err
		}
	}
	for _, text := range op.Fingerprint.Ignore {
		p, err := fingerprint.ParsePointer(text)
		if err != nil {
			return "", "", err
		}
		rules.Ignore = append(rules.Ignore, p)
	}
	policy := keys.policy(op)
	value, err = fingerprint.RequestFingerprint(req, rules, policy)
	if err != nil && policy.Key == nil && !fingerprint.IsDisagreement(err) {
		// The payload is private: the keyed form gives nothing away.
		policy.Key = keys.testKeyed(op)
		value, err = fingerprint.RequestFingerprint(req, rules, policy)
	}
	form, _, _ = strings.Cut(value, ":")
	return value, form + " (determ-v1)", err
}

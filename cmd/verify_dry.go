package cmd

import (
	"bytes"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/report"
	"github.com/idem-toolkit/idem/internal/trace"
)

// dryRunID is the run id of every dry run: its plan is the same everywhere.
const dryRunID = "0000000000000000"

// runDry prints what the contract says and what a live run would send. It
// opens no socket, starts no process and reads no key: keys derived from a
// recipe are those of the public test secret (contract-v1, Dry run).
func runDry(app *App, o *verifyOptions, spec *contract.Contract) error {
	d := report.Dry{Tool: tool(), Run: dryRunID, Seed: o.seed, File: spec.File, SHA256: spec.SHA256, Name: spec.Name}
	keys, err := dryKeys(app, spec)
	if err != nil {
		return err
	}
	d.Notes = keys.notes()
	for _, op := range o.selection.Chosen(spec) {
		one, err := dryOperation(op, probe.Env{RunID: dryRunID, Seed: o.seed, Keys: keys}, o.selection, keys)
		if err != nil {
			return err
		}
		d.Operations = append(d.Operations, one)
	}
	if o.requireLive {
		d.Exit = ExitInconclusive
	}
	options := report.ContractOptions(spec)
	options.Color, options.Verbose = o.colour, app.Verbose
	err = o.writeReports(app, func(b *bytes.Buffer, format string) error {
		return report.WriteDry(b, format, d, options)
	})
	if err != nil {
		return err
	}
	return exitWith(d.Exit)
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
	out.Sections = report.SectionsOf(op, report.FingerprintFacts(op, form, first), keys.facts(op))
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
	if err != nil && policy.Key == nil {
		// The payload is private: the keyed form gives nothing away.
		policy.Key = keys.testKeyed(op)
		value, err = fingerprint.RequestFingerprint(req, rules, policy)
	}
	form, _, _ = strings.Cut(value, ":")
	return value, form + " (determ-v1)", err
}

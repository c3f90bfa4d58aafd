package report

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
)

// SectionsOf says in six sections what a contract promises of one operation:
// the plan's premises, from the contract alone. Fingerprint and stable ID are
// facts made elsewhere, since they need keys; steps are what is planned for it.
func SectionsOf(o *contract.Operation, fingerprint, stableID []Fact, steps []DryStep) Sections {
	return Sections{
		RequestFingerprint: fingerprint,
		StableID:           append(keyFacts(o.Key), stableID...),
		Duplicate:          append(duplicateFacts(o.Promise), countedBy(o.Effects)),
		Replay:             replayFacts(o.Promise),
		Conflict:           conflictFacts(o.Promise),
		Retention:          append(retentionFacts(o), retentionTests(steps)),
	}
}

// keyFacts say where the key travels and in which form.
func keyFacts(k contract.Key) []Fact {
	place := Fact{Name: "travels_in"}
	switch {
	case k.Header != "":
		place.Value = "header " + k.Header
	case k.Body != "":
		place.Value = "body at " + k.Body
	default:
		place.Value = "query parameter " + k.Query
	}
	facts := []Fact{place, {Name: "syntax", Value: orWord(k.Syntax, "bare"), Detail: orWord(k.Syntax, "bare") == "bare"}}
	if k.Companion != nil {
		facts = append(facts, Fact{Name: "companion", Value: "header " + k.Companion.Header + " as " + k.Companion.As})
	}
	return facts
}

func duplicateFacts(p contract.Promise) []Fact {
	d := Fact{Name: "answer", Open: !p.Duplicate.Known}
	if p.Duplicate.Known {
		d.Value = p.Duplicate.Value.Mode
		if m := p.Duplicate.Value.Match; m != nil {
			d.Value = m.String()
		}
	}
	facts := []Fact{d, {Name: "effects", Value: "one for all requests that share a key and a body", Detail: true}}
	if p.Accepted != nil {
		facts = append(facts, Fact{Name: "accepted", Value: p.Accepted.String()})
	}
	f := Fact{Name: "in_flight", Open: !p.InFlight.Known}
	if p.InFlight.Known {
		var legal []string
		if m := p.InFlight.Value.Match; m != nil {
			legal = append(legal, m.String())
		}
		if p.InFlight.Value.Wait {
			legal = append(legal, "waits for the first result")
		}
		f.List = legal
	}
	return append(facts, f, Fact{Name: "reorder", Value: p.Reorder.Value, Open: !p.Reorder.Known})
}

// countedBy says what a live run knows of effects.
func countedBy(e *contract.Effects) Fact {
	f := Fact{Name: "counted_by", Open: e == nil}
	if e != nil {
		f.Value = string(e.Kind)
		if e.Kind == contract.ByResponses {
			f.Value += ": answers are the only evidence"
		}
	}
	return f
}

func replayFacts(p contract.Promise) []Fact {
	facts := []Fact{{Name: "compare", Value: orWord(p.Compare, "json")}}
	if p.Marker != nil {
		facts = append(facts, Fact{Name: "marker", Value: p.Marker.Header + ": " + p.Marker.Value})
	} else {
		facts = append(facts, Fact{Name: "marker", Open: true})
	}
	facts = append(facts,
		Fact{Name: "same_headers", List: some(p.SameHeaders)},
		Fact{Name: "ignore", List: some(p.Ignore)})
	stored := Fact{Name: "stored", Open: len(p.Stored) == 0}
	for _, s := range p.Stored {
		stored.List = append(stored.List, s.Status+": "+outcomeText(s.Outcome))
	}
	return append(facts, stored)
}

func outcomeText(o contract.Outcome) string {
	if o.Match != nil {
		return o.Match.String()
	}
	return o.Mode
}

func conflictFacts(p contract.Promise) []Fact {
	if !p.Conflict.Known {
		return []Fact{{Name: "answer", Open: true}}
	}
	c := p.Conflict.Value
	answer := c.Mode
	if c.Match != nil {
		answer = c.Match.String()
	}
	covers := c.Covers
	if len(covers) == 0 {
		covers = []string{""}
	}
	return []Fact{
		{Name: "answer", Value: answer},
		{Name: "covers", List: covers, Detail: len(covers) == 1 && covers[0] == ""},
		{Name: "ignore", List: some(c.Ignore)},
		{Name: "types", Value: orWord(c.Types, "advisory"), Detail: orWord(c.Types, "advisory") == "advisory"},
	}
}

func retentionFacts(o *contract.Operation) []Fact {
	p := o.Promise
	facts := []Fact{
		{Name: "at_least", Value: span(p.Retention.Value.AtLeast), Open: !p.Retention.Known},
		{Name: "at_most", Value: span(p.Retention.Value.AtMost), Open: p.Retention.Value.AtMost == 0},
		{Name: "from", Value: orWord(p.Retention.Value.From, "first_use"), Open: !p.Retention.Known},
		{Name: "after_retention", Value: outcomeText(p.AfterRetention.Value), Open: !p.AfterRetention.Known},
		{Name: "retry_window", Value: span(p.RetryWindow.Value), Open: !p.RetryWindow.Known},
		{Name: "lease", Value: span(p.Lease.Value), Open: !p.Lease.Known},
	}
	tested := Fact{Name: "tested_by", Open: o.Expiry == nil}
	if o.Expiry != nil && len(o.Expiry.Advance) > 0 {
		tested.Value = "moving the target's clock"
	} else if o.Expiry != nil {
		tested.Value = "waiting " + span(o.Expiry.Wait)
		if strings.Contains(o.Expiry.WaitText, "${") {
			tested.Value = "waiting " + o.Expiry.WaitText // a dry run shows names, not values
		}
	}
	return append(facts, tested)
}

// FingerprintFacts say what the server's request fingerprint covers, with the
// fingerprint of the first planned request.
func FingerprintFacts(o *contract.Operation, form, value string) []Fact {
	body := "its JSON value, in canonical form"
	switch {
	case o.Request.Body.Kind == contract.NoBody:
		body = "none"
	case o.Request.Body.Kind != contract.JSONBody || o.Promise.Reorder.Value == "bytes":
		body = "its bytes"
	}
	facts := []Fact{
		{Name: "form", Value: form, Detail: true},
		{Name: "method", Value: o.Request.Method},
		{Name: "path", Value: o.Request.Path},
		{Name: "body", Value: body},
		{Name: "headers", List: some(o.Fingerprint.Headers)},
		{Name: "ignore", List: some(o.Fingerprint.Ignore)},
		{Name: "first_planned", Value: value, Open: value == "", Detail: true},
	}
	return facts
}

// some makes an empty list of none, so that JSON shows [] and not null.
func some(list []string) []string { return append([]string{}, list...) }

func orWord(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

package probe_test

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// richBody has values of every kind, nested and in arrays.
const richBody = `body: {order_id: "o-1", amount: 1999, currency: EUR, description: two tickets, tags: [a, b, b], code: "12", note: null, gift: false, ` +
	`lines: [{sku: s-1, price: 5.25}, {sku: s-2, price: 7.5}], ship: {to: {city: Ulm}}}`

func rich(lines ...string) string { return changed(append([]string{richBody}, lines...)...) }

// branches is a contract whose fingerprint covers a header field.
var branches = strings.Replace(rich(), "    key:", "    fingerprint: {headers: [X-Branch]}\n    key:", 1)

const strictTypes = "conflict: {status: [422], types: strict}"

// Bodies of values that fingerprints compute with or join.
const (
	cents = `body: {order_id: "o-1", fee: 380, amount: 1999}`
	price = `body: {order_id: "o-1", amount: 1999, price: 12.50}`
	names = `body: {order_id: "o-1", last: Lee, first: Anna}`
)

// gaps are servers whose fingerprint leaves something out, each with what the
// conflict step says of it. Every other step but crash passes.
var gaps = []struct {
	name      string
	contract  string
	behaviour behaviour
	want      string // slugs, then what is not covered
}{
	{"known members only", rich(), behaviour{fingerprint: "known members"},
		"conflict/first-result-returned: /description, /tags/0, /tags/1, /tags/2, /code, /note, /gift, /lines/0/sku, /lines/0/price, /lines/1/sku, /lines/1/price, /ship/to/city, " +
			"/tags in another order, /tags without its last item, /lines in another order, /lines without its last item, " +
			"/description as a text in another case, /description as a text with one space more" +
			", /lines/0/price as a number with another last decimal, /lines/1/price as a number with another last decimal, /lines/0/price as a number of the other sign, /lines/0/price and /lines/1/price with each other's value, /description and /tags/0 with one character moved"},
	{"nothing inside", rich(), behaviour{fingerprint: "outside"},
		"conflict/first-result-returned: /tags/0, /tags/1, /tags/2, /lines/0/sku, /lines/0/price, /lines/1/sku, /lines/1/price, /ship/to/city, " +
			"/tags in another order, /tags without its last item, /lines in another order, /lines without its last item" +
			", /lines/0/price as a number with another last decimal, /lines/1/price as a number with another last decimal, /lines/0/price as a number of the other sign, /lines/0/price and /lines/1/price with each other's value"},
	{"texts in any case", rich(), behaviour{fingerprint: "small letters"}, "conflict/first-result-returned: /description as a text in another case"},
	{"texts without spaces", rich(), behaviour{fingerprint: "no spaces"}, "conflict/first-result-returned: /description as a text with one space more"},
	{"arrays as sets", rich(), behaviour{fingerprint: "sets"},
		"conflict/first-result-returned: /tags in another order, /lines in another order"},
	{"the first bytes", changed(`body: {order_id: "o-1", amount: 1999, description: two tickets}`), behaviour{fingerprint: "first bytes"},
		"conflict/first-result-returned: /description, texts of 4500 characters that differ at their end; /description, texts of 600 characters that differ at their end"},
	{"numbers of 32 bits", changed(), behaviour{fingerprint: "floats"},
		"conflict/first-result-returned: /amount, 16777216 and 16777217 that differ at their end; /amount, 9007199254740990 and 9007199254740991 that differ at their end"},
	{"whole numbers", rich(price), behaviour{fingerprint: "whole numbers"},
		"conflict/first-result-returned: /price as a number with another last decimal"},
	{"numbers without sign", rich(), behaviour{fingerprint: "no sign"}, "conflict/first-result-returned: /amount as a number of the other sign"},
	{"numbers added", rich(cents), behaviour{fingerprint: "sum"},
		"conflict/first-result-returned: /fee and /amount with each other's value"},
	{"numbers of two kinds added", rich(price), behaviour{fingerprint: "sum"},
		"conflict/first-result-returned: /amount and /price with 1 given from one to the other"},
	{"values joined", rich(names), behaviour{fingerprint: "joined"},
		"conflict/first-result-returned: /first and /last with one character moved"},
	{"numbers joined", rich(cents), behaviour{fingerprint: "joined"},
		"conflict/first-result-returned: /amount and /fee with one character moved"},
	{"truth values as numbers, strict", rich(strictTypes), behaviour{fingerprint: "truth as numbers"},
		"conflict/first-result-returned: /gift as a number or truth value"},
	{"texts of everything, strict", rich(strictTypes), behaviour{fingerprint: "texts"},
		"conflict/first-result-returned: /amount as a text, /code as a number, /note as \"\", /note absent, /gift as a text"},
	{"a header left out", branches, behaviour{},
		"conflict/first-result-returned: header X-Branch"},
	{"compared until replayed", changed(), behaviour{fault: "compares until replayed"},
		"conflict/first-result-returned: after a replay /order_id, /amount, /currency, /amount as a number of the other sign, /amount and /currency with one character moved"},
	{"fingerprints lost in a restart", changed(), behaviour{fault: "fingerprints lost in a restart"},
		"conflict/first-result-returned: after a restart /order_id, /amount, /currency"},
	{"waiters not compared", changed("in_flight: {wait: true}"), behaviour{fault: "waiters are not compared"},
		"conflict/first-result-returned: "},
}

func TestGaps(t *testing.T) {
	for _, g := range gaps {
		t.Run(g.name, func(t *testing.T) {
			r, events := play(t, scene{contract: g.contract, behaviour: g.behaviour})
			step := stepOf(r, "conflict")
			var slugs []string
			for _, f := range step.Findings {
				slugs = append(slugs, f.Slug)
				tellsItsStory(t, "conflict", f)
			}
			got := strings.Join(slugs, " ") + ": " + measured(step, "not covered")
			if !strings.HasPrefix(got, g.want) || strings.HasSuffix(g.want, ": ") && got != g.want {
				t.Errorf("got  %s\nwant %s\n%s", got, g.want, outcome(r))
			}
			for _, s := range r.Operations[0].Steps {
				if s.Step != "conflict" && s.Verdict == probe.Fail {
					t.Errorf("%s fails too:\n%s", s.Step, outcome(r))
				}
			}
			// A believed mutation control changes nothing here: the changes were valid.
			trusting, err := probe.JudgeTrusting(ofEvents(events), "mutation")
			if err != nil || stepOf(trusting, "conflict").Verdict != probe.Fail {
				t.Errorf("believing the control: %v", err)
			}
		})
	}
}

func measured(s probe.Result, name string) string {
	for _, m := range s.Evidence.Measures {
		if m.Name == name {
			return m.Value
		}
	}
	return ""
}

// TestAdvisoryTypes: what is taken as the same request though its types differ
// is told of, and is no fault unless the contract says so.
func TestAdvisoryTypes(t *testing.T) {
	r, _ := play(t, scene{contract: rich(), behaviour: behaviour{fingerprint: "texts"}})
	step := stepOf(r, "conflict")
	if step.Verdict != probe.Pass || len(step.Evidence.NotCovered) != 0 {
		t.Fatalf("%s", outcome(r))
	}
	notes := strings.Join(step.Notes, "\n")
	for _, want := range []string{"taken as the same request, and not judged: /amount as a text, /gift as a text, /code as a number", `/note as ""`, "/note absent"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes do not tell %s:\n%s", want, notes)
		}
	}
	r, _ = play(t, scene{contract: rich()})
	if got := outcome(r); got != "" || len(stepOf(r, "conflict").Notes) != 0 {
		t.Errorf("%s%v", got, stepOf(r, "conflict").Notes)
	}
}

// TestRichBodiesPass holds right servers to bodies that have everything to change.
func TestRichBodiesPass(t *testing.T) {
	form := strings.ReplaceAll(changed("reorder: any", "headers: {Content-Type: application/x-www-form-urlencoded}"),
		`body: {order_id: "o-1", amount: 1999, currency: EUR}`, `form: {order_id: "o-1", amount: "1999", currency: EUR, note: ""}`)
	for name, sc := range map[string]scene{
		"as it is":                    {contract: rich()},
		"409 in flight and conflict":  {contract: rich("conflict: {status: [409]}"), behaviour: behaviour{conflict: 409, inFlight: 409}},
		"waits":                       {contract: rich("in_flight: {wait: true}")},
		"strict types":                {contract: rich(strictTypes)},
		"only the key":                {contract: rich("conflict: replay"), behaviour: behaviour{fingerprint: "none"}},
		"another operation":           {contract: rich("conflict: execute"), behaviour: behaviour{mismatch: "execute"}},
		"bytes":                       {contract: rich("reorder: bytes"), behaviour: behaviour{fingerprint: "bytes"}},
		"a header":                    {contract: branches, behaviour: behaviour{fingerprint: "header"}},
		"present state":               {contract: rich("duplicate: current"), behaviour: behaviour{duplicate: "current"}},
		"duplicates refused":          {contract: rich(refusing), behaviour: behaviour{duplicate: "refused", inFlight: 409}},
		"key in the body":             {contract: rich("key: {body: /client_token, generate: uuid4}")},
		"no crash declared":           {contract: rich("-crash"), only: []string{"conflict", "reorder"}},
		"key and form":                {contract: form},
		"form, strict":                {contract: strings.ReplaceAll(form, "conflict: {status: [422]}", strictTypes)},
		"one in a hundred reset":      {contract: rich(), disturb: nowAndThen},
		"slow effects":                {contract: rich(), behaviour: behaviour{unit: 2, slowly: true}},
		"only 1999 EUR":               {contract: rich(), behaviour: behaviour{plain: true}},
		"two numbers":                 {contract: rich(cents)},
		"two kinds of numbers":        {contract: rich(price)},
		"two names":                   {contract: rich(names)},
		"what is ignored is left out": {contract: rich("conflict: {status: [422], covers: [/order_id, /amount, /currency]}"), behaviour: behaviour{fingerprint: "known members"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := play(t, sc)
			for _, s := range r.Operations[0].Steps {
				if s.Verdict != probe.Pass && s.Verdict != probe.Skipped {
					t.Errorf("%s is %s\n%s", s.Step, s.Verdict, outcome(r))
				}
			}
		})
	}
}

// TestConflictWithoutRecords: where a restart takes the records with it, the
// verdict rests on what was tried before it, and the crash step tells of that.
func TestConflictWithoutRecords(t *testing.T) {
	for name, c := range map[string]struct {
		behaviour behaviour
		only      []string
		want      probe.Verdict
		slugs     string
	}{
		"compared as promised":         {behaviour{memory: true}, nil, probe.Pass, ""},
		"without the crash step":       {behaviour{memory: true}, []string{"conflict"}, probe.Pass, ""},
		"not compared":                 {behaviour{memory: true, fingerprint: "none"}, nil, probe.Fail, "conflict/first-result-returned"},
		"records kept, prints are not": {behaviour{fault: "fingerprints lost in a restart"}, nil, probe.Fail, "conflict/first-result-returned"},
		"results made anew":            {behaviour{fault: "result made anew after crash"}, []string{"conflict"}, probe.Inconclusive, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := play(t, scene{behaviour: c.behaviour, only: c.only})
			step := stepOf(r, "conflict")
			if step.Verdict != c.want {
				t.Errorf("conflict is %s, want %s\n%s", step.Verdict, c.want, outcome(r))
			}
			for _, f := range step.Findings {
				if f.Slug != c.slugs {
					t.Errorf("found %s", f.Slug)
				}
			}
			told := false
			for _, k := range step.Cases {
				told = told || k.Name == "restart" && k.Verdict == probe.Skipped && strings.Contains(k.Text, "records do not outlive a restart")
			}
			if told != c.behaviour.memory {
				t.Errorf("that records are lost is told: %v", told)
			}
		})
	}
}

// TestRestartsThatContradict: operations that ran anew after the restart of the
// conflict step, where those of the crash step did not, are no pass.
func TestRestartsThatContradict(t *testing.T) {
	_, events := play(t, scene{})
	for i, e := range events {
		if e.Step == "conflict" && strings.HasPrefix(e.Trial, "kept-") && e.Kind == trace.KindCount && e.Label == "settled" {
			more := *e.Count
			more.N++
			events[i].Count = &more
		}
	}
	r, err := probe.Judge(ofEvents(events))
	if err != nil {
		t.Fatal(err)
	}
	if got := stepOf(r, "conflict"); got.Verdict != probe.Inconclusive || r.Exit != 3 {
		t.Errorf("conflict is %s, exit %d\n%s", got.Verdict, r.Exit, outcome(r))
	}
}

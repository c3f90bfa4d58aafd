package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

const ms = int64(1e6)

// body makes a body as a trace has it.
func body(s string) trace.Body {
	if s == "" {
		return trace.Body{}
	}
	sum := sha256.Sum256([]byte(s))
	b := trace.Body{Size: int64(len(s)), SHA256: hex.EncodeToString(sum[:]), Head: s}
	if !utf8.ValidString(s) {
		b.Head, b.Base64 = base64.StdEncoding.EncodeToString([]byte(s)), true
	}
	return b
}

func request(id, key, text, change string) *trace.Request {
	return &trace.Request{ID: id, Method: "POST", Target: "/v1/charges", Key: key, Change: change, Body: body(text),
		Header: [][2]string{{"Content-Type", "application/json"}, {"Idempotency-Key", key}}}
}

// exchange is one whole exchange that takes 12 ms.
func exchange(label string, at int64, q *trace.Request, status int, text string, header ...[2]string) probe.Exchange {
	return probe.Exchange{Trial: "duplicate", Label: label, Request: q,
		Sent: &trace.Sent{Request: q.ID, Target: "0", Connection: 1, Protocol: "HTTP/1.1",
			WriteBegan: at * ms, WriteEnded: at*ms + 40_000, Whole: true},
		Answer: &trace.Answer{Request: q.ID, Outcome: trace.Answered, Status: status, Body: body(text),
			Header:    append([][2]string{{"Content-Type", "application/json"}}, header...),
			FirstByte: at*ms + 11_500_000, LastByte: at*ms + 12*ms}}
}

func count(label string, at, n int64) probe.Counted {
	return probe.Counted{Trial: "duplicate", Label: label, At: at * ms,
		Count: trace.Count{Subject: "order_id=idem-4b1f", By: "http", N: n, Began: at*ms - 1}}
}

const (
	keyOne  = "5f0c6f1e-7a3b-4c1d-9e2f-0a1b2c3d4e5f"
	bodyOne = `{"order_id":"idem-4b1f","amount":1999,"currency":"EUR"}`
	bodyTwo = `{"order_id":"idem-4b1f","amount":2000,"currency":"EUR"}`
)

var steps = []string{"duplicate", "concurrent", "conflict", "reorder", "crash", "expiry"}

var heldCounter = probe.Control{Name: "counter", Held: true,
	Text: "a new value counts 0, one operation 1, the same under another key 2"}

// passing is a run in which all six steps pass.
func passing() probe.Report {
	r := probe.Report{Tool: "idem 0.1.0", Run: "00c0ffee00c0ffee", Mode: "live", Seed: 7, File: "contract.yaml",
		SHA256: "6d1f7a0c4e2b9d8f6d1f7a0c4e2b9d8f6d1f7a0c4e2b9d8f6d1f7a0c4e2b9d8f", Began: "2026-11-30T12:00:00Z",
		Verdict: probe.Pass, Counts: map[probe.Verdict]int{probe.Pass: 6}}
	op := probe.OperationReport{Name: "create-charge", Verdict: probe.Pass}
	for _, s := range steps {
		op.Steps = append(op.Steps, probe.Result{Step: s, Verdict: probe.Pass, Evidence: probe.Evidence{
			Effects:  &probe.Effects{Before: 0, After: 1, Settled: 1, Unit: 1, CountedBy: "http"},
			Controls: []probe.Control{heldCounter}}})
	}
	op.Steps[0].Evidence.Measures = []probe.Measure{{Name: "requests", Value: "3 with one key", Text: "the same request was sent 3 times"}}
	op.Steps[1].Evidence.Measures = []probe.Measure{{Name: "rounds", Value: "11, overlapped 9", Text: "copies overlapped in 9 of 11 rounds"},
		{Name: "spread of the writes", Value: "median 21µs, largest 310µs"}}
	op.Steps[1].Notes = []string{"no double in 9 overlapped rounds"}
	op.Steps[4].Evidence.Measures = []probe.Measure{{Name: "kills", Value: "2, operations caught between effect and answer: 3",
		Text: "2 kills caught 3 operations between effect and answer"}}
	op.Steps[5].Evidence.Effects = &probe.Effects{Before: 1, After: 2, Settled: 2, Unit: 1, CountedBy: "http"}
	op.Steps[5].Evidence.Measures = []probe.Measure{{Name: probe.FurtherEffects, Value: "0 within 5s, 1 after 6.2s", Text: "no further effect within 5s; one more after 6.2s"},
		{Name: "retention on this target", Value: "at least 5s, at most 6s"}}
	op.Steps[4].Cases = []probe.Case{{Name: "kill-1", Verdict: probe.Pass, Text: "24 operations: 9 answered before the kill, 0 between effect and answer"},
		{Name: "kill-2", Verdict: probe.Pass, Text: "24 operations: 7 answered before the kill, 3 between effect and answer"}}
	r.Operations = []probe.OperationReport{op}
	return r
}

// failing breaks duplicate and, as a consequence, reorder.
func failing() probe.Report {
	r := passing()
	r.Exit, r.Verdict = 1, probe.Fail
	r.Counts = map[probe.Verdict]int{probe.Pass: 3, probe.Fail: 3}
	op := &r.Operations[0]
	op.Verdict = probe.Fail
	one := request("duplicate/first", keyOne, bodyOne, "")
	op.Steps[0].Verdict = probe.Fail
	op.Steps[0].Evidence.Effects = &probe.Effects{Before: 0, After: 1, Settled: 2, Unit: 1, CountedBy: "http"}
	op.Steps[0].Findings = []probe.Finding{{
		ID: "duplicate/effect-ran-twice#create-charge", Slug: "duplicate/effect-ran-twice",
		Requirement: "contract.yaml:31 `duplicate: replay`: requests that share a key and a body have one effect together",
		Line:        31, Expected: "effects for one operation: 1", Actual: "effects counted: 2",
		Exchanges: []probe.Exchange{
			exchange("first", 100, one, 201, `{"id":"ch_1","amount":1999}`),
			exchange("retry", 150, one, 201, `{"id":"ch_2","amount":1999}`, [2]string{"Location", "/v1/charges/ch_2"}),
		},
		Counts: []probe.Counted{count("before", 99, 0), count("after-first", 140, 1), count("settled", 700, 2)},
	}}
	op.Steps[1] = raced()
	op.Steps[3].Verdict = probe.Fail
	op.Steps[3].Findings = []probe.Finding{{
		ID: "reorder/effect-ran-twice#create-charge#member order", Slug: "reorder/effect-ran-twice", Case: "member order",
		Also: []string{"white space", "escapes"}, Follows: "duplicate/effect-ran-twice",
		Requirement: "contract.yaml:36 `reorder: semantic`: another spelling of the same request does not run again",
		Line:        36, Expected: "effects for one operation: 1", Actual: "effects counted: 2",
		Exchanges: []probe.Exchange{exchange("first", 100, one, 201, `{"id":"ch_3"}`)},
	}}
	return r
}

// raced is a failing concurrent step with a stampede.
func raced() probe.Result {
	q := request("concurrent/30 copies", keyOne, bodyOne, "")
	f := probe.Finding{ID: "concurrent/effect-ran-twice#create-charge#30 copies, body hold", Slug: "concurrent/effect-ran-twice",
		Case:        "30 copies, body hold",
		Requirement: "contract.yaml:31 `duplicate: replay`: copies that are in flight together have one effect",
		Line:        31, Expected: "effects for one operation: 1", Actual: "effects counted: 30"}
	for i := range 30 {
		x := exchange("race", 100, q, 201, `{"id":"ch_9"}`)
		x.Copy, x.Sent.Hold, x.Sent.WriteBegan = i, "body", 100*ms+int64(i)*10_000
		x.Answer.LastByte += int64(i) * 20_000
		f.Exchanges = append(f.Exchanges, x)
	}
	lost := exchange("again", 130, q, 0, "")
	lost.Attempt, lost.Answer.Outcome, lost.Answer.FirstByte, lost.Answer.Error = 1, trace.Reset, 0, "connection reset by peer"
	f.Exchanges = append(f.Exchanges, lost)
	return probe.Result{Step: "concurrent", Verdict: probe.Fail,
		Evidence: probe.Evidence{Effects: &probe.Effects{Before: 0, After: 30, Settled: 30, Unit: 1, CountedBy: "http"},
			Controls: []probe.Control{heldCounter}, Measures: []probe.Measure{{Name: "rounds", Value: "11, overlapped 11"}}},
		Cases:    []probe.Case{{Name: "2 copies, body hold, round 1", Verdict: probe.Pass}, {Name: "30 copies, body hold", Verdict: probe.Fail}},
		Findings: []probe.Finding{f}}
}

// unsettled is inconclusive, skipped and waived in places.
func unsettled() probe.Report {
	r := passing()
	r.Exit, r.Verdict, r.RequireEffects = 3, probe.Inconclusive, true
	r.Counts = map[probe.Verdict]int{probe.Pass: 2, probe.Inconclusive: 2, probe.Skipped: 1, probe.Waived: 1}
	r.Notes = []string{"the target answered slowly"}
	op := &r.Operations[0]
	op.Verdict = probe.Inconclusive
	op.Steps[1] = crowdedOut()
	op.Steps[2] = probe.Result{Step: "conflict", Verdict: probe.Inconclusive,
		Reasons: []probe.Reason{{Text: "contract.yaml:30: promise.conflict is not stated", Line: 30, Settle: "state promise.conflict in the contract"},
			{Text: "no changed body was accepted under its own key"}},
		Evidence: probe.Evidence{Controls: []probe.Control{heldCounter, {Name: "mutation", Text: "/amount changed: status 422 under its own key"}}}}
	op.Steps[3] = probe.Result{Step: "reorder", Verdict: probe.Skipped,
		Reasons: []probe.Reason{{Text: "declared as not promised (reorder: any)", Line: 36}}}
	op.Steps[4] = probe.Result{Step: "crash", Verdict: probe.Waived,
		Reasons: []probe.Reason{{Text: "crash is not declared: nothing may be killed", Line: 9, Settle: "add crash.process or crash.hooks to the operation"},
			{Text: "waived until 2027-06-30: staging cannot be killed", Line: 60}}}
	return r
}

// crowdedOut is a race in which every round met the same trouble.
func crowdedOut() probe.Result {
	s := probe.Result{Step: "concurrent", Verdict: probe.Inconclusive,
		Evidence: probe.Evidence{Controls: []probe.Control{heldCounter, {Name: "environment", Text: "2 of 2 requests under other keys met the same trouble (status 503)"},
			{Name: "environment", Text: "30 of 30 requests under other keys met the same trouble (status 503)"}}}}
	for i := range 11 {
		name := fmt.Sprintf("2 copies, body hold, round %d", i+1)
		s.Cases = append(s.Cases, probe.Case{Name: name, Verdict: probe.Inconclusive})
		s.Reasons = append(s.Reasons, probe.Reason{Text: name + ": status 503, and so did other keys: the environment did it",
			Settle: "run against a target that is not overloaded, or declare the answer in the contract"})
	}
	return s
}

// interrupted was cut off after the first step.
func interrupted() probe.Report {
	r := passing()
	r.Exit, r.Verdict, r.Interrupted = 130, probe.Inconclusive, true
	r.Counts = map[probe.Verdict]int{probe.Pass: 1, probe.Inconclusive: 5}
	op := &r.Operations[0]
	op.Verdict = probe.Inconclusive
	for i := 1; i < 6; i++ {
		op.Steps[i] = probe.Result{Step: steps[i], Verdict: probe.Inconclusive,
			Reasons: []probe.Reason{{Text: "the run ended before this step", Settle: "run it again to the end"}}}
	}
	return r
}

// evil is text that tries to leave its place in every format.
const evil = "\x1b[2J\x1b]0;pwned\a\r\n| **bold** `code` ```` <script>alert(1)</script> ]]> &amp; @all https://evil.example " +
	"\u202eright to left\u2066 \u200bhidden\u00a0\u2028\x00\x7f\u009b31m \xff\xfe ﷽ '\"$(id) «auth»"

// hostile has that text everywhere that a server or a file can put it.
func hostile() probe.Report {
	r := failing()
	r.File, r.Notes = "con"+evil+"tract.yaml", []string{evil}
	op := &r.Operations[0]
	op.Name = "op" + evil
	s := &op.Steps[0]
	s.Notes, s.Reasons = []string{evil}, []probe.Reason{{Text: evil, Line: 1, Settle: evil}}
	s.Evidence.Measures = []probe.Measure{{Name: evil, Value: evil}}
	s.Evidence.Controls = []probe.Control{{Name: evil, Text: evil}, {Name: evil, Held: true, Text: evil}}
	s.Cases = []probe.Case{{Name: evil, Verdict: probe.Fail, Text: evil}}
	f := &s.Findings[0]
	f.Requirement, f.Expected, f.Actual, f.Case, f.Also = evil, evil, evil, evil, []string{evil}
	q := request("r", evil, evil, evil)
	q.Target = "/" + evil
	f.Exchanges[0].Request = q
	f.Exchanges[0].Label, f.Exchanges[0].Trial = evil, evil
	f.Exchanges[1].Answer.Header = [][2]string{{"X-Replayed" + evil, evil}}
	f.Exchanges[1].Answer.Body = body(evil)
	f.Exchanges[1].Answer.Body.Head, f.Exchanges[1].Answer.Body.Base64 = evil, false
	f.Counts[0].Subject, f.Counts[0].By, f.Counts[1].Error = evil, evil, evil
	s.Findings = append(s.Findings, probe.Finding{Slug: evil, ID: evil, Follows: evil, Actual: evil, Repro: evil})
	races := &op.Steps[1].Evidence
	races.Releases = []probe.Release{{Copies: 2, Keys: 1, Protocol: evil, Hold: evil, Made: 1, Uncounted: []probe.Uncounted{{Why: evil, Rounds: 1}}}}
	races.Powers = []probe.Power{{Hold: evil, Rounds: 1, Window: 1}}
	races.Pictures = []probe.Picture{{Case: evil, Why: evil, Copies: []probe.Pictured{{Hold: evil, Class: evil, Instance: evil, Written: true}, {Copy: 1, Class: evil}}}}
	op.Steps[2] = probe.Result{Step: "conflict" + evil, Verdict: probe.Inconclusive, Reasons: []probe.Reason{{Text: evil, Line: 2, Settle: evil}}}
	return r
}

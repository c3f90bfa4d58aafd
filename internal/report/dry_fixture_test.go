package report

import (
	"fmt"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

// dryRun has a plan with every kind of action in it.
func dryRun() Dry {
	return Dry{
		Tool: "idem 0.1.0", Run: "0000000000000000", Seed: 1, File: "contract.yaml", Name: "payments",
		SHA256: "6d1f7a0c4e2b9d8f6d1f7a0c4e2b9d8f6d1f7a0c4e2b9d8f6d1f7a0c4e2b9d8f",
		Notes:  []string{"no key material is given: keys are those of the public test secret"},
		Operations: []DryOperation{{
			Name: "create-charge",
			Sections: Sections{
				RequestFingerprint: []Fact{{Name: "method", Value: "POST"}, {Name: "headers", List: []string{}}},
				StableID:           []Fact{{Name: "travels_in", Value: "header Idempotency-Key"}},
				Duplicate:          []Fact{{Name: "answer", Value: "replay"}, {Name: "in_flight", List: []string{"409", "waits for the first result"}}},
				Replay:             []Fact{{Name: "marker", Open: true}},
				Conflict:           []Fact{{Name: "answer", Value: "status 409 or 422"}, {Name: "covers", List: []string{""}}},
				Retention:          nil,
			},
			Steps: []DryStep{
				NewDryStep(probe.Plan{Step: "control", Makes: 1, Requests: []*probe.Request{planned("control/one", "")},
					Threads: []probe.Thread{{Trial: "counter", Actions: []probe.Action{probe.Send{Label: "one", Request: "control/one", Copies: 1}}}}}, nil),
				NewDryStep(simplePlan(), map[string]string{"duplicate/first": "ip1:9f86d081"}),
				NewDryStep(crashPlan(), nil),
				NewDryStep(probe.Plan{Step: "expiry", Idle: probe.Reason{Text: "promise.retention is not stated", Line: 12,
					Settle: "state promise.retention in the contract"}}, nil),
			},
		}},
	}
}

func planned(id, change string) *probe.Request {
	return &probe.Request{ID: id, Method: "POST", Target: "/v1/charges", Key: "key-of-" + id, Change: change,
		Header: [][2]string{{"Content-Type", "application/json"}, {"Idempotency-Key", `"key-of-` + id + `"`}},
		Body:   []byte(bodyOne)}
}

func simplePlan() probe.Plan {
	subject := probe.Subject{Text: "order_id=idem-4b1f"}
	return probe.Plan{Step: "duplicate", Makes: 3,
		Requests: []*probe.Request{planned("duplicate/first", ""), planned("duplicate/environment/0", "/amount changed")},
		Threads: []probe.Thread{{Trial: "duplicate", Actions: []probe.Action{
			probe.Count{Label: "before", Subject: subject},
			probe.Repeat{Body: []probe.Action{probe.Send{Label: "first", Request: "duplicate/first", Copies: 1}},
				While: probe.Condition{Fact: probe.Unsettled, Labels: []string{"first"}, ConflictSettles: true},
				Every: 150 * time.Millisecond, Within: 2 * time.Second, Max: 60},
			probe.Count{Label: "after", Subject: subject, Poll: true},
			probe.Count{Label: "two", Subject: subject, Poll: true, Above: "after", Sibling: true},
			probe.Settle{For: 500 * time.Millisecond},
			probe.Wait{For: "first", From: probe.FirstSent, Plus: 90 * time.Second},
			probe.Wait{For: "first", From: probe.LastAnswered, Plus: 24 * time.Hour},
			probe.Send{Label: "race", Request: "duplicate/first", Copies: 30, Hold: probe.HoldBody, Other: true, Target: "1"},
			probe.If{When: probe.Condition{Fact: probe.Troubled, Labels: []string{"first", "race"}},
				Body: []probe.Action{probe.Burst{Label: "environment", Requests: []string{"duplicate/environment/0"}, Hold: probe.HoldHeader, Target: "expiry"}}},
			probe.Advance{By: 25 * time.Hour},
		}}}}
}

func crashPlan() probe.Plan {
	volley := probe.Volley{Label: "volley", Reach: 1.5}
	var retry [][]probe.Action
	for i := range 24 {
		id := fmt.Sprintf("crash/kill-1/%d", i)
		volley.Requests = append(volley.Requests, id)
		retry = append(retry, []probe.Action{probe.Send{Label: fmt.Sprintf("retry-%d", i), Request: id, Copies: 1}})
	}
	retry[7] = append(retry[7], probe.Settle{For: time.Second})
	body := []probe.Action{volley, probe.Start{Within: 30 * time.Second}, probe.Fan{Branches: retry}}
	return probe.Plan{Step: "crash", Makes: 24, Threads: []probe.Thread{{Exclusive: true, Actions: []probe.Action{
		probe.Try{Trial: "kill-1", Body: body},
		probe.If{When: probe.Condition{Fact: probe.Sparse, Within: 8 * time.Second}, Body: []probe.Action{probe.Try{Trial: "kill-2", Body: body}}},
	}}}}
}

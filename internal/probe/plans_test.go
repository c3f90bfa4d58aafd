package probe_test

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
)

// drawContract draws a contract that a plan can be made of.
func drawContract(rt *rapid.T) *contract.Contract {
	lines := []string{
		rapid.SampledFrom([]string{"fresh: [/order_id]", "fresh: [{at: /order_id, as: uuid4}]", "fresh: [/order_id, {at: /amount, as: integer}]",
			"fresh: [/order_id, {at: /amount, as: integer, max: 2000000000}]"}).Draw(rt, "fresh"),
		rapid.SampledFrom([]string{"key: {header: Idempotency-Key, generate: uuid4}", "key: {header: Idempotency-Key, syntax: sf-string, generate: uuid4}",
			"key: {body: /client_token, generate: uuid4}", "key: {query: token, generate: uuid4}"}).Draw(rt, "key"),
		"reorder: " + rapid.SampledFrom([]string{"semantic", "bytes", "any"}).Draw(rt, "reorder"),
		rapid.SampledFrom([]string{"effects: responses", `effects: {http: {path: "/c?o={fresh:/order_id}", count: "$[*]"}}`}).Draw(rt, "effects"),
	}
	c, err := contract.Parse("contract.yaml", []byte(changed(lines...)), nil)
	if err != nil {
		rt.Fatalf("the test's contract: %v", err)
	}
	return c
}

func drawEnv(rt *rapid.T) probe.Env {
	return probe.Env{RunID: rapid.StringMatching("[0-9a-f]{16}").Draw(rt, "run"), Seed: rapid.Uint64().Draw(rt, "seed"), Keys: probe.GeneratedKeys{}}
}

func plansOf(rt *rapid.T, c *contract.Contract, env probe.Env) []*probe.Plan {
	plans, err := probe.Plans(c.Operations[0], env, probe.Selection{})
	if err != nil {
		rt.Fatal(err)
	}
	return plans
}

// TestPlans holds what every plan is held to.
func TestPlans(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c, one, two := drawContract(rt), drawEnv(rt), drawEnv(rt)
		plans := plansOf(rt, c, one)
		if !reflect.DeepEqual(plans, plansOf(rt, c, one)) {
			rt.Fatal("the same contract and Env give two plans")
		}
		keysAreShared(rt, plans)
		for _, p := range plans {
			retriesAreFrozen(rt, p)
		}
		if one.RunID != two.RunID {
			runsShareNothing(rt, plans, plansOf(rt, c, two))
		}
	})
}

// values gives the keys and the fresh values of plans, each with its request.
func values(plans []*probe.Plan) (keys, fresh map[string][]*probe.Request) {
	keys, fresh = map[string][]*probe.Request{}, map[string][]*probe.Request{}
	for _, p := range plans {
		for _, q := range p.Requests {
			keys[q.Key] = append(keys[q.Key], q)
			for at, v := range q.Fresh {
				fresh[at+"="+v] = append(fresh[at+"="+v], q)
			}
		}
	}
	return keys, fresh
}

// runsShareNothing: two runs share no key and no fresh text; integers are too
// few for that, and counts are taken before.
func runsShareNothing(rt *rapid.T, one, two []*probe.Plan) {
	keys, fresh := values(one)
	moreKeys, moreFresh := values(two)
	for key := range moreKeys {
		if keys[key] != nil {
			rt.Fatalf("key %s again", key)
		}
	}
	for v := range moreFresh {
		if fresh[v] != nil && !strings.HasPrefix(v, "/amount") {
			rt.Fatalf("value %s again", v)
		}
	}
}

// family is the trial that a request belongs to: requests of one may share a
// key or a fresh value.
func family(q *probe.Request) string {
	i := strings.LastIndexByte(q.ID, '/')
	return q.ID[:i]
}

// keysAreShared only where the plan means to: one original with its changed or
// respelt bodies. The counter's control shares fresh values.
func keysAreShared(rt *rapid.T, plans []*probe.Plan) {
	keys, fresh := values(plans)
	for key, qs := range keys {
		originals := 0
		for _, q := range qs {
			if family(q) != family(qs[0]) {
				rt.Fatalf("%s and %s share the key %s", q.ID, qs[0].ID, key)
			}
			if q.Change == "" {
				originals++
			}
			if !carries(q, key) {
				rt.Fatalf("%s does not carry its key: %s %v %s", q.ID, q.Target, q.Header, q.Body)
			}
		}
		if originals > 1 || originals == 0 && len(qs) > 1 {
			rt.Fatalf("%d originals with the key %s", originals, key)
		}
	}
	for v, qs := range fresh {
		for _, q := range qs {
			if family(q) != family(qs[0]) {
				rt.Fatalf("%s and %s share %s", q.ID, qs[0].ID, v)
			}
		}
	}
}

// carries says that a request has the key in one place.
func carries(q *probe.Request, key string) bool {
	n := strings.Count(q.Target, key) + bytes.Count(q.Body, []byte(key))
	for _, f := range q.Header {
		if f[1] == key || f[1] == `"`+key+`"` {
			n++
		}
	}
	respelt := strings.HasPrefix(q.ID, "reorder/") && q.Change != ""
	return n == 1 || respelt && n == 0 // its key may be spelled with an escape
}

// retriesAreFrozen: all that a trial sends as its first, its retries and its
// copies is one frozen request; every request of a plan is sent somewhere,
// every send has its request, and no more operations are made than told.
func retriesAreFrozen(rt *rapid.T, p *probe.Plan) {
	asked := map[string]*probe.Request{}
	for _, q := range p.Requests {
		if asked[q.ID] != nil {
			rt.Fatalf("two requests %s", q.ID)
		}
		asked[q.ID] = q
	}
	sent, keys := map[string]bool{}, map[string]bool{}
	frozen := map[string]string{} // trial and role to request
	for _, thread := range p.Threads {
		walk(thread.Trial, thread.Actions, func(trial, label string, ids []string) {
			for i, id := range ids {
				sent[id] = true
				if asked[id] == nil {
					rt.Fatalf("%s is sent and not planned", id)
				}
				keys[asked[id].Key] = true
				role := trial
				switch {
				case label == "control" || label == "environment" || label == "changed" || label == "warm" || label == "race" || label == "respelt" || label == "other-key":
					continue
				case label == "volley":
					role += " " + strconv.Itoa(i)
				case strings.HasPrefix(label, "retry-"), strings.HasPrefix(label, "again-"):
					role += " " + label[len("retry-"):]
				}
				if frozen[role] != "" && frozen[role] != id {
					rt.Fatalf("%s sends %s and %s as one request", role, frozen[role], id)
				}
				frozen[role] = id
			}
		})
	}
	if len(sent) != len(asked) {
		rt.Fatalf("%s: %d requests are planned, %d sent", p.Step, len(asked), len(sent))
	}
	if len(keys) > p.Makes {
		rt.Fatalf("%s makes %d operations, told are %d", p.Step, len(keys), p.Makes)
	}
}

// walk shows every send of a plan.
func walk(trial string, actions []probe.Action, show func(trial, label string, ids []string)) {
	for _, a := range actions {
		switch a := a.(type) {
		case probe.Send:
			show(trial, a.Label, []string{a.Request})
		case probe.Burst:
			show(trial, a.Label, a.Requests)
		case probe.Volley:
			show(trial, a.Label, a.Requests)
		case probe.Repeat:
			walk(trial, a.Body, show)
		case probe.If:
			walk(trial, a.Body, show)
		case probe.Try:
			walk(a.Trial, a.Body, show)
		case probe.Fan:
			for _, branch := range a.Branches {
				walk(trial, branch, show)
			}
		}
	}
}

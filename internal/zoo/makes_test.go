package zoo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
)

// TestPlansTellHowManyOperationsTheyMake: what a plan says that it makes at
// most, which limits hold a run to, is what its requests can make of a server
// that keeps the contract: one operation for each key, one more where a key is
// used at another place, by another caller or after it was forgotten.
func TestPlansTellHowManyOperationsTheyMake(t *testing.T) {
	done := map[string]bool{}
	for _, v := range everyVariant() {
		text := v.Contract(File)
		if done[promised(v, text)] {
			continue
		}
		done[promised(v, text)] = true
		c, err := contract.Parse(v.Name+".yaml", text, nil)
		if err != nil {
			t.Fatal(err)
		}
		tellsWhatItMakes(t, v.Name, c)
	}
	read := 0
	for _, pattern := range []string{"testdata/contracts/good/*.yaml", "examples/*/contract.yaml", "testdata/targets/*/*contract.yaml"} {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c, err := contract.Parse(file, text, func(name string) ([]byte, error) {
				return os.ReadFile(filepath.Join(filepath.Dir(file), name))
			})
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			read++
			tellsWhatItMakes(t, file, c)
		}
	}
	if read < 10 {
		t.Errorf("%d contracts were read", read)
	}
}

func tellsWhatItMakes(t *testing.T, name string, c *contract.Contract) {
	t.Helper()
	for _, op := range c.Operations {
		plans, err := probe.Plans(op, probe.Env{RunID: "00000000000000a1", Seed: 1, Keys: probe.GeneratedKeys{}, Contract: c}, probe.Selection{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, p := range plans {
			if made := operationsOf(op, p); made != p.Makes {
				t.Errorf("%s, %s of %s: its requests make %d operations, told are %d", name, p.Step, op.Name, made, p.Makes)
			}
		}
	}
}

// operationsOf counts the operations that a plan's requests can make.
func operationsOf(op *contract.Operation, p *probe.Plan) int {
	operations := map[string]bool{}
	asked := map[string]*probe.Request{}
	for _, q := range p.Requests {
		asked[q.ID] = q
	}
	for _, thread := range p.Threads {
		sends(thread.Trial, thread.Actions, func(trial, label string, ids []string, other bool) {
			for _, id := range ids {
				q := asked[id]
				operations[operationOf(op, p.Step, label, q, other)] = true
				if p.Step == "expiry" && (label == "after" || trial == "forgotten") {
					operations["forgotten "+trial] = true
				}
			}
		})
	}
	return len(operations)
}

// operationOf names the operation that a request makes.
func operationOf(op *contract.Operation, step, label string, q *probe.Request, other bool) string {
	values, p := fmt.Sprint(q.Fresh), op.Promise
	switch {
	case step == "missing-key" && q.Key == "" && p.MissingKey.Value.Mode == "execute":
		return values + label
	case step == "missing-key", q.Key == "":
		return values // what is refused without a key runs with one
	case q.Change == "corrected":
		return q.Key + values // its key was let go
	case step == "conflict" && p.Conflict.Value.Mode == "execute":
		return q.Key + string(q.Body)
	case step == "binding" && p.Binding.Value != "independent":
		return q.Key
	case step == "key-rules" && op.Key.Rules.Case == "insensitive":
		return strings.ToLower(q.Key)
	}
	return fmt.Sprint(q.Key, " ", q.Method, " ", q.Target, " ", other)
}

// sends shows every send of a plan.
func sends(trial string, actions []probe.Action, show func(trial, label string, ids []string, other bool)) {
	for _, a := range actions {
		switch a := a.(type) {
		case probe.Send:
			show(trial, a.Label, []string{a.Request}, a.Other)
		case probe.Burst:
			show(trial, a.Label, a.Requests, false)
		case probe.Volley:
			show(trial, a.Label, a.Requests, false)
		case probe.Repeat:
			sends(trial, a.Body, show)
		case probe.If:
			sends(trial, a.Body, show)
		case probe.Try:
			sends(a.Trial, a.Body, show)
		case probe.Fan:
			for _, branch := range a.Branches {
				sends(trial, branch, show)
			}
		}
	}
}

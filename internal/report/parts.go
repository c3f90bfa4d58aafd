package report

import (
	"slices"
	"strings"
	"sync"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/document"
)

// The six sections are the six parts of a dry run's result. Here each fact gets
// its line of the contract, so that a reader finds what promises it, or where
// the promise would stand (contract-v1, Dry run and live run).

// standing is where in an operation each fact is stated, by section. Of several
// places the first that is there counts.
var standing = sync.OnceValue(func() map[string]map[string]string {
	return map[string]map[string]string{
		"request_fingerprint": {
			"form": "fingerprint", "method": "request/method", "path": "request/path", "body": "request/body|request/form|request/body_file",
			"headers": "fingerprint/headers", "ignore": "fingerprint/ignore", "first_planned": "request",
		},
		"stable_id": {
			"travels_in": "key/header|key/body|key/query", "syntax": "key/syntax", "companion": "key/companion",
			"": "key/recipe|key/generate",
		},
		"duplicate": {"answer": "promise/duplicate", "effects": "promise/duplicate", "counted_by": "effects", "": "promise/"},
		"replay":    {"": "promise/"},
		"conflict":  {"answer": "promise/conflict", "": "promise/conflict/"},
		"retention": {
			"at_least": "promise/retention/at_least|promise/retention", "at_most": "promise/retention/at_most", "from": "promise/retention/from",
			"tested_by": "expiry/wait|expiry/advance|expiry", "tests": "expiry", "": "promise/",
		},
	}
})

// Locate gives the facts of a contract's operations their lines.
func Locate(c *contract.Contract, operations []DryOperation) {
	root, err := document.Parse(c.File, c.Source)
	if err != nil {
		return // it was read before: this cannot be
	}
	for _, op := range operations {
		i := slices.IndexFunc(c.Operations, func(o *contract.Operation) bool { return o.Name == op.Name })
		node := root.Lookup("operations").Items[i]
		for _, part := range op.Sections.named() {
			for at := range part.facts {
				f := &part.facts[at]
				f.Line, f.Stated = stands(node, places(part.name, f.Name))
				f.Stated = f.Stated && !f.Open
			}
		}
	}
}

func places(section, fact string) []string {
	at, ok := standing()[section][fact]
	if !ok {
		at = standing()[section][""]
		if strings.HasSuffix(at, "/") {
			at += fact
		}
	}
	return strings.Split(at, "|")
}

// stands gives the line of the first of several members that is there; of the
// block in which it would stand where none is, and false.
func stands(operation *document.Node, all []string) (line int, stated bool) {
	line = operation.Line
	for i, path := range all {
		at, nearest, found := operation, operation.Line, true
		for _, name := range strings.Split(path, "/") {
			m := at.Member(name)
			if m == nil {
				found = false
				break
			}
			at, nearest = m.Value, m.Line
		}
		if found {
			return nearest, true
		}
		if i == 0 {
			line = nearest
		}
	}
	return line, false
}

// retentionTests says which experiments a live run makes with the retention of
// an operation: those of the step expiry, open where it is not planned.
func retentionTests(steps []DryStep) Fact {
	f := Fact{Name: "tests", Open: true, Detail: true}
	for _, s := range steps {
		if s.Step != "expiry" {
			continue
		}
		for _, l := range s.Lines {
			if l.Depth == 0 && l.Action == "thread" {
				trial, _, _ := strings.Cut(l.Text, ", ")
				f.List, f.Open = append(f.List, trial), false
			}
		}
	}
	return f
}

// jsonPart is one of the six parts, for all operations.
type jsonPart struct {
	Part       string              `json:"part"`
	Section    string              `json:"section"`
	Operations []jsonPartOperation `json:"operations"`
}

type jsonPartOperation struct {
	Operation string     `json:"operation"`
	Facts     []jsonFact `json:"facts"`
}

// jsonFact says whether the contract lets the fact be known, and whether a line
// of it states it: what is known and not stated is a default or the profile's.
type jsonFact struct {
	Fact   string `json:"fact"`
	Known  bool   `json:"known"`
	Stated bool   `json:"stated"`
	Line   int    `json:"line,omitempty"` // of the contract; where it would stand, if it is not stated
	Value  any    `json:"value"`
}

// partsJSON gives the six parts in their order.
func partsJSON(operations []DryOperation) []jsonPart {
	var parts []jsonPart
	for i, s := range (Sections{}).named() {
		part := jsonPart{Part: s.title, Section: s.name}
		part.Operations = mapped(operations, func(op DryOperation) jsonPartOperation {
			facts := op.Sections.named()[i].facts
			return jsonPartOperation{op.Name, mapped(facts, func(f Fact) jsonFact {
				return jsonFact{f.Name, !f.Open, f.Stated, f.Line, f.json()}
			})}
		})
		parts = append(parts, part)
	}
	return parts
}

package zoo

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var largeAnswers = Variant{
	Name: "large-answers",
	What: "every answer is longer than what a trace keeps of one, and says when it was served",
	Says: func(s *Says) {
		s.Promise["compare"] = "json"
		s.Promise["ignore"] = "[/served_at, /request_id]"
		s.Promise["retention"] = "{at_least: 12s, at_most: 14s, from: first_use}" // to send that much takes time
		s.Expiry["wait"] = "12s"
	},
	Options:   func(o *reference.Options) { o.Retention *= 2 },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return stamps{enlarges{b}} },
}

type enlarges struct{ reference.Behaviour }

// statementLines makes an answer of about 70 kB.
const statementLines = 2_400

func (e enlarges) Execute(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) (reference.Outcome, error) {
	out, err := e.Behaviour.Execute(ctx, s, call, rec)
	var doc map[string]any
	if err != nil || out.Answer.Status != 201 || json.Unmarshal(out.Answer.Body, &doc) != nil {
		return out, err
	}
	doc["statement"] = strings.Repeat("One line of a long statement.\n", statementLines)
	out.Answer.Body, err = json.Marshal(doc)
	return out, err
}

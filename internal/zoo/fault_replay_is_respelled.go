package zoo

import (
	"context"
	"encoding/json"

	"github.com/idem-toolkit/idem/internal/reference"
)

var replayIsRespelled = Variant{
	Name:      "replay-is-respelled",
	What:      "a replay is the same JSON written anew where the same bytes are promised",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return respells{b} },
}

type respells struct{ reference.Behaviour }

func (r respells) Replay(ctx context.Context, s *reference.Service, call *reference.Call, rec reference.Record) reference.Answer {
	a := r.Behaviour.Replay(ctx, s, call, rec)
	var members map[string]json.RawMessage
	if json.Unmarshal(a.Body, &members) == nil {
		a.Body, _ = json.Marshal(members) // its members are sorted now
	}
	return a
}

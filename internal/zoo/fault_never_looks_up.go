package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var neverLooksUp = Variant{
	Name:      "never-looks-up",
	What:      "the key is required and never looked up: every request runs",
	Caught:    []string{"duplicate", "concurrent"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return noLookup{b} },
}

type noLookup struct{ reference.Behaviour }

func (noLookup) Claim(ctx context.Context, s *reference.Service, _ *reference.Call, ask reference.Ask) (reference.Claim, error) {
	return aside(ctx, s, ask)
}

package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var bodyIsPartOfKey = Variant{
	Name:      "body-is-part-of-key",
	What:      "key and body are looked up together: the same key with another body runs as an operation of its own",
	Caught:    []string{"conflict"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return keyWithBody{b} },
}

type keyWithBody struct{ reference.Behaviour }

func (k keyWithBody) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	ask.Key += "#" + ask.Fingerprint
	return k.Behaviour.Claim(ctx, s, call, ask)
}

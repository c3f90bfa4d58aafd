package zoo

import (
	"context"

	"github.com/idem-toolkit/idem/internal/reference"
)

var bytesArePartOfKey = Variant{
	Name:   "bytes-are-part-of-key",
	What:   "key and bytes are looked up together: another spelling of the same request runs again",
	Caught: []string{"reorder"},
	Says: func(s *Says) {
		s.Promise["conflict"] = "execute"
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return keyWithBytes{b} },
}

type keyWithBytes struct{ reference.Behaviour }

func (k keyWithBytes) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	ask.Key += "#" + sum(string(call.Body))
	return k.Behaviour.Claim(ctx, s, call, ask)
}

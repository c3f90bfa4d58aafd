package zoo

import (
	"errors"

	"github.com/idem-toolkit/idem/internal/reference"
)

var supersededOwnerGets503 = Variant{
	Name:   "superseded-owner-gets-503",
	What:   "an owner that lost its claim answers its caller 503, though the operation is made",
	Caught: []string{"slow"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour {
		return superseded{unrenewed{b}, errors.New("the lock had timed out")}
	},
}

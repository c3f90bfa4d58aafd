package zoo

import (
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

var waitsThen409 = Variant{
	Name: "waits-then-409",
	What: "a duplicate waits a little for the first, and is refused with 409 if that takes longer",
	Says: func(s *Says) { s.Promise["in_flight"] = "{status: [409], wait: true}" },
	Options: func(o *reference.Options) {
		o.InFlight, o.WaitMax = "wait", 15*time.Millisecond
	},
}

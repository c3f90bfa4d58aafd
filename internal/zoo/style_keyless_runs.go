package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var keylessRuns = Variant{
	Name:    "keyless-runs",
	What:    "a request without a key runs, each time anew",
	Says:    func(s *Says) { s.Promise["missing_key"] = "execute" },
	Options: func(o *reference.Options) { o.Keyless = "execute" },
}

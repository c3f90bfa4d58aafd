package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var replayLosesLocation = Variant{
	Name:      "replay-loses-location",
	What:      "a replay has lost the Location of the first answer",
	Caught:    []string{"duplicate"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return loses{b, "Location"} },
}

package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var retentionLonger = Variant{
	Name: "retention-longer",
	What: "a key is remembered ten times as long as promised, and nothing says that it is ever forgotten",
	Says: func(s *Says) {
		s.Promise["retention"] = retention
		s.Promise["after_retention"] = "any"
	},
	Options: func(o *reference.Options) { o.Retention *= 10 },
}

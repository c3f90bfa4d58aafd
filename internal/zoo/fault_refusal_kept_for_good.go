package zoo

// refusalKeptForGood is the right service under another promise.
var refusalKeptForGood = Variant{
	Name:   "refusal-kept-for-good",
	What:   "a refusal keeps its key though that was promised to be free: the corrected request can never run",
	Caught: []string{"outcome"},
	Says: func(s *Says) {
		s.Promise["stored"] = `{"2xx": replay, "3xx": replay, "402": release, "4xx": any, "5xx": release}`
	},
}

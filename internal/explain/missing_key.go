package explain

var missingKey = Step{
	Name: "missing-key",
	Asks: "What becomes of a request without a key?",
	Does: []string{
		"sends a request without the key, and without the header that travels with it; another one with other values; the first again; and a third",
		"sends the last one once more with a key, or another one where requests without a key run",
		"counts the effects of each request's values before, and after they have settled",
		"sends an empty key too and notes what is answered: nothing is promised of it here",
	},
	Controls: []string{
		"mutation: with a key the request must be accepted; else a refusal says nothing of keys",
		unitControl,
		otherKeysControl,
	},
	Pass:   "each request was refused as declared and had no effect, or each ran and got a result of its own",
	Unsure: "the request is not accepted with a key either, or neither effects nor answers tell two results apart",
	Needs:  "promise.missing_key: an answer such as {status: [400]}, or execute",
	Entries: []Entry{
		{
			Slug:  "missing-key/not-refused",
			Title: "a request without a key was not refused as declared",
			Money: "Callers who forget the key believe that they are protected. Each time-out and retry of theirs is a second payment, and nothing has told them.",
			Causes: []string{
				"the key is read with a default, and empty is taken for a key",
				"the check is on one endpoint or version only",
				"the refusal has another status than the documentation says",
			},
			Fixes: []string{
				"refuse before anything is claimed or run, with the documented status",
				"correct promise.missing_key where requests without a key are meant to run: execute",
			},
			Evidence: "The same request with a key was accepted; without one it got another answer than promise.missing_key names.",
		},
		{
			Slug:  "missing-key/effect-ran",
			Title: "a request without a key had an effect though it is promised to be refused",
			Money: "Money moves without protection. The caller may have been told of a refusal, sends the request again with a key, and pays twice.",
			Causes: []string{
				"the key is looked for after the handler has run",
				"the refusal comes from a layer that answers while another runs the request all the same",
			},
			Fixes: []string{
				"check for the key first, in the layer that claims it, and run nothing without",
			},
			Evidence: "Effects for values that were only sent without a key rose above what they were before.",
		},
		{
			Slug:  "missing-key/first-result-returned",
			Title: "a request without a key was answered with another one's result",
			Money: "Everybody who sends no key is given the first such caller's result: another's order number and amount, while the own order is never made. It is a leak and a loss in one.",
			Causes: []string{
				"a missing key is taken for the empty string, which all share",
				"keys are made from a part of the request that does not differ, such as the path",
				"a cache before the handler keeps answers by path alone",
			},
			Fixes: []string{
				"tell no key from an empty one, and look nothing up without a key",
				"refuse requests without a key, or run each with a key that is made for it alone",
			},
			Evidence: "The answer to a second request without a key, with other values, held the first one's id, Location or values; or the values were sent again and nothing ran.",
		},
		{
			Slug:  "missing-key/refused",
			Title: "a request without a key was refused though it is promised to run",
			Money: "Callers who were told that the key is optional cannot order at all.",
			Causes: []string{
				"the check was added and the documentation kept",
			},
			Fixes: []string{
				"state promise.missing_key as the answer that is given, or let such requests run",
			},
			Evidence: "promise.missing_key is execute; a request without a key got no success, while the same with a key did.",
		},
		{
			Slug:  "missing-key/effect-missing",
			Title: "an answer says success, and no effect is counted",
			Money: "The caller was told that it is done and nothing was done.",
			Causes: []string{
				"the result of an earlier request was given instead",
				"the request with a key was taken for a retry of the one without",
			},
			Fixes: []string{
				"run each request without a key, and look nothing up for it",
			},
			Evidence: "Success was answered, and effects for its values did not rise while the control's did.",
		},
		{
			Slug:  "missing-key/effect-ran-twice",
			Title: "one request without a key had its effect more than once",
			Money: "Each request is meant to be one operation, and made two.",
			Causes: []string{
				"the request runs in the layer of keys and again in the handler",
			},
			Fixes: []string{
				"run a request without a key in one place",
			},
			Evidence: "Effects for one request's values rose by more than the unit for each time that it was sent.",
		},
	},
}

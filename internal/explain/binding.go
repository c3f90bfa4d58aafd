package explain

var binding = Step{
	Name: "binding",
	Asks: "What does a key mean on another endpoint?",
	Does: []string{
		"sends the operation and then the sibling, both with the same values, under keys of their own: that is the control",
		"sends the operation with a new key and new values, and waits for its effect",
		"sends the same key, values and body to the sibling",
		"where request.slow is given and keys are promised to be independent, sends the key to the sibling while the operation is at work, between two requests of other keys",
		"counts the sibling's effects by its own counter, where one is given",
		"sends the operation again: it must still get its result, and run no second time",
	},
	Controls: []string{
		"mutation: under a key of its own the sibling must accept the body, in the same situation",
		unitControl,
		otherKeysControl,
	},
	Pass:   "the sibling was answered as promise.binding says, with effects to match, and the operation kept its result",
	Unsure: "the sibling does not take the body under a key of its own, or neither effects nor answers tell its result from the first one's",
	Needs:  "sibling (method and path, and effects to count) and promise.binding",
	Entries: []Entry{
		{
			Slug:  "binding/first-result-returned",
			Title: "the same key on another endpoint was answered with the first endpoint's result",
			Money: "A refund is answered with the charge that was made: the caller books a refund that never took place. Or the reverse, and goods are sent that nobody paid.",
			Causes: []string{
				"records are found by the key alone",
				"the fingerprint covers the body and leaves method and path out",
			},
			Fixes: []string{
				"make method and path a part of what a key is unique within, or of the fingerprint",
				"let the unique constraint cover them",
			},
			Evidence: "The sibling's answer held the id, Location or values of the first result.",
		},
		{
			Slug:  "binding/refused-not-promised",
			Title: "the same key on another endpoint was refused though that is not promised",
			Money: "A caller that names a whole purchase by one key cannot go on after its first step.",
			Causes: []string{
				"one key space for all endpoints",
				"the path is a part of the fingerprint and not of the key's scope",
				"records are found by path and key, and the lock on work in flight is taken by the key alone",
			},
			Fixes: []string{
				"scope keys by method and path, or promise binding: conflict",
			},
			Evidence: "Under a key of its own the sibling accepted the same; under the operation's key it did not. Or, while the operation was at work, its key was refused there or kept waiting until that was done, and other keys, before and after it, were not.",
		},
		{
			Slug:  "binding/ran-not-promised",
			Title: "the same key on another endpoint ran, though it is promised to be bound",
			Money: "The caller relies on one key for one operation. A request that went astray to another endpoint moves money a second time.",
			Causes: []string{
				"records are kept for each endpoint on its own",
			},
			Fixes: []string{
				"share one record store and one unique constraint on the key",
				"promise binding: independent where endpoints are meant to be apart",
			},
			Evidence: "promise.binding is conflict or replay; the sibling answered with a success or had an effect.",
		},
		{
			Slug:  "binding/wrong-answer",
			Title: "the same key on another endpoint got another answer than is promised",
			Money: "Clients do not know the answer, and take a final refusal for one that may be retried, or the reverse.",
			Causes: []string{
				"the error of a database constraint is passed on",
				"another layer refuses before the keys are looked at",
			},
			Fixes: []string{
				"answer as promise.conflict says wherever a key is bound to another request",
			},
			Evidence: "The answer matched neither the declared conflict nor the first result.",
		},
		{
			Slug:  "binding/effect-missing",
			Title: "the sibling answered with success and had no effect",
			Money: "The caller believes that the refund is made and nobody made it.",
			Causes: []string{
				"the first endpoint's record was found and its answer made anew in the second one's form",
			},
			Fixes: []string{
				"scope keys by endpoint",
			},
			Evidence: "The sibling's own counter did not rise, while it did for the control.",
		},
		{
			Slug:  "binding/effect-ran-twice",
			Title: "a key's use on another endpoint let an effect happen twice",
			Money: "The second endpoint's record replaced the first one's, and the retry of the first runs again: paid twice.",
			Causes: []string{
				"one record for each key, overwritten by whoever uses it last",
			},
			Fixes: []string{
				"never replace the record of another endpoint: scope the constraint, or refuse",
			},
			Evidence: "After the sibling was answered the operation was sent again, and effects rose.",
		},
		{
			Slug:  "binding/record-replaced",
			Title: "after the key was used elsewhere the operation no longer gets its result",
			Money: "The caller that retries is given another's result or a refusal, and does not learn that it was done.",
			Causes: []string{
				"one record for each key, overwritten by whoever uses it last",
			},
			Fixes: []string{
				"scope records by endpoint, or refuse the second use without touching the first's record",
			},
			Evidence: "The operation sent again after the sibling was not answered as a duplicate is promised to be.",
		},
	},
}

package explain

var scope = Step{
	Name: "scope",
	Asks: "Can another caller with the same key see, block or undo what the first one did?",
	Does: []string{
		"lets the first caller and then the other one send the same values under keys of their own: that is the control",
		"sends an operation with a new key as the first caller",
		"sends the same key as the other caller, once with the same body and once with another one",
		"counts the other caller's effects, where the counter shows them",
		"sends both again: each must get its own result and run no second time",
		"where request.slow is given, sends the key as the other caller while the first one's operation is at work, between two requests of its own keys",
		"where the query is a part of the scope, sends the key with another query too",
	},
	Controls: []string{
		"mutation: under a key of its own the other caller's request must be accepted, in the same situation",
		"counter: whether it shows the other caller's effects is tried with the control; where it does not, answers are the evidence",
		otherKeysControl,
	},
	Pass:   "the other caller got a result and an effect of its own, nothing of the first one's, and both kept theirs",
	Unsure: "the other principal may not do the same at all, or neither effects nor answers tell the two results apart",
	Needs:  "target.other_auth (another principal at the scope's level) and promise.scope with caller in it",
	Entries: []Entry{
		{
			Slug:  "scope/other-callers-result",
			Title: "another caller with the same key was given the first caller's result",
			Money: "One customer reads another's order, amount and ids, and whoever can guess or see a key can read its result. The other caller's own payment is never made. It is the gravest fault there is here.",
			Causes: []string{
				"records are found by the key alone",
				"the caller is taken from a header or session that the layer of keys does not see",
				"a shared cache before the API keeps answers by key",
			},
			Fixes: []string{
				"make the authenticated account a part of the unique constraint: (account, key)",
				"look keys up after authentication, never before",
				"give the account and not the credential: two keys of one account are one caller",
			},
			Evidence: "The other principal's answer held the id, Location or values of the first one's result. A replay marker alone is never taken for it.",
		},
		{
			Slug:  "scope/other-callers-conflict",
			Title: "another caller's key was refused since the first caller had used it",
			Money: "Callers can block one another, by chance or on purpose, with keys that can be guessed; and the refusal tells that somebody has used the key and, by trying bodies, for what.",
			Causes: []string{
				"one key space for all callers: the constraint is on the key alone",
				"the caller is a part of the fingerprint and not of the key's scope",
				"records are found by caller and key, and the lock on work in flight is taken by the key alone",
			},
			Fixes: []string{
				"make the account a part of the unique constraint: (account, key)",
			},
			Evidence: "Under a key of its own the other principal's request was accepted; under the first one's key it got the conflict's, the in-flight or the duplicate's answer, or another refusal. Or, while the first one's operation was at work, it was refused or kept waiting until that was done, and other keys of its own, before and after it, were not.",
		},
		{
			Slug:  "scope/other-caller-refused",
			Title: "another caller's key met an error since the first caller had used it",
			Money: "A customer's payment fails for no reason of its own, for as long as a stranger's key is kept.",
			Causes: []string{
				"records are looked up by caller and key, and inserted under a unique index on the key alone",
			},
			Fixes: []string{
				"let index and lookup cover the same columns",
			},
			Evidence: "Under a key of its own the other principal's request was accepted; under the first one's key it got a 5xx or no answer, and other keys at the time did not.",
		},
		{
			Slug:  "scope/effect-missing",
			Title: "another caller was told of success and had no effect",
			Money: "The other customer believes that it has paid. The answer was made from the first one's record.",
			Causes: []string{
				"the record of the key is taken and its answer made anew for who asks",
			},
			Fixes: []string{
				"make the account a part of the unique constraint: (account, key)",
			},
			Evidence: "The other principal's request was answered with success, and the counter, which shows its effects in the control, did not rise.",
		},
		{
			Slug:  "scope/effect-ran-twice",
			Title: "callers with the same key had an effect twice",
			Money: "A retry of one of them ran again: the other's record had taken the place of its own, or there was none.",
			Causes: []string{
				"one record for each key: the last caller overwrites it",
				"whoever is not the record's caller runs without protection",
			},
			Fixes: []string{
				"keep one record for each caller and key",
			},
			Evidence: "After both callers were answered, each sent its request again, and effects rose.",
		},
		{
			Slug:  "scope/record-replaced",
			Title: "after another caller used the key, the first one no longer gets its result",
			Money: "The first caller's retry is answered with a stranger's result, or refused. It cannot learn that its payment was made.",
			Causes: []string{
				"one record for each key: the last caller overwrites it",
			},
			Fixes: []string{
				"keep one record for each caller and key",
			},
			Evidence: "The first request sent again, after the other caller's, was not answered as a duplicate is promised to be.",
		},
		{
			Slug:  "scope/retry-not-recognised",
			Title: "another caller's own retry is not recognised",
			Money: "The second of two callers with one key has no protection: its retries are new operations, or errors.",
			Causes: []string{
				"whoever is not the record's caller is let through without a record of its own",
			},
			Fixes: []string{
				"keep one record for each caller and key",
			},
			Evidence: "The other caller's request sent again was not answered as a duplicate is promised to be.",
		},
		{
			Slug:  "scope/query-shares-keys",
			Title: "the same key with another query met the first one's record",
			Money: "The query chooses an account, a mode or a version, and the caller is given the result of another one, or is refused.",
			Causes: []string{
				"records are found by key and path, and the query is left out",
			},
			Fixes: []string{
				"take the query into the key's scope, or leave it out of promise.scope",
			},
			Evidence: "promise.scope names the query; the same key with one more parameter, which is accepted under a key of its own, did not run on its own.",
		},
	},
}

package explain

var storeDown = Step{
	Name: "store-down",
	Asks: "What does the service do when it cannot reach its record store?",
	Does: []string{
		"finishes one operation",
		"takes the record store away by the contract's hook, with the target to itself",
		"sends a new key twice, and the finished one once more",
		"brings the store back by the hook",
		"sends all keys again until their answers are final, and a further new one",
		"counts the effects when the store is back",
	},
	Controls: []string{
		"store: while it was away a new key must get no result but the service's own error, or no answer; else the hook took nothing away",
		"environment: a new key after the outage must be accepted; else the store is not back",
		unitControl,
	},
	Pass:   "nothing ran unprotected: each key had one effect in all, and its result once the store was back",
	Unsure: "a hook failed, the outage did not show, an operation that was done was refused for good in it, or the service does not accept new keys after it",
	Needs:  "store_down: {down: [...], up: [...]}, commands that take the record store away and bring it back",
	Entries: []Entry{
		{
			Slug:  "store-down/effect-ran-twice",
			Title: "without its record store the service ran operations unprotected",
			Money: "An outage of a cache becomes double payments: clients retry most when things fail, and just then nothing holds them back.",
			Causes: []string{
				"the middleware lets requests through when its store fails (fail open)",
				"the failure to record a result is logged and ignored",
				"a key that cannot be read is taken for one that is not there",
			},
			Fixes: []string{
				"refuse with 503 and Retry-After when the key cannot be claimed (fail closed)",
				"keep records in the same database as the effects, in one transaction: then both are away or neither",
			},
			Evidence: "One key was sent before, in and after the outage; the counter shows more than one unit.",
		},
		{
			Slug:  "store-down/effect-missing",
			Title: "an answer said success, and no effect is counted",
			Money: "The caller was told that it is done, and it was lost with the outage.",
			Causes: []string{
				"work is put into the store that is away, and success is answered",
			},
			Fixes: []string{
				"answer with a success only after the effect is committed",
			},
			Evidence: "A success was answered in or after the outage, and the counter did not rise.",
		},
		{
			Slug:  "store-down/result-lost",
			Title: "what was answered before or in the outage is gone after it",
			Money: "The retry is given another result, or another order's. Books do not match.",
			Causes: []string{
				"results answered while the store is away are recorded nowhere",
				"the store comes back empty",
			},
			Fixes: []string{
				"refuse while results cannot be kept",
				"use a store that survives what it is expected to",
			},
			Evidence: "A key's result before or in the outage is not what it gives after it.",
		},
		{
			Slug:  "store-down/stuck-in-progress",
			Title: "after the outage the key stays in flight",
			Money: "The order can never be finished under its key; with a new one it may be paid twice.",
			Causes: []string{
				"the claim was made and its release failed while the store was away, and it has no end of its own",
			},
			Fixes: []string{
				"give every claim a lease, after which a retry takes it over",
			},
			Evidence: "Once the store was back, and the lease and some seconds had passed, the key was still refused as in flight.",
		},
		{
			Slug:  "store-down/refused",
			Title: "after the outage the key gets an error for good",
			Money: "A client that does everything right cannot finish its order.",
			Causes: []string{
				"the error of the outage was stored as the key's result",
				"the connection to the store is not made again",
			},
			Fixes: []string{
				"store only results of operations that ran",
				"reconnect, and try the key anew",
			},
			Evidence: "Once the store was back, other keys were accepted, and this one got an undeclared error until the end of the waiting.",
		},
	},
}

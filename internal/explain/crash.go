package explain

var crash = Step{
	Name: "crash",
	Asks: "Does a retry after the server was killed make the effect exactly once?",
	Does: []string{
		"sends many operations a moment apart, each with its own key, and kills the service at once (SIGKILL, or the contract's hook) so that some kills fall between effect and answer",
		"starts the service again and waits until it is ready",
		"sends the very same bytes of every operation again until each is answered or the lease and the recovery time have passed, and then once more",
		"counts the effects of every key, waits the settle time and counts again",
	},
	Controls: []string{
		"counter: as for duplicate, and it must live outside the killed process",
		"landing: a pass needs at least one kill that fell between an effect and its answer; every kill is judged",
	},
	Pass:   "no key made more or less than one unit, none was stuck past the lease, results that had been answered came again, and a kill landed between effect and answer",
	Unsure: "no kill landed there, effects are known by answers only, or the contract does not say how to kill and start the service",
	Needs:  "crash.process or crash.hooks, promise.lease or crash.recovery, and effects that are counted outside the process",
	Entries: []Entry{
		{
			Slug:  "crash/effect-ran-twice",
			Title: "after a kill the retry ran the effect again",
			Money: "Each deploy, out-of-memory kill and node loss charges again whoever was between effect and answer. These are exactly the callers that retry.",
			Causes: []string{
				"the effect commits first and the key's record after it, in a second transaction or store",
				"records live in memory and are gone with the process",
				"a foreign effect (a provider's charge) was made and nothing was written before it",
			},
			Fixes: []string{
				"commit effect, result and key in the same transaction, or none of them",
				"keep records in a durable store; a cache may sit in front of it",
				"before a foreign effect, commit the intent; after a restart ask the provider what became of it, by a key derived from yours, before doing it again",
			},
			Evidence: "A request was cut by the kill, the same bytes were sent after the restart, and the counter shows more than one unit for that key's values.",
		},
		{
			Slug:  "crash/receipt-without-effect",
			Title: "a success was answered and no effect is there",
			Money: "The customer holds a receipt for something that was never done. Nobody will retry: the answer was success.",
			Causes: []string{
				"the key's record commits before the effect, and the retry is answered from the record",
				"the answer is sent before the commit",
				"the effect sits in the killed process's memory: a queue, a batch, a write-behind cache",
			},
			Fixes: []string{
				"commit effect, result and key together",
				"hand work on through an outbox table in the same transaction",
				"check that the database really waits for its disk (fsync, synchronous_commit)",
			},
			Evidence: "Before or after the restart a success was answered for the key, and its counter stayed at zero until appears_within and the settle time had passed.",
		},
		{
			Slug:  "crash/stuck-in-progress",
			Title: "the key is refused as in flight past the lease",
			Money: "The payment's fate is unknown and stays so until the record expires, often a day later. Support cannot see it either, and the customer pays again another way.",
			Causes: []string{
				"the claim has no lease: it ends with the retention",
				"lease and retention are one number in the store",
				"the lease is renewed by something that outlives its owner",
			},
			Fixes: []string{
				"give the claim a lease of seconds that its live owner renews, apart from the retention of results",
				"let the next request take over an expired claim in one conditional update, with a new fencing token, so that a late owner cannot complete it",
				"on take-over, find out what the dead owner did before doing it again",
			},
			Evidence: "After the restart the same bytes got an in-flight answer each time, or waited for one, until the recovery time had passed: crash.recovery, or else promise.lease. Where they waited, at least two did, with nothing else under way, while new operations were sent and answered many times sooner.",
		},
		{
			Slug:  "crash/result-lost",
			Title: "after a kill a result is gone",
			Money: "The caller was told, asks again and hears that there is nothing, or is treated as new. What was settled is open again.",
			Causes: []string{
				"answers are stored in memory or in a cache that the kill empties",
				"the answer is stored after it was sent, in the background",
				"key and effect are committed first and the result later: a kill between them leaves a key without a result, answered with an empty one",
			},
			Fixes: []string{
				"store the answer in the transaction of the effect, before it is sent",
				"keep it in a store that survives the process",
			},
			Evidence: "The answer was whole before the kill and the same bytes after the restart did not get it, within the retention; or the retry's answer lacks what every other first answer of the operation has; or a second retry did not get the first one's answer.",
		},
		{
			Slug:  "crash/result-changed",
			Title: "after a kill one key has two results",
			Money: "One payment has two numbers or two states, one told before the crash and one after. Refunds and disputes go to the wrong one.",
			Causes: []string{
				"after the restart the answer is built anew, with new ids or from present state",
				"the operation ran again and the first result was overwritten",
			},
			Fixes: []string{
				"store the answer as sent and send that",
				"make ids in the transaction, not while answering",
			},
			Evidence: "The answer was whole before the kill and the same bytes after the restart got a success that differs where it may not; or two retries after the restart got two different successes.",
		},
		{
			Slug:  "crash/refused",
			Title: "the retry got an undeclared error until the recovery time ended",
			Money: "The service is up and this caller's payment is not answerable: error after error for the one key that needs help most.",
			Causes: []string{
				"the half-written record breaks the handler that finds it: a missing result, an unknown state",
				"the unique violation on the dead owner's row is answered as 500",
			},
			Fixes: []string{
				"handle each state that a killed process can leave, and test with kill -9 at each of them",
				"reconcile open claims at start, or when their next request comes",
			},
			Evidence: "After the service was ready, the same bytes got an undeclared status or a reset until the recovery time had passed, while a new key was served.",
		},
		{
			Slug:  "crash/did-not-restart",
			Title: "the service was not ready again",
			Money: "Nobody can be served, new or old, and what became of the open payments cannot be asked.",
			Causes: []string{
				"recovery at start fails on what the killed process left: a lock file, a half-written file, a migration",
				"the port is still held, or the ready path needs something that is not there yet",
			},
			Fixes: []string{
				"start from the same data directory after kill -9, by hand, and read what it says",
				"let the database's own recovery do its work; do not keep state in files that need a clean shutdown",
				"raise crash.recovery where starting really takes that long",
			},
			Evidence: "The process was killed and started with the same command, and its ready path did not answer with 2xx within the time allowed.",
		},
	},
}

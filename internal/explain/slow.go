package explain

var slow = Step{
	Name: "slow",
	Asks: "Does an operation that works longer than the lock lasts keep its key?",
	Does: []string{
		"sends request.slow with a new key and new values, and the same under a key of its own that nothing disturbs",
		"while it works sends the very same bytes again, spread over the time: before the lease has passed, soon after it, and later",
		"when it is done sends the same bytes once more",
		"counts the effects, waits the settle time and counts again",
	},
	Controls: []string{
		"counter: as for duplicate; how many effects the slow request makes is told by the one under its own key",
		"environment: as for duplicate, with slow requests under other keys",
		"length: a pass needs an answer that took longer than promise.lease, and a duplicate that came or waited beyond it while the operation worked",
	},
	Pass:   "one operation's effect, the duplicates were told that it is in flight or got its result, and so did the one after it",
	Unsure: "the slow request was answered within the lease, or not within target.timeout, or promise.lease is not stated",
	Needs:  "request.slow, promise.duplicate and promise.lease",
	Entries: []Entry{
		{
			Slug:  "slow/effect-ran-twice",
			Title: "while a slow operation worked its duplicate ran too",
			Money: "On the day that the payment provider is slow, every impatient caller pays twice. In tests nothing is ever slow enough to show it.",
			Causes: []string{
				"the lock has a time-out and nobody renews it: after that a retry takes it, while its owner is alive and goes on",
				"the owner does not look whether the lock is still its own before it commits",
				"the client library retries by itself after its own time-out, with the same key, and the server takes it for the next attempt",
			},
			Fixes: []string{
				"renew the claim while the handler works, a few times within its length",
				"fence: give each claim a token that grows, and commit effect and result only where the token is still the record's",
				"end handlers before their claim ends, and state that as promise.owner_max",
			},
			Evidence: "One slow request and its duplicates with the same key and bytes; more effects were counted than the same request makes under a key of its own.",
		},
		{
			Slug:  "slow/effect-missing",
			Title: "a slow operation was answered as done, no effect is counted",
			Money: "The caller waited long, was told that it is done, and nothing was done. Nobody will retry.",
			Causes: []string{
				"an owner that lost its claim rolls back and answers success all the same",
				"a transaction's time-out ends before the handler's",
			},
			Fixes: []string{
				"answer after the commit, and with what was committed",
				"let an owner that lost its claim read the record and answer from it",
			},
			Evidence: "Success was answered, and the counter stayed below what the same slow request makes under a key of its own.",
		},
		{
			Slug:  "slow/other-answer",
			Title: "a slow operation and its duplicate got two results",
			Money: "One caller holds two charge numbers for one order. Whichever it books, the other is in nobody's ledger, or in two.",
			Causes: []string{
				"a duplicate took over the claim of an owner that was still alive, and each answered its own result",
				"the owner's work was rolled back at its commit, and its answer was sent all the same",
			},
			Fixes: []string{
				"renew the claim while the handler works",
				"after a lost claim answer from the record that the new owner wrote",
			},
			Evidence: "The slow request and one that came while it worked were both accepted, and their answers differ where promise.duplicate says that they are one.",
		},
		{
			Slug:  "slow/refused",
			Title: "a slow operation, or one that came while it worked, got an error",
			Money: "An error tells the caller that nothing is known. It gives up on an operation that is made, or tries with a new key and pays again.",
			Causes: []string{
				"copies that wait are ended by a shorter time-out of their own, and answered with 500",
				"an owner that lost its claim answers that as an error",
				"the lock's time-out is answered like a fault of the database",
			},
			Fixes: []string{
				"answer a copy that cannot wait any longer with the declared in-flight status and Retry-After",
				"renew the claim, so that its owner does not lose it",
			},
			Evidence: "The slow request, or a duplicate that came while it worked, got a status that the contract does not declare; slow requests under other keys did not.",
		},
		{
			Slug:  "slow/stuck",
			Title: "after a slow operation its key is refused as in flight",
			Money: "The operation is made and its caller, whose connection the long work has often cost it, cannot find out.",
			Causes: []string{
				"the result is recorded only where the lock is still held, and it had timed out",
				"the record's state is written before the lock's renewal, which writes the old state back",
			},
			Fixes: []string{
				"write effect, result and state in one transaction, by a token that only the claim's owner has",
				"let renewals touch the lease alone",
			},
			Evidence: "The slow request had its whole answer; the same bytes again stayed in flight, or without any answer, while other keys were answered.",
		},
		{
			Slug:  "slow/claim-outlived",
			Title: "a live owner kept its key longer than promise.owner_max",
			Money: "Callers are told that after this time a key is answered or free. Those that build on it give up on a payment that is still being made.",
			Causes: []string{
				"the handler has no time-out of its own, or one longer than what is documented",
				"renewals go on without a bound",
			},
			Fixes: []string{
				"end the handler, and free its key, when promise.owner_max is over",
				"state the real bound, or none",
			},
			Evidence: "A duplicate that was sent later than owner_max after the operation, with a margin, was still told that it is in flight, and nobody had taken the operation over.",
		},
	},
}

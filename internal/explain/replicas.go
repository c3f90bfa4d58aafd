package explain

var replicas = Step{
	Name: "replicas",
	Asks: "Does one replica know what another one has seen?",
	Does: []string{
		"sends a request to one replica, the same bytes to another and to the first again, in both directions",
		"releases copies of one request together over all replicas, in several rounds, and tries each key once more",
		"sends the key with another body to a replica that has not seen it yet, both ways, and once more when that replica has replayed the result",
		"counts the effects through the first base URL",
	},
	Controls: []string{
		"counter: one operation gives the unit u; the same values under another key must give 2u; new values start at 0",
		"environment: trouble that the contract does not declare is tried with other keys at the same replicas",
		"instances: where target.instance is given, at least two must have answered",
		"rounds: only those in which copies overlapped count",
	},
	Pass:   "every key had one effect and one result, whichever replica was asked",
	Unsure: "one instance answered behind all base URLs, no round overlapped, or the counter did not hold its control",
	Needs:  "target.base_urls of more than one replica, and promise.duplicate",
	Entries: []Entry{
		{
			Slug:  "replicas/effect-ran-twice",
			Title: "two replicas ran the same key's operation",
			Money: "Behind a load balancer the retry mostly meets another replica: it pays a second time. It looks like chance, and no test of one process shows it.",
			Causes: []string{
				"records are in the memory of each process",
				"replicas read from a copy of the database that lags",
				"the lock is a mutex of one process",
				"records are kept in a store for each region or shard",
			},
			Fixes: []string{
				"keep records where all replicas see them, under one unique constraint",
				"claim and look up on the primary, never on a copy that lags",
			},
			Evidence: "One key's copies went to different replicas, and the counter shows more than one unit.",
		},
		{
			Slug:  "replicas/effect-missing",
			Title: "replicas answered with success, and no effect is counted",
			Money: "Each replica believed that the other one did it.",
			Causes: []string{
				"a replica answers from the claim of another before anything is done",
			},
			Fixes: []string{
				"answer with a success only after the effect is committed",
			},
			Evidence: "A success was answered, and the counter did not rise while the control's did.",
		},
		{
			Slug:  "replicas/other-answer",
			Title: "another replica gave another result",
			Money: "Two answers to one order: whichever the caller keeps, the books do not match.",
			Causes: []string{
				"each replica makes the answer anew from what it knows",
				"records are in the memory of each process",
			},
			Fixes: []string{
				"store the answer with the key, where all replicas see it",
			},
			Evidence: "The same bytes at another replica were answered with a result that differs from the first.",
		},
		{
			Slug:  "replicas/refused",
			Title: "another replica refused the retry",
			Money: "The caller cannot learn that it was done, depending on which replica it meets.",
			Causes: []string{
				"another replica sees the claim and not the result",
				"the unique constraint's error is passed on",
			},
			Fixes: []string{
				"keep result and state where the claim is",
			},
			Evidence: "The same bytes at another replica got neither the promised answer nor, in time, anything but a refusal.",
		},
		{
			Slug:  "replicas/loser-error",
			Title: "a copy at another replica lost the race and got an undeclared error",
			Money: "A client takes the error for the outcome and tries with a new key, while the order is made.",
			Causes: []string{
				"the loser's insert meets the unique index and the error is answered as 500",
			},
			Fixes: []string{
				"treat the unique violation as what it is: read the record and answer from it",
			},
			Evidence: "Copies of one request overlapped at different replicas; one got an answer that is neither the result nor the declared in-flight answer.",
		},
		{
			Slug:  "replicas/results-differ",
			Title: "copies at different replicas got different results",
			Money: "Two callers of one order hold two results, and one of them is for nothing, or paid.",
			Causes: []string{
				"records are in the memory of each process",
			},
			Fixes: []string{
				"claim the key where all replicas see it, before anything runs",
			},
			Evidence: "Copies of one request overlapped at different replicas and were answered with different results.",
		},
		{
			Slug:  "replicas/stuck-after-race",
			Title: "after a race over replicas the key stays in flight",
			Money: "The order is made and its caller is told for ever that it is under way.",
			Causes: []string{
				"each replica waits for, or refuses by, the other one's claim",
				"the loser overwrites the winner's final state",
			},
			Fixes: []string{
				"let the winner alone change the record (a fencing token)",
			},
			Evidence: "After the race the key was tried until a live owner's longest claim was over, and was still refused as in flight.",
		},
		{
			Slug:  "replicas/conflict-not-seen",
			Title: "another replica did not see that the key belongs to another body",
			Money: "A changed order runs under a key that is taken, or is answered with the first one's result, depending on the replica.",
			Causes: []string{
				"fingerprints are in the memory of each process",
				"the record reaches the other replica without its fingerprint",
			},
			Fixes: []string{
				"store the fingerprint with the key, where all replicas see it",
			},
			Evidence: "The key was finished at one replica; with another body at a second one it was not refused as promise.conflict says.",
		},
	},
}

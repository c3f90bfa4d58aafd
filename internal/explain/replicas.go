package explain

var replicas = Step{
	Name: "replicas",
	Asks: "Does one replica know what another one has seen?",
	Does: []string{
		"sends a request to one replica, the same bytes to another and to the first again, in both directions",
		"releases copies of one request together over all replicas, in several rounds, and tries each key once more",
		"sends the key with another body to a replica that has not seen it yet, both ways, and once more when that replica has replayed the result",
		"sends another caller's request with the key to a replica that the first caller did not meet, and both retries across",
		"behind one URL, where target.instance names the header in which replicas name themselves: sends each of these over connections of their own until another instance has answered, at most a few dozen times",
		"counts the effects through the first base URL",
	},
	Controls: []string{
		unitControl,
		"environment: trouble that the contract does not declare is tried with other keys at the same replicas",
		"instances: where target.instance is given, at least two must have answered, and each kind of experiment must have met two",
		"rounds: only those count in which copies overlapped that different instances answered",
	},
	Pass:   "every key had one effect and one result, whichever replica was asked",
	Unsure: "one instance gave all answers, no round overlapped, or the counter did not hold its control",
	Needs:  "target.base_urls of more than one replica, or target.instance for those behind one URL; and promise.duplicate",
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
		{
			Slug:  "replicas/other-callers-result",
			Title: "another replica gave a caller the result of another caller",
			Money: "One customer reads another one's order, on whichever replica the load balancer picks.",
			Causes: []string{
				"a replica's cache of results is looked up by the key alone",
				"results are passed between replicas without their caller",
			},
			Fixes: []string{
				"make the caller part of the key wherever a result is kept, caches included",
			},
			Evidence: "Another principal's request with the same key, at a replica that the first caller did not meet, was answered with the first result's body or id.",
		},
		{
			Slug:  "replicas/other-caller-refused",
			Title: "another replica refused a caller because of another caller's key",
			Money: "A caller whose key happens to be taken by somebody else cannot order, depending on the replica.",
			Causes: []string{
				"a replica's lock or cache is taken by the key alone",
			},
			Fixes: []string{
				"make the caller part of the key wherever it is claimed",
			},
			Evidence: "Another principal's request with the same key was refused at another replica, while it was accepted there under a key of its own.",
		},
	},
}

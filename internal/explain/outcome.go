package explain

var outcome = Step{
	Name: "outcome",
	Asks: "Does a failure leave its key as promised: with the failure stored, or free?",
	Does: []string{
		"sends request.failing with a new key and new values, for each class that is given, and the same under another key",
		"sends the very same bytes again, and comes back while the key is in flight, until the lease is over",
		"after a refusal (4xx) sends a corrected request under the same key and, where it is accepted, once more; after a failure (5xx) the same bytes once more or, where the retry failed too, the request without what makes it fail",
		"counts the effects, waits the settle time and counts again",
	},
	Controls: []string{
		"counter: as for duplicate",
		"environment: as for duplicate, with requests that are not made to fail",
		"failure: the request must fail with a status of its class, and the corrected one is the contract's own, which the counter's control has seen accepted",
	},
	Pass:   "the retry got what promise.stored says for that status, nothing stayed in flight, and a retry that went through made one effect",
	Unsure: "the request did not fail, promise.stored says nothing of its status, or a stored failure and one that was met again look alike: only a marker, a changing answer, an effect or the key's conflict tells them apart",
	Needs:  "request.failing, promise.stored and promise.duplicate; promise.conflict or promise.marker make stored failures visible",
	Entries: []Entry{
		{
			Slug:  "outcome/stuck",
			Title: "after a failure the key stays in flight",
			Money: "The commonest fault of all: one failure of the handler, and the caller is told that its payment is being worked on, for a day. Nobody works on it.",
			Causes: []string{
				"the key is freed on the way of success only; an exception passes by it",
				"a panic or a thrown error is answered by a layer above the one that holds the key",
				"the record's expiry is the retention, and is the only thing that ends a claim",
			},
			Fixes: []string{
				"finish or free the claim on every way out of the handler: deferred, in finally, in the layer that made it",
				"give claims a short lease, apart from how long results are kept",
			},
			Evidence: "The failing request had its answer, or its connection ended; the same bytes, sent again until promise.lease had passed, stayed in flight or without an answer.",
		},
		{
			Slug:  "outcome/not-stored",
			Title: "a failure that was promised to be stored was not given again as it was",
			Money: "Callers are told that a refusal is final for its key. A retry that runs instead may go through later, when the caller has long taken the order elsewhere.",
			Causes: []string{
				"only successes are stored",
				"the refusal is answered by a layer above the one that stores",
				"the stored failure is replayed with another status",
				"its status alone is stored, and the body is left out or made anew for each replay",
			},
			Fixes: []string{
				"store the answers that the promise names, whatever their status, body and headers included",
				"state release in promise.stored for statuses that free their key",
			},
			Evidence: "The same bytes after the failure got another answer, be it another status or only another body, or the same one without the promised marker, or made an effect, or another request ran under the key.",
		},
		{
			Slug:  "outcome/not-released",
			Title: "a failure keeps the key that it was promised to free",
			Money: "A mistake in an amount, or one failure of the service, is repeated for as long as keys are kept: the corrected request can never run, and the sale is lost.",
			Causes: []string{
				"every answer is stored, without a look at its status",
				"the answer is dropped, and the request's fingerprint stays with the key",
			},
			Fixes: []string{
				"delete the key's record with its fingerprint where an attempt ended without an effect",
				"validate before the key is claimed, so that refusals of that kind never touch it",
				"state replay in promise.stored where failures are meant to be final",
			},
			Evidence: "After a refusal the corrected request under the same key was not accepted, or the refusal came again as a replay; after a failure the retry failed again, and so did the request without what makes it fail.",
		},
		{
			Slug:  "outcome/wrong-answer",
			Title: "the retry of a failure got another answer than promised",
			Money: "Callers decide by that answer whether to try again, and do the wrong thing.",
			Causes: []string{
				"the status in the documentation is not the one in the code",
				"retries of failures go another way than other duplicates",
			},
			Fixes:    []string{"answer as promise.stored says for this status, or correct it there"},
			Evidence: "promise.stored names an answer for the status; the same bytes after the failure got another one.",
		},
		{
			Slug:  "outcome/conflict-not-seen",
			Title: "another body under a key whose refusal is stored got that refusal, not the conflict",
			Money: "A caller that uses a key again by mistake, for another order, is told that this order was refused too. It was never tried, and the mistake stays hidden.",
			Causes: []string{
				"fingerprints are compared for stored successes only",
				"a stored failure is answered before the fingerprint is looked at",
			},
			Fixes: []string{
				"compare the fingerprint first, whatever is stored under the key",
				"state conflict: replay where the key alone decides",
			},
			Evidence: "The corrected request, which differs in what promise.conflict covers and is accepted under a key of its own, got the first one's refusal: marked as a replay, or with what only that answer holds.",
		},
		{
			Slug:  "outcome/refused",
			Title: "the retry of a failure got an undeclared error",
			Money: "The caller learns nothing: not that it failed, and not that it may try again.",
			Causes: []string{
				"the second insert of the key meets the first one's, which the failure has left behind, and the error is answered as 500",
				"reading a stored failure fails, since it was stored in another form than results are",
			},
			Fixes: []string{
				"treat the unique violation as a duplicate: read the record and answer from it",
				"store failures in the same form as results",
			},
			Evidence: "The same bytes after the failure got a 5xx, a 429 or no answer that the contract does not declare; other keys did not.",
		},
		{
			Slug:  "outcome/effect-ran-twice",
			Title: "the attempt that failed and its retry both had the effect",
			Money: "The first charge went through and was answered with an error; the retry charged again. Both are on the statement.",
			Causes: []string{
				"the failure comes after the effect: the key is freed, the effect is not undone",
				"an error after the provider's answer is taken for an error of the provider",
			},
			Fixes: []string{
				"write effect, result and key in one transaction, so that a failure undoes the effect too",
				"free a key only where it is known that there is no effect; where it is not known, find out before the next attempt",
				"give a foreign effect a key of its own, derived from the first, so that the provider refuses the second one",
			},
			Evidence: "The failing request and its retries, with one key, made more effects than one operation does.",
		},
		{
			Slug:  "outcome/effect-missing",
			Title: "the retry of a failure was answered as done, no effect is counted",
			Money: "The caller tried again until it was told that it is done. It is not.",
			Causes: []string{
				"the failed attempt has left a record that looks like a finished one",
				"the effect is skipped since an earlier attempt is believed to have made it",
			},
			Fixes: []string{
				"undo the record together with the effect",
				"keep attempts and results apart",
			},
			Evidence: "The retry, or the corrected request, got a success, and the counter stayed below one operation's effects.",
		},
		{
			Slug:  "outcome/other-answer",
			Title: "after a failure two retries got two results",
			Money: "The retry went through and the one after it tells of another charge: books and ledger differ.",
			Causes: []string{
				"the result of a second attempt is not stored over the first one's failure",
				"each attempt after a failure runs anew",
			},
			Fixes: []string{
				"store the result of whichever attempt succeeds, in the transaction that makes its effect",
			},
			Evidence: "The retry of the failed request succeeded; the same bytes once more got another answer than promise.duplicate says.",
		},
	},
}

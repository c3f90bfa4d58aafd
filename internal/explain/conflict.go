package explain

var conflict = Step{
	Name: "conflict",
	Asks: "Is another body under a used key told apart from a retry?",
	Does: []string{
		"sends a request with a new key and waits for its answer",
		"sends a changed body under the same key: each value on its own (of a body with many, the rest in groups), arrays in another order and shorter, " +
			"texts in another case or with one space more, texts of thousands of characters and large numbers that differ at their end, and the headers of fingerprint.headers",
		"changes what a fingerprint that computes with values or joins them takes for the same: the last decimal of a number, its sign, two numbers whose sum stays, " +
			"a character moved from one value to the next; a body that the API does not take shows nothing",
		"sends the original bytes again: the conflict must not have touched their record",
		"sends the changed body once more: some servers compare only until they have replayed",
		"counts the effects of the original and of the changed body",
		"lets original and changed body race: one gets a result, the other the conflict's answer or the one in flight",
		"where crash is declared, restarts the service once and sends changed bodies and originals of before again; records that a restart loses are the crash step's to judge",
		"tries 1 as \"1\", null, \"\" and absent: judged where promise.conflict.types is strict, told of where it is advisory",
	},
	Controls: []string{
		"mutation: the changed body, with new values, must be accepted under a key of its own; else the server's refusal may be plain validation",
		"counter: as for duplicate",
	},
	Pass:   "every changed body was answered as promised, ran no effect unless execute is promised, and the original still gets its result",
	Unsure: "no changed body was accepted under its own key, the service remembered some finished operations over the restart and others not, or the contract does not say what a conflict gets",
	Needs:  "promise.conflict, and a body with something to change",
	Entries: []Entry{
		{
			Slug:  "conflict/first-result-returned",
			Title: "a changed body got the first body's result",
			Money: "A caller asks for 50 and is told, with success, about the 20 that it asked for before. Its bug of reusing a key stays hidden, and the second payment is never made.",
			Causes: []string{
				"the key alone is looked up and the request is never compared",
				"the fingerprint covers method and path, or some fields, and not the whole body",
				"the comparison is made only while the first request is in flight, or not then, or until the answer is in a cache",
				"the fingerprint is held in memory, and the record outlives a restart without it",
			},
			Fixes: []string{
				"store a fingerprint of the request (method, path, the canonical body) with the key and compare it before any replay",
				"answer a difference with 422 or the status you promise, as problem+json that says which key is meant",
				"where ignoring the body is meant, promise conflict: replay",
			},
			Evidence: "The changed body was accepted under another key (control), and under the used key got the first result. The report lists all that the fingerprint does not cover.",
		},
		{
			Slug:  "conflict/changed-body-ran",
			Title: "a changed body under a used key ran its own effect",
			Money: "One key stands for two payments. A retry of either can now be answered with the other's result, and a caller that lost its key's history pays for both.",
			Causes: []string{
				"key and body are hashed together into one record key, so that another body is simply another record",
				"the key is not used at all",
				"on a difference the server falls through to the ordinary handler",
			},
			Fixes: []string{
				"make the key alone, within its scope, unique; keep the fingerprint as a column that is compared",
				"refuse before the handler",
				"where this is meant, promise conflict: execute",
			},
			Evidence: "After the changed body under the used key, the counter shows an effect for the changed body's values.",
		},
		{
			Slug:  "conflict/wrong-answer",
			Title: "the conflict was answered with an undeclared status",
			Money: "No money moved wrongly. The caller cannot tell a final conflict from one that is worth a retry, and either retries for ever or drops an order that was good.",
			Causes: []string{
				"the conflict is thrown as a general error and becomes 500",
				"the in-flight status is used for conflicts too",
				"a gateway in front turns the answer into its own",
			},
			Fixes: []string{
				"answer the declared status, and keep in flight (try again) and conflict (final) apart",
				"declare the status in promise.conflict where it is meant",
			},
			Evidence: "The changed body, accepted under another key, got under the used key an answer that promise.conflict does not match.",
		},
		{
			Slug:  "conflict/refused-not-promised",
			Title: "a conflict was refused although replay or execute is promised",
			Money: "Callers that were promised an answer get an error for a payment that is made, and act on it.",
			Causes: []string{
				"the fingerprint covers fields that callers may change, such as a note or a time",
				"the promise was written for another version of the API",
			},
			Fixes: []string{
				"leave out of the fingerprint what callers may change, and say so: promise.conflict.ignore",
				"promise the status that the API answers",
			},
			Evidence: "The contract promises replay or execute for a changed body; it got a refusal, and the same body under another key was accepted.",
		},
		{
			Slug:  "conflict/record-replaced",
			Title: "after the conflict the original no longer gets its result",
			Money: "One wrong request, from a bug or from somebody else with the same key, cuts the first caller off from its own result. Its next retry looks like a conflict, and it orders anew.",
			Causes: []string{
				"the record is written over (upsert) before the fingerprints are compared",
				"the conflict's answer is stored as the key's result",
				"the conflict deletes or locks the record",
			},
			Fixes: []string{
				"insert with DO NOTHING, compare, and leave the row alone when it differs",
				"never store a conflict's answer",
			},
			Evidence: "Original, changed body, original again under one key; the last one did not get the first one's result, and had it been a plain duplicate it would have.",
		},
		{
			Slug:  "conflict/effect-ran-twice",
			Title: "after the conflict the original ran again",
			Money: "A conflict made the server forget the first payment: the caller's ordinary retry pays a second time.",
			Causes: []string{
				"the conflict removes the record, or replaces it with another fingerprint, and the original counts as new",
				"duplicates run again in any case (see duplicate/effect-ran-twice)",
			},
			Fixes: []string{
				"leave the first record untouched by a conflict",
				"keep the unique constraint on the key alone, not on key and fingerprint",
			},
			Evidence: "Original, changed body, original again; the counter shows more than one unit for the original's values.",
		},
	},
}

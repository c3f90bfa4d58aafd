package explain

var reorder = Step{
	Name: "reorder",
	Asks: "Is the same body in another order or spelling treated as promised?",
	Does: []string{
		"sends a request with a new key and waits for its answer",
		"sends the same value spelled otherwise under the same key: members in another order (of all objects, and of each at its depth), white space within and around, escapes in small and capital digits, escaped slashes where a text has a /, surrogate pairs, all together",
		"of a form: fields in another order (those of one name keep theirs), every character percent-encoded with capital and small digits, spaces as %20, all together",
		"sends the original bytes once more, and counts the effects",
		"tries 1999 as 1999.0 and 1.999e3, and tells of it without judging",
	},
	Controls: []string{
		"mutation: the other spelling, with new values, must be accepted under a key of its own; else its refusal is a gateway's or a reader's, not the key's",
		"counter: as for duplicate",
		"environment: as for duplicate",
	},
	Pass:   "semantic: the reordered body got the first result and no second effect; bytes: it was treated as a conflict",
	Unsure: "no other spelling was accepted under a key of its own, or the contract does not say what is promised",
	Needs:  "promise.reorder: semantic or bytes; any skips the step",
	Entries: []Entry{
		{
			Slug:  "reorder/effect-ran-twice",
			Title: "the same JSON in another order or spacing ran again",
			Money: "A client that builds its body anew for a retry, as most do, may order members differently on another run, version or language. Its retry is then a second payment.",
			Causes: []string{
				"key and raw body are hashed together into the record's key",
				"a different fingerprint falls through to the handler instead of being refused",
				"duplicates run again in any case (see duplicate/effect-ran-twice)",
			},
			Fixes: []string{
				"fingerprint the canonical form (RFC 8785), not the bytes that arrived",
				"make the key alone unique, and compare the fingerprint afterwards",
			},
			Evidence: "The same JSON value, ordered or spaced otherwise, under the used key; the counter shows more than one unit.",
		},
		{
			Slug:  "reorder/refused",
			Title: "the same JSON in another order was refused as a conflict",
			Money: "A good retry is told that it is another operation. The caller cannot learn the result of a payment that was made, and often makes it again under a new key.",
			Causes: []string{
				"the fingerprint is a hash of the raw bytes",
				"the body is parsed and written again by a serialiser that keeps the order of arrival",
			},
			Fixes: []string{
				"hash the canonical form (RFC 8785) of the parsed body",
				"where byte equality is meant, promise reorder: bytes and tell callers to keep the bytes of the first attempt",
			},
			Evidence: "semantic is promised; the same JSON value, spelled otherwise, was refused under the used key, and the original bytes would not have been.",
		},
		{
			Slug:  "reorder/other-answer",
			Title: "the same JSON in another order got another answer",
			Money: "The retry's caller books something else than the first one did, for one and the same payment.",
			Causes: []string{
				"the record was found, and the answer was built anew from the second body",
				"two stores are asked: one by bytes, one by key",
			},
			Fixes: []string{
				"send the stored answer once the fingerprints agree, and nothing that is built from the new request",
			},
			Evidence: "The reordered body got a success that is not the first answer, while the very same bytes would have.",
		},
		{
			Slug:  "reorder/accepted-as-same",
			Title: "other bytes were taken as the same although bytes is promised",
			Money: "No money moved wrongly. Callers that sign or hash the bytes of a request were promised that other bytes are refused, and cannot rely on it.",
			Causes: []string{
				"the fingerprint is of the parsed body",
				"the fingerprint does not cover the body at all",
			},
			Fixes: []string{
				"hash the body's bytes as they arrive, before anything parses them",
				"promise reorder: semantic where that is what the API does",
			},
			Evidence: "bytes is promised; the reordered body got the first result under the used key.",
		},
	},
}

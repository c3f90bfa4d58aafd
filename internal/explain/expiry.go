package explain

var expiry = Step{
	Name: "expiry",
	Asks: "Is a key remembered as long as promised, and forgotten when promised?",
	Does: []string{
		"sends requests with new keys and waits for their answers",
		"sends the same bytes again shortly before the promised retention ends, counted from the first send",
		"does the same with a key that met another body early, where a conflict is refused, and at each further replica",
		"waits, or moves the target's clock with the contract's hook, until at_most has passed since the last answer",
		"sends duplicates then, several at once, and counts the effects",
	},
	Controls: []string{
		"counter: as for duplicate",
		"clock: a request that left later than the retention allows is no evidence of early forgetting",
	},
	Pass:   "within the retention the first result came and nothing ran again; after at_most, where it is given, the key was forgotten and concurrent duplicates made one effect",
	Unsure: "the retention is too long to wait for and no expiry is declared, or the answers cannot tell a replay from a second run",
	Needs:  "promise.retention, and expiry.wait, expiry.advance or expiry.base_urls",
	Entries: []Entry{
		{
			Slug:  "expiry/forgot-early",
			Title: "within the retention the key was forgotten and the effect ran again",
			Money: "Callers retry for as long as they were told that it is safe: queues overnight, mobile clients after a flight. Each retry after the early end pays again.",
			Causes: []string{
				"the cache evicts records when memory is short",
				"the store's time to live is set in another unit, or a default overrides it",
				"a sweep deletes by creation time of something else, or a deploy empties the store",
				"the store's clock ticks in whole seconds and rounds down",
			},
			Fixes: []string{
				"keep an expires_at column and delete only what has passed it",
				"do not keep records in a store that may evict",
				"make the lifetime longer than the promise by the clock's tick and the longest request",
			},
			Evidence: "The same bytes, sent before at_least had passed since the first send, made a second effect.",
		},
		{
			Slug:  "expiry/other-answer",
			Title: "within the retention the retry did not get the first result",
			Money: "The caller asks in time and is refused or told something else, and cannot close its books.",
			Causes: []string{
				"the answer's body expires before the key does",
				"the record was reduced to a tombstone early",
			},
			Fixes: []string{
				"keep key, fingerprint and answer in one row with one expiry",
				"shorten promise.retention to what is really kept",
			},
			Evidence: "The same bytes, sent before at_least had passed since the first send, got an answer that is not the first.",
		},
		{
			Slug:  "expiry/never-forgets",
			Title: "after at_most the first result is still given",
			Money: "Records pile up without bound until the table is the outage. A caller that reuses a key after the promised end, as it may, gets an old receipt and its new payment is never made.",
			Causes: []string{
				"no expiry is set at all",
				"a sweep exists and is not run, or cannot keep up",
				"reads do not look at expires_at and rely on the sweep",
			},
			Fixes: []string{
				"treat a record past expires_at as absent in the claim itself, swept or not",
				"sweep in small batches by an index on expires_at, all the time",
				"leave at_most out where forgetting is not promised",
			},
			Evidence: "The same bytes, sent after at_most had passed since the last answer, still got the first result.",
		},
		{
			Slug:  "expiry/extended-by-replay",
			Title: "replays moved the expiry on although it counts from the first use",
			Money: "A key that is asked often lives for ever: the bound on the table, and the time after which a key may be used anew, hold for nobody.",
			Causes: []string{
				"the store renews the lifetime on each read (sliding expiry, touch, EXPIRE after GET)",
				"the replay writes the record again with a new lifetime",
			},
			Fixes: []string{
				"set expires_at once, at the claim, and never update it",
				"promise from: last_use where sliding is meant",
			},
			Evidence: "A key that was replayed in between was still remembered after at_most, while a key that was not replayed was forgotten.",
		},
		{
			Slug:  "expiry/extended-by-conflict",
			Title: "a conflict moved the expiry on although it counts from the first use",
			Money: "A client with a mistake in its keys keeps a record alive for as long as it goes on, and a caller that uses the key anew after the promised end gets an old receipt: its payment is never made.",
			Causes: []string{
				"the fingerprint is compared in an upsert that writes expires_at too",
				"the store renews the lifetime on each read, a conflict's included",
			},
			Fixes: []string{
				"set expires_at once, at the claim, and never update it",
				"read the record and compare; write nothing where the fingerprints differ",
			},
			Evidence: "A key that met another body soon after its first request was still remembered after at_most, while a key that nothing touched was forgotten.",
		},
		{
			Slug:  "expiry/ran-more-than-once",
			Title: "after expiry concurrent duplicates ran more than once",
			Money: "The moment a key expires, a burst of retries pays once for each copy: the race that the key was there to prevent.",
			Causes: []string{
				"the expired row is deleted and inserted again in two statements, so that each copy deletes the other's new claim",
				"an expired record is taken over without a condition on what was read",
			},
			Fixes: []string{
				"take over an expired record in one conditional update (WHERE key = ? AND expires_at < now) and go by the number of rows changed",
				"let the sweep delete only rows that are expired in the same statement",
			},
			Evidence: "After at_most, copies released together; the counter rose by more than one unit.",
		},
		{
			Slug:  "expiry/wrong-answer",
			Title: "after expiry the answer is not what is promised",
			Money: "Callers are told how a key that is too old is answered, so that they never pay blindly. Another answer sends them the wrong way: to pay again, or not at all.",
			Causes: []string{
				"a late request is taken as new although a refusal is promised",
				"the refusal has another status than the one declared",
				"the expired record is still in the way: its key stays in flight, is a conflict, or fails",
				"the old result is answered while the operation runs again behind it",
			},
			Fixes: []string{
				"keep a small tombstone (key and time) beyond the retention to refuse late requests by",
				"declare what the API does: after_retention: execute, any, or the status",
			},
			Evidence: "After at_most the same bytes got an answer that promise.after_retention does not match.",
		},
	},
}

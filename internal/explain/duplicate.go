package explain

var duplicate = Step{
	Name: "duplicate",
	Asks: "Is a request that is sent again, after its answer, recognised?",
	Does: []string{
		"sends one request with a new key and new values, and waits for the whole answer",
		"counts the effects from outside",
		"sends the very same bytes with the very same key again, and compares the answer with the first",
		"counts the effects again, waits the settle time, and counts once more: a late second effect is a second effect",
		"sends the bytes a third time, now that everything has settled, and counts a last time",
	},
	Controls: []string{
		unitControl,
		"environment: a 429, 5xx or reset that the contract does not declare is tried with as many other keys; if they meet it too, it was not the retry's doing",
	},
	Pass:   "the retry was answered as promised and the effects stayed at one unit",
	Unsure: "the counter did not hold its control, the first request was never accepted, or the answers cannot tell a stored result from a second run",
	Needs:  "promise.duplicate, and effects for anything more than a pass by answers only",
	Entries: []Entry{
		{
			Slug:  "duplicate/effect-ran-twice",
			Title: "the retry ran the effect again",
			Money: "A client that lost the first answer and tried again has paid, shipped or booked twice. The answers need not show it: both can say success, and both can look alike.",
			Causes: []string{
				"the key is accepted and never used: a header that only some endpoints, or none, look at",
				"the handler does not ask whether the request was recognised, and runs in any case",
				"the result is recorded only for some answers: not for empty bodies, redirects or large ones",
				"the record is saved under one key and looked up under another: case, prefix, quotes, encoding",
				"the record lives in a cache that evicts it, or in the memory of another process",
			},
			Fixes: []string{
				"claim the key before the effect with one insert on a unique constraint over (scope, key); who loses the insert never runs the effect",
				"write the effect, the stored answer and the key's state in one database transaction",
				"let the layer that knows the key answer the request itself; do not leave it to each handler to ask",
				"give a foreign effect (a payment provider) a key of its own, derived from the first, so that the provider refuses the second one too",
			},
			Evidence: "One request, its whole answer, the same bytes again; the counter shows more than one unit. The counter's control must hold.",
		},
		{
			Slug:  "duplicate/effect-missing",
			Title: "the answers say success, no effect is counted",
			Money: "The caller was told that it is done and nothing was done: an order that nobody ships, a refund that never arrives. The caller stops retrying, since nothing looks wrong.",
			Causes: []string{
				"the answer is sent before the transaction commits, and the commit fails",
				"the effect is handed to a queue whose write is not in the transaction, and is dropped",
				"the key's record answers for an attempt that was rolled back",
			},
			Fixes: []string{
				"commit first, answer after",
				"write the work to be done into an outbox table in the same transaction, and let a worker take it from there",
				"roll the key's record back together with the effect",
				"where effects come late, say so in the contract: effects.appears_within",
			},
			Evidence: "Success was answered and the counter stayed at its first value until appears_within and the settle time had passed, while the same counter did see the control operations.",
		},
		{
			Slug:  "duplicate/other-answer",
			Title: "the replay is not the first answer",
			Money: "The retrying caller books what it is told: another charge number, another amount or another status. Its books and yours now differ, and reconciliation finds a charge that nobody can place.",
			Causes: []string{
				"the answer is built anew from present state instead of being stored",
				"ids or times are made while the answer is written, not with the effect",
				"only the body is stored: status and headers fall back to defaults",
				"the body is stored after it was parsed and is written again with other numbers or order",
			},
			Fixes: []string{
				"store status, the headers that matter and the body's bytes with the key, and send those",
				"declare in promise.ignore the pointers that may really differ, such as a serving time",
				"where the API gives the present state of the same resource, promise duplicate: current",
			},
			Evidence: "Both answers were whole; status, body (as JSON or bytes, as promise.compare says) or a header of promise.same_headers differs outside promise.ignore.",
		},
		{
			Slug:  "duplicate/refused",
			Title: "a retry after the first answer was refused",
			Money: "The first request is done and the caller cannot find that out. It will give up, or try with a new key and pay twice.",
			Causes: []string{
				"the key stays in progress: the state is not updated once the answer is sent",
				"the second insert meets the unique index and the error is answered as 500",
				"a failed attempt leaves a lock behind that nothing frees",
			},
			Fixes: []string{
				"move the key to its final state in the transaction that makes the effect",
				"treat the unique violation as what it is, a duplicate: read the record and answer from it",
				"keep the in-flight lock short (lease) and apart from how long results are kept (retention)",
			},
			Evidence: "The first answer was whole; the same bytes again got an in-flight status, a 5xx, a reset or a status that the contract does not declare, and other keys at the same time did not.",
		},
		{
			Slug:  "duplicate/not-refused",
			Title: "a duplicate that was promised to be refused was not",
			Money: "Callers are told that a duplicate is turned away with a certain status, and build on it. Another answer looks to them like a new operation: they count it a second time, or take the wrong one for theirs.",
			Causes: []string{
				"the check for an existing key is on one endpoint or version and not on this one",
				"the record has gone before the duplicate came",
				"the status in the documentation is not the one in the code",
			},
			Fixes: []string{
				"refuse on the unique constraint itself, not on a query before it",
				"answer with the promised status and a link to the first resource",
				"correct promise.duplicate where the documentation is wrong",
			},
			Evidence: "promise.duplicate names an answer; the same bytes after the first whole answer got another one.",
		},
		{
			Slug:  "duplicate/marker-missing",
			Title: "the promised replay marker is not on a replay",
			Money: "Callers that read the marker to tell a replay from a new operation count the replay as new: revenue is reported twice although money moved once.",
			Causes: []string{
				"the marker is set by the handler, and the replay does not pass through it",
				"a proxy strips the header",
				"the request was not replayed at all: it ran again",
			},
			Fixes: []string{
				"set the marker where the stored answer is sent",
				"let the header pass the proxy, and list it in Access-Control-Expose-Headers for browsers",
			},
			Evidence: "The retry got the first result without the header and value of promise.marker.",
		},
		{
			Slug:  "duplicate/marker-on-first",
			Title: "the replay marker stands on a first answer",
			Money: "A caller that trusts the marker takes a new operation for an old one and does not book it: the charge is made and is in nobody's ledger.",
			Causes: []string{
				"the marker is stored with the answer or set on every answer",
				"the key was known already: keys are not as new as their maker believes, or two callers share one key space",
				"a proxy in front sent the request a second time when the first answer was late, and passed on the replay (nginx: proxy_next_upstream non_idempotent)",
			},
			Fixes: []string{
				"add the marker only while a stored answer is being sent, never before it is stored",
				"have the proxy send no POST again (nginx does not, by default), or wait longer than the service may take",
				"scope keys by caller, so that nobody's first request can meet another's record",
			},
			Evidence: "The first request under a key that was never sent before got the header and value of promise.marker.",
		},
	},
}

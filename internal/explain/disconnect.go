package explain

var disconnect = Step{
	Name: "disconnect",
	Asks: "Does a caller that hung up find one effect and one result when it tries again?",
	Does: []string{
		"sends requests with new keys and closes the connection on purpose: right after the last byte, a third and two thirds into the work, in the answer, and, where request.slow is given, in slow work",
		"sends the very same bytes again, at once or a moment later, and comes back while the key is in flight, until the lease is over",
		"sends them once more",
		"counts the effects, waits the settle time and counts again",
	},
	Controls: []string{
		"counter: as for duplicate",
		"environment: as for duplicate; a hang-up on purpose is no trouble",
		"landing: a pass needs a hang-up that came before any byte of the answer",
	},
	Pass:   "each operation made one effect, the retry got its result, and so did the one after it",
	Unsure: "every answer came before the hang-up, or the key could not be waited for as long as it may be in flight",
	Needs:  "promise.duplicate; promise.lease tells how long a key may stay in flight, request.slow lets the hang-up fall into longer work",
	Entries: []Entry{
		{
			Slug:  "disconnect/effect-ran-twice",
			Title: "the caller hung up, and its retry ran the effect again",
			Money: "Mobile networks, closed laptops and proxies that give up are the daily reason for retries. Each of them pays twice.",
			Causes: []string{
				"the framework cancels the request's context: the effect goes through, and writing the record is cancelled",
				"the key is freed when the connection closes, while the handler goes on",
				"the result is recorded after the answer was sent, and sending fails",
			},
			Fixes: []string{
				"cut the work loose from the connection once the key is claimed: what was begun is finished and recorded",
				"write effect, result and key in one transaction, so that a cancellation undoes all or nothing",
				"free a key only when its handler has ended without an effect",
			},
			Evidence: "The connection was closed on purpose, the same bytes were sent again, and more effects were counted than one operation makes.",
		},
		{
			Slug:  "disconnect/effect-missing",
			Title: "after a hang-up the retry was answered as done, no effect is counted",
			Money: "The retry says success for something that was cancelled. The customer holds a receipt for nothing.",
			Causes: []string{
				"the record is written before the effect, and the hang-up cancels the effect alone",
				"whatever is found under the key counts as done",
			},
			Fixes: []string{
				"write effect and record in one transaction",
				"keep the state of a key apart from its presence: in progress is not done",
			},
			Evidence: "The retry after the hang-up got a success, and the counter stayed below one operation's effects.",
		},
		{
			Slug:  "disconnect/result-lost",
			Title: "after a hang-up the retry got something that is no result",
			Money: "The payment is made; its number, status and receipt are gone for good. The caller cannot book it and support cannot find it.",
			Causes: []string{
				"what was written to the broken connection is what is recorded: nothing, or half of it",
				"the cancellation is recorded as the operation's outcome, while the effect went through",
			},
			Fixes: []string{
				"record the result as it was made, before it is sent",
				"record a failure only where the effect was undone",
			},
			Evidence: "The retry's answer has another status, media type or members than the operation's results have elsewhere, or is a stored failure although the effect is counted.",
		},
		{
			Slug:  "disconnect/other-answer",
			Title: "after a hang-up two retries got two results",
			Money: "Two charge numbers for one payment: the caller books one, the ledger has the other.",
			Causes: []string{
				"the record of the cancelled attempt is made good by each retry anew",
				"the first attempt finishes late and writes over the retry's result",
			},
			Fixes: []string{
				"let one owner write the result, by a token that only it has",
				"finish what was begun instead of beginning again",
			},
			Evidence: "The retry was answered; the same bytes once more got another answer than promise.duplicate says.",
		},
		{
			Slug:  "disconnect/refused",
			Title: "after a hang-up the retry got an error",
			Money: "The caller lost the first answer and cannot get another. It gives up on a payment that is made, or pays again under a new key.",
			Causes: []string{
				"a status such as 499, which only says that nobody listened, is stored as the result",
				"the record is left in a state that the code for retries does not know",
			},
			Fixes: []string{
				"never store what only the connection's end has caused",
				"let a retry of an attempt that was cancelled run, once its claim is over",
			},
			Evidence: "The same bytes after the hang-up got an error that neither promise.stored nor promise.in_flight declares; other keys did not.",
		},
		{
			Slug:  "disconnect/stuck",
			Title: "after a hang-up the key stays in flight",
			Money: "The caller that lost its connection is locked out of its own payment until the retention ends, often a day.",
			Causes: []string{
				"the claim is freed in code that runs after the answer was written, and the cancellation skips it",
				"nothing ends a claim whose handler was cancelled: no lease, or one as long as the retention",
			},
			Fixes: []string{
				"free or finish the claim on every way out, cancellation included, with a context of its own",
				"give claims a short lease, apart from how long results are kept",
			},
			Evidence: "The same bytes were sent again and again and stayed in flight, from the first such answer to the last request for longer than promise.lease. Or they got no answer at all, while new operations were sent and answered.",
		},
	},
}

package explain

var concurrent = Step{
	Name: "concurrent",
	Asks: "Do copies that are under way at the same time make one effect?",
	Does: []string{
		"opens connections beforehand, sends all but the held end of every copy, lets that settle, and releases the copies together",
		"over HTTP/2 ends all copies that share a connection with one write, and makes as many rounds with a connection for each copy",
		"repeats that in rounds of two copies, each with a new key and new values, under a body hold and under a header hold; then thirty copies of one key, for what losers are answered",
		"counts the effects of each round, waits the settle time and counts again",
		"sends the same bytes once more after each race: a key that stays stuck is the commonest fault",
	},
	Controls: []string{
		"counter: as for duplicate",
		"overlap: only a round counts in which each copy was written whole before the other's first answer byte, or one got an in-flight answer; and in which two copies at least were held, written whole and processed",
		"environment: an undeclared 429, 5xx or reset is tried with as many copies under different keys",
	},
	Pass:   "in the rounds that overlapped no second effect was counted, every copy was answered as promised, and the retry gave the race's result; a pass says so of these rounds and promises nothing of others",
	Unsure: "no round overlapped, or the stampede alone, which shows no window; other keys were refused as all copies were; fewer rounds count than --power asks for; or the counter did not hold its control",
	Needs:  "promise.duplicate, promise.in_flight where copies may be refused, and effects",
	Terms: []Term{
		{"round", "One release of copies of one request, under a key and values of its own. --rounds says how many pairs there are under each hold."},
		{"no double in so many overlapped rounds", "No second effect was counted in any of them. Whether there is a window that they did not meet, they cannot tell."},
		{"body hold", "The last byte of each body is held back. A server that looks the key up before it has read the body stands in its window until the release, however short the window is by itself."},
		{"header hold", "The end of each header section is held back, and the body with it, for a server that looks the key up once it has read the request. Over HTTP/2 whole requests leave in one write instead."},
		{"one write", "Over HTTP/2 the ends of all copies on a connection go to the kernel in a single write. Neither this machine's scheduler nor the network's jitter comes between them. What the server's limit of streams or its flow-control window does not take goes over more connections; no copy is left out."},
		{"spread", "From the first copy written to the last, as sent. When they arrived only the server can see."},
		{"window", "The time in which a server that has let one copy in lets another in as well."},
		{"power", "How often the rounds that count would have shown a window of that length. It is a model: two copies arrive as far apart as was measured on loopback, or further where their writes were, and on the way to a server elsewhere perhaps further still. --power and --window derive the number of rounds from it."},
		{"several keys at once", "With --burst-keys, pairs of as many keys are released together, which meets a short window more often. Each key makes an operation of its own, so it has to be asked for."},
		{"a proxy in front", "A proxy that reads a request whole before it passes it on ends a body hold there: the service sees each copy as the proxy sends it, at the proxy's pace. A balancer may pin a connection to one replica, hence the rounds with a connection for each copy."},
	},
	Entries: []Entry{
		{
			Slug:  "concurrent/effect-ran-twice",
			Title: "copies in flight together ran the effect more than once",
			Money: "A double click, or a client and its proxy retrying at once, charges twice. It happens under load, where many customers are hit on the same day.",
			Causes: []string{
				"the key is looked up first and inserted later: both copies find nothing",
				"the record is written only once the result is known, so that nothing shows that work is under way",
				"the lock is in the process's memory and there is more than one process",
				"the database reads at an isolation level at which both transactions see no row",
			},
			Fixes: []string{
				"claim with one atomic statement on a unique constraint (INSERT ... ON CONFLICT DO NOTHING, SET NX) and go by its result; never look first and write after",
				"let the loser wait for the winner's result, or refuse it with the declared in-flight status",
				"keep claims in a store that all replicas share",
			},
			Evidence: "At least one overlapped round in which the counter shows more than one unit.",
		},
		{
			Slug:  "concurrent/effect-missing",
			Title: "the race was answered with success and no effect is counted",
			Money: "Each copy believed that the other did the work. The caller is told that it is paid, and it is not.",
			Causes: []string{
				"the loser answers success as soon as it sees a claim, and the winner's transaction fails",
				"two transactions deadlock, both are rolled back, and the answer had been sent before",
			},
			Fixes: []string{
				"answer a duplicate from the stored result, never from the claim alone",
				"commit before answering, and free the claim when the transaction is rolled back",
			},
			Evidence: "A copy of an overlapped round was answered with success and the counter did not move within appears_within and the settle time.",
		},
		{
			Slug:  "concurrent/loser-error",
			Title: "a copy that lost the race got an undeclared error",
			Money: "Money moved once, and one caller was told that it failed. It shows an error to the customer, who orders again with a new key.",
			Causes: []string{
				"the loser meets the unique index and the violation is answered as 500",
				"a lock time-out or serialisation failure reaches the caller",
				"the in-flight status is right and the contract does not declare it",
			},
			Fixes: []string{
				"catch the unique violation and treat it as a duplicate: wait for the result or answer in flight",
				"retry serialisation failures inside the server",
				"declare the status in promise.in_flight where it is meant",
			},
			Evidence: "A copy of an overlapped round got a status that is neither the first result nor declared, or a reset, while as many copies under different keys did not.",
		},
		{
			Slug:  "concurrent/results-differ",
			Title: "copies of one request got different results",
			Money: "Two callers hold two charge numbers for one intent. One of them is refunded, the other disputed, and neither side can tell which is real.",
			Causes: []string{
				"both ran and the last one to finish overwrote the other's record",
				"the loser answers with an object of its own that it had begun to build",
			},
			Fixes: []string{
				"let the loser read the winner's stored answer, after the winner has committed",
				"make ids in the transaction that claims the key",
			},
			Evidence: "Two whole success answers of one overlapped round differ where promise.compare and promise.ignore say that they may not.",
		},
		{
			Slug:  "concurrent/stuck-after-race",
			Title: "after the race every retry is refused as in flight",
			Money: "The operation ran, and nobody will ever be told: the key answers in flight for hours. Support tells the customer to order again, and the customer pays twice.",
			Causes: []string{
				"the loser's clean-up sets the record back to in progress, or removes the winner's",
				"the error path never frees the claim",
				"the winner completes only its own claim, which the loser has replaced",
			},
			Fixes: []string{
				"let only the owner of a claim change it: give each claim a token and update WHERE owner = token (fencing)",
				"give claims a lease that ends by itself, far shorter than the retention",
				"free or complete the claim on every way out, panics too",
			},
			Evidence: "After an overlapped round the same bytes were sent again until past the declared lease, and each time got an in-flight answer.",
		},
		{
			Slug:  "concurrent/other-answer",
			Title: "the retry after the race does not give the race's result",
			Money: "What the race's caller was told and what the retry says differ, so that the books of two systems do not agree on one charge.",
			Causes: []string{
				"the result that was stored is the loser's refusal, not the winner's result",
				"the stored answer was overwritten after the winner's answer was sent",
			},
			Fixes: []string{
				"store the answer once, in the winner's transaction, and never update it",
				"do not store in-flight and conflict answers as results",
			},
			Evidence: "The same bytes after an overlapped round got an answer that is none of the successful ones of the race.",
		},
	},
}

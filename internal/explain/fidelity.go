package explain

var fidelity = Step{
	Name: "fidelity",
	Asks: "Are answers of other kinds, large, redirecting or empty, stored and given again whole?",
	Does: []string{
		"sends each of request.variants with a new key and new values, and waits for the whole answer",
		"counts the effects, so that what this kind of request makes is known",
		"sends the very same bytes twice more, and compares status, body and the headers of promise.same_headers",
		"waits the settle time and counts again",
	},
	Controls: []string{
		"counter: as for duplicate",
		"environment: as for duplicate, with the same kind of request under other keys",
		"kind: the large answer must be large, the redirect a redirect, the empty one empty",
	},
	Pass:   "each kind was answered as its name says, its replays are the first answer, and nothing ran again",
	Unsure: "an answer was not of its kind, or the counter shows nothing for it",
	Needs:  "request.variants with large, redirect or empty, and promise.duplicate",
	Entries: []Entry{
		{
			Slug:  "fidelity/effect-ran-twice",
			Title: "the retry of a large, redirecting or empty answer ran again",
			Money: "Only some answers are affected, so tests with small ones pass: in production it is the large orders that are paid twice.",
			Causes: []string{
				"a response above a size limit is not stored, and its key is free",
				"only answers with a body, or with status 200 and 201, are taken for results",
				"storing fails, the error is logged, and the answer is sent",
			},
			Fixes: []string{
				"keep the key's state apart from its stored answer: what is done is done, however large its answer",
				"store the answer in a column without a limit, or beside the record, in the transaction of the effect",
				"where an answer cannot be stored, store how to make it: the resource's id",
			},
			Evidence: "A request whose answer is large, a redirect or empty, and the same bytes again; the counter rose after the first answer was counted.",
		},
		{
			Slug:  "fidelity/effect-missing",
			Title: "a large, redirecting or empty answer told of success, and fewer effects are counted than before",
			Money: "What was made is not there any more when the retry has been answered.",
			Causes: []string{
				"the retry undoes what the first request had made",
				"storing the answer fails, and the effect is rolled back after it was sent",
			},
			Fixes:    []string{"commit effect and stored answer together, and answer after that"},
			Evidence: "The effects that were counted after the first answer are not all there in the end.",
		},
		{
			Slug:  "fidelity/other-answer",
			Title: "a replay has not kept the first answer: cut, without a header, or with another status",
			Money: "The caller parses half a statement, follows a redirect to nowhere, or takes an empty answer for a failure. It books what it understood.",
			Causes: []string{
				"the stored body is cut at the size of its column",
				"only the body is stored: status 303 or 204 comes again as 200",
				"headers are not stored: Location is lost",
				"the compressed bytes are stored and sent without Content-Encoding, or plain ones with it",
			},
			Fixes: []string{
				"store status, body and the headers that matter, and refuse to store what does not fit instead of cutting it",
				"store the body before it is compressed, and let the same layer compress replays",
			},
			Evidence: "Both answers were whole; the replay's status, body (by its digest, where it is long) or a header differs. A redirect's Location may not be lost, nor lead to another path or host, whether it is in promise.same_headers or not.",
		},
		{
			Slug:  "fidelity/refused",
			Title: "the retry of a large, redirecting or empty answer got an error",
			Money: "The operation is made, and its caller cannot get the result a second time.",
			Causes: []string{
				"a record without a body cannot be read back",
				"the stored answer does not fit the code that sends it",
			},
			Fixes:    []string{"store and read back answers without a body, and of every size that the API sends"},
			Evidence: "The first answer was whole; the same bytes again got an error that the contract does not declare, and other keys did not.",
		},
		{
			Slug:  "fidelity/stuck",
			Title: "after a large, redirecting or empty answer the key stays in flight",
			Money: "The operation is made and its caller is told that it is being worked on.",
			Causes: []string{
				"storing the answer fails, and the key keeps the state that it had before",
				"only an answer with a body ends the claim",
			},
			Fixes:    []string{"end the claim in the transaction of the effect, with whatever answer there is"},
			Evidence: "The first answer was whole; the same bytes again stayed in flight or without an answer, while other keys were answered.",
		},
		{
			Slug:  "fidelity/marker-missing",
			Title: "the promised replay marker is not on a replay of this kind",
			Money: "Callers that read the marker take the replay for a new operation and count it twice.",
			Causes: []string{
				"redirects and empty answers are sent by other code than the rest",
				"large answers are streamed past the layer that sets the marker",
			},
			Fixes:    []string{"set the marker where stored answers are sent, before their form is looked at"},
			Evidence: "The replay of a large, redirecting or empty answer came without the header and value of promise.marker.",
		},
	},
}

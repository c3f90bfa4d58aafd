package explain

// exampleEntries are about the example, which holds a recipe to its IDs.
var exampleEntries = [...]Entry{
	{
		Slug:  "recipe/example-missing",
		Title: "the recipe has no example",
		Money: "When a change, or another implementation, makes other IDs, nobody notices before retries are paid again.",
		Causes: []string{
			"the recipe is new",
		},
		Fixes: []string{
			"add example: {payload: ..., inputs: ...} with made-up values; lint then tells its id, and checks it from then on",
		},
		Evidence: "There is no example in the recipe, so neither IDs nor values could be looked at.",
	},
	{
		Slug:  "recipe/example-fails",
		Title: "the example has no ID",
		Money: "Payloads like the example are refused at the moment of payment, and nobody is charged at all.",
		Causes: []string{
			"a pointer of the identity leads nowhere in the example's payload, or to null or another type",
			"an input is missing, or one is given that the recipe does not name",
			"a number is too long to be kept exactly",
		},
		Fixes: []string{
			"correct the pointer, or the example, whichever differs from the payloads that come",
			"send numbers that are too long as strings",
		},
		Evidence: "Deriving the example's ID ended with the error that the finding quotes.",
	},
	{
		Slug:  "recipe/example-id-missing",
		Title: "the example has no id to hold the recipe to",
		Money: "As without an example: a change that gives every retry another ID goes unnoticed.",
		Causes: []string{
			"the example was just written; its id is not known before lint tells it",
		},
		Fixes: []string{
			"copy the id from the hint, once the recipe is what it should be",
		},
		Evidence: "The example has a payload and no id; the hint holds the one that the recipe gives under the public test secret.",
	},
	{
		Slug:  "recipe/example-wrong",
		Title: "the example's id no longer holds",
		Money: "The recipe gives other IDs than it did. Every retry of what was paid under the old ones looks new, and is paid again.",
		Causes: []string{
			"prefix, namespace, operation, version, identity, encoding or the example itself was changed",
			"the id was copied from a run with another secret",
		},
		Fixes: []string{
			"put back what was changed",
			"where the change is meant, make it under a new version, list the old one under previous, and copy the id from the hint",
		},
		Evidence: "The example's ID was derived again under the public test secret and differs from its id.",
	},
}

// lockEntries are about versions: what is in use, and for how long.
var lockEntries = [...]Entry{
	{
		Slug:  "recipe/lock-changed",
		Title: "the recipe differs from what is locked under its version",
		Money: "One version would give two IDs for one operation, before the change and after it: what was paid in between is paid again by its retries.",
		Causes: []string{
			"prefix, encoding, number mode or identity was edited in place",
			"two branches changed one version",
		},
		Fixes: []string{
			"put it back",
			"or give the changed recipe the next version and list the old one, with what it was, under previous",
		},
		Evidence: "The recipe's digest is not the one that idem.lock has for its namespace, operation and version; every command refuses it.",
	},
	{
		Slug:  "recipe/triple-twice",
		Title: "two files say different things under one namespace, operation and version",
		Money: "One operation gets two IDs, one of each file. What one service paid under the first, another pays again under the second.",
		Causes: []string{
			"a recipe was copied for another operation, and its name was left",
			"services keep copies of a recipe, and one of them was changed",
		},
		Fixes: []string{
			"give one of the two an operation or a version of its own",
			"where both are of one operation, keep one file for all who derive its IDs",
		},
		Evidence: "Two recipes of one run of lint have the same namespace, operation and version, and differ in prefix, encoding, number mode or identity.",
	},
	{
		Slug:  "recipe/lock-missing",
		Title: "a version is not in idem.lock yet",
		Money: "Nothing holds the version to what it is: an edit in place changes every ID, and retries are paid again.",
		Causes: []string{
			"the recipe or the version is new, and was not locked before the commit",
		},
		Fixes: []string{
			"run idem recipe lock RECIPE and commit idem.lock with the recipe",
		},
		Evidence: "There is an idem.lock in the recipe's folder, and it has no line for this version.",
	},
	{
		Slug:  "recipe/previous-missing",
		Title: "an earlier version was in use and is not listed under previous",
		Money: "A retry of an operation that the earlier version identified gets an ID that nobody has seen, and is paid again. Such retries come for as long as the retry window lasts after the switch.",
		Causes: []string{
			"the version was raised to get a change past the lock, and nothing else was done",
			"the entry was taken off before its until",
		},
		Fixes: []string{
			"list it: previous: [{version: 1, until: ...}], with whatever it had otherwise (identity, prefix, encode, numbers, key), until the switch and the retry window at least",
			"look up every ID that derive --with-listed prints before anything is done",
			"next time list the coming version under next first, and switch in a second deploy",
			"where no operation was ever made with it, say so: --allow previous-missing:VERSION",
		},
		Evidence: "idem.lock has a lower version of the same operation that the recipe does not list, and no time until which it was to be listed has passed.",
	},
	{
		Slug:  "recipe/previous-expired",
		Title: "a previous version is listed for longer than it was to be",
		Money: "No payment goes wrong. Each lookup asks for one ID more, and the old secret must be kept.",
		Causes: []string{
			"its until has passed, and nobody took it off",
		},
		Fixes: []string{
			"take the entry off the list once no retry can need it, and the old secret out of use",
			"or set until anew, where retries still come",
		},
		Evidence: "An entry under previous has an until that is past.",
	},
	{
		Slug:  "recipe/version-outgrows-limits",
		Title: "a later version's IDs would no longer fit the API's limits",
		Money: "Some day a change of the recipe makes IDs that the API refuses, and the change that stops double payments cannot be made when it is needed.",
		Causes: []string{
			"the encoding id writes the version into the ID, and the limit leaves no room for more digits",
		},
		Fixes: []string{
			"take a shorter prefix, or encode: short, uuid or another that has no version in it, before the first ID is made",
		},
		Evidence: "An ID of version 999 has more characters than limits allow.",
	},
}

package explain

var keyRules = Step{
	Name: "key-rules",
	Asks: "Are keys taken, told apart and refused as their declared rules say?",
	Does: []string{
		"makes random keys at the borders of what is declared: the longest, one more, 3000 characters, the shortest, one less, by the pattern, of special characters, and pairs that differ in their first or last character, in or after a special one, or only in case, UUIDs too; random, since repeated characters compress and pass where others do not",
		"sends each with values of its own, and those that must be taken once more",
		"sends two of the longest keys that differ in their last character, and two that differ only in case",
		"sends the key's field twice where the answer to that is declared",
		"counts the effects of each",
	},
	Controls: []string{
		"mutation: an operation under an ordinary key must be accepted",
		unitControl,
		otherKeysControl,
	},
	Pass:   "good keys were taken, remembered and told apart, bad ones refused with nothing done",
	Unsure: "an ordinary key is not taken either, or neither effects nor answers tell two operations apart",
	Needs:  "key.rules: min_length, max_length with too_long, pattern, case or repeated; only what is declared is judged",
	Entries: []Entry{
		{
			Slug:  "key-rules/valid-key-refused",
			Title: "a key within the declared rules was refused",
			Money: "A caller that keeps to the rules cannot order, and only some of its keys show it: those that are long, or of certain characters.",
			Causes: []string{
				"the column or index is shorter than the documented length",
				"a limit counts bytes after an encoding: quotes, base64, a prefix",
				"an index takes no entries above a size, which only random text reaches",
			},
			Fixes: []string{
				"keep a digest of fixed size of the key, and index that",
				"test the longest random key against the real database",
				"state the limit that really holds",
			},
			Evidence: "A random key within the rules got no success, while an ordinary key did.",
		},
		{
			Slug:  "key-rules/bad-key-accepted",
			Title: "a key that the rules refuse was taken",
			Money: "Rules that are not kept are found out too late: a key that is cut, or shared since it is too short, makes two orders one.",
			Causes: []string{
				"the check is in the documentation or the client library only",
			},
			Fixes: []string{
				"check the key before it is used, and refuse it with the declared answer",
				"state the rules that really hold",
			},
			Evidence: "A key that breaks a declared rule was answered with a success.",
		},
		{
			Slug:  "key-rules/wrong-answer",
			Title: "a bad key was refused with another answer than is declared",
			Money: "Clients do not know the refusal, and retry what can never succeed.",
			Causes: []string{
				"another layer refuses first, with an answer of its own",
			},
			Fixes: []string{
				"answer as declared, or declare what is answered",
			},
			Evidence: "The answer to the bad key matches neither too_long nor repeated as declared.",
		},
		{
			Slug:  "key-rules/server-error",
			Title: "a bad key made the service fail",
			Money: "A 5xx tells clients to try again, for ever. Whoever sends long keys can fill logs and pagers.",
			Causes: []string{
				"the database's error for a value that is too long is passed on as 500",
				"the length is not checked before the key is used",
			},
			Fixes: []string{
				"check the length first, and refuse with a 4xx",
			},
			Evidence: "A key that breaks a declared rule got a 5xx or no answer, while other keys did not.",
		},
		{
			Slug:  "key-rules/effect-ran",
			Title: "a request with a bad key was refused and had its effect all the same",
			Money: "The caller mends the key and sends again: it pays twice.",
			Causes: []string{
				"the handler runs before the key is kept, and keeping it fails",
			},
			Fixes: []string{
				"check the key before anything runs",
			},
			Evidence: "The bad key was refused, and effects for its values rose.",
		},
		{
			Slug:  "key-rules/effect-ran-twice",
			Title: "a key within the rules ran its operation twice",
			Money: "The longest or oddest keys are taken and not remembered: for them there is no protection.",
			Causes: []string{
				"keeping the key fails and the failure is ignored",
				"the key is written in one form and looked up in another: cut, trimmed, decoded",
			},
			Fixes: []string{
				"treat a failure to keep the key as a failure of the request",
				"write and look up the same bytes",
			},
			Evidence: "A good key was sent twice, and effects for its values were more than one unit.",
		},
		{
			Slug:  "key-rules/effect-missing",
			Title: "a key within the rules was answered with success and had no effect",
			Money: "The caller was told that it is done, and nothing was done.",
			Causes: []string{
				"the key was taken for another one that is known already",
			},
			Fixes: []string{
				"compare whole keys, byte by byte",
			},
			Evidence: "A good key that was never sent before got a success, and effects for its values did not rise.",
		},
		{
			Slug:  "key-rules/other-answer",
			Title: "a retry of a key within the rules did not get its result",
			Money: "The caller cannot learn what became of its order, for certain keys only.",
			Causes: []string{
				"keeping the result fails for such a key",
			},
			Fixes: []string{
				"keep a digest of fixed size of the key, and index that",
			},
			Evidence: "The second request with a good key was not answered as a duplicate is promised to be.",
		},
		{
			Slug:  "key-rules/keys-merged",
			Title: "two different keys were taken for one",
			Money: "Two orders are one: the second is answered with the first one's result or refused, and is never made.",
			Causes: []string{
				"a collation compares text without case",
				"keys are cut to a column's length",
				"the key is trimmed, lower-cased or decoded before it is compared",
			},
			Fixes: []string{
				"compare bytes: a binary collation, or a digest of the key",
				"refuse keys that are too long; never cut them",
			},
			Evidence: "Two random keys that differ only in case, or only in their last character, were sent with different values; the second met the first one's record.",
		},
		{
			Slug:  "key-rules/keys-split",
			Title: "a key in another case was taken for another key, though case is declared not to matter",
			Money: "A client library that changes the case of its keys loses its protection, and pays twice.",
			Causes: []string{
				"the lookup compares bytes",
			},
			Fixes: []string{
				"fold the case before the key is kept and looked up, or declare case: sensitive",
			},
			Evidence: "key.rules.case is insensitive; the same request with the key in the other case ran again or got another answer.",
		},
	},
}

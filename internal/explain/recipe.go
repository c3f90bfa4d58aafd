package explain

// recipe explains what idem recipe lint finds: mistakes by which a retry gets
// another ID and is paid again, or two operations get one and the second is
// never made. Its slugs are printed without "recipe/".
var recipe = Step{
	Name: "recipe",
	Asks: "Does a recipe give a retry the same ID, and two operations different ones?",
	Does: []string{
		"reads the recipe, and the versions that it lists under next and previous",
		"judges the identity's fields by their names and, where there is an example, by their values",
		"derives the example's ID again under the public test secret, and compares",
		"compares with the idem.lock beside the recipe, where there is one",
	},
	Controls: []string{
		"no key is read and nothing is sent: it can run on every pull request",
		"names and looks are no proof: --allow SLUG, or --allow SLUG:FIELD, leaves out what is meant so",
	},
	Pass:    "nothing was found that is an error; with --strict, nothing at all",
	Entries: append(append(identityEntries[:], exampleEntries[:]...), lockEntries[:]...),
}

// identityEntries are about what the identity is made of.
var identityEntries = [...]Entry{
	{
		Slug:  "recipe/missing-boundary",
		Title: "the recipe does not say when two payloads are the same operation",
		Money: "Nobody can say whether the identity is right: whether buying the same things again is a new payment or a retry. Each service decides for itself, and one of them charges twice.",
		Causes: []string{
			"the recipe was written from the payload's fields, without asking what one operation is",
			"the sentence was left for later",
		},
		Fixes: []string{
			"write the sentence with whoever owns the business: what there is exactly one charge for, and what makes the next one another",
			"then see that the identity holds what the sentence names, and nothing else",
		},
		Evidence: "The recipe has no boundary, or an empty one; every command but lint refuses it.",
	},
	{
		Slug:  "recipe/boundary-says-nothing",
		Title: "the boundary is there, and says nothing",
		Money: "As without a boundary: nobody decided whether buying the same things again is a new payment or a retry, and the empty sentence hides it.",
		Causes: []string{
			"a word for later, a dash or a template's variable was put there so that the file is read",
			"the sentence was pasted from where it is blank, and holds characters that nobody sees",
		},
		Fixes: []string{
			"write the sentence with whoever owns the business: what there is exactly one charge for, and what makes the next one another",
			"then see that the identity holds what the sentence names, and nothing else",
		},
		Evidence: "The boundary has no letter, is a word that stands for no text, or is one word alone.",
	},
	{
		Slug:  "recipe/customer-and-amount",
		Title: "the identity is nothing but a customer and an amount",
		Money: "A customer who buys for the same amount a second time is taken for a retry: the goods are sent or the order is lost, and the money never comes.",
		Causes: []string{
			"there was no order number yet where the ID is made",
			"the fields were chosen because they are in every payload",
		},
		Fixes: []string{
			"add what is new for each purchase and the same for its retries: a cart with its version, an order or invoice number",
			"where the caller has nothing of the kind, let it make one before the first attempt and store it",
			"where one charge for each customer and amount is what is meant, such as a yearly fee, add the period",
		},
		Evidence: "Every field of the identity names, by its pointer, its input or its own name, a party (customer, account, card, ...), what is bought, an amount, a place or the day.",
	},
	{
		Slug:  "recipe/volatile-time",
		Title: "the identity holds what looks like the time of the attempt",
		Money: "A retry a second later has another ID, and is paid again. Tests do not show it, since they send both within one tick or with one fixed payload.",
		Causes: []string{
			"a client library stamps each request, and the stamp was in the payload",
			"a time was added so that two purchases of the same things differ",
		},
		Fixes: []string{
			"leave the time out, and take what stays from the first attempt to the last retry",
			"to tell purchases apart, take a number that is made once and stored",
			"where it is the business's time, such as a due date or a booked slot, keep it and say so: --allow volatile-time:FIELD",
		},
		Evidence: "The field's name, or that of a member of its value, says a time (created_at, timestamp, iat, ...), or its value in the example is one or a number that a clock gives.",
	},
	{
		Slug:  "recipe/volatile-id",
		Title: "the identity holds what looks like a value made anew for each attempt",
		Money: "Each attempt has an ID of its own, so that no retry is ever recognised: every time-out is a second payment.",
		Causes: []string{
			"a request, trace or session id, a nonce or a token was taken for the operation's number",
			"a UUID is made where the request is sent, and not where the operation begins",
		},
		Fixes: []string{
			"take the number of the cart, order or transfer, which is made once",
			"where the random id is the operation's own, make and store it before the first attempt, and say so: --allow volatile-id:FIELD",
		},
		Evidence: "The field's name says so (request_id, nonce, token, ...), or its value in the example is a JWT, or a UUID or ULID that nothing names.",
	},
	{
		Slug:  "recipe/volatile-ciphertext",
		Title: "the identity holds an encrypted value or a salted hash",
		Money: "Encrypting the same card again, or hashing it with a new salt, gives other bytes, so that the retry gets another ID and is charged again.",
		Causes: []string{
			"the payload carries the card or the account encrypted, and was taken as it is",
			"it was thought that the ID would give the plain value away",
		},
		Fixes: []string{
			"take the plain value: the ID is an HMAC under your key and gives nothing away; call the field sensitive so that nothing prints it",
			"or leave it out, where cart or order number are enough",
		},
		Evidence: "The field's name says encrypted, or its value in the example is an envelope such as JWE, PGP or a vault's, or a hash such as bcrypt's.",
	},
	{
		Slug:  "recipe/volatile-caller",
		Title: "the identity holds who or what sent the attempt",
		Money: "A retry comes from another machine, network or release than the first attempt. It gets another ID, and is paid again.",
		Causes: []string{
			"the user agent, an address or a version was in the payload for logs, and was taken with the rest",
			"it was added to tell apart two people who buy the same",
		},
		Fixes: []string{
			"leave it out, and take the number of the cart, order or transfer",
			"to tell people apart, take the number of the customer or account beside it",
			"where it is what is bought, such as a machine that is rented, say so: --allow volatile-caller:FIELD",
		},
		Evidence: "The field's name, or that of a member of its value, is one of a client, an address on the network or a release (user_agent, ip, app_version, ...).",
	},
	{
		Slug:  "recipe/empty-value",
		Title: "an identity field is empty in the example",
		Money: "All operations without a value there are one: the first customer is charged, and all others are told that they were.",
		Causes: []string{
			"the field is optional, and payloads without it are common",
			"a caller writes a word for nothing, such as N/A or a UUID of zeros",
			"the payload was put together from a text whose variables were not filled in",
		},
		Fixes: []string{
			"take a field that always has a value, or refuse such payloads before they get here",
			"add another field that tells those operations apart",
		},
		Evidence: "The example's value for the field is null, zero, a word that stands for no value or a template's variable, or nothing that it holds can be seen.",
	},
	{
		Slug:  "recipe/private-value",
		Title: "a value that can be guessed is not called sensitive",
		Money: "No payment goes wrong. An email address, a card or a phone number would be printed by explain and errors, and could be guessed from a fingerprint without a key.",
		Causes: []string{
			"sensitive is missing, or lists other places",
			"the payload got a new member after the recipe was written",
		},
		Fixes: []string{
			"list its JSON pointer under sensitive: the ID does not change by it",
			"where it only looks so, such as an order number in groups of digits, say so: --allow private-value:FIELD",
		},
		Evidence: "A value of the example looks like an email address, a phone number, a payment card, an IBAN or a national id, and no pointer under sensitive covers it.",
	},
	{
		Slug:  "recipe/sensitive-nowhere",
		Title: "sensitive names a place that the example does not have",
		Money: "No payment goes wrong. Where the pointer is mistyped, the value that it was to protect is printed and can be guessed from a fingerprint, and since sensitive is there, looks no longer protect it either.",
		Causes: []string{
			"the pointer is mistyped, or the payload's member was renamed",
			"the example leaves the member out",
		},
		Fixes: []string{
			"correct the pointer",
			"or give the example a made-up value there, so that its place is checked from then on",
			"where the member is right and the example must stay as it is, say so: --allow sensitive-nowhere:POINTER",
		},
		Evidence: "A pointer under sensitive leads nowhere in the example's payload, while what should hold it, or a place of nearly the same name, is there.",
	},
	{
		Slug:  "recipe/whole-payload",
		Title: "the identity is the whole payload",
		Money: "Any member that changes between two attempts, a note or a library's version, makes a retry a new payment.",
		Causes: []string{
			"the pointer is empty, which is the whole payload",
			"nobody could say which fields matter",
		},
		Fixes: []string{
			"name the fields that the boundary names",
			"where the payload is built once, stored, and sent again byte for byte, it may stay: --allow whole-payload:FIELD",
		},
		Evidence: "An identity field has the empty JSON pointer.",
	},
	{
		Slug:  "recipe/identity-may-be-empty",
		Title: "every identity field may be absent",
		Money: "A payload without any of them has no identity, and is refused when it is to be paid; were it let through, all such payments would be one.",
		Causes: []string{
			"when_absent: omit was set on every field, to get rid of errors",
		},
		Fixes: []string{
			"leave when_absent: refuse, the default, with one field at least: the one that every operation has",
		},
		Evidence: "Each field of the identity says when_absent: omit.",
	},
}

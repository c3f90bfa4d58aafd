package determ

// sample gives a member of a recipe or a lock as one would write it, for the
// hint of an error about it. A name means the same in every block that has it.
func sample(name string) string {
	switch name {
	case "idem":
		return "recipe/v1"
	case "namespace":
		return "acme.payments"
	case "operation":
		return "checkout.charge"
	case "version":
		return "1"
	case "prefix":
		return "chg"
	case "boundary":
		return "One charge for each tenant, cart and cart version."
	case "identity":
		return "{cart: /cart/id}"
	case "encode":
		return "id"
	case "numbers":
		return "strict"
	case "sensitive":
		return "[/customer/email]"
	case "key":
		return "{kid: k1, env: IDEM_KEY}"
	case "limits":
		return "{max_length: 255}, or {preset: stripe}"
	case "next":
		return "[{version: 2, identity: {cart: /cart/id, line: /line}}]"
	case "previous":
		return "[{version: 1, until: 2026-12-31T00:00:00Z}]"
	case "example":
		return "{payload: {cart: {id: c_1}}}"
	}
	if s := sampleOfKey(name); s != "" {
		return s
	}
	return sampleOfPart(name)
}

func sampleOfKey(name string) string {
	switch name {
	case "kid":
		return "k1"
	case "env":
		return "IDEM_KEY"
	case "file":
		return "keys/k1.key"
	case "fd":
		return "3"
	case "command":
		return "[pass, show, idem/k1]"
	case "format":
		return "idemkey"
	case "mode":
		return "any"
	case "passphrase":
		return "{env: IDEM_PASSPHRASE}"
	}
	return ""
}

func sampleOfPart(name string) string {
	switch name {
	case "pointer":
		return "/cart/id"
	case "input":
		return "tenant"
	case "type":
		return "string"
	case "when_null", "when_absent":
		return "refuse"
	case "transform":
		return "[trim/v1]"
	case "preset":
		return "stripe"
	case "max_length":
		return "255"
	case "min_length":
		return "16"
	case "alphabet":
		return `"0-9a-f-"`
	case "until":
		return "2026-12-31T00:00:00Z"
	case "payload":
		return "{cart: {id: c_1}}"
	case "inputs":
		return "{tenant: acme}"
	case "id":
		return "chg_1_..., as idem recipe lint tells it"
	}
	return ""
}

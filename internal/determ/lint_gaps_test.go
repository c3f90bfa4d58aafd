package determ

import (
	"strings"
	"testing"
)

// TestLintNothingTellsPurchasesApart: an identity is judged by what its fields
// name, in whatever words and however they are spelled.
func TestLintNothingTellsPurchasesApart(t *testing.T) {
	const merged = "customer-and-amount:error"
	for identity, want := range map[string]string{
		"{customer: /customer}":                                                merged,
		"{customer: /customer/id}":                                             merged,
		"{tenant: {input: tenant}, customer: /customer}":                       merged,
		"{tenant: {input: tenant}, region: {input: region}}":                   merged,
		"{t: {input: tenantID}}":                                               merged,
		"{payment_method_id: /payment_method_id, amount: /amount}":             merged,
		"{pm: /payment/method/id, amount: /amount}":                            merged,
		"{paymentMethodId: /paymentMethodId, amount: /amount}":                 merged,
		"{paymentmethodid: /paymentmethodid, amount: /amount}":                 merged,
		"{card_token: /card_token, amount: /amount}":                           merged + " volatile-id:warning:card_token",
		"{token: /token, amount: /amount}":                                     merged + " volatile-id:warning:token",
		"{from: /debit_account, to: /credit_account, amount: /amount}":         merged,
		"{debit_account: /debit_account, c: /credit_account, amount: /amount}": merged,
		"{stripe_customer_id: /stripe_customer_id, amount: /amount}":           merged,
		"{c: /card/last4, amount: /amount}":                                    merged,
		"{bic: /bic, amount: /amount}":                                         merged,
		"{customer: /customer, sku: /sku, quantity: /quantity}":                merged,
		"{customer: /customer, amount: /amount, description: /description}":    merged,
		"{customer: /customer, items: /cart/items}":                            merged,
		"{IBANNumber: /IBANNumber, totalAmount: /totalAmount}":                 merged,
		"{customer: /customer, amount: /amount, type: /payment_type}":          merged,
		"{tax_id: /tax_id, price: /price_id}":                                  merged,
		"{customer: /customer, amount: /amount, date: /order_date}":            "customer-and-amount:warning volatile-time:warning:date",
		"{customer: /customer, amount: /amount, due: /due_day}":                "",
		"{order: /order/id, customer: /order/customer}":                        "",
		"{customer: /order/id}":                                                "",
		"{merchant_reference: /merchantReference, amount: /amount}":            "",
		"{customer: /customer, line: /order_item_id}":                          "",
		"{user_cart: /user_cart_id, amount: /amount}":                          "",
		"{cart: /id, customer: /customer}":                                     "",
		"{shipment: /shipment_no, customer: /customer}":                        "",
		"{sender: /sender, m: /message/id}":                                    "",
		"{sender: /sender, m: /message}":                                       merged,
		"{customer: /customer, product: /product_id}":                          merged,
		"{amount: /amount, payment: /payment_id}":                              "",
		"{key: {input: idempotency_key}, customer: /customer}":                 "",
	} {
		want = sorted("example-missing:warning " + want)
		if got, _ := lint(t, linted(identity, ""), LintOptions{}); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", identity, got, want)
		}
	}
	_, findings := lint(t, linted("{customer: /customer, sku: /sku, quantity: /quantity}", ""), LintOptions{})
	if want := "the identity is nothing but a customer, what is bought and an amount: two legitimate purchases would be one"; findings[1].Message != want {
		t.Errorf("%+v", findings)
	}
}

// TestLintVolatileNames: one field beside the order's number.
func TestLintVolatileNames(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"created_at created updated sent generated modified last_modified lastUpdated iat nbf createdat createdAt sent_time date_created timestampMs", "volatile-time:error:f"},
		{"exp", "volatile-time:warning:f"},
		{"jti request_id requestid requestID RequestId x-request-id XRequestId sessionid correlationId csrftoken nonce_value retryCount attempt_id random_id randomString salt", "volatile-id:error:f"},
		{"signature sig hmac signature_hash webhookSignature token", "volatile-id:warning:f"},
		{"iv enc card_encrypted encryptedCard auth_tag", "volatile-ciphertext:error:f"},
		{"user_agent userAgent useragent ip clientIp ip_address app_version sdkVersion hostname", "volatile-caller:warning:f"},
		{"salt_type random_access_id retry_policy token_type signature_version encryption_algorithm is_encrypted encrypted_flag buy_now client_time_zone " +
			"timestamp_format updates amount_sent units_received cipher_suite version recipe ipo shipment paid", ""},
	} {
		for _, name := range strings.Fields(c.names) {
			want := sorted("example-missing:warning " + c.want)
			if got, _ := lint(t, linted("{order: /order, f: /"+name+"}", ""), LintOptions{}); got != want {
				t.Errorf("/%s:\ngot  %s\nwant %s", name, got, want)
			}
			if c.want == "" {
				continue
			}
			if got, _ := lint(t, linted("{order: /order, f: {input: "+name+"}}", ""), LintOptions{}); got != want {
				t.Errorf("input %s:\ngot  %s\nwant %s", name, got, want)
			}
			// Inside a selected object its name says the same.
			want = sorted("example-id-missing:error " + c.want)
			if got, _ := lint(t, linted("{f: /order}", "example: {payload: {order: {number: o-1, "+name+": z}}}"), LintOptions{}); got != want {
				t.Errorf("%s in an object:\ngot  %s\nwant %s", name, got, want)
			}
		}
	}
}

// TestLintWhatAValueIs: one value, under a name that says nothing, under an
// order's, and inside a list in an object.
func TestLintWhatAValueIs(t *testing.T) {
	const (
		uuid4  = "f81d4fae-7dec-41d0-a765-00a0c91e6bf6"
		jwt    = "eyJhbGciOiJIUzI1NiJ9.eyJpYXQiOjE3OTYwMzI4MDB9.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg"
		bcrypt = "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW"
	)
	for _, c := range []struct{ value, want, ordered string }{
		{uuid4, "volatile-id:warning:f", ""},
		{"pay-" + uuid4, "volatile-id:warning:f", ""},
		{"urn:uuid:" + uuid4, "volatile-id:warning:f", ""},
		{"f81d4fae7dec41d0a76500a0c91e6bf6", "volatile-id:warning:f", ""},
		{"d41d8cd98f00b204e9800998ecf8427e", "", ""}, // MD5 of nothing
		{"6fa459ea-ee8a-3ca4-894e-db77e160355e", "", ""},
		{jwt, "volatile-id:error:f", "volatile-id:error:f"},
		{"Bearer " + jwt, "volatile-id:error:f", "volatile-id:error:f"},
		{"eyJ.a.b", "", ""},
		{bcrypt, "volatile-ciphertext:error:f", "volatile-ciphertext:error:f"},
		{"'$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2g'", "volatile-ciphertext:error:f", "volatile-ciphertext:error:f"},
		{"$2b$", "", ""},
		{"1796032801", "volatile-time:warning:f", ""},
		{"'1796032801123'", "volatile-time:warning:f", ""},
		{"1796032801.25", "volatile-time:warning:f", ""},
		{"1.796032801e9", "volatile-time:warning:f", ""},
		{"c-1796032801123", "volatile-time:warning:f", ""},
		{"'20261130100000'", "volatile-time:warning:f", ""},
		{"1796032800123456", "volatile-time:warning:f", ""},
		{"1767225600", "", ""}, // the first second of a day
		{"4111111111", "", ""},
		{"999999999", "", ""},
		{"2026-11-30T10:00", "volatile-time:error:f", "volatile-time:error:f"},
		{"2026-11-30 10:00", "volatile-time:error:f", "volatile-time:error:f"},
		{"20261130T100000", "volatile-time:error:f", "volatile-time:error:f"},
		{"'c_1|2026-11-30T10:00:00Z'", "volatile-time:error:f", "volatile-time:error:f"},
		{"2026-11-30", "", ""},
	} {
		for _, at := range []struct{ identity, payload, want string }{
			{"{f: /x}", "{x: V}", c.want},
			{"{f: /idempotency_key}", "{idempotency_key: V}", c.want},
			{"{f: /uuid}", "{uuid: V}", c.want},
			{"{f: /x}", "{x: {y: [1, {z: V}]}}", c.want},
			{"{f: /order/id}", "{order: {id: V}}", c.ordered},
			{"{f: /x}", "{x: {order: {id: V}}}", c.ordered},
			{"{f: /order}", "{order: {idempotency_key: V}}", c.want},
		} {
			want := sorted("example-id-missing:error " + at.want)
			src := linted(at.identity, "example: {payload: "+strings.ReplaceAll(at.payload, "V", c.value)+"}")
			if got, _ := lint(t, src, LintOptions{}); got != want {
				t.Errorf("%s of %s with %s:\ngot  %s\nwant %s", at.identity, at.payload, c.value, got, want)
			}
		}
	}
}

func TestLintEmptyValues(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{`[""]`, "error"}, {`[null]`, "error"}, {`{a: ""}`, "error"}, {`[[], {b: " "}]`, "error"},
		{`"\u200b"`, "error"}, {`"\u200b \ufeff\u2060"`, "error"}, {`"\u00ad\u3164"`, "error"}, {`"\u2800"`, "error"},
		{`"[object Object]"`, "error"}, {`"${CART}"`, "error"}, {`"cart-${CART}"`, "error"}, {`"{{cart}}"`, "error"}, {`"{{ cart.id }}"`, "error"},
		{`"{cart_id}"`, "error"}, {`"$CART"`, "error"}, {`"<%= cart %>"`, "error"}, {`"%!s(<nil>)"`, "error"}, {`"%(cart)s"`, "error"}, {`"%s"`, "error"},
		{`"<Cart object at 0x7f3a>"`, "error"}, {`{a: "[object Object]", b: 1}`, "error"},
		{`0`, "warning"}, {`"0"`, "warning"}, {`0.0`, "warning"}, {`"(null)"`, "warning"}, {`"undefined"`, "warning"}, {`"None"`, "warning"}, {`"NaN"`, "warning"},
		{`"<nil>"`, "warning"}, {`"cart-undefined"`, "warning"}, {`"cart:None:3"`, "warning"}, {`{a: undefined, b: 1}`, "warning"}, {`"-"`, "warning"}, {`"??"`, "warning"},
		{`{a: "", b: 1}`, ""}, {`false`, ""}, {`1`, ""}, {`"a\u200bb"`, ""}, {`"None-such"`, "warning"}, {`"none-such"`, ""}, {`"$5"`, ""}, {`"50%"`, ""}, {`"{"`, "warning"}, {`"é"`, ""},
	} {
		want := sorted("example-id-missing:error")
		if c.want != "" {
			want = sorted(want + " empty-value:" + c.want + ":f")
		}
		if got, _ := lint(t, linted("{f: /x}", "example: {payload: {x: "+c.value+"}}"), LintOptions{}); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.value, got, want)
		}
	}
	for _, name := range []string{"version", "amount", "line_index", "seq", "quantity"} { // count from zero
		src := linted("{order: /order, f: /"+name+"}", "example: {payload: {order: o-1, "+name+": 0}}")
		if got, _ := lint(t, src, LintOptions{}); got != "example-id-missing:error" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestLintBoundariesThatSayNothing(t *testing.T) {
	const slug = "boundary-says-nothing:"
	for boundary, want := range map[string]string{
		`"\u200b"`: slug + "error", `"\u200b \u2060"`: slug + "error", "Todo": slug + "error", `"Todo: ask the shop"`: slug + "error", "tbd": slug + "error",
		"n/a": slug + "error", `"-"`: slug + "error", `"..."`: slug + "error", `"${BOUNDARY}"`: slug + "error", "cart": slug + "warning",
		"One of each.": "", "Eine je Warenkorb.": "", "一 单": "",
	} {
		want = sorted("example-missing:warning " + want)
		src := strings.Replace(linted("{cart: /cart}", ""), "One of each.", boundary, 1)
		if got, _ := lint(t, src, LintOptions{}); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", boundary, got, want)
		}
	}
}

func TestLintPrivateValues(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"x", "a@b.co", "error"}, {"x", "4111.1111.1111.1111", "error"}, {"x", "4111/1111/1111/1111", "error"}, {"x", "4111_1111_1111_1111", "error"},
		{"x", `"4111\u00a01111\u00a01111\u00a01111"`, "error"}, {"x", "4111–1111–1111–1111", "error"}, {"x", "4111-1111 1111-1111", "error"}, {"x", "DE89.3704.0044.0532.0130.00", "error"},
		{"order", "300-555-0199", ""}, {"order_no", "1.800.555.0199", ""}, {"invoice", "300 555 0199", ""}, {"x", "300-555-0199", "warning"}, {"x", "1.800.555.0199", "warning"},
		{"phone", "300-555-0199", "error"}, {"customer", "300-555-0199", "error"}, {"order", "+1 300 555 0199", "error"}, {"order", "4111.1111.1111.1112", ""},
		{"x", "2026.11.30.10.00.00", ""},
	} {
		want := sorted("example-id-missing:error")
		if c.want != "" {
			want = sorted(want + " private-value:" + c.want + ":f")
		}
		payload := "example: {payload: {" + c.name + ": " + c.value + ", cart: c_1}}"
		if got, _ := lint(t, linted("{cart: /cart, f: /"+c.name+"}", payload), LintOptions{}); got != want {
			t.Errorf("%s: %s:\ngot  %s\nwant %s", c.name, c.value, got, want)
		}
		// sensitive ends it, and outside the identity looks are a warning.
		if got, _ := lint(t, linted("{cart: /cart, f: /"+c.name+"}", payload+"\nsensitive: [/"+c.name+"]"), LintOptions{}); got != "example-id-missing:error" {
			t.Errorf("%s: %s, called sensitive: %s", c.name, c.value, got)
		}
		want = strings.NewReplacer(":f", "", "private-value:error", "private-value:warning").Replace(want)
		if got, _ := lint(t, linted("{cart: /cart}", payload), LintOptions{}); got != want {
			t.Errorf("%s: %s outside:\ngot  %s\nwant %s", c.name, c.value, got, want)
		}
	}
}

func TestLintPrivateInputs(t *testing.T) {
	src := linted("{cart: /cart, who: {input: who}}", "example: {payload: {cart: c_1}, inputs: {who: payer@example.com}}\nsensitive: []")
	got, findings := lint(t, src, LintOptions{})
	if got != "example-id-missing:error private-value:warning:who" || findings[0].Hint != "--input-file who=FILE" {
		t.Errorf("%s %+v", got, findings)
	}
	if got, _ = lint(t, strings.Replace(src, "payer@example.com", "acme", 1), LintOptions{}); got != "example-id-missing:error" {
		t.Error(got)
	}
}

func TestLintSensitivePlaces(t *testing.T) {
	src := linted("{cart: /cart}", "example: {payload: {cart: c_1, customer: {email: z}}}\nsensitive: [/customer/emial, /customer, /nope, '', /delivery/phone]")
	got, findings := lint(t, src, LintOptions{})
	if got != "example-id-missing:error sensitive-nowhere:warning sensitive-nowhere:warning" {
		t.Fatalf("%s", got)
	}
	for _, f := range findings {
		if f.Slug == "sensitive-nowhere" && f.Column == 13 && (f.Allow != "sensitive-nowhere:/customer/emial" || !strings.HasPrefix(f.Hint, "did you mean /customer/email?")) {
			t.Errorf("%+v", f)
		}
	}
	typo := linted("{cart: /cart}", "example: {payload: {cart: c_1, customer: {email: z}}}\nsensitive: [/custmer/email]")
	if got, _ := lint(t, typo, LintOptions{}); got != "example-id-missing:error sensitive-nowhere:warning" {
		t.Errorf("the part that should hold it is mistyped: %s", got)
	}
	if got, _ := lint(t, linted("{cart: /cart}", "sensitive: [/nope]"), LintOptions{}); got != "example-missing:warning" {
		t.Errorf("without an example: %s", got)
	}
}

// TestLintOneTripleTwice: in one run a triple is one recipe.
func TestLintOneTripleTwice(t *testing.T) {
	first := linted("{cart: /cart}", "")
	for name, c := range map[string]struct{ second, want string }{
		"the same":             {first, ""},
		"another boundary":     {strings.Replace(first, "One of each.", "Two of each.", 1), ""},
		"another identity":     {strings.Replace(first, "/cart", "/basket", 1), "triple-twice:error"},
		"another prefix":       {strings.Replace(first, "prefix: p", "prefix: q", 1), "triple-twice:error"},
		"another version":      {strings.Replace(strings.Replace(first, "/cart", "/basket", 1), "version: 1", "version: 2", 1), ""},
		"another operation":    {strings.Replace(strings.Replace(first, "/cart", "/basket", 1), "operation: o", "operation: q", 1), ""},
		"listed as it was":     {strings.Replace(first, "version: 1", "version: 2", 1) + "previous: [{version: 1, until: 2999-01-01T00:00:00Z}]", ""},
		"listed as another is": {strings.Replace(first, "version: 1", "version: 2", 1) + "next: [{version: 1, identity: {line: /line}}]", "triple-twice:error"},
	} {
		run := &LintRun{}
		lint(t, first, LintOptions{Run: run})
		got, findings := lint(t, c.second, LintOptions{Run: run})
		if want := sorted("example-missing:warning " + c.want); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		for _, f := range findings {
			if f.Slug == "triple-twice" && (f.Allow != "" || !strings.HasPrefix(f.Message, "n/o/1 is written in r.yaml:4:10 too")) {
				t.Errorf("%+v", f)
			}
		}
	}
	if got, _ := lint(t, strings.Replace(first, "/cart", "/basket", 1), LintOptions{}); got != "example-missing:warning" {
		t.Errorf("alone: %s", got)
	}
}

package fingerprint

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/problem"
)

const (
	email = "an email address"
	phone = "a phone number"
	card  = "a payment card number"
	iban  = "an IBAN"
	natID = "a national id number"
)

func TestLooksSensitive(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"", "payer@example.com", email},
		{"", " Jane.Doe+tag@mail.example.co.uk ", email},
		{"", "Jane Doe <payer@example.com>", email},
		{"", "mailto:payer@example.com", email},
		{"", "payer@müller.example", email},
		{"note", "please write to payer@example.com.", email},
		{"", "JANE@EXAMPLE.COM", email},
		{"", "user:payer@example.com", email},
		{"", "/users/payer@example.com", email},
		{"", "payer@example.com|2", email},
		{"", "to=payer@example.com&cc=", email},
		{"", "order=1|card=4111111111111111", card},
		{"", "+49 170 1234567", phone},
		{"", "+1 (555) 123-4567", phone},
		{"", "+491701234567", phone},
		{"", "tel:+1-201-555-0123;ext=9", phone},
		{"", "0049 170 1234567", phone},
		{"", "(212) 555-0143", phone},
		{"", "212-555-0143", phone},
		{"", "212.555.0143", phone},
		{"", "1-212-555-0143", phone},
		{"", "0170 1234567", phone},
		{"", "0170/1234567", phone},
		{"", "01 23 45 67 89", phone},
		{"", "020 7946 0958", phone},
		{"phone", "1701234567", phone},
		{"customerPhone", "5550143", phone},
		{"MOBILE_NUMBER", "+4917012345", phone},
		{"tel", "555-0143", phone},
		{"", "4111111111111111", card},
		{"", "4111 1111 1111 1111", card},
		{"", "5500-0000-0000-0004", card},
		{"", "378282246310005", card},
		{"", "3782 822463 10005", card},
		{"", "6011111111111117", card},
		{"", "2223003122003222", card},
		{"", "3530111333300000", card},
		{"", "30569309025904", card},
		{"memo", "paid with 4111111111111111, thanks", card},
		{"", "DE89370400440532013000", iban},
		{"", "DE89 3704 0044 0532 0130 00", iban},
		{"", "gb82west12345698765432", iban},
		{"", "FR1420041010050500013M02606", iban},
		{"", "NO9386011117947", iban},
		{"ref", "IBAN: BE68539007547034", iban},
		{"", "123-45-6789", natID},
		{"ssn", "123456789", natID},
		{"taxId", "12 345 678 901", natID},
		{"social_security_no", "078051120", natID},
		{"", "AB123456C", natID},
		{"", "AB 12 34 56 C", natID},
		{"", "12345678Z", natID},
		{"", "X1234567L", natID},
		{"", "RSSMRA85T10A562S", natID},
		{"", "2 55 08 14 168 025 38", natID},
		{"", "255081416802538", natID},
		{"", "529.982.247-25", natID},
		{"", "85.07.30-033.28", natID},
		{"", "811228-9874", natID},
		{"", "19811228-9874", natID},
		{"", "131052-308T", natID},
		{"", "11010519491231002X", natID},
		{"", "756.9217.0769.85", natID},
		{"", "S1234567D", natID},
		{"", "2341 2341 2346", natID},
		{"", "HEGG560427MVZRRL04", natID},
	} {
		if got := Looks(c.name, String(c.value)); got != c.want {
			t.Errorf("%s %q looks like %q; want %q", c.name, c.value, got, c.want)
		}
	}
	for literal, want := range map[string]string{"4111111111111111": card, "4111111111111112": "", "-4111111111111111": "",
		"4111111111111111.0": card, "4111111111111111e0": card, "4.111111111111111e15": card, "41111111111111110E-1": card, "4111111111111111.00e+00": card,
		"4.111111111111112e15": "", "4111111111111111e1": "", "4111111111111111e9999999999": "", "4e-400": "", "0": "", "0.4111111111111111": ""} {
		if got := Looks("n", &Value{Kind: KindNumber, Number: literal}); got != want {
			t.Errorf("%s looks like %q", literal, got)
		}
	}
	for _, literal := range []string{"491701234567", "15112345678.0", "1.5112345678e10", "151123456780e-1"} {
		if got := Looks("phone", &Value{Kind: KindNumber, Number: literal}); got != phone {
			t.Errorf("%s called phone looks like %q", literal, got)
		}
	}
}

func TestLooksHarmless(t *testing.T) {
	for _, c := range []struct{ name, value string }{
		{"order_id", "1234567890"}, {"order_id", "100-200-3000"}, {"order_id", "112-3456789-1234567"},
		{"order_id", "o-2026-11-30-0001"}, {"order_id", "261130-0001"}, {"order_id", "20261130-0001"},
		{"order_id", "261130-1000001"}, {"order_id", "0012345678"}, {"order_id", "00001234567890"},
		{"order_id", "2026/11/30 0001"}, {"order_id", "4111111111111112"}, {"order_id", "1234567812345670"},
		{"order_id", "412345678901234567"}, {"order_id", "0000000000000000"}, {"id", "018f6b1e-7b1a-7c3d-9d3e-123456789abc"},
		{"id", "ch_3MtwBwLkdIwHu7ix28a3tqPa"}, {"id", "01ARZ3NDEKTSV4RRFFQ69G5FAV"},
		{"amount", "1234567.89"}, {"amount", "+1234567.89"}, {"amount", "+12345678.90"}, {"amount", "1,234,567.00"},
		{"amount", "-1234567"}, {"amount", "1999"}, {"amount", "1 234 567,89"},
		{"sent_at", "2026-11-30T10:00:00Z"}, {"sent_at", "2026-11-30"}, {"sent_at", "30.11.2026"}, {"sent_at", "01.02.2026"},
		{"sent_at", "1764500000"}, {"sent_at", "1764500000000"}, {"sent_at", "05/12/2026 10:00"}, {"phone_verified_on", "2026-11-30"},
		{"version", "10.12.14"}, {"ip", "192.168.100.200"}, {"ip", "10.0.0.1"}, {"zip", "12345-6789"}, {"sku", "A-1"},
		{"sku", "978-3-16-148410-0"}, {"iban_hint", "DE89370400440532013001"}, {"code", "DE8937040044"},
		{"iban", "XX89370400440532013000"}, {"git", "git@github.com:org/repo.git"}, {"pkg", "left-pad@1.2.3"},
		{"url", "https://user@example.com/x"}, {"handle", "@jane_doe"}, {"x", "a@b"}, {"x", "payer@localhost"}, {"x", "a@b@example.com"},
		{"x", "a@-b.com"}, {"x", "@example.com"}, {"x", "payer@example."}, {"x", "payer@.com"}, {"hotel", "1234567890"},
		{"x", "666-12-3456"}, {"x", "000-12-3456"}, {"x", "123-00-4567"}, {"x", "12345678A"}, {"x", "QQ123456C"},
		{"x", "111.111.111-11"}, {"x", "529.982.247-26"}, {"x", "11010519491231002Y"}, {"x", "123456789012"},
		{"x", ""}, {"x", "EUR"}, {"headphones", "1234567890"}, {"rate", "(123456)"}, {"x", strings.Repeat("4", 5000)},
		{"tz", "+0200"}, {"delta", "+1500.00"}, {"x", "(1234567)"}, {"x", "(1234567.00)"}, {"x", "(12345) 1"}, {"x", "1-123-555-0143"}, {"x", "212-055-0143"},
	} {
		if got := Looks(c.name, String(c.value)); got != "" {
			t.Errorf("%s %q looks like %s", c.name, c.value, got)
		}
	}
}

func TestUnkeyedRefusesWhatCanBeGuessed(t *testing.T) {
	for _, c := range []struct {
		src, want string
		sensitive []Pointer
		public    bool
	}{
		{src: `{"a":{"b":["x","payer@example.com"]}}`, want: "/a/b/1: looks like an email address, and an unkeyed hash of it can be undone by guessing"},
		{src: `"payer@example.com"`, want: "the payload: looks like an email address, and an unkeyed hash of it can be undone by guessing"},
		{src: `{"a":{"payer@example.com":1}}`, want: "/a: has a name that looks like an email address, and an unkeyed hash of it can be undone by guessing"},
		{src: `{"phones":[1,2],"phone":["1701234567"]}`, want: "/phone/0: looks like a phone number, and an unkeyed hash of it can be undone by guessing"},
		{src: `{"card":4111111111111111}`, want: "/card: looks like a payment card number, and an unkeyed hash of it can be undone by guessing"},
		{src: `{"card":4111111111111111}`, public: true},
		{src: `{"card":4111111111111111}`, sensitive: []Pointer{}},
		{src: `{"card":4111111111111111}`, sensitive: []Pointer{{"name"}}},
		{src: `{"name":null}`, sensitive: []Pointer{{"name"}}, want: "/name: is called sensitive, and an unkeyed hash of it can be undone by guessing"},
		{src: `{"name":"x"}`, sensitive: []Pointer{{"name"}}, public: true},
		{src: `{"id":"1234567890","amount":1999}`},
	} {
		got, err := Payload([]byte(c.src), Policy{Sensitive: c.sensitive, Public: c.public})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.src, err)
		case c.want != "" && (err == nil || err.Error() != c.want || got != ""):
			t.Errorf("%s:\n got %s, %v\nwant %s", c.src, got, err, c.want)
		case err != nil && !strings.Contains(problem.Hint(err), "--public"):
			t.Errorf("hint %q", problem.Hint(err))
		}
		key := &Keyed{Secret: []byte(strings.Repeat("s", 32)), Kid: "k1", Namespace: "t"}
		if _, err := Payload([]byte(c.src), Policy{Sensitive: c.sensitive, Key: key}); err != nil {
			t.Errorf("%s, keyed: %v", c.src, err)
		}
	}
	if f, found := Object().FindSensitive([]Pointer{{"a"}}); found {
		t.Errorf("found %v in nothing", f)
	}
}

// Known good and bad numbers of the check digit schemes themselves.
func TestCheckDigits(t *testing.T) {
	if !verhoeff("2363") || verhoeff("2364") || !verhoeff("123456789012"[:0]) {
		t.Error("Verhoeff")
	}
	if !luhn("79927398713") || luhn("79927398710") {
		t.Error("Luhn")
	}
	if mod97("3214282912345698765432161182") != 1 || mod97("32142829123456987654321611a2") != -1 {
		t.Error("MOD 97-10")
	}
	if !isFodselsnummer("13097248022") || isFodselsnummer("13097248023") {
		t.Error("fodselsnummer")
	}
	if !isRRN("900101-1234568") || isRRN("900101-1234567") || isRRN("901301-1234568") {
		t.Error("RRN")
	}
}

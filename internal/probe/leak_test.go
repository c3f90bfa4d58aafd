package probe

import "testing"

func TestNamesStandWhole(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{`/v1/orders/2`, "/v1/orders/2", true},
		{`/v1/orders/26`, "/v1/orders/2", false},
		{`/v1/orders/2/events`, "/v1/orders/2", true},
		{`/v1/orders/2?expand=1`, "/v1/orders/2", true},
		{`/v1/orders/2-b`, "/v1/orders/2", false},
		{`{"id":"ch_12345678"}`, "ch_12345678", true},
		{`{"id":"ch_12345678","n":1}`, "12345678", true},
		{`{"id":123456789}`, "12345678", false},
		{`{"id":912345678}`, "12345678", false},
		{`{"id":912345678,"of":12345678}`, "12345678", true},
		{`see ch_12345678.`, "ch_12345678", true},
		{`see ch_12345678. It`, "ch_12345678", true},
		{`ch_12345678.v2`, "ch_12345678", false},
		{`W/"v1-12345678"`, "12345678", true},
		{`grüße-ä1234567`, "1234567", false},
		{`note-1234 note-1234-2`, "note-1234", true},
		{`note-1234-2`, "note-1234", false},
		{``, "note-1234", false},
		{`note-1234-`, "note-1234", true},
	} {
		if got := standsIn(c.text, c.name); got != c.want {
			t.Errorf("%q in %q: %v", c.name, c.text, got)
		}
	}
}

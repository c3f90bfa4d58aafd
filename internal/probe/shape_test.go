package probe

import (
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

func TestMisshapen(t *testing.T) {
	r := rules{&contract.Operation{Promise: contract.Promise{Ignore: []string{"/served"}}}}
	answer := func(status int, media, body string) shape {
		var unmasked *trace.Masker
		return r.shapeOf(&trace.Answer{Status: status, Header: [][2]string{{"Content-Type", media}}, Body: unmasked.Body([]byte(body), int64(len(body)))})
	}
	charge := answer(201, "application/json", `{"id":"a","card":{"last4":"1"},"lines":[{"n":1}],"served":{"by":1}}`)
	other := answer(201, "application/json; charset=utf-8", `{"id":"b","card":{"last4":"2"},"lines":[],"note":null}`)
	for _, c := range []struct {
		name  string
		known []shape
		got   shape
		want  string
	}{
		{"nothing known", nil, answer(500, "", ""), ""},
		{"the same with other values", []shape{charge}, answer(201, "application/json", `{"id":"c","card":{"last4":"9"},"lines":[]}`), ""},
		{"one that only one of two has", []shape{charge, other}, charge, ""},
		{"a member more", []shape{charge}, answer(201, "application/json", `{"id":"c","card":{"last4":"9","new":1},"lines":[],"more":1}`), ""},
		{"a parameter of the media type", []shape{charge}, other, ""},
		{"another status", []shape{charge, other}, answer(303, "application/json", ""), "status was 201, now 303"},
		{"null", []shape{charge, other}, answer(201, "application/json", "null"), "body was object, now value"},
		{"empty", []shape{charge}, answer(201, "application/json", ""), "body was object, now nothing"},
		{"an empty object", []shape{charge, other}, answer(201, "application/json", "{}"), "body without /card, /card/last4, /id, /lines"},
		{"a member deep inside", []shape{charge}, answer(201, "application/json", `{"id":"c","card":{},"lines":[]}`), "body without /card/last4"},
		{"a page", []shape{charge}, answer(201, "text/html", "<p>done"), "media type was application/json, now text/html"},
		{"too long to tell", []shape{charge}, shape{status: 201, kind: "unknown"}, ""},
	} {
		if got := misshapen(c.known, c.got); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestPresentStates: where duplicates show the present state, a first answer
// tells of its kind alone, and one without a body tells nothing.
func TestPresentStates(t *testing.T) {
	empty := shape{status: 204, kind: "nothing"}
	created := shape{status: 201, media: "application/json", kind: "object", members: map[string]bool{"/id": true}}
	shown := shape{status: 200, media: "application/json", kind: "object"}
	for _, c := range []struct {
		name   string
		firsts []shape
		got    shape
		want   string
	}{
		{"other members and another status", []shape{created}, shown, ""},
		{"a state after answers without a body", []shape{empty, empty}, shown, ""},
		{"no body after answers without one", []shape{empty}, shape{status: 200, kind: "nothing"}, ""},
		{"no state", []shape{created}, empty, "body was object, now nothing"},
		{"a text", []shape{created, empty}, shape{status: 200, kind: "text"}, "body was object, now text"},
	} {
		if got := misshapen(presentStates(c.firsts, c.got)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

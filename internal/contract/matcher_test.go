package contract

import "testing"

func TestMatch(t *testing.T) {
	header := [][2]string{{"content-type", "application/json"}, {"Retry-After", " 1 "}, {"X", "a"}, {"x", "b"}}
	body := []byte(`{"error": {"type": "idempotency_error", "code": 3.162e3, "a/b": [null, {"n": 1}]}, "": 0}`)
	for _, c := range []struct {
		name string
		m    *Matcher
		want bool
	}{
		{"nil", nil, false},
		{"status", &Matcher{Status: []int{409, 422}}, true},
		{"other status", &Matcher{Status: []int{409}}, false},
		{"header without regard to case", &Matcher{Header: [][2]string{{"Content-Type", "application/json"}}}, true},
		{"second line", &Matcher{Header: [][2]string{{"X", "b"}}}, true},
		{"white space around a value", &Matcher{Header: [][2]string{{"Retry-After", "1"}}}, true},
		{"part of a value", &Matcher{Header: [][2]string{{"content-type", "application"}}}, false},
		{"header value is exact", &Matcher{Header: [][2]string{{"X", "A"}}}, false},
		{"header absent", &Matcher{Header: [][2]string{{"Y", ""}}}, false},
		{"status holds, header does not", &Matcher{Status: []int{422}, Header: [][2]string{{"X", "c"}}}, false},
		{"string", &Matcher{JSON: []JSONExpectation{{"/error/type", []byte(`"idempotency_error"`)}}}, true},
		{"number by value", &Matcher{JSON: []JSONExpectation{{"/error/code", []byte(`3162.0`)}}}, true},
		{"string is no number", &Matcher{JSON: []JSONExpectation{{"/error/code", []byte(`"3162"`)}}}, false},
		{"object", &Matcher{JSON: []JSONExpectation{{"/error/a~1b/1", []byte(`{"n":1.0}`)}}}, true},
		{"object with less in it", &Matcher{JSON: []JSONExpectation{{"/error/a~1b/1", []byte(`{}`)}}}, false},
		{"null stands", &Matcher{JSON: []JSONExpectation{{"/error/a~1b/0", []byte(`null`)}}}, true},
		{"null is not absent", &Matcher{JSON: []JSONExpectation{{"/error/none", []byte(`null`)}}}, false},
		{"empty name", &Matcher{JSON: []JSONExpectation{{"/", []byte(`0`)}}}, true},
		{"array token", &Matcher{JSON: []JSONExpectation{{"/error/a~1b/01", []byte(`{"n":1}`)}}}, false},
		{"one holds, one does not", &Matcher{JSON: []JSONExpectation{{"/", []byte(`0`)}, {"/error/code", []byte(`1`)}}}, false},
	} {
		if got := c.m.Match(422, header, body); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	m := &Matcher{JSON: []JSONExpectation{{"", []byte(`{"a":1}`)}}}
	for body, want := range map[string]bool{`{"a":1}`: true, ` {"a" : 1.0} `: true, `{"a":1} x`: false, ``: false, `<a/>`: false, `{"a":1,"a":1}`: false} {
		if got := m.Match(200, nil, []byte(body)); got != want {
			t.Errorf("%s: %v", body, got)
		}
	}
}

func TestMatcherWords(t *testing.T) {
	long := JSONExpectation{"/m", []byte(`"012345678901234567890123456789012345678901234567890123456789"`)}
	for want, m := range map[string]*Matcher{
		"no answer":  nil,
		"status 409": {Status: []int{409}},
		`status 409 or 422 with /error/type = "idempotency_error"`: {Status: []int{409, 422},
			JSON: []JSONExpectation{{"/error/type", []byte(`"idempotency_error"`)}}},
		"status 400, 409 or 422 with header X: 1 and body = null": {Status: []int{400, 409, 422},
			Header: [][2]string{{"X", "1"}}, JSON: []JSONExpectation{{"", []byte("null")}}},
		"any status with header A: b and header C: d":                      {Header: [][2]string{{"A", "b"}, {"C", "d"}}},
		`any status with /m = "012345678901234567890123456789012345678...`: {JSON: []JSONExpectation{long}},
	} {
		if got := m.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

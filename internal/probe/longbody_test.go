package probe_test

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
)

// TestValueDigest: bodies that are one value have one digest, whatever their
// numbers; other values have another.
func TestValueDigest(t *testing.T) {
	op := &contract.Operation{Promise: contract.Promise{Ignore: []string{"/at"}}}
	for _, c := range []struct {
		one, other string
		same       bool
	}{
		{`{"id":1,"at":1}`, `{"at":2,"id":1.0}`, true},
		{`{"id":1,"at":1}`, `{"id":2,"at":1}`, false},
		{`{"id":12345678901234567,"at":1}`, `{"at":2,"id":12345678901234567}`, true},
		{`{"id":12345678901234567,"at":1}`, `{"id":12345678901234568,"at":1}`, false},
		{`{"id":"number 12345678901234567"}`, `{"id":12345678901234567}`, false},
		{`{"id":12345678901234567,"n":[1,2]}`, `{"id":12345678901234567,"n":[2,1]}`, false},
		{`{"id":1`, `{"id":1}`, false},
	} {
		one, other := probe.ValueDigest(op, []byte(c.one)), probe.ValueDigest(op, []byte(c.other))
		if (one == other) != c.same || one == "" || other == "" {
			t.Errorf("%s and %s: %q, %q", c.one, c.other, one, other)
		}
	}
	if got := probe.ValueDigest(op, []byte(`{"id":1`)); got != probe.NoValue {
		t.Errorf("no JSON: %q", got)
	}
	if got := probe.ValueDigest(op, []byte(`{"id":12345678901234567}`)); !strings.HasPrefix(got, "spelled:") {
		t.Errorf("numbers as they are spelled: %q", got)
	}
}

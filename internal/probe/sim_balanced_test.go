package probe_test

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/trace"
)

// A market whose replicas stand behind one URL, and what goes wrong between them.

// balance has one of two replicas handle a request that came by one URL.
func (m *market) balance(c *conn) (done func()) {
	at := 0
	switch m.balancer {
	case "":
		return func() {}
	case "turns":
		at = m.turn % 2
		m.turn++
	case "idle":
		if m.atWork[0] > m.atWork[1] {
			at = 1
		}
	case "keys":
		for _, b := range strings.Join(trace.Get(c.request.Header, "Idempotency-Key"), "") {
			at = (at + int(b)) % 2
		}
	}
	if m.served++; m.limited > 0 && m.served%m.limited == 0 {
		c.answer(429, [][2]string{{"Retry-After", "1"}}, []byte("slow down"))
	}
	c.target = []string{"", "1"}[at]
	m.atWork[at]++
	return func() { m.atWork[at]-- }
}

// elsewhere answers from what another replica has made of the key for another
// caller, and says whether it did.
func (b *bid) elsewhere() bool {
	for name, r := range b.records {
		if r.target == b.c.target || r.caller == b.caller || !strings.HasSuffix(name, "|"+b.key) || r.path != b.path {
			continue
		}
		switch {
		case b.is("elsewhere callers share"):
			b.replay(r)
			return true
		case b.is("elsewhere callers conflict"):
			b.answer(422, nil, "")
			return true
		}
	}
	return false
}

// stuckElsewhere says that this replica has lost a race for the key, and never
// learns its end.
func (b *bid) stuckElsewhere(at string, r *deal) bool {
	if !b.is("losers are stuck elsewhere") {
		return false
	}
	if !r.done {
		b.seen["lost "+at+b.c.target] = "yes"
	}
	return b.seen["lost "+at+b.c.target] != ""
}

package probe_test

import (
	"slices"
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
)

// TestOneErrorAccusesNobody: a right server that answers one single request of a
// whole run with an error of its own is accused by no step, whichever request
// that is.
func TestOneErrorAccusesNobody(t *testing.T) {
	const apart = 11 // how far apart the requests are that are tried
	one := func(at int, served *int) func(*conn) bool {
		return func(*conn) bool { *served++; return *served == at }
	}
	for name, scene := range map[string]func(unlucky func(*conn) bool) scene{
		"the six": func(unlucky func(*conn) bool) scene {
			return scene{behaviour: behaviour{busy: func(_ *charges, c *conn) bool { return unlucky(c) }, busyWith: 500}}
		},
		"extended": func(unlucky func(*conn) bool) scene {
			return scene{contract: with(), only: extended, behaviour: behaviour{busy: func(_ *charges, c *conn) bool { return unlucky(c) }, busyWith: 501}}
		},
		"market": func(unlucky func(*conn) bool) scene {
			return marketCase{contract: slowTrade, ways: ways{unlucky: unlucky}}.scene()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for at, served := 1, 0; at == 1 || at <= served; at += apart {
				served = 0
				hit := ""
				unlucky := one(at, &served)
				r, _ := play(t, scene(func(c *conn) bool {
					if !unlucky(c) {
						return false
					}
					hit = c.request.ID
					return true
				}))
				if r.Counts[probe.Fail] > 0 {
					t.Errorf("an error to %s, request %d\n%s", hit, at, outcome(r))
				}
			}
		})
	}
}

// TestErrorsThatComeAgainAccuse: what comes again, and to one request alone, is
// that request's doing, in every market step too.
func TestErrorsThatComeAgainAccuse(t *testing.T) {
	for id, want := range map[string]string{
		"scope/another caller, the same body/neighbour":              "scope/other-caller-refused",
		"scope/another caller, while the first is at work/neighbour": "scope/other-caller-refused",
	} {
		r, _ := play(t, marketCase{contract: slowTrade, ways: ways{unlucky: func(c *conn) bool { return c.request.ID == id }}}.scene())
		var slugs []string
		for _, s := range r.Operations[0].Steps {
			for _, f := range s.Findings {
				slugs = append(slugs, f.Slug)
			}
		}
		if !slices.Contains(slugs, want) {
			t.Errorf("500 to %s alone: %v\n%s", id, slugs, outcome(r))
		}
	}
}

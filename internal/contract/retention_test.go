package contract

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestEffectiveRetention(t *testing.T) {
	const h, s = time.Hour, time.Second
	promised := func(atLeast, atMost time.Duration) Promised[Retention] {
		return Promised[Retention]{Known: true, Value: Retention{AtLeast: atLeast, AtMost: atMost}}
	}
	unknown := Promised[Retention]{}
	apart := []string{"http://127.0.0.1:1"}
	type numbers struct {
		atLeast, atMost time.Duration
		known           bool
	}
	for _, c := range []struct {
		name          string
		promise       Promised[Retention]
		expiry        *Expiry
		main, expires numbers
	}{
		{"nothing", unknown, nil, numbers{}, numbers{}},
		{"promise alone", promised(24*h, 25*h), nil, numbers{24 * h, 25 * h, true}, numbers{24 * h, 25 * h, true}},
		{"no upper bound", promised(24*h, 0), &Expiry{Wait: 2 * s}, numbers{2 * s, 0, true}, numbers{2 * s, 0, true}},
		{"wait alone", unknown, &Expiry{Wait: 2 * s}, numbers{2 * s, 0, true}, numbers{2 * s, 0, true}},
		{"wait is the promise", promised(2*s, 4*s), &Expiry{Wait: 2 * s}, numbers{2 * s, 4 * s, true}, numbers{2 * s, 4 * s, true}},
		{"wait is shorter", promised(24*h, 36*h), &Expiry{Wait: 2 * s}, numbers{2 * s, 3 * s, true}, numbers{2 * s, 3 * s, true}},
		{"wait is longer", promised(2*s, 3*s), &Expiry{Wait: h}, numbers{h, h + 30*time.Minute, true}, numbers{h, h + 30*time.Minute, true}},
		{"rounded up", promised(3, 4), &Expiry{Wait: 1}, numbers{1, 2, true}, numbers{1, 2, true}},
		{"too long", promised(1, math.MaxInt64), &Expiry{Wait: h}, numbers{h, math.MaxInt64, true}, numbers{h, math.MaxInt64, true}},
		{"advance", promised(24*h, 25*h), &Expiry{Advance: []string{"a"}}, numbers{24 * h, 25 * h, true}, numbers{24 * h, 25 * h, true}},
		{"advance alone", unknown, &Expiry{Advance: []string{"a"}}, numbers{}, numbers{}},
		{"an instance of its own", promised(24*h, 36*h), &Expiry{Wait: 2 * s, BaseURLs: apart}, numbers{24 * h, 36 * h, true}, numbers{2 * s, 3 * s, true}},
		{"an instance of its own, nothing promised", unknown, &Expiry{Wait: 2 * s, BaseURLs: apart}, numbers{}, numbers{2 * s, 0, true}},
		{"wait not filled in", promised(24*h, 25*h), &Expiry{WaitText: "${WAIT}"}, numbers{24 * h, 25 * h, true}, numbers{24 * h, 25 * h, true}},
	} {
		o := &Operation{Promise: Promise{Retention: c.promise}, Expiry: c.expiry}
		var main, expires numbers
		main.atLeast, main.atMost, main.known = o.EffectiveRetention()
		expires.atLeast, expires.atMost, expires.known = o.ExpiryRetention()
		if main != c.main || expires != c.expires {
			t.Errorf("%s: %v and %v", c.name, main, expires)
		}
	}
}

// The upper bound never falls below the lower one, whatever the numbers.
func TestScaleKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		atLeast := rapid.Int64Range(1, math.MaxInt64).Draw(t, "at least")
		atMost := rapid.Int64Range(atLeast, math.MaxInt64).Draw(t, "at most")
		wait := rapid.Int64Range(1, math.MaxInt64).Draw(t, "wait")
		got := scale(time.Duration(atMost), time.Duration(wait), time.Duration(atLeast))
		if int64(got) < wait {
			t.Fatalf("%d", got)
		}
		if atMost == atLeast && int64(got) != wait {
			t.Fatalf("%d", got)
		}
		if wait == atLeast && int64(got) != atMost {
			t.Fatalf("%d", got)
		}
	})
}

func TestRecoveryIsTheLease(t *testing.T) {
	c := good(t, "references.yaml")
	if got := c.Operations[0].Crash.Recovery; got != time.Second {
		t.Errorf("open: %v", got)
	}
	c, err := c.Resolve(func(name string) (string, bool) { return environment[name], true })
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Operations[0].Crash.Recovery; got != 90*time.Second {
		t.Errorf("filled in: %v", got)
	}
	if got := good(t, "replicas.json").Operations[0].Crash.Recovery; got != 0 {
		t.Errorf("without a lease: %v", got)
	}
}

package main

import (
	"context"
	"math/rand/v2"
	"time"
)

// spread is how far apart the copies of a way arrived, from the first body
// read to the last.
type spread struct {
	Place    string        `json:"place"`
	Way      string        `json:"way"`
	Copies   int           `json:"copies"`
	Rounds   int           `json:"rounds"`
	Median   time.Duration `json:"median_ns"`
	P90      time.Duration `json:"p90_ns"`
	Ratio    float64       `json:"ratio"`          // of the base's median to this; the base is the place's first way
	RatioP90 float64       `json:"ratio_p90"`      // likewise
	Pace     float64       `json:"pace,omitempty"` // this median, in those of the server's own pace under a body hold; 0 where that is not measured
	losses

	to      target
	of      way
	samples []time.Duration
}

// Places.
const (
	onLoopback = "loopback"
	overTLS    = "loopback, TLS"
	viaRelay   = "relay"
)

// cases are all spreads to be measured. The first way of each place is what
// the others are compared with.
func (g *rig) cases() []*spread {
	var all []*spread
	add := func(place string, to target, ways ...[]way) {
		for _, n := range []int{2, 30} {
			for _, group := range ways {
				for _, w := range group {
					all = append(all, &spread{Place: place, Way: w.name, Copies: n, to: to, of: w})
				}
			}
		}
	}
	add(onLoopback, g.plain, naiveWays(), idemWays(), g.floors, g.rivals.plain)
	add(overTLS, g.secure, []way{naiveWays()[1], naiveWays()[0], naiveWays()[2]}, idemWays(), g.floors, g.rivals.secure)
	if g.relayed.base != "" {
		add(viaRelay, g.relayed, naiveWays(), idemWays())
	}
	for _, f := range g.fronts {
		add(f.name, f.to, naiveWays(), idemWays())
	}
	return all
}

// spreads measures every case once in a round, in an order drawn anew: what
// the machine does meanwhile, and what one case leaves to the next, falls on
// all alike.
func (g *rig) spreads(ctx context.Context, r *results) error {
	all := g.cases()
	order := rand.New(rand.NewPCG(1, 2))
	for i := range g.rounds {
		if i%50 == 0 {
			g.say("spreads: %d of %d rounds of %d cases", i, g.rounds, len(all))
		}
		for _, at := range order.Perm(len(all)) {
			if err := g.sample(ctx, all[at]); err != nil {
				return err
			}
		}
	}
	if g.rounds > 0 {
		r.Spreads = reckon(all)
	}
	return nil
}

// reckon gives the figures of all cases, each beside the first of its place and
// beside the server's own pace there.
func reckon(all []*spread) []spread {
	type group struct {
		place  string
		copies int
	}
	base, pace := map[group]*spread{}, map[group]time.Duration{}
	for _, s := range all {
		s.Rounds = len(s.samples)
		s.Median, s.P90 = median(s.samples), ninetieth(s.samples)
		at := group{s.Place, s.Copies}
		if base[at] == nil {
			base[at] = s
		}
		if s.Way == floorBody {
			pace[at] = s.Median
		}
	}
	var out []spread
	for _, s := range all {
		at := group{s.Place, s.Copies}
		s.Ratio, s.RatioP90 = ratio(base[at].Median, s.Median), ratio(base[at].P90, s.P90)
		s.Pace = ratio(s.Median, pace[at])
		out = append(out, *s)
	}
	return out
}

func (g *rig) sample(ctx context.Context, s *spread) error {
	all, err := g.round(ctx, s.of, s.to, "/arrive", g.newKeys(s.Copies, 1))
	if ctx.Err() != nil {
		return errStopped
	}
	if err != nil {
		s.add(err)
	} else {
		s.samples = append(s.samples, width(all[0].Ready))
	}
	return g.calm(ctx, s.to)
}

// calm waits until what a round leaves behind is over: connections being
// closed, through the relay a delay later.
func (g *rig) calm(ctx context.Context, to target) error {
	pause := time.Millisecond
	if to.base == g.relayed.base {
		pause += g.delay + g.jitter
	}
	select {
	case <-time.After(pause):
		return nil
	case <-ctx.Done():
		return errStopped
	}
}

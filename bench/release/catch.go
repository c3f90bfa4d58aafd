package main

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// rate is how often a way showed a double at a server that has a window.
type rate struct {
	Server  string        `json:"server"`
	Place   string        `json:"place"`
	Way     string        `json:"way"`
	Copies  string        `json:"copies"`  // of a round
	Each    int           `json:"each"`    // rounds of a trial
	Trials  int           `json:"trials"`  // all of whose rounds counted
	Caught  int           `json:"caught"`  // trials with a double in any round
	Rounds  int           `json:"rounds"`  // of all trials
	Doubles int           `json:"doubles"` // rounds with a double
	Window  time.Duration `json:"window_ns"`
	losses

	path      string
	to        target
	ways      []way // in turn
	n         int   // copies
	different int   // keys among them
}

// safe is what was reported of a server that claims atomically.
type safe struct {
	Trials  int `json:"trials"`
	Doubles int `json:"doubles"`
	losses
}

// Servers with a window.
const (
	keyFirst    = "key before body"
	keyFirstOne = "key before body, one processor"
	window      = 100 * time.Microsecond
	narrow      = 10 * time.Microsecond
)

func waits(d time.Duration) (name, path string) {
	us := strconv.FormatInt(d.Microseconds(), 10) + "us"
	return us + " wait after body", "/late?window=" + us
}

// attempts are all rates to be measured. In turn means a body hold, then a
// header hold or whole requests, as idem's own rounds do.
func (g *rig) attempts() []*rate {
	i, n := idemWays(), naiveWays()
	turns1 := rate{Way: "idem, HTTP/1.1, holds in turn", ways: []way{i[1], i[0]}}
	turns2 := rate{Way: http2Turns, ways: []way{i[2], i[3]}}
	one := func(w way) rate { return rate{Way: w.name, ways: []way{w}} }
	var all []*rate
	add := func(server, path, place string, to target, each, n, keys int, ways ...rate) {
		for _, w := range ways {
			w.Server, w.path, w.Place, w.to, w.Each, w.n, w.different = server, path, place, to, each, n, keys
			w.Copies = fmt.Sprintf("%d x %d", keys, n/keys)
			all = append(all, &w)
		}
	}
	wide, widePath := waits(window)
	slim, slimPath := waits(narrow)
	add(keyFirst, "/early", onLoopback, g.plain, 1, 2, 1, one(n[0]), one(n[1]), one(i[1]), one(i[2]))
	add(keyFirstOne, "/early", onLoopback, g.single, 1, 2, 1, one(n[0]), one(n[1]), one(i[1]), one(i[2]))
	add(wide, widePath, onLoopback, g.plain, 3, 2, 1, one(n[0]), one(n[1]), turns1, turns2)
	add(slim, slimPath, onLoopback, g.plain, 3, 2, 1, one(n[0]), one(n[1]), turns1, turns2)
	add(slim, slimPath, onLoopback, g.plain, 1, 30, 15, one(n[1]), turns1, turns2)
	if g.relayed.base != "" {
		add(keyFirst, "/early", viaRelay, g.relayed, 1, 2, 1, one(n[0]), one(n[1]), one(i[1]), one(i[2]))
		add(wide, widePath, viaRelay, g.relayed, 3, 2, 1, one(n[0]), one(n[1]), turns1, turns2)
	}
	for _, f := range g.fronts {
		add(keyFirst, "/early", f.name, f.to, 1, 2, 1, one(n[0]), one(i[1]), one(i[2]))
		add(wide, widePath, f.name, f.to, 3, 2, 1, one(n[0]), turns1, turns2)
	}
	return all
}

const http2Turns = "idem, HTTP/2, holds in turn"

// rates tries every attempt once in a trial, one after the other.
func (g *rig) rates(ctx context.Context, r *results) error {
	if g.trials == 0 {
		return nil
	}
	all := g.attempts()
	for i := range g.trials {
		if i%25 == 0 {
			g.say("detection: %d of %d trials of %d cases", i, g.trials, len(all))
		}
		for at := range all {
			if err := g.try(ctx, all[(at+i)%len(all)]); err != nil {
				return err
			}
		}
	}
	for _, one := range all {
		var err error
		if one.Window, err = g.windowOf(ctx, one.to, one.path); err != nil {
			return err
		}
		r.Rates = append(r.Rates, *one)
	}
	return nil
}

// try is one trial: some rounds, each with keys of its own. One whose rounds
// do not all count is no trial.
func (g *rig) try(ctx context.Context, a *rate) error {
	caught, whole := false, true
	for i := range a.Each {
		all, err := g.round(ctx, a.ways[i%len(a.ways)], a.to, a.path, g.newKeys(a.n, a.different))
		if ctx.Err() != nil {
			return errStopped
		}
		if err != nil {
			a.add(err)
			whole = false
			continue
		}
		double := false
		for _, one := range all {
			double = double || one.Ran > 1
		}
		a.Rounds++
		if double {
			a.Doubles++
			caught = true
		}
		if err := g.calm(ctx, a.to); err != nil {
			return err
		}
	}
	if whole {
		a.Trials++
		if caught {
			a.Caught++
		}
	}
	return nil
}

// windowOf is the own reckoning of the server behind a target of its window, with
// one request at a time, whole at once, on a connection of its own.
func (g *rig) windowOf(ctx context.Context, to target, path string) (time.Duration, error) {
	var all []time.Duration
	for range 101 {
		seen, err := g.round(ctx, naiveWays()[0], g.straight(to), path, g.newKeys(1, 1))
		if err != nil {
			return 0, err
		}
		all = append(all, time.Duration(seen[0].Window))
	}
	return median(all), nil
}

// safeTrials releases two copies at a server that claims atomically, with
// idem's ways in turn, until as many trials as were asked for have counted. Where
// more than one in twenty does not, they are fewer.
func (g *rig) safeTrials(ctx context.Context, r *results) error {
	if g.safe == 0 {
		return nil
	}
	r.Safe = &safe{}
	ways := idemWays()
	for i := 0; r.Safe.Trials < g.safe && i < g.safe+g.safe/20; i++ {
		if i%2500 == 0 {
			g.say("safe server: %d of %d trials", i, g.safe)
		}
		all, err := g.round(ctx, ways[i%len(ways)], g.plain, "/claim", g.newKeys(2, 1))
		if ctx.Err() != nil {
			return errStopped
		}
		if err != nil {
			r.Safe.add(err)
			continue
		}
		r.Safe.Trials++
		if all[0].Ran > 1 {
			r.Safe.Doubles++
		}
	}
	return nil
}

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/bench/figures"
)

// gateRounds is how many rounds a 90th percentile needs to stand on.
const gateRounds = 50

// paceBound is how many times the server's own pace idem may take. Eight runs of
// 120 to 200 rounds gave 1.07 to 1.23, and 0.97 to 1.10 over TLS: some of that is
// that idem listens to the answers as they come.
const paceBound = 1.3

// gates compares a run with what releases are to reach.
func gates(r *results) []figures.Gate {
	out := []figures.Gate{
		r.tighter(onLoopback, http2Body, 3),
		r.tighterP90(onLoopback, http2Body, 4),
		r.tighter(onLoopback, http2Whole, 3),
		r.tighter(onLoopback, http1Body, 1.5),
		r.tighter(onLoopback, http1Head, 1.5),
		r.tighter(overTLS, http2Body, 2),
		r.tighter(overTLS, http2Whole, 2),
		r.tighter(viaRelay, http2Body, 5),
		r.tighter(viaRelay, http2Whole, 5),
		r.nearPace(onLoopback, http2Body, paceBound),
		r.nearPace(overTLS, http2Body, paceBound),
	}
	wide, _ := waits(window)
	out = append(out,
		r.finds(keyFirst, onLoopback, http1Body, 0.95),
		r.finds(keyFirst, onLoopback, http2Body, 0.95),
		r.finds(wide, onLoopback, http2Turns, 0.99),
		r.finds(wide, viaRelay, http2Turns, 0.99),
		r.rarely(keyFirst, onLoopback, cold, 0.25),
		r.finds(keyFirstOne, onLoopback, http1Body, 0.95),
		r.finds(keyFirstOne, onLoopback, http2Body, 0.95),
		r.rarely(keyFirstOne, onLoopback, cold, 0.25),
		r.narrower(keyFirstOne, 1), // on more, net/http wakes a thread in the middle of it
	)
	return append(out, r.safely()...)
}

func (r *results) spread(place, way string) (spread, bool) {
	for _, s := range r.Spreads {
		if s.Place == place && s.Way == way && s.Copies == 30 && s.Rounds > 0 {
			return s, true
		}
	}
	return spread{}, false
}

func (r *results) tighter(place, way string, want float64) figures.Gate {
	s, ok := r.spread(place, way)
	return figures.Gate{What: fmt.Sprintf("%s, %s: median, x tighter", place, way), Want: want, Got: s.Ratio, None: !ok}
}

func (r *results) tighterP90(place, way string, want float64) figures.Gate {
	s, ok := r.spread(place, way)
	return figures.Gate{What: fmt.Sprintf("%s, %s: 90th percentile, x tighter", place, way), Want: want, Got: s.RatioP90, None: !ok}
}

func (r *results) nearPace(place, way string, most float64) figures.Gate {
	s, ok := r.spread(place, way)
	return figures.Gate{What: fmt.Sprintf("%s, %s: median, x the server's own pace", place, way), Want: most, Got: s.Pace,
		Most: true, None: !ok || s.Pace == 0}
}

func (r *results) rate(server, place, way string) (rate, bool) {
	for _, one := range r.Rates {
		if one.Server == server && one.Place == place && one.Way == way && one.n == 2 && one.Trials > 0 {
			return one, true
		}
	}
	return rate{}, false
}

func (r *results) finds(server, place, way string, want float64) figures.Gate {
	one, ok := r.rate(server, place, way)
	return figures.Gate{What: fmt.Sprintf("%s, %s, %s: caught", server, place, way), Want: want, Got: one.share(), None: !ok}
}

func (r *results) rarely(server, place, way string, want float64) figures.Gate {
	g := r.finds(server, place, way, want)
	g.Most = true
	return g
}

// narrower holds a server's window to its bound: the median of all its rows on
// loopback, each of which measured it.
func (r *results) narrower(server string, microseconds float64) figures.Gate {
	var all []time.Duration
	for _, one := range r.Rates {
		if one.Server == server && one.Place == onLoopback && one.Window > 0 {
			all = append(all, one.Window)
		}
	}
	return figures.Gate{What: server + ": window in us", Want: microseconds, Got: float64(median(all)) / 1000,
		Most: true, None: len(all) == 0}
}

func (r *results) safely() []figures.Gate {
	trials := figures.Gate{What: "safe server: trials", Want: 10_000, None: r.Safe == nil}
	doubles := figures.Gate{What: "safe server: doubles", Most: true, None: r.Safe == nil}
	if r.Safe != nil {
		trials.Got, doubles.Got = float64(r.Safe.Trials), float64(r.Safe.Doubles)
	}
	return []figures.Gate{trials, doubles}
}

// share is the part of the trials that caught a double.
func (r rate) share() float64 {
	if r.Trials == 0 {
		return 0
	}
	return float64(r.Caught) / float64(r.Trials)
}

// counted gives an error that names the cases of which no round counted.
func (r *results) counted() error {
	var out []string
	for _, s := range r.Spreads {
		if s.Rounds == 0 {
			out = append(out, fmt.Sprintf("%s, %s, %d copies: %s", s.Place, s.Way, s.Copies, s.Why))
		}
	}
	for _, one := range r.Rates {
		if one.Trials == 0 {
			out = append(out, fmt.Sprintf("%s, %s, %s: %s", one.Server, one.Place, one.Way, one.Why))
		}
	}
	if r.Safe != nil && r.Safe.Trials == 0 {
		out = append(out, "safe server: "+r.Safe.Why)
	}
	if len(out) == 0 {
		return nil
	}
	return fmt.Errorf("no round of it counted: %s", strings.Join(out, "; "))
}

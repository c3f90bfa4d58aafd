package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/trace"
)

// showReleases puts into the evidence what the releases came to, by kind, and
// pictures of those that tell most.
func (j *judging) showReleases(tally *raceTally) {
	bursts := map[string][]*Exchange{} // by name: the copies of all keys
	keys := map[string]int{}
	for _, r := range tally.all {
		name, _ := burstOf(r.trial.Name)
		bursts[name] = append(bursts[name], r.race...)
		keys[name]++
	}
	var kinds []*kind
	for _, r := range tally.all {
		released, n := r.race, 1
		if burst, of := burstOf(r.trial.Name); of {
			released, n = bursts[burst], keys[burst]
		}
		kinds = addToKind(kinds, kindOf(r, released, n), r, released)
	}
	for _, k := range kinds {
		k.Release.Spread, k.Release.Answers = timesOf(k.spreads), timesOf(k.answers)
		k.Release.Trip = quantile(k.trips, 0.5)
		j.result.Evidence.Releases = append(j.result.Evidence.Releases, k.Release)
	}
	j.result.Evidence.Pictures = j.pictures(tally)
}

// kind is releases of one kind while they are gathered.
type kind struct {
	Release
	spreads, answers, trips []int64
}

// kindOf gives a round's kind, from what all copies released with it came to.
func kindOf(r raced, released []*Exchange, keys int) Release {
	k := Release{Copies: len(r.race), Keys: keys}
	var holds, protocols []string
	for _, x := range released {
		if x.Sent != nil {
			holds = append(holds, cmp.Or(x.Sent.Hold, "none"))
			protocols = append(protocols, x.Sent.Protocol)
		}
	}
	k.Hold, k.Protocol = common(holds), common(protocols)
	k.Apart = len(holds) > 0 && connections(released) == len(holds)
	return k
}

// common gives the one word of several, "mixed" where they differ, "" for none.
func common(words []string) string {
	switch words = slices.Compact(slices.Sorted(slices.Values(words))); len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	return "mixed"
}

// connections counts those that copies were written on.
func connections(copies []*Exchange) int {
	seen := map[int]bool{}
	for _, x := range copies {
		if x.Sent != nil {
			seen[x.Sent.Connection] = true
		}
	}
	return len(seen)
}

// addToKind adds a round to its kind, which is made where there is none yet.
func addToKind(kinds []*kind, of Release, r raced, released []*Exchange) []*kind {
	used := connections(released)
	i := slices.IndexFunc(kinds, func(k *kind) bool {
		return k.Copies == of.Copies && k.Keys == of.Keys && k.Protocol == of.Protocol && k.Hold == of.Hold && k.Apart == of.Apart
	})
	if i < 0 {
		i = len(kinds)
		of.Connections = [2]int{used, used}
		kinds = append(kinds, &kind{Release: of})
	}
	k := kinds[i]
	k.Connections = [2]int{min(k.Connections[0], used), max(k.Connections[1], used)}
	k.Made++
	if r.why == "" {
		k.Overlapped++
	} else {
		k.Uncounted = addUncounted(k.Uncounted, r.why)
	}
	if r.why == "" && r.broken {
		k.Broken++
	}
	k.measure(r.race)
	return kinds
}

// measure takes in the times of a round's copies. Those that were answered
// early, or not held, say nothing of the release.
func (k *kind) measure(race []*Exchange) {
	fair, _ := fairCopies(race)
	var first, last int64
	for i, x := range fair {
		if i == 0 || x.Sent.WriteEnded < first {
			first = x.Sent.WriteEnded
		}
		last = max(last, x.Sent.WriteEnded)
		if x.Sent.Trip > 0 {
			k.trips = append(k.trips, x.Sent.Trip)
		}
		if a := x.Answer; a != nil && a.FirstByte > 0 && x.Sent.Released > 0 {
			k.answers = append(k.answers, a.FirstByte-x.Sent.Released)
		}
	}
	if len(fair) > 1 {
		k.spreads = append(k.spreads, last-first)
	}
}

// shot gives how many rounds of a kind count and how far apart its copies
// arrive by the model, or by the writes as they were sent where that is further.
func (r Release) shot(measured bool) shot {
	sigma := sigmaShared
	if r.Apart || r.Protocol != http2 {
		sigma = sigmaApart
	}
	if measured {
		sigma = max(sigma, time.Duration(float64(r.Spread.Median)/halfMedian))
	}
	return shot{r.Overlapped, sigma}
}

// http2 is how a trace names the protocol.
const http2 = "HTTP/2"

// pairedUnder says that a kind is pairs, held in the server's view as a planned
// hold means: whole requests are what a header hold is over HTTP/2.
func (r Release) pairedUnder(hold Hold) bool {
	return r.Copies == 2 && (r.Hold == string(hold) || hold == HoldHeader && r.Hold == "whole")
}

// powersOf gives what the pairs that count could have shown, for each hold that
// some pair came out with; by the model alone, or also by what was measured.
func powersOf(releases []Release, races trace.Races, measured bool) []Power {
	var out []Power
	for _, hold := range []Hold{HoldBody, HoldHeader} {
		p := Power{Hold: string(hold), Asked: time.Duration(races.Window), Wanted: races.Power}
		var shots []shot
		for _, r := range releases {
			if r.pairedUnder(hold) {
				one := r.shot(measured)
				shots = append(shots, one)
				p.Rounds += one.rounds
				p.Sigma = max(p.Sigma, one.sigma)
				p.Measured = p.Measured || one.sigma > r.shot(false).sigma
			}
		}
		if len(shots) == 0 {
			continue
		}
		p.Window = roundedUp(smallest(shownWith, shots))
		if p.Asked > 0 {
			p.Reached = powerOf(p.Asked, shots)
		}
		out = append(out, p)
	}
	return out
}

// roundedUp rounds a window up to three digits or so: it is never said to be
// smaller than it is.
func roundedUp(d time.Duration) time.Duration {
	unit := time.Nanosecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return (d + unit - 1) / unit * unit
}

// judgePowers tells what rounds without a double could have shown, and holds a
// power that was asked for to the rounds that count.
func (j *judging) judgePowers() {
	releases := j.result.Evidence.Releases
	powers, model := powersOf(releases, j.asked, true), powersOf(releases, j.asked, false)
	j.result.Evidence.Powers = powers
	var windows []string
	least := 1.0
	for i, p := range powers {
		if p.Rounds > 0 {
			least = min(least, p.Reached)
			windows = append(windows, fmt.Sprintf("%s under the %s hold", p.Window, p.Hold))
		}
		j.holdToPower(model[i])
	}
	if len(windows) == 0 {
		return
	}
	said := fmt.Sprintf("a window would have shown with %s from %s on", percent(shownWith), strings.Join(windows, " and "))
	if j.asked.Window > 0 {
		said += fmt.Sprintf(", one of %s with %s", time.Duration(j.asked.Window), percent(least))
	}
	if least < j.asked.Power {
		said += fmt.Sprintf(" (%s were asked for)", percent(j.asked.Power))
	}
	j.note("%s, if copies arrive as modelled", said)
}

// holdToPower leaves a power open that too few pairs count for. What a server
// answers before it has the body cannot be raced by holding the body back: there
// the other hold shows what there is to be shown.
func (j *judging) holdToPower(p Power) {
	if p.Wanted == 0 || p.Reached >= p.Wanted-1e-9 {
		return
	}
	made, why := 0, []Uncounted(nil)
	for _, r := range j.result.Evidence.Releases {
		if r.pairedUnder(Hold(p.Hold)) {
			made, why = made+r.Made, append(why, r.Uncounted...)
		}
	}
	if p.Rounds == 0 && !slices.ContainsFunc(why, func(u Uncounted) bool { return u.Why != early }) {
		return
	}
	settle := settlesUncounted[notTogether]
	if p.Rounds > 0 {
		need := float64(roundsFor(p.Wanted, p.Asked, p.Sigma)) * float64(made) / float64(p.Rounds)
		settle = fmt.Sprintf("--rounds %d --window %s", min(mostRounds, int(1.5*need)+1), p.Asked)
	} else if len(why) > 0 {
		settle = settlesUncounted[why[0].Why]
	}
	j.unsure(0, settle, "%s hold: %s of %d count, and show a window of %s with %s: %s were asked for", p.Hold,
		some(p.Rounds, "pair", "pairs"), made, p.Asked, percent(p.Reached), percent(p.Wanted))
}

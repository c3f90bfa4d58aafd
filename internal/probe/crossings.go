package probe

import (
	"fmt"
	"strings"
)

// crossings are what of the replicas step met two instances. Only that tells
// anything of replicas; the rest is what the other steps show.
type crossings struct {
	in     *instances
	tried  []string       // kinds, in order
	across map[string]int // how many of a kind met two instances
}

// Kinds, as they are told.
const (
	retriesAcross = "retry"
	bodiesAcross  = "request with another body"
	callersAcross = "request of another caller"
	racesAcross   = "round of overlapping copies"
)

func (c *crossings) try(kind string, met bool) {
	if _, known := c.across[kind]; !known {
		c.tried = append(c.tried, kind)
		c.across[kind] = 0
	}
	if met {
		c.across[kind]++
	}
}

// forget leaves a kind out of what must have met two instances.
func (c *crossings) forget(kind string) { c.across[kind] = max(c.across[kind], 1) }

// crossed keeps a trial as a case, and whether an answer under the labels came
// from another instance than the first's. A case that met one instance tells
// nothing of replicas, unless it is wrong all the same.
func (j *judging) crossed(c *crossings, kind string, t *Trial, before mark, labels ...string) {
	first := t.Last("first")
	all, met := []*Exchange{first}, false
	for _, label := range labels {
		for _, x := range t.Under(label) {
			all = append(all, x)
			met = met || c.in.apart(first, x)
		}
	}
	j.crossedAs(c, kind, t.Name, before, met, c.in.over(all))
}

func (j *judging) crossedAs(c *crossings, kind, name string, before mark, met bool, names []string) {
	result := Case{Name: name}
	switch {
	case len(names) > 0:
		result.Text = "answered by " + listed(names)
	case met:
	default:
		result.Text = "no answer names its instance"
	}
	if !met {
		result.Verdict = Inconclusive
	}
	c.try(kind, met)
	j.examined(result, before)
}

// judgeSplit judges one race and whether copies that overlapped met two
// instances.
func (j *judging) judgeSplit(c *crossings, t *Trial, tally *raceTally) {
	before := j.mark()
	r := raced{trial: t, race: t.Under("race"), why: j.judgeRound(t, tally)}
	if balanced(j.contract) && len(r.race) > 0 && !j.late(t) {
		j.judgeAfterwards(t, r.race)
	}
	r.broken = j.accused > before.accused
	tally.add(r)
	if r.why != "" {
		c.try(racesAcross, false)
		j.examined(Case{Name: t.Name, Text: r.why}, before)
		return
	}
	j.crossedAs(c, racesAcross, t.Name, before, j.overlapApart(c.in, r.race), c.in.over(r.race))
}

// overlapApart says that two copies that different instances answered were in
// flight together, as overlap has it.
func (j *judging) overlapApart(in *instances, race []*Exchange) bool {
	for i, x := range race {
		for _, y := range race[i+1:] {
			if in.apart(x, y) && j.overlap([]*Exchange{x, y}) {
				return true
			}
		}
	}
	return false
}

// judgeCrossings says what met one instance alone, of everything that was tried.
func (j *judging) judgeCrossings(c *crossings, rounds int) {
	header, line := j.contract.Target.Instance, j.contract.Target.Pos.Line
	if n := c.across[racesAcross]; rounds > 0 && c.in.told() {
		j.measure("rounds over instances", itoa(int64(n))+" of "+itoa(int64(rounds)), "")
	}
	settle := "give base URLs that lead to different replicas"
	if balanced(j.contract) {
		settle = "run two replicas or more, and let the balancer spread requests of one caller over them; or give target.base_urls of each"
	}
	switch names := c.in.names; {
	case len(names) == 0 && c.in.urls > 1 && header == "":
		j.note("answers do not tell who gave them (target.instance): %d base URLs are taken for as many replicas", c.in.urls)
	case len(names) == 0 && c.in.urls > 1:
		j.note("no answer has %s (target.instance): %d base URLs are taken for as many replicas", header, c.in.urls)
	case len(names) == 0:
		j.unsure(line, "have every replica name itself in "+header+", or give target.base_urls of each",
			"no answer has %s (target.instance): which instance answered is not told", header)
		return
	case len(names) == 1 && len(c.in.asked) <= len(c.in.byURL): // no base URL is nameless
		j.unsure(line, settle, "all answers come from one instance, by %s: %s", header, names[0])
		return
	}
	var none []string
	for _, kind := range c.tried {
		if c.across[kind] == 0 {
			none = append(none, "no "+kind)
		}
	}
	if len(none) > 0 {
		came := "answers came from " + listed(c.in.names)
		if len(c.in.names) == 0 {
			came = fmt.Sprintf("%d of %d base URLs answered", len(c.in.asked), c.in.urls)
		}
		j.unsure(line, settle+"; refusals must name their instance too", "%s met two instances for certain: %s", strings.Join(none, ", "), came)
	}
}

// told says that answers name their instance.
func (in *instances) told() bool { return len(in.names) > 0 }

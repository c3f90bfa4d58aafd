package probe

import (
	"cmp"
	"time"
)

// pictures gives the releases that tell most: the first that broke a promise,
// else the last pair that counts; and the largest.
func (j *judging) pictures(tally *raceTally) []Picture {
	var broken, pair, largest *raced
	for i := range tally.all {
		r := &tally.all[i]
		if len(r.race) == 0 {
			continue
		}
		if r.broken && broken == nil {
			broken = r
		}
		if len(r.race) == 2 && r.why == "" {
			pair = r
		}
		if len(r.race) > 2 && (largest == nil || len(r.race) > len(largest.race)) {
			largest = r
		}
	}
	var out []Picture
	switch {
	case broken != nil:
		out = append(out, j.picture(broken, "the first that broke a promise"))
	case pair != nil:
		out = append(out, j.picture(pair, "the last pair that overlapped"))
	}
	if largest != nil && largest != broken {
		out = append(out, j.picture(largest, "the stampede"))
	}
	return out
}

// picture draws one release.
func (j *judging) picture(r *raced, why string) Picture {
	p := Picture{Case: r.trial.Name, Why: why}
	from := int64(0)
	for _, x := range r.race {
		if x.Sent == nil {
			continue
		}
		if x.Sent.Released > 0 && (p.Released == 0 || x.Sent.Released < p.Released) {
			p.Released = x.Sent.Released
		}
		if from == 0 || x.Sent.WriteBegan < from {
			from = x.Sent.WriteBegan
		}
	}
	if p.Released > 0 {
		from = p.Released
	}
	winner, in := j.winner(r.race), j.instances()
	for _, x := range r.race {
		c := j.pictured(x, from, winner)
		c.Instance = in.of(x)
		p.Copies = append(p.Copies, c)
	}
	return p
}

func (j *judging) pictured(x *Exchange, from int64, winner *Exchange) Pictured {
	c := Pictured{Copy: x.Copy, Class: j.pictureClass(x, winner)}
	since := func(at int64) time.Duration { return time.Duration(at - from) }
	if s := x.Sent; s != nil {
		c.Connection, c.Stream, c.Hold, c.Written, c.Whole = s.Connection, s.Stream, s.Hold, true, s.Whole
		c.WriteBegan, c.WriteEnded = since(s.WriteBegan), since(s.WriteEnded)
	}
	a := x.Answer
	if a == nil || from == 0 {
		return c
	}
	if c.Answered = a.FirstByte > 0; c.Answered {
		c.FirstByte = since(a.FirstByte)
	}
	if x.Whole() {
		c.Status = a.Status
	}
	// Of what did not come whole the last byte is when it was written down, which
	// waits for the slowest copy.
	if end := cmp.Or(a.Ended, a.LastByte); end > 0 {
		c.LastByte = since(end)
	}
	return c
}

// pictureClass says in a word or two what a copy got.
func (j *judging) pictureClass(x, winner *Exchange) string {
	c := j.rules.class(x)
	switch {
	case x == winner:
		return "won"
	case x.unprocessed():
		return "not processed"
	case c.none:
		return "no answer"
	case c.inFlight && !c.duplicate:
		return "in flight"
	case c.accepted && winner != nil && j.differs(winner, x):
		return "another result"
	case c.accepted, c.duplicate:
		return "result"
	}
	return "refused"
}

// differs says that a copy got a result that is not the winner's.
func (j *judging) differs(winner, x *Exchange) bool {
	shown, _ := told(j.rules.replay(winner, x))
	return len(shown) > 0 && len(j.rules.differences(winner, x)) > 0
}

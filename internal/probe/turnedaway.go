package probe

import "slices"

// A server may offer a version of HTTP, and refuse all that comes over it: 400,
// 421, 426 or 505, say, where a proxy has it and the service does not. Copies that
// go over another version than the step's other requests are all refused then, and
// the key is accepted afterwards. That is not the key's doing, if other keys that
// go the same way are refused as well.

// refusedAlike says that all copies of a round got one refusal, to which the
// contract gives no meaning.
func (r rules) refusedAlike(race []*Exchange) bool {
	return len(race) > 1 && !slices.ContainsFunc(race, func(x *Exchange) bool {
		return !r.refused(x) || x.status() != race[0].status()
	})
}

// refused says that an answer is an error to which the contract gives no meaning.
func (r rules) refused(x *Exchange) bool {
	return x.status() >= 400 && r.class(x).undeclared()
}

// turnedAway says that copies under some of the labels were all refused alike.
func (t *Trial) turnedAway(r rules, labels []string) bool {
	return slices.ContainsFunc(labels, func(label string) bool { return r.refusedAlike(t.lastCopies(label)) })
}

// turnedAway says why a round is no evidence whose copies were all refused as
// other keys were, "" where it may be some.
func (j *judging) turnedAway(t *Trial, race []*Exchange) string {
	if !j.rules.refusedAlike(race) || j.refusedToo(t, race[0]) == 0 {
		return ""
	}
	return allRefused
}

// refusedToo counts the environment's requests of a trial that were refused as an
// exchange was, over the same version of HTTP.
func (j *judging) refusedToo(t *Trial, x *Exchange) (met int) {
	for _, o := range j.environmentFor(t) {
		if j.rules.refused(o) && o.status() == x.status() && o.protocol() == x.protocol() {
			met++
		}
	}
	return met
}

// notThisWay says that all copies of a round were refused alike and that other
// keys which went the same way were too, or were not tried.
func (j *judging) notThisWay(t *Trial, x *Exchange) bool {
	race := t.lastCopies(x.Label)
	if !j.rules.refusedAlike(race) || j.trusts("environment") {
		return false
	}
	x = race[0] // one reason for all
	others, met := j.environmentFor(t), j.refusedToo(t, x)
	if len(others) == 0 {
		j.unsure(0, "run it again to the end", "%s: every copy got %s, and the run ended before other keys were tried", t.Name, j.rules.tell(x))
		return true
	}
	j.control("environment", met == 0, "%d of %d requests under other keys, sent as the copies were, were refused as they were (%s)",
		met, len(others), j.rules.describe(x))
	if met == 0 {
		return false
	}
	settle, over := settlesUncounted[allRefused], "that way"
	if p := x.protocol(); p != "" {
		over = "over " + p
		settle = "let the server answer over " + p + " where it offers that, or choose --http " + otherHTTP(p)
	}
	j.unsure(0, settle, "%s: every copy got %s, and so did other keys %s: it is not the key's doing", t.Name, j.rules.tell(x), over)
	return true
}

// protocol is the version of HTTP that a request went over, "" where it is not known.
func (x *Exchange) protocol() string {
	if x.Sent == nil {
		return ""
	}
	return x.Sent.Protocol
}

// otherHTTP gives the version to choose where one is refused.
func otherHTTP(protocol string) string {
	if protocol == http2 {
		return "1.1"
	}
	return "2"
}

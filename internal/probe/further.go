package probe

import "strings"

// FurtherEffects names the measure of how many effects came beside the first
// operation's: none may within the retention, one operation's may after it.
const FurtherEffects = "further effects"

func (j *judging) measureFurther(s spans) {
	var values, words []string
	tell := func(n int64, when string) {
		values = append(values, itoa(n)+" "+when)
		words = append(words, further(n, len(words) == 0)+" "+when)
	}
	if n, ok := j.rose("retained", "before"); ok {
		tell(n, "within "+s.atLeast.String())
	}
	if n, ok := j.rose("forgotten", "after-first"); ok {
		tell(n, "after "+s.after.String())
	}
	if len(values) > 0 {
		j.measure(FurtherEffects, strings.Join(values, ", "), strings.Join(words, "; "))
	}
}

// rose is how many effects a trial of the expiry counted beside those of its
// first request, from a count on.
func (j *judging) rose(trial, from string) (int64, bool) {
	t := j.history.Trial(trial)
	before, ok0 := t.Counted("before")
	was, ok1 := t.Counted(from)
	now, ok2 := t.Counted("settled")
	return now.N - max(was.N, before.N+j.controls.Unit), j.sound() && ok0 && ok1 && ok2
}

// further says how many effects there were beside the first, with the noun
// where it has not been said.
func further(n int64, noun bool) string {
	switch {
	case n <= 0 && noun:
		return "no further effect"
	case n <= 0:
		return "none"
	case n == 1 && noun:
		return "one further effect"
	case n == 1:
		return "one more"
	case noun:
		return itoa(n) + " further effects"
	}
	return itoa(n) + " more"
}

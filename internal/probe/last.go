package probe

import "strings"

// finalOf gives the label of the final reading of a settled count: the same
// counter read once more when the whole run is done, so that an effect that
// comes later than effects.settle is seen wherever the run took longer.
func finalOf(label string) (string, bool) {
	rest, settled := strings.CutPrefix(label, "settled")
	return "final" + rest, settled
}

// planLast plans the final readings of a plan's settled counts, one for each
// subject of a trial.
func (p *Plan) planLast() {
	type reading struct {
		trial string
		count Count
		maybe bool // its trial is not always carried out
	}
	var all []reading
	var walk func(trial string, maybe bool, actions []Action)
	walk = func(trial string, maybe bool, actions []Action) {
		for _, a := range actions {
			switch a := a.(type) {
			case Count:
				label, settled := finalOf(a.Label)
				if !settled {
					continue
				}
				a.Label = label
				known := false
				for i, r := range all {
					if r.trial == trial && r.count.Subject.Text == a.Subject.Text && r.count.Sibling == a.Sibling {
						all[i].count, known = a, true
					}
				}
				if !known {
					all = append(all, reading{trial, a, maybe})
				}
			case Repeat:
				walk(trial, maybe, a.Body)
			case If:
				walk(trial, true, a.Body)
			case Try:
				walk(a.Trial, maybe, a.Body)
			case Fan:
				for _, branch := range a.Branches {
					walk(trial, maybe, branch)
				}
			}
		}
	}
	for _, t := range p.Threads {
		walk(t.Trial, false, t.Actions)
	}
	for _, r := range all {
		body := []Action{r.count}
		if r.maybe {
			body = []Action{If{When: Condition{Fact: Begun}, Body: body}}
		}
		p.Last = append(p.Last, Try{Trial: r.trial, Body: body})
	}
}

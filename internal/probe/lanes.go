package probe

// laneTrial is one trial of many that are alike: what it does, and what is
// looked at when all of its lane are done.
type laneTrial struct {
	trial string
	body  []Action
	look  []Action // counts after the last settling
}

// lanes plans trials in threads that each do one after another: enough at the
// same time for waits to overlap, few enough that a trial is over soon after it
// began, however many there are, and well within its key's retention.
func (b *builder) lanes(n int, trials []laneTrial) {
	for lane := range min(n, len(trials)) {
		var actions []Action
		var looks [][]Action
		for i := lane; i < len(trials); i += n {
			t := trials[i]
			actions = append(actions, Try{Trial: t.trial, Body: t.body})
			if len(t.look) > 0 {
				looks = append(looks, []Action{Try{Trial: t.trial, Body: t.look}})
			}
		}
		if len(looks) > 0 {
			actions = append(actions, Settle{For: b.op.Effects.Settle}, Fan{Branches: looks})
		}
		b.thread("lane-"+itoa(int64(lane+1)), actions...)
	}
}

package zoo

import "time"

// afterDeath has the process die in its handler, or before a commit, and goes
// on when the promised lease is over.
func afterDeath(commit int, then func(r *rig)) func(*rig) {
	return func(r *rig) {
		r.die(commit)
		r.pass(testLease + time.Second)
		then(r)
	}
}

// twice wants two effects of what was retried after a death.
func twice(r *rig) {
	r.want(r.charge(), 201)
	r.wantEffects("o", 2)
}

// refusedFor wants the key to be refused, long after the lease too.
func refusedFor(status int) func(*rig) {
	return func(r *rig) {
		r.want(r.charge(), status)
		r.pass(testRetention / 2)
		r.want(r.charge(), status)
		r.wantEffects("o", 0)
	}
}

// afterRestart goes on with the first answer, of an operation that was done
// before the restart, and with its only effect.
func afterRestart(then func(r *rig, first reply)) func(*rig) {
	return func(r *rig) {
		first := r.want(r.charge(), 201)
		r.replayed(r.charge(), first)
		r.restart()
		then(r, first)
	}
}

func shownCrash() map[string]func(*rig) {
	return map[string]func(*rig){
		"keys-in-memory": afterRestart(func(r *rig, _ reply) { twice(r) }),
		"bodies-in-memory": afterRestart(func(r *rig, _ reply) {
			if got := r.want(r.charge(), 201); got.body != "" {
				r.Errorf("got %s", got.body)
			}
			r.wantEffects("o", 1)
		}),
		"result-remade-after-restart": afterRestart(func(r *rig, first reply) {
			if got := r.want(r.charge(), 201); got.body == first.body || got.header.Get(markerName) == "" {
				r.Errorf("got %s", got.body)
			}
			r.wantEffects("o", 1)
		}),
		"effect-before-record": afterDeath(2, twice),
		"record-before-effect": afterDeath(2, func(r *rig) {
			if got := r.want(r.charge(), 201); got.header.Get(markerName) == "" {
				r.Errorf("got %+v", got)
			}
			r.wantEffects("o", 0)
		}),
		"record-written-behind": func(r *rig) {
			r.restart() // what was written behind before is another process's
			r.store.hangBefore(2)
			r.want(r.charge(), 201)
			r.wantEffects("o", 1)
			r.eventually("the service hangs", r.store.hangs)
			r.restart()
			r.pass(testLease + time.Second)
			twice(r)
		},
		"claim-is-taken-for-done": afterDeath(0, func(r *rig) {
			if got := r.want(r.charge(), 200); got.body != "{}" {
				r.Errorf("got %s", got.body)
			}
			r.wantEffects("o", 0)
		}),
		"takeover-not-recorded":         afterDeath(0, func(r *rig) { r.charge(); twice(r) }),
		"crash-needs-an-operator":       afterDeath(0, refusedFor(500)),
		"retry-after-crash-is-conflict": afterDeath(0, refusedFor(422)),
		"no-lease": afterDeath(0, func(r *rig) {
			r.pass(testRetention - 2*testLease)
			if !r.blocked() {
				r.Errorf("the key is free before its retention ends")
			}
			r.pass(testLease)
			r.want(r.charge(), 201)
			r.wantEffects("o", 1)
		}),
		"lease-too-long": afterDeath(0, func(r *rig) {
			r.pass((leaseFactor-1)*testLease - 2*time.Second)
			if !r.blocked() {
				r.Errorf("the key is free after the promised lease")
			}
			r.pass(2 * time.Second)
			r.want(r.charge(), 201)
			r.wantEffects("o", 1)
		}),
	}
}

package zoo

import "net/http"

func shownSlow() map[string]func(*rig) {
	beyondTheLease := func(r *rig, then func()) reply {
		first, release := r.atWork(r.charge)
		defer release()
		r.renewed()
		then()
		release()
		return r.receive("the owner answers", first)
	}
	return map[string]func(*rig){
		"claim-not-renewed": func(r *rig) {
			owner, duplicate := r.overtaken()
			if r.want(owner, 201); same(owner, r.want(duplicate, 201)) {
				r.Errorf("both got %s", owner.body)
			}
			r.wantEffects("o", 2)
		},
		"claim-renewed-a-few-times": func(r *rig) {
			r.refusesAtOnce()
			first, release := r.atWork(r.charge)
			defer release()
			for range 6 {
				r.eventually("the owner waits for its next renewal", func() bool { return r.clock.due(testLease) })
				r.want(r.charge(), 409)
				r.pass(testLease / 3)
			}
			r.eventually("the claim ends", func() bool { return !r.blocked() || r.clock.due(testLease) })
			r.pass(testLease / 3)
			duplicate := r.want(r.receive("the duplicate is answered", inBackground(r.charge)), 201)
			release()
			if owner := r.want(r.receive("the owner answers", first), 201); same(owner, duplicate) {
				r.Errorf("both got %s", owner.body)
			}
			r.wantEffects("o", 2)
		},
		"superseded-owner-answers": func(r *rig) {
			owner, duplicate := r.overtaken()
			if r.want(owner, 201); same(owner, r.want(duplicate, 201)) {
				r.Errorf("both got %s", owner.body)
			}
			r.replayed(r.charge(), duplicate)
			r.wantEffects("o", 1)
		},
		"superseded-owner-gets-503": func(r *rig) {
			owner, duplicate := r.overtaken()
			r.want(owner, 503)
			r.replayed(r.charge(), r.want(duplicate, 201))
			r.wantEffects("o", 1)
		},
		"waiters-fail-at-the-lease": func(r *rig) {
			first := beyondTheLease(r, func() {
				r.want(r.receive("the waiter is answered", inBackground(r.charge)), 500)
			})
			r.replayed(r.charge(), r.want(first, 201))
			r.wantEffects("o", 1)
		},
		"slow-result-not-recorded": func(r *rig) {
			r.want(beyondTheLease(r, func() {}), 201)
			r.wantEffects("o", 1)
			r.staysBlocked()
		},
	}
}

// staysBlocked wants the key to be in flight long after its lease.
func (r *rig) staysBlocked() {
	r.Helper()
	r.pass(testRetention / 2)
	if !r.blocked() {
		r.Errorf("the key is not in flight")
	}
}

func shownDisconnect() map[string]func(*rig) {
	// once wants the effect that a caller does not wait for, then looks on.
	once := func(then func(r *rig)) func(*rig) {
		return func(r *rig) {
			r.hungUp(func() {})
			r.eventually("the effect", func() bool { return r.effects("o") == 1 })
			then(r)
		}
	}
	return map[string]func(*rig){
		"hang-up-loses-record": once(func(r *rig) {
			r.want(r.charge(), 201)
			r.wantEffects("o", 2)
		}),
		"hang-up-leaves-claim": once(func(r *rig) { r.staysBlocked() }),
		"hang-up-is-recorded": once(func(r *rig) {
			r.want(r.charge(), 499)
			r.wantEffects("o", 1)
		}),
		"hang-up-empties-record": once(func(r *rig) {
			if got := r.want(r.charge(), 201); got.body != "" {
				r.Errorf("got %s", got.body)
			}
			r.wantEffects("o", 1)
		}),
		"hang-up-frees-key": func(r *rig) {
			r.hungUp(func() {
				r.eventually("the key is free", func() bool { return !r.blocked() })
				r.want(r.receive("the retry is answered", inBackground(r.charge)), 201)
				r.wantEffects("o", 1)
			})
			r.eventually("the second effect", func() bool { return r.effects("o") == 2 })
		},
	}
}

func shownOutcome() map[string]func(*rig) {
	declined := order("o", `"payment_method":"declined"`)
	return map[string]func(*rig){
		"failure-leaves-claim": func(r *rig) {
			r.want(r.failing(), 500)
			r.staysBlocked()
		},
		"panic-leaves-claim": func(r *rig) {
			if got := r.failing(); got.err == nil {
				r.Errorf("got %d", got.status)
			}
			r.wantEffects("o", 0)
			r.staysBlocked()
			r.want(r.failing(), 409)
		},
		"refusal-leaves-claim": func(r *rig) {
			r.want(r.with(declined), 402)
			r.staysBlocked()
		},
		"failure-is-stored": func(r *rig) {
			first := r.want(r.failing(), 500)
			r.replayed(r.failing(), first)
			r.wantEffects("o", 0)
		},
		"failure-after-effect": func(r *rig) {
			r.want(r.failing(), 500)
			r.wantEffects("o", 1)
			first := r.want(r.failing(), 201)
			r.replayed(r.failing(), first)
			r.wantEffects("o", 2)
		},
		"refusal-not-stored": func(r *rig) {
			r.want(r.with(declined), 402)
			if got := r.want(r.with(declined), 402); got.header.Get(markerName) != "" {
				r.Errorf("it is replayed")
			}
			first := r.want(r.charge(), 201)
			r.replayed(r.charge(), first)
		},
		"refusal-replayed-as-200": func(r *rig) {
			first := r.want(r.with(declined), 402)
			if got := r.want(r.with(declined), 200); got.body != first.body {
				r.Errorf("got %s", got.body)
			}
			r.wantEffects("o", 0)
		},
		"refusal-kept-for-good": func(r *rig) {
			first := r.want(r.with(declined), 402)
			r.replayed(r.with(declined), first)
			r.want(r.charge(), 422)
			r.wantEffects("o", 0)
		},
		"corrected-not-recorded": func(r *rig) {
			r.want(r.with(declined), 402)
			r.want(r.charge(), 201)
			r.want(r.charge(), 201)
			r.wantEffects("o", 2)
		},
		"refusal-hides-conflict": func(r *rig) {
			first := r.want(r.with(declined), 402)
			r.replayed(r.charge(), first)
			r.wantEffects("o", 0)
		},
	}
}

// shaped are charges whose answers are of a kind.
func shaped(shape string) string { return order("o", `"answer":"`+shape+`"`) }

// lost wants answers of a kind not to be stored, and all others to be.
func lost(shape string, status int, kept map[string]string) func(*rig) {
	return func(r *rig) {
		r.want(r.with(shaped(shape)), status)
		r.want(r.with(shaped(shape)), status)
		r.wantEffects("o", 2)
		for key, body := range kept {
			first := r.send("POST", "/v1/charges", key, body)
			r.replayed(r.send("POST", "/v1/charges", key, body), first)
		}
		r.wantEffects("o", 2+len(kept))
	}
}

// replaysShaped wants the replay of a kind of answer to differ in one way, and
// one effect.
func replaysShaped(shape string, status int, differs func(first, again reply) bool) func(*rig) {
	return func(r *rig) {
		first, again := r.want(r.with(shaped(shape)), status), r.with(shaped(shape))
		if again.err != nil || !differs(first, again) {
			r.Errorf("first %d %v, again %d %v (%v)", first.status, first.header, again.status, again.header, again.err)
		}
		plain := r.send("POST", "/v1/charges", "plain", order("o"))
		r.replayed(r.send("POST", "/v1/charges", "plain", order("o")), plain)
		r.wantEffects("o", 2)
	}
}

func shownFidelity() map[string]func(*rig) {
	place := func(h http.Header) string { return h.Get("Location") }
	return map[string]func(*rig){
		"large-answers-not-stored": lost("large", 201, map[string]string{"a": order("o"), "b": shaped("minimal"), "c": shaped("redirect")}),
		"empty-answers-not-stored": lost("minimal", 204, map[string]string{"a": order("o"), "b": shaped("large")}),
		"redirects-replayed-as-200": replaysShaped("redirect", 303, func(first, again reply) bool {
			return again.status == 200 && place(first.header) == place(again.header)
		}),
		"redirect-leads-nowhere": replaysShaped("redirect", 303, func(first, again reply) bool {
			return again.status == 303 && place(first.header) != "" && place(again.header) == ""
		}),
		"redirect-replayed-elsewhere": replaysShaped("redirect", 303, func(first, again reply) bool {
			return again.status == 303 && place(again.header) != "" && place(first.header) != place(again.header)
		}),
		"large-replays-cut": replaysShaped("large", 201, func(first, again reply) bool {
			return again.status == 201 && len(again.body) == 64<<10 && first.body[:64<<10] == again.body
		}),
		"large-replay-claims-gzip": replaysShaped("large", 201, func(first, again reply) bool {
			return same(first, again) && first.header.Get("Content-Encoding") == "" && again.header.Get("Content-Encoding") == "gzip"
		}),
		"empty-replay-runs-again": func(r *rig) {
			for i, shape := range []string{"minimal", "redirect"} {
				first := r.send("POST", "/v1/charges", shape, shaped(shape))
				r.replayed(r.send("POST", "/v1/charges", shape, shaped(shape)), first)
				r.wantEffects("o", 2+2*i)
			}
			first := r.charge()
			r.replayed(r.charge(), first)
			r.wantEffects("o", 5)
		},
		"empty-replay-unmarked": replaysShaped("minimal", 204, func(first, again reply) bool {
			return same(first, again) && again.header.Get(markerName) == ""
		}),
	}
}

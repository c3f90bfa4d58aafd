package zoo

import (
	"maps"
	"strings"
	"time"
)

// shownFaults says of each fault how it shows.
func shownFaults() map[string]func(*rig) {
	all := map[string]func(*rig){}
	for _, some := range []map[string]func(*rig){
		shownDuplicate(), shownConcurrent(), shownConflict(), shownReorder(), shownCrash(), shownExpiry(),
		shownSlow(), shownDisconnect(), shownOutcome(), shownFidelity(), shownMissingKey(), shownBinding(),
		shownScope(), shownKeyRules(), shownReplicas(), shownStoreDown(),
	} {
		maps.Copy(all, some)
	}
	return all
}

// runsTwice wants the same request, sent again, to run again.
func runsTwice(r *rig) {
	first, again := r.want(r.charge(), 201), r.want(r.charge(), 201)
	if same(first, again) {
		r.Errorf("the duplicate got the first answer: %s", again.body)
	}
	r.wantEffects("o", 2)
}

// refusedWith wants a duplicate to get a status, and the first effect to stand.
func refusedWith(status int) func(*rig) {
	return func(r *rig) {
		r.want(r.charge(), 201)
		r.want(r.charge(), status)
		r.wantEffects("o", 1)
	}
}

// replayWants wants a duplicate's answer to differ from the first in one way,
// and the first effect to stand.
func replayWants(differs func(first, again reply) bool) func(*rig) {
	return func(r *rig) {
		first, again := r.want(r.charge(), 201), r.charge()
		if again.err != nil || !differs(first, again) {
			r.Errorf("first %+v, again %+v", first, again)
		}
		r.wantEffects("o", 1)
	}
}

func shownDuplicate() map[string]func(*rig) {
	marked := func(a reply) bool { return a.header.Get(markerName) == markerValue }
	return map[string]func(*rig){
		"never-looks-up": func(r *rig) {
			runsTwice(r)
			r.send("POST", "/v1/refunds", "k", order("o2"))
			r.send("POST", "/v1/refunds", "k", order("o2"))
			r.wantEffects("o2", 2)
		},
		"ignores-key-on-charges": func(r *rig) {
			runsTwice(r)
			r.send("POST", "/v1/refunds", "k", order("o2"))
			r.send("POST", "/v1/refunds", "k", order("o2"))
			r.wantEffects("o2", 1)
		},
		"reads-a-replica": func(r *rig) {
			runsTwice(r)
			r.pass(replicaLag)
			r.want(r.charge(), 201)
			r.wantEffects("o", 2)
		},
		"runs-behind-replay": func(r *rig) {
			first := r.charge()
			r.replayed(r.charge(), first)
			r.wantEffects("o", 2)
		},
		"runs-late": func(r *rig) {
			first := r.charge()
			r.replayed(r.charge(), first)
			r.wantEffects("o", 1)
			r.eventually("the second effect", func() bool { return r.effects("o") == 2 })
		},
		"record-read-once": func(r *rig) {
			first := r.charge()
			r.replayed(r.charge(), first)
			r.wantEffects("o", 1)
			r.want(r.charge(), 201)
			r.wantEffects("o", 2)
		},
		"duplicate-voids": func(r *rig) {
			first := r.charge()
			r.wantEffects("o", 1)
			r.replayed(r.charge(), first)
			r.wantEffects("o", 0)
			r.restart()
			r.wantEffects("o", 0)
		},
		"duplicate-gets-500": refusedWith(500),
		"duplicate-gets-409": refusedWith(409),
		"duplicate-gets-429": refusedWith(429),
		"never-finished":     refusedWith(409),
		"marker-missing":     replayWants(func(first, again reply) bool { return same(first, again) && !marked(again) }),
		"marker-on-first":    replayWants(func(first, again reply) bool { return same(first, again) && marked(first) && marked(again) }),
		"replay-loses-location": replayWants(func(first, again reply) bool {
			return first.body == again.body && first.header.Get("Location") != "" && again.header.Get("Location") == ""
		}),
		"replay-loses-content-type": replayWants(func(first, again reply) bool {
			return first.body == again.body && again.header.Get("Content-Type") != first.header.Get("Content-Type")
		}),
		"replay-has-new-id": replayWants(func(first, again reply) bool {
			return again.status == 201 && first.body != again.body && first.header.Get("Location") != again.header.Get("Location")
		}),
		"replay-is-200":   replayWants(func(first, again reply) bool { return again.status == 200 && first.body == again.body }),
		"replay-is-empty": replayWants(func(_, again reply) bool { return again.status == 201 && again.body == "" }),
		"replay-is-respelled": replayWants(func(first, again reply) bool {
			return first.body != again.body && tokens([]byte(first.body)) != "" && len(first.body) == len(again.body) && marked(again)
		}),
	}
}

// losersGet wants the copies of a race to get a status, and one effect.
func losersGet(status int) func(*rig) {
	return func(r *rig) {
		answers := r.race(2, 0)
		r.want(answers[0], 201)
		r.want(answers[1], status)
		r.want(answers[2], status)
		r.replayed(r.charge(), answers[0])
		r.wantEffects("o", 1)
	}
}

// allRun wants copies that look together to run, each with a result of its own.
func allRun(r *rig, copies int) {
	r.Helper()
	results := map[string]bool{}
	for _, a := range r.together(copies) {
		r.want(a, 201)
		results[a.body] = true
	}
	if len(results) != copies {
		r.Errorf("%d results of %d copies", len(results), copies)
	}
}

func shownConcurrent() map[string]func(*rig) {
	checks := func(r *rig) {
		allRun(r, 2)
		r.wantEffects("o", 2)
		r.charge()
		r.wantEffects("o", 2)
	}
	return map[string]func(*rig){
		"check-then-act":    checks,
		"check-before-body": checks,
		"loser-gets-500":    losersGet(500),
		"loser-gets-503":    losersGet(503),
		"loser-gets-nothing": func(r *rig) {
			losersGet(200)(r)
		},
		"in-flight-refused":  losersGet(409),
		"waits-then-refuses": losersGet(422),
		"loser-is-cut-off": func(r *rig) {
			answers := r.race(2, 0)
			r.want(answers[0], 201)
			if answers[1].err == nil || answers[2].err == nil {
				r.Errorf("the copies got %+v", answers[1:])
			}
			r.replayed(r.charge(), answers[0])
			r.wantEffects("o", 1)
		},
		"loser-runs-too": func(r *rig) {
			answers := r.race(2, 0)
			r.replayed(answers[1], answers[0])
			r.replayed(answers[2], answers[0])
			r.wantEffects("o", 3)
		},
		"waits-then-runs": func(r *rig) {
			for _, a := range r.race(2, 0) {
				r.want(a, 201)
			}
			r.wantEffects("o", 3)
			r.charge()
			r.wantEffects("o", 3)
		},
		"copies-get-other-results": func(r *rig) {
			answers := r.race(1, 0)
			if r.want(answers[1], 201).body == answers[0].body {
				r.Errorf("both got %s", answers[0].body)
			}
			r.wantEffects("o", 1)
		},
		"stuck-after-race": func(r *rig) {
			answers := r.race(1, 0)
			r.replayed(answers[1], answers[0])
			r.want(r.charge(), 409)
			r.wantEffects("o", 1)
		},
		"runs-after-race": func(r *rig) {
			answers := r.race(2, 0)
			r.replayed(answers[1], answers[0])
			r.replayed(answers[2], answers[0])
			r.wantEffects("o", 1)
			r.want(r.charge(), 201)
			r.wantEffects("o", 2)
		},
		"runs-in-a-crowd": func(r *rig) {
			r.race(crowd+2, 2)
			r.wantEffects("o", 3)
		},
	}
}

// blindTo wants a body that differs in what a fingerprint leaves out to get the
// first result, and one that differs elsewhere to be a conflict.
func blindTo(first, same, other string) func(*rig) {
	return func(r *rig) {
		one := r.want(r.with(first), 201)
		r.replayed(r.with(same), one)
		if other != "" {
			r.want(r.with(other), 422)
		}
		r.replayed(r.with(first), one)
		r.wantEffects("o", 1)
		if same != other && strings.Contains(same, `"o2"`) {
			r.wantEffects("o2", 0)
		}
	}
}

// conflicts wants a changed body to get a status, then the original again.
func conflicts(status, effectsThen int, again func(r *rig, first reply)) func(*rig) {
	return func(r *rig) {
		first := r.want(r.charge(), 201)
		r.want(r.with(order("o2")), status)
		r.wantEffects("o2", effectsThen)
		again(r, first)
	}
}

func shownConflict() map[string]func(*rig) {
	dearer := `{"order_id":"o","amount":2000,"currency":"EUR"}`
	stands := func(r *rig, first reply) {
		r.replayed(r.charge(), first)
		r.wantEffects("o", 1)
	}
	amount := func(n string) string { return `{"order_id":"o","amount":` + n + `,"currency":"EUR"}` }
	return map[string]func(*rig){
		"ignores-body":          blindTo(order("o"), dearer, ""),
		"covers-amount-only":    blindTo(order("o"), order("o2"), dearer),
		"covers-first-bytes":    blindTo(order("o"), order("o2"), dearer),
		"covers-names-only":     blindTo(order("o"), dearer, order("o", `"note":"x"`)),
		"covers-top-level-only": blindTo(order("o", `"metadata":{"a":1}`), order("o", `"metadata":{"a":2}`), dearer),
		"folds-case":            blindTo(order("o", `"note":"Ab"`), order("o", `"note":"aB"`), order("o", `"note":"ac"`)),
		"trims-texts":           blindTo(order("o", `"note":"a b"`), order("o", `"note":" ab"`), order("o", `"note":"ac"`)),
		"six-digit-numbers":     blindTo(amount("123456789"), amount("123456790"), amount("123457789")),
		"whole-numbers":         blindTo(order("o", `"ref":12.5`), order("o", `"ref":12.99`), order("o", `"ref":13.5`)),
		"signs-left-out":        blindTo(order("o", `"ref":30`), order("o", `"ref":-30`), order("o", `"ref":31`)),
		"numbers-are-added":     blindTo(order("o", `"ref":{"a":1,"b":2}`), order("o", `"ref":{"a":2,"b":1}`), order("o", `"ref":{"a":2,"b":2}`)),
		"joins-values":          blindTo(order("o", `"ref":{"a":"1","b":"11"}`), order("o", `"ref":{"a":"11","b":"1"}`), order("o", `"ref":{"a":"1","b":"1"}`)),
		"null-is-absent":        blindTo(order("o", `"note":null`), order("o"), order("o", `"note":""`)),
		"numbers-are-texts":     blindTo(order("o", `"ref":7`), order("o", `"ref":"7"`), order("o", `"ref":8`)),
		"arrays-are-sets":       blindTo(order("o", `"ref":["a","b"]`), order("o", `"ref":["b","a"]`), order("o", `"ref":["a","c"]`)),
		"body-is-part-of-key":   conflicts(201, 1, stands),
		"conflict-runs":         conflicts(422, 1, stands),
		"conflict-gets-500":     conflicts(500, 0, stands),
		"conflict-gets-400":     conflicts(400, 0, stands),
		"conflict-replaces-record": conflicts(422, 0, func(r *rig, first reply) {
			r.replayed(r.with(order("o2")), first)
			r.want(r.charge(), 422)
			r.wantEffects("o", 1)
		}),
		"conflict-releases-key": conflicts(422, 0, func(r *rig, _ reply) {
			r.want(r.charge(), 201)
			r.wantEffects("o", 2)
		}),
		"cached-replay-ignores-body": conflicts(422, 0, func(r *rig, first reply) {
			r.replayed(r.charge(), first)
			r.replayed(r.with(order("o2")), first)
			r.wantEffects("o2", 0)
		}),
		"fingerprint-in-memory": conflicts(422, 0, func(r *rig, first reply) {
			r.restart()
			r.replayed(r.with(order("o2")), first)
			r.wantEffects("o2", 0)
		}),
	}
}

// minds wants another spelling of the same body to get a status.
func minds(first, other, taken string) func(*rig) {
	return func(r *rig) {
		one := r.want(r.with(first), 201)
		r.want(r.with(other), 422)
		r.replayed(r.with(first), one)
		if taken != "" {
			r.replayed(r.with(taken), one)
		}
		r.wantEffects("o", 1)
	}
}

func shownReorder() map[string]func(*rig) {
	const (
		plain    = `{"order_id":"o","amount":1999,"currency":"EUR"}`
		turned   = `{"currency":"EUR","amount":1999,"order_id":"o"}`
		spaced   = `{ "order_id": "o", "amount": 1999, "currency": "EUR" }`
		escaped  = `{"order_id":"\u006f","amount":1999,"currency":"EUR"}`
		nested   = `{"order_id":"o","amount":1999,"currency":"EUR","metadata":{"a":1,"b":2}}`
		nested2  = `{"order_id":"o","amount":1999,"currency":"EUR","metadata":{"b":2,"a":1}}`
		outer2   = `{"metadata":{"a":1,"b":2},"order_id":"\u006f", "amount":1999,"currency":"EUR"}`
		together = `{ "currency":"EUR","amount":1999,"order_id":"\u006f"}`
	)
	return map[string]func(*rig){
		"fingerprints-bytes":   minds(plain, spaced, ""),
		"member-order-matters": minds(plain, turned, spaced),
		"nested-order-matters": minds(nested, nested2, outer2),
		"white-space-matters":  minds(plain, spaced, turned),
		"outer-space-matters":  minds(plain, " "+plain+"\n", spaced),
		"escapes-matter":       minds(plain, escaped, turned),
		"meaning-where-bytes": func(r *rig) {
			first := r.want(r.with(plain), 201)
			r.replayed(r.with(together), first)
		},
		"bytes-are-part-of-key": func(r *rig) {
			first := r.want(r.with(plain), 201)
			r.want(r.with(turned), 201)
			r.wantEffects("o", 2)
			r.replayed(r.with(plain), first)
		},
	}
}

func shownExpiry() map[string]func(*rig) {
	const most, little = testRetention - time.Minute, testRetention + time.Minute
	over := func(status int) func(*rig) {
		return func(r *rig) {
			first := r.charge()
			r.pass(most)
			r.replayed(r.charge(), first)
			r.pass(2 * time.Minute)
			for range 3 {
				r.want(r.charge(), status)
			}
			r.wantEffects("o", 1)
		}
	}
	remembered := func(after time.Duration) func(*rig) {
		return func(r *rig) {
			first := r.charge()
			r.pass(after)
			r.replayed(r.charge(), first)
			r.wantEffects("o", 1)
		}
	}
	forgets := func(after time.Duration) func(*rig) {
		return func(r *rig) {
			first := r.charge()
			r.replayed(r.charge(), first)
			r.pass(after)
			r.want(r.charge(), 201)
			r.wantEffects("o", 2)
		}
	}
	return map[string]func(*rig){
		"never-forgets": func(r *rig) { remembered(10 * 365 * 24 * time.Hour)(r) },
		"forgets-when-swept": func(r *rig) {
			remembered(little)(r)
			r.restart() // which sweeps
			r.eventually("the sweep", func() bool { return r.charge().header.Get(markerName) == "" })
			r.wantEffects("o", 2)
		},
		"forgets-early":  forgets(testRetention * 4 / 5),
		"only-debounces": forgets(2 * debounce),
		"evicts-when-full": func(r *rig) {
			first := r.charge()
			for i := range capacity {
				if r.send("POST", "/v1/refunds", "k"+string(rune('a'+i)), order("o2")); i == capacity-2 {
					r.replayed(r.charge(), first)
				}
			}
			r.want(r.charge(), 201)
			r.wantEffects("o", 2)
		},
		"replay-extends": func(r *rig) {
			r.send("POST", "/v1/charges", "untouched", order("o2"))
			first := r.charge()
			r.pass(most)
			r.replayed(r.charge(), first)
			r.pass(most)
			r.replayed(r.charge(), first)
			r.wantEffects("o", 1)
			r.send("POST", "/v1/charges", "untouched", order("o2"))
			r.wantEffects("o2", 2)
		},
		"conflict-extends": func(r *rig) {
			r.send("POST", "/v1/charges", "untouched", order("o2"))
			first := r.charge()
			r.want(r.with(order("o3")), 422)
			r.pass(little)
			r.replayed(r.charge(), first)
			r.wantEffects("o", 1)
			r.send("POST", "/v1/charges", "untouched", order("o2"))
			r.wantEffects("o2", 2)
		},
		"conflict-shortens": func(r *rig) {
			untouched := r.send("POST", "/v1/charges", "untouched", order("o2"))
			r.charge()
			r.want(r.with(order("o3")), 422)
			r.pass(testRetention * 3 / 4)
			r.replayed(r.send("POST", "/v1/charges", "untouched", order("o2")), untouched)
			r.want(r.charge(), 201)
			r.wantEffects("o", 2)
		},
		"replica-forgets-early": func(r *rig) {
			first := r.charge()
			other := r.replica()
			r.replayed(other.charge(), first)
			r.pass(testRetention * 3 / 4)
			r.replayed(r.charge(), first)
			r.want(other.charge(), 201)
			r.wantEffects("o", 2)
		},
		"runs-thrice-after-expiry": func(r *rig) {
			first := r.charge()
			r.pass(most)
			r.replayed(r.charge(), first)
			r.pass(2 * time.Minute)
			allRun(r, 3)
			r.wantEffects("o", 4)
			r.charge()
			r.wantEffects("o", 4)
		},
		"stuck-after-expiry":  over(409),
		"expired-is-conflict": over(422),
		"expired-gets-500":    over(500),
		"stale-after-expiry": func(r *rig) {
			first := r.charge()
			r.pass(little)
			r.replayed(r.charge(), first)
			r.replayed(r.charge(), first)
			r.wantEffects("o", 2)
		},
	}
}

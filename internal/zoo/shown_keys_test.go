package zoo

import (
	"math/rand/v2"
	"strings"
)

// keyless sends a charge without a key.
func (r *rig) keyless(body string) reply { return r.send("POST", "/v1/charges", "", body) }

func shownMissingKey() map[string]func(*rig) {
	return map[string]func(*rig){
		"keyless-share-a-key": func(r *rig) {
			first := r.want(r.keyless(order("o")), 201)
			r.replayed(r.keyless(order("o2")), first)
			r.wantEffects("o2", 0)
		},
		"keyless-runs-unasked": func(r *rig) {
			r.want(r.keyless(order("o")), 201)
			r.want(r.keyless(order("o")), 201)
			r.wantEffects("o", 2)
		},
		"keyless-runs-and-is-refused": func(r *rig) {
			r.want(r.keyless(order("o")), 400)
			r.wantEffects("o", 1)
		},
		"keyless-gets-500": func(r *rig) {
			r.want(r.keyless(order("o")), 500)
			r.wantEffects("o", 0)
		},
		"keyless-deduplicated-by-body": func(r *rig) {
			first := r.want(r.keyless(order("o")), 201)
			r.replayed(r.keyless(order("o")), first)
			r.wantEffects("o", 1)
			r.want(r.keyless(order("o2")), 201)
			r.wantEffects("o2", 1)
		},
	}
}

func shownBinding() map[string]func(*rig) {
	refund := func(r *rig, order string) reply { return r.send("POST", "/v1/refunds", "k", order) }
	return map[string]func(*rig){
		"path-left-out": func(r *rig) {
			first := r.charge()
			r.replayed(refund(r, order("o")), first)
			r.wantEffects("o", 1)
		},
		"path-in-fingerprint-only": func(r *rig) {
			first := r.charge()
			r.want(refund(r, order("o")), 422)
			r.replayed(r.charge(), first)
			r.wantEffects("o", 1)
		},
		"endpoint-takes-record-over": func(r *rig) {
			first := r.charge()
			r.replayed(r.charge(), first)
			r.want(refund(r, order("o2")), 201)
			r.want(r.charge(), 201)
			r.wantEffects("o", 2)
			r.wantEffects("o2", 1)
		},
		"answers-for-another-endpoint": func(r *rig) {
			first := r.charge()
			if got := r.want(refund(r, order("o2")), 201); !strings.Contains(got.body, `"refund"`) {
				r.Errorf("got %s", got.body)
			}
			r.wantEffects("o2", 0)
			r.replayed(r.charge(), first)
		},
		"lock-leaves-path-out": func(r *rig) {
			r.refusesAtOnce()
			first, release := r.atWork(r.charge)
			defer release()
			r.want(refund(r, order("o2")), 409)
			r.want(r.send("POST", "/v1/refunds", "another", order("o3")), 201)
			release()
			r.want(r.receive("the first is answered", first), 201)
			r.want(refund(r, order("o2")), 201)
			r.wantEffects("o", 1)
			r.wantEffects("o2", 1)
		},
	}
}

func shownScope() map[string]func(*rig) {
	refused := func(status int, link bool) func(*rig) {
		return func(r *rig) {
			first := r.charge()
			if got := r.want(r.by("b"), status); (got.header.Get("Location") == first.header.Get("Location")) != link {
				r.Errorf("got %v", got.header)
			}
			r.replayed(r.charge(), first)
			r.wantEffects("o", 1)
		}
	}
	return map[string]func(*rig){
		"caller-left-out": func(r *rig) {
			first := r.charge()
			r.replayed(r.by("b"), first)
			r.wantEffects("o", 1)
		},
		"caller-in-fingerprint-only": refused(422, false),
		"other-caller-gets-500":      refused(500, false),
		"result-leaks-in-refusal":    refused(422, true),
		"other-caller-unprotected": func(r *rig) {
			first := r.charge()
			r.want(r.by("b"), 201)
			r.want(r.by("b"), 201)
			r.wantEffects("o", 3)
			r.replayed(r.charge(), first)
		},
		"last-caller-wins": func(r *rig) {
			r.charge()
			other := r.want(r.by("b"), 201)
			r.replayed(r.by("b"), other)
			r.want(r.charge(), 201)
			r.wantEffects("o", 3)
		},
		"query-left-out": func(r *rig) {
			first := r.charge()
			r.replayed(r.send("POST", "/v1/charges?source=app", "k", order("o")), first)
			r.wantEffects("o", 1)
		},
		"lock-leaves-caller-out": func(r *rig) {
			r.refusesAtOnce()
			first, release := r.atWork(r.charge)
			defer release()
			r.want(r.by("b"), 409)
			release()
			r.want(r.receive("the first is answered", first), 201)
			r.want(r.by("b"), 201)
			r.wantEffects("o", 2)
		},
	}
}

// printable is a text of so many characters that no compression shortens much.
func printable(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, n)
	for i := range text {
		text[i] = byte('!' + r.IntN('~'-'!'+1))
	}
	return string(text)
}

func shownKeyRules() map[string]func(*rig) {
	// taken wants a key that must be refused to be taken, as one like any other.
	taken := func(keys ...string) func(*rig) {
		return func(r *rig) {
			first := r.want(r.keyed(keys...), 201)
			r.replayed(r.keyed(keys...), first)
			r.wantEffects("o", 1)
		}
	}
	// one wants two keys to be one, and a third not to be.
	one := func(first, other, apart string) func(*rig) {
		return func(r *rig) {
			got := r.want(r.keyed(first), 201)
			r.replayed(r.keyed(other), got)
			r.wantEffects("o", 1)
			r.want(r.keyed(apart), 201)
			r.wantEffects("o", 2)
		}
	}
	a64 := strings.Repeat("a", 64)
	return map[string]func(*rig){
		"long-keys-get-500": func(r *rig) {
			r.want(r.keyed(printable(255)), 500)
			r.want(r.keyed(strings.Repeat("a", 255)), 201)
			r.want(r.keyed(printable(100)), 201)
			r.wantEffects("o", 2)
		},
		"endless-keys-get-500": func(r *rig) {
			r.want(r.keyed(printable(3000)), 500)
			r.want(r.keyed(strings.Repeat("a", 3000)), 400)
			r.want(r.keyed(printable(300)), 400)
			r.wantEffects("o", 0)
		},
		"caseless-collation": one("Key-a", "kEY-A", "key-b"),
		"keys-cut-to-64":     one(a64+"1", a64+"2", "b"+a64),
		"too-long-keys-cut":  taken(strings.Repeat("a", 256)),
		"first-of-two-keys":  taken("one", "other"),
		"empty-key-taken":    taken(""),
		"long-keys-unprotected": func(r *rig) {
			first := r.want(r.keyed(printable(128)), 201)
			r.replayed(r.keyed(printable(128)), first)
			r.want(r.keyed(printable(129)), 201)
			r.want(r.keyed(printable(129)), 201)
			r.wantEffects("o", 3)
		},
	}
}

func shownReplicas() map[string]func(*rig) {
	shown := map[string]func(*rig){
		"keys-per-process": func(r *rig) {
			first := r.charge()
			r.want(r.replica().charge(), 201)
			r.wantEffects("o", 2)
			r.replayed(r.charge(), first)
		},
		"lock-per-process": func(r *rig) {
			other := r.replica()
			first, release := r.atWork(r.charge)
			defer release()
			r.want(r.receive("the replica answers", inBackground(other.charge)), 201)
			release()
			r.want(r.receive("the first answers", first), 201)
			r.wantEffects("o", 2)
		},
		"replica-sees-no-result": func(r *rig) {
			first := r.charge()
			r.want(r.replica().charge(), 409)
			r.replayed(r.charge(), first)
			r.wantEffects("o", 1)
		},
		"conflict-per-process": func(r *rig) {
			first := r.charge()
			r.want(r.with(order("o2")), 422)
			r.replayed(r.replica().with(order("o2")), first)
			r.wantEffects("o2", 0)
		},
		"replica-shows-others": func(r *rig) {
			first := r.want(r.by("one"), 201)
			if apart := r.want(r.by("other"), 201); same(apart, first) {
				r.Errorf("the first's own process shows it to another caller")
			}
			other := r.replica()
			r.replayed(other.by("one"), first)
			r.replayed(other.by("third"), first)
			r.wantEffects("o", 2)
		},
	}
	for _, name := range []string{"keys-per-process", "lock-per-process", "conflict-per-process"} {
		shown["balanced-"+name] = shown[name]
	}
	shown["balanced-no-result"] = func(r *rig) {
		first := r.want(r.charge(), 201)
		if got := r.want(r.replica().charge(), 409); got.header.Get(instanceName) != "" {
			r.Errorf("the refusal names its instance")
		}
		r.replayed(r.charge(), first)
		if first.header.Get(instanceName) == "" {
			r.Errorf("the first's answer names no instance")
		}
	}
	return shown
}

func shownStoreDown() map[string]func(*rig) {
	// during has the charge come while the store is away, and goes on after that.
	during := func(status, effects int, then func(r *rig)) func(*rig) {
		return func(r *rig) {
			r.storeIs("false")
			r.want(r.charge(), status)
			r.wantEffects("o", effects)
			r.storeIs("true")
			then(r)
		}
	}
	gets := func(status, effects int) func(*rig) {
		return func(r *rig) {
			r.want(r.charge(), status)
			r.wantEffects("o", effects)
		}
	}
	return map[string]func(*rig){
		"runs-without-store":        during(201, 1, gets(201, 2)),
		"effect-before-lost-record": during(503, 1, gets(201, 2)),
		"outage-is-stored":          during(503, 0, func(r *rig) { r.pass(testRetention / 2); gets(503, 0)(r) }),
		"outage-leaves-claim":       during(503, 0, func(r *rig) { r.pass(testRetention / 2); gets(409, 0)(r) }),
		"store-comes-back-empty": func(r *rig) {
			first := r.charge()
			r.replayed(r.charge(), first)
			during(503, 1, gets(201, 2))(r)
		},
	}
}

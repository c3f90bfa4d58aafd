package reference

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// bank is another service: it keeps its own idempotency contract and counts.
type bank struct {
	*httptest.Server
	mu       sync.Mutex
	calls    int
	effects  map[string]string // by key
	distinct map[string]int    // effects by order
	fail     func(call int) (status int, after bool)
}

func newBank(t *testing.T) *bank {
	b := &bank{effects: map[string]string{}, distinct: map[string]int{}}
	b.Server = httptest.NewServer(http.HandlerFunc(b.serve))
	t.Cleanup(b.Close)
	return b
}

// serve books a payment once for its key. fail may answer otherwise, before or
// after the booking; status 0 cuts the connection.
func (b *bank) serve(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	var body struct {
		OrderID string `json:"order_id"`
	}
	_ = json.Unmarshal(text, &body)
	key := r.Header.Get("Idempotency-Key")
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	status, after := 201, true
	if b.fail != nil {
		status, after = b.fail(b.calls)
	}
	if earlier, known := b.effects[key]; known && earlier != string(text) {
		status, after = 422, false
	} else if !known && after {
		b.effects[key] = string(text)
		b.distinct[body.OrderID]++
	}
	if status == 0 {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(status)
}

func (b *bank) called() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls
}

func (b *bank) booked(order string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.distinct[order]
}

func (b *bank) use(o *Options) { o.EffectURL = b.URL + "/transfers" }

func TestAnEffectElsewhereHappensOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		b := newBank(t)
		r := newRig(t, open(), newTestClock(), b.use)
		race(20, func(int) { r.charge("k", order("o")).want(t, 201, "") })
		r.wantEffects("o", 1)
		if b.called() != 1 || b.booked("o") != 1 {
			t.Errorf("%d calls, %d booked", b.called(), b.booked("o"))
		}
		declined := `{"order_id":"d","amount":5,"currency":"EUR","payment_method":"declined"}`
		r.charge("d", declined).want(t, 402, "declined")
		if b.called() != 1 {
			t.Error("a declined payment reached the bank")
		}
	})
}

func TestAnEffectOfUnknownOutcomeIsFinishedByTheRetry(t *testing.T) {
	for name, fail := range map[string]func(int) (int, bool){
		"cut before booking": func(call int) (int, bool) { return map[bool]int{true: 0, false: 201}[call == 1], call > 1 },
		"cut after booking":  func(call int) (int, bool) { return map[bool]int{true: 0, false: 201}[call == 1], true },
		"500 after booking":  func(call int) (int, bool) { return map[bool]int{true: 500, false: 201}[call == 1], true },
		"429":                func(call int) (int, bool) { return map[bool]int{true: 429, false: 201}[call == 1], call > 1 },
		"a redirect":         func(call int) (int, bool) { return map[bool]int{true: 307, false: 201}[call == 1], call > 1 },
	} {
		t.Run(name, func(t *testing.T) {
			eachStore(t, func(t *testing.T, open func() Store) {
				b := newBank(t)
				b.fail = fail
				r := newRig(t, open(), newTestClock(), b.use)
				if got := r.charge("k", order("o")).want(t, 503, "effect-unknown"); got.header.Get("Retry-After") == "" {
					t.Error("no Retry-After")
				}
				r.wantEffects("o", 0)
				// The intent binds the key: another request does not get it.
				r.charge("k", order("o2")).want(t, 422, "key-conflict")
				first := r.charge("k", order("o")).want(t, 201, "")
				r.charge("k", order("o")).replayed(t, first)
				r.wantEffects("o", 1)
				if b.booked("o") != 1 || b.called() != 2 {
					t.Errorf("booked %d times in %d calls", b.booked("o"), b.called())
				}
			})
		})
	}
}

func TestARefusedEffectIsStored(t *testing.T) {
	b := newBank(t)
	b.fail = func(int) (int, bool) { return 403, false }
	r := newRig(t, mustOpen(t, "sqlite:memory"), newTestClock(), b.use)
	first := r.charge("k", order("o")).want(t, 402, "effect-refused")
	r.charge("k", order("o")).replayed(t, first)
	r.wantEffects("o", 0)
	if b.called() != 1 {
		t.Errorf("%d calls", b.called())
	}
}

func TestAnOrphanedIntentIsReconciledWithoutTheCaller(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		b := newBank(t)
		b.fail = func(call int) (int, bool) { return map[bool]int{true: 0, false: 201}[call == 1], true }
		s := open()
		r := newRig(t, s, newTestClock(), b.use)
		r.charge("k", order("o")).want(t, 503, "effect-unknown")
		// Long after: an intent outlives retention, until its outcome is known.
		r.clock.Advance(2 * r.s.options.Retention)
		if n, err := s.Sweep(ctx, r.s.Now(), 100); n != 0 || err != nil {
			t.Fatalf("swept %d, %v", n, err)
		}
		race(4, func(int) { r.s.Reconcile(ctx) })
		r.wantEffects("o", 1)
		if b.booked("o") != 1 || b.called() != 2 {
			t.Errorf("booked %d times in %d calls", b.booked("o"), b.called())
		}
		calls := b.called()
		r.s.Reconcile(ctx)
		got := r.charge("k", order("o")).want(t, 201, "")
		if got.header.Get("Idempotent-Replayed") != "true" || b.called() != calls {
			t.Error("the retry ran again")
		}
		// A start without the other service leaves intents alone.
		plain := newRig(t, s, r.clock, nil)
		plain.s.Reconcile(ctx)
	})
}

// stale is a store whose list of orphans was read a while ago.
type stale struct {
	Store
	orphans []Record
}

func (s stale) Orphans(context.Context, time.Time, int) ([]Record, error) { return s.orphans, nil }

func TestAnOrphanThatAnotherReplicaTookIsLeftToIt(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		b := newBank(t)
		b.fail = func(call int) (int, bool) { return 0, true }
		s := open()
		r := newRig(t, s, newTestClock(), b.use)
		r.charge("k", order("o")).want(t, 503, "effect-unknown")
		orphans, err := s.Orphans(ctx, r.s.Now(), 10)
		if err != nil || len(orphans) != 1 {
			t.Fatalf("%d orphans, %v", len(orphans), err)
		}
		rec := orphans[0]
		mustClaim(t, s, Ask{Key: rec.Key, Scope: rec.Scope, Fingerprint: rec.Fingerprint, Owner: "another",
			Now: r.s.Now(), LeaseUntil: r.s.Now().Add(lease), Expires: rec.Expires})
		late := newRig(t, stale{s, orphans}, r.clock, b.use)
		late.s.Reconcile(ctx)
		if b.called() != 1 {
			t.Errorf("%d calls", b.called())
		}
	})
}

// TestAKillBetweenIntentAndResultIsReconciled kills the server while the bank
// has booked and not yet answered.
func TestAKillBetweenIntentAndResultIsReconciled(t *testing.T) {
	for name, address := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "x.db") },
		"postgres": func(t *testing.T) string { return testneed.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBank(t)
			booked, proceed := make(chan struct{}), make(chan struct{})
			b.fail = func(call int) (int, bool) {
				if call == 1 {
					close(booked)
					<-proceed
				}
				return 201, true
			}
			env := []string{childEnv + "=" + address(t), childEnv + "_EFFECT=" + b.URL}
			c := startChild(t, env...).ready(t)
			died := make(chan error)
			go func() {
				r := &rig{t: t, url: c.url}
				_, err := r.send(ctx, "POST", "/v1/charges", order("o"), "Idempotency-Key: k")
				died <- err
			}()
			<-booked
			c.kill()
			if err := <-died; err == nil {
				t.Error("a killed server answered")
			}
			close(proceed)
			c = startChild(t, env...).ready(t)
			defer c.kill()
			r := &rig{t: t, url: c.url}
			eventually(t, "the reconciliation", func() bool { return r.effects("o") == 1 })
			replay := r.do("POST", "/v1/charges", order("o"), "Idempotency-Key: k").want(t, 201, "")
			if replay.header.Get("Idempotent-Replayed") != "true" || b.booked("o") != 1 {
				t.Errorf("booked %d times, replayed %q", b.booked("o"), replay.header.Get("Idempotent-Replayed"))
			}
			r.wantEffects("o", 1)
		})
	}
}

func TestARunningServiceReconcilesByItself(t *testing.T) {
	b := newBank(t)
	b.fail = func(call int) (int, bool) { return map[bool]int{true: 0, false: 201}[call == 1], true }
	clock := newTestClock()
	r := newRig(t, mustOpen(t, "sqlite:memory"), clock, b.use)
	r.charge("k", order("o")).want(t, 503, "effect-unknown")
	go r.s.keep(r.s.base)
	eventually(t, "the reconciliation", func() bool {
		clock.Advance(time.Second)
		return r.effects("o") == 1
	})
}

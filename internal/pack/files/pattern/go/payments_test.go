package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// provider is a payment provider that keeps its own keys, and does what it is
// told.
type provider struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string // key and body of each request
	made   map[string]string
	before func(w http.ResponseWriter) bool // nil, or true where it has answered already
	after  func(w http.ResponseWriter) bool // the same, once the money has moved
}

func newProvider(t *testing.T) *provider {
	p := &provider{made: map[string]string{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	key := r.Header.Get("Idempotency-Key")
	p.mu.Lock()
	p.asked = append(p.asked, key+" "+string(body))
	before, after := p.before, p.after
	p.mu.Unlock()
	if before != nil && before(w) {
		return
	}
	p.mu.Lock()
	if p.made[key] == "" {
		p.made[key] = fmt.Sprintf("ch_%d", len(p.made)+1)
	}
	id := p.made[key]
	p.mu.Unlock()
	if after != nil && after(w) {
		return
	}
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"id":%q}`, id)
}

// behave changes what it does.
func (p *provider) behave(before, after func(w http.ResponseWriter) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before, p.after = before, after
}

// saw gives how often it was asked, in how many different ways, and how often
// money moved.
func (p *provider) saw() (asked, different, made int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ways := map[string]bool{}
	for _, a := range p.asked {
		ways[a] = true
	}
	return len(p.asked), len(ways), len(p.made)
}

func answers(status int, body string) func(http.ResponseWriter) bool {
	return func(w http.ResponseWriter) bool {
		w.WriteHeader(status)
		io.WriteString(w, body)
		return true
	}
}

// payments gives payments at a provider, over a store of their own.
func payments(t *testing.T, s Settings, p *provider) *Payments {
	s.Provider = p.URL
	return NewPayments(open(t, s), s)
}

func TestAPaymentIsMadeOnce(t *testing.T) {
	settings, p := database(t), newProvider(t)
	both := []*Payments{payments(t, settings, p), payments(t, settings, p)}
	var all sync.WaitGroup
	var bodies sync.Map
	for i := range 8 {
		all.Go(func() {
			a, err := both[i%2].Pay(t.Context(), ask("k", "cart"))
			if err != nil || a.Status != 201 || !strings.Contains(a.Body, `"charge_id":"ch_1"`) {
				t.Error(a, err)
			}
			bodies.Store(a.Body, true)
		})
	}
	all.Wait()
	different := 0
	bodies.Range(func(any, any) bool { different++; return true })
	asked, _, made := p.saw()
	if n := count(t, both[0].store, "orders"); asked != 1 || made != 1 || n != 1 || different != 1 {
		t.Errorf("asked %d times, %d charges, %d orders, %d answers", asked, made, n, different)
	}
}

// TestAnUnknownOutcomeIsNeverAFailure: whatever the provider says that is no
// outcome, the operation stays pending, and the retry asks the very same again.
func TestAnUnknownOutcomeIsNeverAFailure(t *testing.T) {
	hangUp := func(http.ResponseWriter) bool { panic(http.ErrAbortHandler) }
	for name, c := range map[string]struct {
		before, after func(http.ResponseWriter) bool
	}{
		"500":                    {before: answers(500, "")},
		"503":                    {before: answers(503, "")},
		"409":                    {before: answers(409, "{}")},
		"429":                    {before: answers(429, "{}")},
		"401":                    {before: answers(401, "{}")},
		"404":                    {before: answers(404, "{}")},
		"a redirect":             {before: answers(302, "")},
		"it hangs up":            {before: hangUp},
		"paid, then 500":         {after: answers(500, "")},
		"paid, then no answer":   {after: hangUp},
		"paid, and says nothing": {after: answers(201, "")},
		"paid, and says half":    {after: answers(201, `{"id":"ch`)},
		"paid, and no id":        {after: answers(201, `{"id":""}`)},
	} {
		t.Run(name, func(t *testing.T) {
			settings, p := database(t), newProvider(t)
			pay := payments(t, settings, p)
			p.behave(c.before, c.after)
			if a, err := pay.Pay(t.Context(), ask("k", "cart")); !errors.Is(err, errUnknown) {
				t.Fatalf("%v, %v", a, err)
			}
			if n := count(t, pay.store, "idempotency_keys WHERE status IS NULL AND intent IS NOT NULL"); n != 1 {
				t.Fatalf("%d pending", n)
			}
			if n, err := pay.store.Sweep(t.Context()); n != 0 || err != nil {
				t.Fatalf("%d swept: %v", n, err)
			}
			p.behave(nil, nil)
			age(t, pay.store, "k", pay.store.lease+pay.store.retention)
			if a := must(t)(pay.Pay(t.Context(), ask("k", "cart"))); a.Status != 201 || a.Replayed {
				t.Error(a)
			}
			_, different, made := p.saw()
			if n := count(t, pay.store, "orders"); different != 1 || made != 1 || n != 1 {
				t.Errorf("asked in %d ways, %d charges, %d orders", different, made, n)
			}
		})
	}
}

// TestATimeoutIsUnknownToo, and a provider that is not there.
func TestATimeoutIsUnknownToo(t *testing.T) {
	settings, p := database(t), newProvider(t)
	settings.Lease = 200 * time.Millisecond
	pay := payments(t, settings, p)
	late := make(chan bool)
	p.behave(nil, func(http.ResponseWriter) bool { <-late; return false })
	_, err := pay.Pay(t.Context(), ask("k", "cart"))
	close(late)
	if !errors.Is(err, errUnknown) {
		t.Error(err)
	}
	gone := NewPayments(pay.store, Settings{Provider: "http://127.0.0.1:1", Lease: time.Second, ProviderRetention: time.Hour})
	if _, err := gone.Pay(t.Context(), ask("another", "cart")); !errors.Is(err, errUnknown) {
		t.Error(err)
	}
	time.Sleep(settings.Lease)
	pay.client.Timeout = time.Minute // from here on the provider answers, however busy the machine is
	if err := pay.Reconcile(t.Context()); err != nil {
		t.Error(err)
	}
	if n := count(t, pay.store, "orders WHERE charge_id IS NOT NULL"); n != 2 {
		t.Errorf("%d orders of 2 are reconciled", n)
	}
	if _, different, made := p.saw(); different != 2 || made != 2 {
		t.Errorf("asked in %d ways, %d charges", different, made)
	}
}

// TestOneReconcilerTakesAnIntent: replicas look at the same moment, and the
// provider is asked once.
func TestOneReconcilerTakesAnIntent(t *testing.T) {
	settings, p := database(t), newProvider(t)
	all := []*Payments{payments(t, settings, p), payments(t, settings, p), payments(t, settings, p)}
	for round := range 5 {
		key := fmt.Sprint("k", round)
		p.behave(answers(500, ""), nil)
		if _, err := all[0].Pay(t.Context(), ask(key, key)); !errors.Is(err, errUnknown) {
			t.Fatal(err)
		}
		before, _, _ := p.saw()
		p.behave(func(http.ResponseWriter) bool { time.Sleep(100 * time.Millisecond); return false }, nil)
		age(t, all[0].store, key, settings.Lease)
		var done sync.WaitGroup
		for i := range 6 {
			done.Go(func() {
				if err := all[i%3].Reconcile(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
		if asked, _, _ := p.saw(); asked != before+1 || count(t, all[0].store, "orders WHERE cart_id = ?", key) != 1 {
			t.Errorf("asked %d times", asked-before)
		}
	}
}

// TestWhatTheProviderDeclinesIsAResult: it is kept, and its retry is not sent.
func TestWhatTheProviderDeclinesIsAResult(t *testing.T) {
	for _, status := range []int{400, 402, 422} {
		settings, p := database(t), newProvider(t)
		pay := payments(t, settings, p)
		p.behave(answers(status, "{}"), nil)
		first := must(t)(pay.Pay(t.Context(), ask("k", "cart")))
		p.behave(nil, nil)
		second := must(t)(pay.Pay(t.Context(), ask("k", "cart")))
		asked, _, made := p.saw()
		if first.Status != 402 || second.Body != first.Body || !second.Replayed || asked != 1 || made != 0 || count(t, pay.store, "orders") != 0 {
			t.Errorf("%d: %v, then %v; asked %d times", status, first, second, asked)
		}
	}
}

// TestALaterRefusalDeclinesNothing: the charge was made and its answer lost; that
// the provider refuses the next ask says nothing of the first.
func TestALaterRefusalDeclinesNothing(t *testing.T) {
	for _, status := range []int{400, 402, 422} {
		settings, p := database(t), newProvider(t)
		pay := payments(t, settings, p)
		p.behave(nil, func(http.ResponseWriter) bool { panic(http.ErrAbortHandler) })
		if a, err := pay.Pay(t.Context(), ask("k", "cart")); !errors.Is(err, errUnknown) {
			t.Fatalf("%v, %v", a, err)
		}
		p.behave(answers(status, "{}"), nil)
		age(t, pay.store, "k", pay.store.lease+pay.store.retention)
		if a, err := pay.Pay(t.Context(), ask("k", "cart")); !errors.Is(err, errUnknown) {
			t.Errorf("%d: %v, %v", status, a, err)
		}
		if n := count(t, pay.store, "idempotency_keys WHERE status IS NULL AND intent IS NOT NULL"); n != 1 {
			t.Errorf("%d: %d pending", status, n)
		}
	}
}

// TestALateFinisherIsRefused: the first owner is silent for longer than its
// lease, a second one finishes, and the first gets what that one made.
func TestALateFinisherIsRefused(t *testing.T) {
	settings, p := database(t), newProvider(t)
	slow, quick := payments(t, settings, p), payments(t, settings, p)
	slow.client.Timeout = time.Minute
	waiting, late := make(chan bool), make(chan bool)
	p.behave(func(http.ResponseWriter) bool { close(waiting); <-late; return false }, nil)
	type result struct {
		Answer
		err error
	}
	first := make(chan result, 1)
	go func() {
		a, err := slow.Pay(context.Background(), ask("k", "cart"))
		first <- result{a, err}
	}()
	<-waiting
	p.behave(nil, nil)
	age(t, quick.store, "k", settings.Lease)
	second := must(t)(quick.Pay(t.Context(), ask("k", "cart")))
	close(late)
	lost := <-first
	if lost.err != nil || lost.Body != second.Body || !lost.Replayed || second.Replayed {
		t.Errorf("%+v, then %+v", second, lost)
	}
	_, different, made := p.saw()
	if n := count(t, slow.store, "orders"); n != 1 || different != 1 || made != 1 {
		t.Errorf("%d orders, asked in %d ways, %d charges", n, different, made)
	}
}

// TestACrashWhileTheProviderIsAsked: the process is killed once the money has
// moved, and the next one to start finishes it by itself.
func TestACrashWhileTheProviderIsAsked(t *testing.T) {
	settings, p := database(t), newProvider(t)
	s := open(t, settings)
	paid, hold := make(chan bool), make(chan bool)
	p.behave(nil, func(http.ResponseWriter) bool { close(paid); <-hold; return false })
	lease := "LEASE=" + settings.Lease.String()
	service := start(t, settings, "PROVIDER_URL="+p.URL, lease)
	service.post("/v1/payments", "k", "cart")
	<-paid
	service.kill()
	close(hold)
	p.behave(nil, nil)
	if n := count(t, s, "orders"); n != 0 {
		t.Fatalf("%d orders before the result", n)
	}
	age(t, s, "k", settings.Lease)
	start(t, settings, "PROVIDER_URL="+p.URL, lease)
	eventually(t, "the order of what was paid", func() bool { return count(t, s, "orders WHERE charge_id = 'ch_1'") == 1 })
	if asked, different, made := p.saw(); asked != 2 || different != 1 || made != 1 {
		t.Errorf("asked %d times in %d ways, %d charges", asked, different, made)
	}
}

// TestAnOldIntentIsNotSentAgain: the provider may have forgotten its key.
func TestAnOldIntentIsNotSentAgain(t *testing.T) {
	settings, p := database(t), newProvider(t)
	pay := payments(t, settings, p)
	p.behave(nil, answers(500, ""))
	if _, err := pay.Pay(t.Context(), ask("k", "cart")); !errors.Is(err, errUnknown) {
		t.Fatal(err)
	}
	p.behave(nil, nil)
	age(t, pay.store, "k", settings.ProviderRetention-pay.client.Timeout)
	if err := pay.Reconcile(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := pay.Pay(t.Context(), ask("k", "cart")); !errors.Is(err, errUnresolved) {
		t.Error(err)
	}
	if asked, _, _ := p.saw(); asked != 1 || count(t, pay.store, "idempotency_keys WHERE intent IS NOT NULL") != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// TestAnIntentGrowsOldInTheRound: the provider is slow with the one before it.
func TestAnIntentGrowsOldInTheRound(t *testing.T) {
	settings, p := database(t), newProvider(t)
	pay := payments(t, settings, p)
	p.behave(nil, answers(500, ""))
	for _, key := range []string{"k1", "k2"} {
		if _, err := pay.Pay(t.Context(), ask(key, key)); !errors.Is(err, errUnknown) {
			t.Fatal(err)
		}
		age(t, pay.store, key, settings.Lease)
	}
	p.behave(func(http.ResponseWriter) bool {
		for _, key := range []string{"k1", "k2"} {
			age(t, pay.store, key, settings.ProviderRetention)
		}
		return false
	}, nil)
	if err := pay.Reconcile(t.Context()); err != nil {
		t.Error(err)
	}
	if asked, _, _ := p.saw(); asked != 3 || count(t, pay.store, "orders") != 1 || count(t, pay.store, "idempotency_keys WHERE intent IS NOT NULL") != 1 {
		t.Errorf("asked %d times, %d orders", asked, count(t, pay.store, "orders"))
	}
}

// TestANewPaymentUnderAnOldKey has a key of its own at the provider, which
// remembers the old one.
func TestANewPaymentUnderAnOldKey(t *testing.T) {
	settings, p := database(t), newProvider(t)
	pay := payments(t, settings, p)
	first := must(t)(pay.Pay(t.Context(), ask("k", "cart")))
	age(t, pay.store, "k", settings.Retention)
	second := must(t)(pay.Pay(t.Context(), ask("k", "cart")))
	if _, different, made := p.saw(); second.Replayed || first.Body == second.Body || different != 2 || made != 2 {
		t.Errorf("%v, then %v; asked in %d ways, %d charges", first, second, different, made)
	}
}

// TestWithoutAProviderNothingIsClaimed.
func TestWithoutAProviderNothingIsClaimed(t *testing.T) {
	s := open(t, database(t))
	_, err := NewPayments(s, Settings{Lease: time.Second}).Pay(t.Context(), ask("k", "cart"))
	if !errors.Is(err, errNoProvider) || count(t, s, "idempotency_keys") != 0 {
		t.Error(err)
	}
}

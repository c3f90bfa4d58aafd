package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// Payments make orders that somebody else has to be paid for first. No
// transaction spans two services. What can be had instead:
//
//  1. one transaction claims the key and records the intent: what is about to be
//     asked of the provider, to the byte, and under which key of its own;
//  2. the provider is asked;
//  3. one transaction keeps the order and the result.
//
// A crash before 1 leaves nothing, one after 3 a result. One between them leaves
// an intent, of which nobody knows what became: whoever takes it over, at the
// next start or by a retry, asks the provider the very same again. The provider
// knows its key, charges once, and tells what it told before.
type Payments struct {
	store    *Store
	url      string        // where to charge; empty: nowhere
	remember time.Duration // how long after its claim an operation may be asked of it
	client   *http.Client
	told     *unresolved // last, by the one who keeps reconciling
}

var (
	errUnknown    = errors.New("whether the provider was paid is not known yet")
	errDeclined   = errors.New("the provider declined")
	errUnresolved = errors.New("whether the provider was paid is not known, and it may not remember")
	errNoProvider = errors.New("there is no payment provider")
)

// maxTimeout bounds how long the provider is waited for.
const maxTimeout = 10 * time.Second

// NewPayments makes payments at the provider that the settings name.
func NewPayments(store *Store, settings Settings) *Payments {
	// Shorter than the lease: who is silent for longer has given up. It may be
	// taken over earlier none the less, and the provider's key bears that too.
	timeout := min(settings.Lease*3/4, maxTimeout)
	// The last time it is asked, that is to arrive before the provider forgets.
	p := &Payments{store: store, remember: settings.ProviderRetention - timeout, client: newClient(timeout)}
	if settings.Provider != "" {
		p.url = strings.TrimSuffix(settings.Provider, "/") + "/v1/charges"
	}
	return p
}

// intent is what is recorded before the provider is asked. It is never changed.
type intent struct {
	Order  Order  `json:"order"`
	Caller string `json:"caller"`
	Key    string `json:"key"`  // of ours at the provider
	Body   string `json:"body"` // the bytes to send
}

// newIntent draws the order, and from it and the caller's key the provider's: a
// key of its own for each operation, also for a new one under an old key of ours
// that the provider may remember for longer than we do.
func newIntent(r Request) intent {
	o := newOrder(r)
	sum := sha256.Sum256([]byte(strings.Join([]string{"charge", r.Caller, r.Key, o.ID}, "\n")))
	body, _ := json.Marshal(struct {
		OrderID  string `json:"order_id"`
		Amount   int64  `json:"amount"`
		Currency string `json:"currency"`
	}{o.CartID, o.Amount, o.Currency})
	return intent{Order: o, Caller: r.Caller, Key: hex.EncodeToString(sum[:]), Body: string(body)}
}

// Pay makes an order that is paid for. errUnknown: ask again, under the same
// key; it goes on by itself meanwhile.
func (p *Payments) Pay(ctx context.Context, r Request) (Answer, error) {
	if p.url == "" {
		return Answer{}, errNoProvider
	}
	return p.store.patiently(ctx, func() (Answer, error) {
		claim, err := p.intend(ctx, r)
		if err != nil {
			return Answer{}, err
		}
		return p.settle(ctx, claim)
	})
}

// intend claims the key and records the intent, in one transaction. What an
// earlier owner intended stays.
func (p *Payments) intend(ctx context.Context, r Request) (claim Claim, err error) {
	err = p.store.transaction(ctx, func(tx *sql.Tx) error {
		claim, err = p.store.claim(ctx, tx, r)
		if err != nil || claim.Intent != "" {
			return err
		}
		text, err := json.Marshal(newIntent(r))
		if err != nil {
			return err
		}
		claim.Intent, claim.First = string(text), true
		return p.store.fenced(p.store.exec(ctx, tx, `UPDATE idempotency_keys SET intent = ?
			WHERE caller = ? AND idempotency_key = ? AND owner = ?`, claim.Intent, r.Caller, r.Key, claim.Owner))
	})
	return claim, err
}

// settle has the provider do what was intended, and keeps the result. As long as
// the outcome is not known nothing is kept, least of all a failure: the intent
// stays, and the lease is left to run out, which is the pause before it is tried
// again.
func (p *Payments) settle(ctx context.Context, c Claim) (Answer, error) {
	var in intent
	if err := json.Unmarshal([]byte(c.Intent), &in); err != nil {
		return Answer{}, fmt.Errorf("reading an intent: %w", err)
	}
	if c.Now.Sub(c.Since) >= p.remember {
		return Answer{}, errUnresolved // asked again, it might charge again
	}
	order := in.Order
	order.Caller = in.Caller
	charge, err := p.charge(ctx, in, c.First)
	keep := func(*sql.Tx) error { return nil }
	answer := problem(http.StatusPaymentRequired, "declined", errDeclined.Error())
	switch {
	case err == nil:
		order.ChargeID = charge
		answer = order.made()
		keep = func(tx *sql.Tx) error { return p.store.insertOrder(ctx, tx, order) }
	case !errors.Is(err, errDeclined):
		slog.Warn("the provider did not answer what was asked", "error", err)
		return Answer{}, errUnknown
	}
	// The fence first: a late owner's order is the one that the new owner made.
	err = p.store.together(ctx, func(tx *sql.Tx) error { return p.store.finish(ctx, tx, c, answer) }, keep)
	return answer, err
}

// KeepReconciling finishes what was intended and not finished: at the start, for
// what an earlier one left, and ever after, so that nothing depends on the
// caller's coming back. It ends with ctx.
func (p *Payments) KeepReconciling(ctx context.Context) {
	if p.url == "" {
		return
	}
	for {
		// Told before and after: asking may take long, and may resolve it.
		for _, do := range []func(context.Context) error{p.tell, p.Reconcile, p.tell} {
			if err := do(ctx); err != nil && ctx.Err() == nil {
				slog.Warn("reconciling failed", "error", err)
			}
		}
		if sleep(ctx, p.store.lease/2) != nil {
			return
		}
	}
}

// orphans bounds what is reconciled in one round.
const orphans = 100

// Reconcile takes over every intent whose owner is silent, and settles it. What
// the provider may have forgotten is left to a person.
func (p *Payments) Reconcile(ctx context.Context) error {
	rows, err := p.store.db.QueryContext(ctx, p.store.sql(`SELECT caller, idempotency_key
		FROM idempotency_keys
		WHERE expires_at IS NULL AND intent IS NOT NULL AND lease_until <= `+p.store.now+` AND created_at > `+p.store.now+` - ?
		ORDER BY lease_until LIMIT ?`), p.remember.Milliseconds(), orphans)
	if err != nil {
		return err
	}
	var found []Claim
	for rows.Next() {
		var c Claim
		if err = rows.Scan(&c.Caller, &c.Key); err != nil {
			break
		}
		found = append(found, c)
	}
	if err = errors.Join(err, rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, c := range found {
		err := p.store.transaction(ctx, func(tx *sql.Tx) (err error) { c, err = p.store.inherit(ctx, tx, c.Caller, c.Key); return err })
		if errors.Is(err, errLost) || errors.Is(err, errInFlight) {
			continue // a retry, or another replica, came first
		}
		var answer Answer
		if err == nil {
			answer, err = p.settle(ctx, c)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		slog.Info("reconciled", "status", answer.Status, "error", err)
	}
	return nil
}

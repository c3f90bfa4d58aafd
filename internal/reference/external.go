package reference

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

// effectTime bounds one call of the other service.
const effectTime = 10 * time.Second

// effectClient calls the other service: no redirects, no proxy, and no kept
// connections, on which net/http would send a request again by itself.
func effectClient() *http.Client {
	return &http.Client{
		Timeout:       effectTime,
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// elsewhere has the other service move the money. What is about to happen is
// recorded first, with the payment's id, from which the other service's
// idempotency key is derived: whoever finishes the operation, after a crash
// too, asks for the same effect with the same key.
func (s *Service) elsewhere(ctx context.Context, rec Record, p Payment) (Outcome, error) {
	if s.options.EffectURL == "" {
		return Outcome{}, errUnknown // recorded by a start that had the other service
	}
	if rec.Intent == nil {
		if err := s.store.Intend(ctx, rec.Lease, marshal(p)); err != nil {
			return Outcome{}, err
		}
	}
	status, err := s.callEffect(ctx, EffectKey(rec.Lease.ID, p.ID), p)
	switch {
	case err != nil:
		s.options.Log.Warn("effect not answered", "error", err)
		return Outcome{}, errUnknown
	case status >= 200 && status < 300:
		return p.made(), nil
	case definite(status):
		return Outcome{Answer: Refuse(402, "effect-refused", "the other service refused the effect")}, nil
	}
	return Outcome{}, errUnknown
}

// EffectKey is the idempotency key of a payment's effect at the other service.
func EffectKey(record, payment string) string { return digest("effect/1", record, payment)[:40] }

// definite says whether a status means that the effect will never happen.
// Refusals that pass by themselves, and redirects and failures that say
// nothing of the effect, do not.
func definite(status int) bool {
	switch status {
	case 408, 409, 421, 423, 425, 429:
		return false
	}
	return status >= 400 && status < 500
}

func (s *Service) callEffect(ctx context.Context, key string, p Payment) (int, error) {
	body := marshal(struct {
		PaymentID string `json:"payment_id"`
		Kind      string `json:"kind"`
		OrderID   string `json:"order_id"`
		Amount    int64  `json:"amount"`
		Currency  string `json:"currency"`
	}{p.ID, p.Kind, p.OrderID, p.Amount, p.Currency})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.options.EffectURL, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
	return resp.StatusCode, nil
}

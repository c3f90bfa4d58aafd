package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// newClient asks the provider itself, and what it answers is the answer.
func newClient(timeout time.Duration) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	// What HTTP_PROXY names would see every charge, and might send one again, or
	// answer with what it keeps.
	transport.Proxy = nil
	return &http.Client{
		Timeout:       timeout,
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// charge asks the provider once, and gives the charge's ID. Only an answer that
// says so is an outcome: 2xx that it was made, 400, 402 and 422 that it will never
// be, and those only to the first who ever asks, or as what the provider recorded:
// "already paid" to a later one says that an earlier one was charged. All else says
// nothing of it: a timeout least of all.
func (p *Payments) charge(ctx context.Context, in intent, first bool) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader([]byte(in.Body)))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", in.Key)
	resp, err := p.client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusBadRequest, http.StatusPaymentRequired, http.StatusUnprocessableEntity:
		if first || resp.Header.Get("Idempotent-Replayed") == "true" {
			return "", errDeclined
		}
	}
	if resp.StatusCode/100 != 2 {
		return "", fmt.Errorf("the provider answered %d, which says nothing", resp.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return "", err
	}
	id, ok := chargeID(text)
	if !ok {
		return "", fmt.Errorf("the provider answered %d without an id that can be kept: it may have charged", resp.StatusCode)
	}
	return id, nil
}

const (
	maxAnswer   = 1 << 20 // bytes of the provider's
	maxChargeID = 255     // characters: the column's
)

// chargeID reads the ID of a charge out of one JSON object. One that no database
// keeps as it is, such as one with a NUL in it, is none: cut to size or mended it
// would be the ID of another charge, or of none.
func chargeID(text []byte) (id string, ok bool) {
	var members map[string]json.RawMessage // whose names are as they are: a struct's field takes "ID" for "id"
	if len(text) > maxAnswer || !utf8.Valid(text) || json.Unmarshal(text, &members) != nil || json.Unmarshal(members["id"], &id) != nil {
		return "", false
	}
	odd := strings.ContainsFunc(id, func(r rune) bool {
		return r < 0x20 || r == 0x7f || r == utf8.RuneError // which half a surrogate pair is read as
	})
	return id, id != "" && utf8.RuneCountInString(id) <= maxChargeID && !odd
}

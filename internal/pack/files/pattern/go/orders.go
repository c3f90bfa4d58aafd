package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// Order is what is made: by a checkout alone, or with a charge at the payment
// provider.
type Order struct {
	ID          string `json:"id"`
	Tenant      string `json:"tenant"`
	CartID      string `json:"cart_id"`
	CartVersion int64  `json:"cart_version"`
	Amount      int64  `json:"amount"`
	Currency    string `json:"currency"`
	ChargeID    string `json:"charge_id,omitempty"`
	Created     string `json:"created"` // RFC 3339

	Caller string `json:"-"`
}

func newOrder(r Request) Order {
	c := r.Checkout
	return Order{
		ID: "ord_" + strings.ToLower(rand.Text()), Caller: r.Caller,
		Tenant: c.Tenant, CartID: c.Cart.ID, CartVersion: c.Cart.Version, Amount: c.Amount, Currency: c.Currency,
		Created: time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
	}
}

// made is the answer to whoever made the order.
func (o Order) made() Answer {
	body, _ := json.Marshal(o) // texts and numbers always have a form
	return Answer{Status: http.StatusCreated, ContentType: "application/json", Location: "/v1/orders/" + o.ID, Body: string(body)}
}

// insertOrder makes an order.
func (s *Store) insertOrder(ctx context.Context, tx *sql.Tx, o Order) error {
	created, err := time.Parse(time.RFC3339, o.Created)
	if err != nil {
		return err
	}
	_, err = s.exec(ctx, tx, `INSERT INTO orders
		(id, caller, tenant, cart_id, cart_version, amount, currency, charge_id, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		o.ID, o.Caller, o.Tenant, o.CartID, o.CartVersion, o.Amount, o.Currency,
		sql.NullString{String: o.ChargeID, Valid: o.ChargeID != ""}, created.UnixMilli())
	return err
}

// maxOrders bounds a list.
const maxOrders = 1000

// orders reads orders by a column: id or cart_id.
func (s *Store) orders(ctx context.Context, column, value string) ([]Order, error) {
	rows, err := s.db.QueryContext(ctx, s.sql(`SELECT id, caller, tenant, cart_id, cart_version, amount, currency,
		coalesce(charge_id, ''), created_at FROM orders WHERE `+column+` = ? ORDER BY created_at, id LIMIT ?`), value, maxOrders)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []Order{}
	for rows.Next() {
		var o Order
		var created int64
		err := rows.Scan(&o.ID, &o.Caller, &o.Tenant, &o.CartID, &o.CartVersion, &o.Amount, &o.Currency, &o.ChargeID, &created)
		if err != nil {
			return nil, err
		}
		o.Created = time.UnixMilli(created).UTC().Format("2006-01-02T15:04:05.000Z")
		list = append(list, o)
	}
	return list, rows.Err()
}

package reference

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

func insertPayment(ctx context.Context, tx *transaction, p Payment) error {
	_, err := tx.exec(ctx, `INSERT INTO payments
		(id, kind, caller, order_id, amount, currency, doc, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		p.ID, p.Kind, p.Caller, p.OrderID, p.Amount, p.Currency, []byte(p.Doc), p.Created.UnixMicro())
	return err
}

func insertEffect(ctx context.Context, tx *transaction, e Effect) error {
	_, err := tx.exec(ctx, `INSERT INTO effects
		(id, kind, order_id, amount, currency, payment_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		e.ID, e.Kind, e.OrderID, e.Amount, e.Currency, e.PaymentID, e.Created.UnixMicro())
	return err
}

const paymentColumns = `id, kind, caller, order_id, amount, currency, doc, created_at`

// Payments lists a caller's payments for an order.
func (s *sqlStore) Payments(ctx context.Context, kind, caller, order string, limit int) (list []Payment, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		list, err = all(ctx, s.read, scanPayment, `SELECT `+paymentColumns+` FROM payments
			WHERE kind = $1 AND caller = $2 AND order_id = $3 ORDER BY created_at, id LIMIT $4`,
			kind, caller, order, limit)
		return err
	})
	return list, err
}

// Payment reads one.
func (s *sqlStore) Payment(ctx context.Context, kind, caller, id string) (p Payment, found bool, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		p, err = one(ctx, s.read, scanPayment, `SELECT `+paymentColumns+` FROM payments
			WHERE id = $1 AND kind = $2 AND caller = $3`, id, kind, caller)
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return Payment{}, false, nil
	}
	return p, err == nil, err
}

func scanPayment(columns row) (Payment, error) {
	var p Payment
	var doc []byte
	var created int64
	err := columns.Scan(&p.ID, &p.Kind, &p.Caller, &p.OrderID, &p.Amount, &p.Currency, &doc, &created)
	p.Doc, p.Created = doc, time.UnixMicro(created).UTC()
	return p, err
}

// Effects lists the movements of money for an order.
func (s *sqlStore) Effects(ctx context.Context, order string, limit int) (list []Effect, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		list, err = all(ctx, s.read, scanEffect, `
			SELECT id, kind, order_id, amount, currency, payment_id, created_at FROM effects
			WHERE order_id = $1 ORDER BY created_at, id LIMIT $2`, order, limit)
		return err
	})
	return list, err
}

func scanEffect(columns row) (Effect, error) {
	var e Effect
	var created int64
	err := columns.Scan(&e.ID, &e.Kind, &e.OrderID, &e.Amount, &e.Currency, &e.PaymentID, &created)
	e.Created = time.UnixMicro(created).UTC()
	return e, err
}

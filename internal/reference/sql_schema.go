package reference

import (
	"context"
	"strings"

	"github.com/idem-toolkit/idem/internal/problem"
)

// schemaVersion is refused if the database has another.
const schemaVersion = 1

// tables are the reference's own; a database that has one of these names
// already, made by somebody else, is refused.
var tables = []string{"idempotency_keys", "payments", "effects"}

// schema makes the tables. Times are microseconds since 1970. Texts from
// requests are kept as bytes where they may hold what a text column may not.
var schema = []string{
	`CREATE TABLE idempotency_keys (
		id          TEXT PRIMARY KEY, -- digest of scope and key: the unique constraint
		key         TEXT NOT NULL,
		caller      TEXT NOT NULL,
		method      TEXT NOT NULL,
		path        TEXT NOT NULL,
		query       TEXT NOT NULL,
		fingerprint TEXT NOT NULL,
		state       TEXT NOT NULL CHECK (state IN ('in_progress', 'succeeded', 'failed')),
		status      BIGINT,
		header      BLOB,
		body        BLOB,
		intent      BLOB,
		owner       TEXT NOT NULL,
		generation  BIGINT NOT NULL,
		lease_until BIGINT NOT NULL,
		created_at  BIGINT NOT NULL,
		expires_at  BIGINT NOT NULL,
		awaited     BIGINT NOT NULL DEFAULT 0,
		CHECK ((state = 'in_progress') = (status IS NULL))
	)`,
	`CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at)`,
	`CREATE INDEX idempotency_keys_intent ON idempotency_keys (lease_until) WHERE intent IS NOT NULL`,
	`CREATE TABLE payments (
		id         TEXT PRIMARY KEY,
		kind       TEXT NOT NULL,
		caller     TEXT NOT NULL,
		order_id   TEXT NOT NULL,
		amount     BIGINT NOT NULL,
		currency   TEXT NOT NULL,
		doc        BLOB NOT NULL,
		created_at BIGINT NOT NULL
	)`,
	`CREATE INDEX payments_order ON payments (kind, caller, order_id)`,
	`CREATE TABLE effects (
		id         TEXT PRIMARY KEY,
		kind       TEXT NOT NULL,
		order_id   TEXT NOT NULL,
		amount     BIGINT NOT NULL,
		currency   TEXT NOT NULL,
		payment_id TEXT NOT NULL,
		created_at BIGINT NOT NULL
	)`,
	`CREATE INDEX effects_order ON effects (order_id)`,
	`CREATE TABLE reference_meta (version BIGINT NOT NULL, offset_us BIGINT NOT NULL)`,
}

// prepare makes the tables where there are none, once however many replicas
// start at the same time.
func (s *sqlStore) prepare(ctx context.Context) error {
	return s.transact(ctx, func(ctx context.Context, tx *transaction) error {
		if s.dialect.lockSchema != "" {
			if _, err := tx.ExecContext(ctx, s.dialect.lockSchema); err != nil {
				return err
			}
		}
		if made, err := s.exists(ctx, tx, "reference_meta"); err != nil || made {
			return checkVersion(ctx, tx, err)
		}
		for _, table := range tables {
			if taken, err := s.exists(ctx, tx, table); err != nil {
				return err
			} else if taken {
				return problem.New("--store", "the database has a table %s that is not the reference service's", table).
					WithHint("give it a database of its own")
			}
		}
		for _, statement := range schema {
			if _, err := tx.ExecContext(ctx, strings.ReplaceAll(statement, " BLOB", " "+s.dialect.blob)); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO reference_meta (version, offset_us) VALUES ($1, 0)`, schemaVersion)
		return err
	})
}

func (s *sqlStore) exists(ctx context.Context, tx *transaction, table string) (bool, error) {
	return one(ctx, tx, value[bool], s.dialect.tableExists, table)
}

func checkVersion(ctx context.Context, tx *transaction, err error) error {
	if err != nil {
		return err
	}
	version, err := one(ctx, tx, value[int], `SELECT version FROM reference_meta`)
	if err != nil {
		return err
	}
	if version != schemaVersion {
		return problem.New("--store", "the database was made by another version of the reference service (%d, this is %d)",
			version, schemaVersion).WithHint("give it a new database")
	}
	return nil
}

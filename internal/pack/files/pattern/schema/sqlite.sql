-- Idempotency keys and what they guard, for SQLite 3.37 and later.
--
--   sqlite3 pattern.db < schema/sqlite.sql
--
-- The service does the same when it starts. Applied again it changes nothing.
-- Times are milliseconds since 1970 by the database's own clock, as in the
-- schemas for servers.

CREATE TABLE IF NOT EXISTS idempotency_keys (
  caller          TEXT    NOT NULL,  -- a digest of the credentials: never the credentials
  idempotency_key TEXT    NOT NULL,  -- as the caller sent it
  fingerprint     TEXT    NOT NULL,  -- SHA-256 of method, path and RFC 8785 body
  owner           TEXT    NOT NULL,  -- drawn anew by each claim: only the last one may finish (fencing)
  lease_until     INTEGER NOT NULL,  -- until then nobody else takes the operation over
  intent          TEXT,              -- what is about to be asked of another service, before it is asked
  created_at      INTEGER NOT NULL,
  -- The result. All of it comes at once, or none: what is pending has none.
  status          INTEGER,
  content_type    TEXT,
  location        TEXT,
  body            TEXT,
  expires_at      INTEGER,           -- the result's time and the retention

  -- The guard of all the others: of two claims that come at once, one fails.
  PRIMARY KEY (caller, idempotency_key),
  CONSTRAINT key_length CHECK (length(idempotency_key) BETWEEN 1 AND 255),
  CONSTRAINT key_with_result CHECK ((status IS NULL) = (expires_at IS NULL) AND (status IS NULL) = (body IS NULL))
) STRICT;

-- For the sweep, and for what is pending: there expires_at is NULL.
CREATE INDEX IF NOT EXISTS idempotency_keys_over ON idempotency_keys (expires_at, lease_until);

-- UNRESOLVED. What a person may have to look up at the provider: payments of which
-- nobody knows what became, and whose owner is silent. They are asked again until
-- PROVIDER_RETENTION is over, and after that only looked up, by the key in the
-- intent. The oldest first:
--
--   SELECT created_at, lease_until, caller, idempotency_key, intent
--   FROM idempotency_keys
--   WHERE expires_at IS NULL AND intent IS NOT NULL
--     AND lease_until <= CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
--   ORDER BY created_at

-- What the operations make. Nothing here is unique but the id: that an order is
-- made once is the work of the key, and shows when the key fails to do it.
CREATE TABLE IF NOT EXISTS orders (
  id           TEXT    NOT NULL PRIMARY KEY,
  caller       TEXT    NOT NULL,
  tenant       TEXT    NOT NULL,
  cart_id      TEXT    NOT NULL,
  cart_version INTEGER NOT NULL,
  amount       INTEGER NOT NULL,  -- minor units
  currency     TEXT    NOT NULL,
  charge_id    TEXT,              -- of the payment provider; none for a checkout
  created_at   INTEGER NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS orders_of_cart ON orders (cart_id);

-- SWEEP. It keeps the table bounded: without it every key would stay for ever.
-- The service runs it every few seconds. A thousand keys at a time keep no
-- writer waiting for long. What is pending has no expires_at and is never swept.
DELETE FROM idempotency_keys WHERE rowid IN (
  SELECT rowid FROM idempotency_keys
  WHERE expires_at <= CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
  ORDER BY expires_at LIMIT 1000
);

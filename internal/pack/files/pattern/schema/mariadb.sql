-- Idempotency keys and what they guard, for MariaDB 10.5 and later.
--
--   mariadb --database=shop < schema/mariadb.sql
--
-- The service does the same when it starts. Applied again it changes nothing.
-- Times are milliseconds since 1970 by the database's own clock, so that
-- replicas whose clocks differ agree on what is over. They are reckoned from UTC:
-- local time, which UNIX_TIMESTAMP(NOW()) goes by, has an hour twice each autumn.
--
-- Keys are compared byte by byte: the usual collations would take "a" and "A",
-- or "a" and "a ", for one key. InnoDB is named because other engines take a
-- transaction and do not keep it.

CREATE TABLE IF NOT EXISTS idempotency_keys (
  caller          CHAR(64)     CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,  -- a digest of the credentials: never the credentials
  idempotency_key VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,  -- as the caller sent it
  fingerprint     CHAR(64)     CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,  -- SHA-256 of method, path and RFC 8785 body
  owner           VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,  -- drawn anew by each claim: only the last one may finish (fencing)
  lease_until     BIGINT       NOT NULL,  -- until then nobody else takes the operation over
  intent          MEDIUMTEXT,             -- what is about to be asked of another service, before it is asked
  created_at      BIGINT       NOT NULL,
  -- The result. All of it comes at once, or none: what is pending has none.
  status          INTEGER,
  content_type    VARCHAR(255),
  location        VARCHAR(255),
  body            MEDIUMTEXT,
  expires_at      BIGINT,                 -- the result's time and the retention

  -- The guard of all the others: of two claims that come at once, one fails.
  PRIMARY KEY (caller, idempotency_key),
  -- For the sweep, and for what is pending: there expires_at is NULL.
  INDEX idempotency_keys_over (expires_at, lease_until),
  CONSTRAINT key_length CHECK (length(idempotency_key) BETWEEN 1 AND 255),
  CONSTRAINT key_with_result CHECK ((status IS NULL) = (expires_at IS NULL) AND (status IS NULL) = (body IS NULL))
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- UNRESOLVED. What a person may have to look up at the provider: payments of which
-- nobody knows what became, and whose owner is silent. They are asked again until
-- PROVIDER_RETENTION is over, and after that only looked up, by the key in the
-- intent. The oldest first:
--
--   SELECT created_at, lease_until, caller, idempotency_key, intent
--   FROM idempotency_keys
--   WHERE expires_at IS NULL AND intent IS NOT NULL
--     AND lease_until <= TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
--   ORDER BY created_at

-- What the operations make. Nothing here is unique but the id: that an order is
-- made once is the work of the key, and shows when the key fails to do it.
CREATE TABLE IF NOT EXISTS orders (
  id           VARCHAR(64)  NOT NULL PRIMARY KEY,
  caller       CHAR(64)     NOT NULL,
  tenant       VARCHAR(64)  NOT NULL,
  cart_id      VARCHAR(64)  NOT NULL,
  cart_version BIGINT       NOT NULL,
  amount       BIGINT       NOT NULL,  -- minor units
  currency     CHAR(3)      NOT NULL,
  charge_id    VARCHAR(255),           -- of the payment provider; none for a checkout
  created_at   BIGINT       NOT NULL,
  INDEX orders_of_cart (cart_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- SWEEP. It keeps the table bounded: without it every key would stay for ever.
-- The service runs it every few seconds; a scheduler may as well. A thousand
-- keys at a time hold no lock for long. What is pending has no expires_at and is
-- never swept.
--
-- It locks what it finds by the index first and the row after it, a request the
-- row first: so that neither ever waits for the other in a circle, it waits for
-- nobody. Where a request holds one of the rows it fails with error 1205 and has
-- deleted nothing: the next run deletes them. DELETE knows no SKIP LOCKED here,
-- and what a DELETE reads by a subquery it locks as well.
SET STATEMENT innodb_lock_wait_timeout = 0 FOR
DELETE FROM idempotency_keys
WHERE expires_at <= TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000
ORDER BY expires_at LIMIT 1000;

package pack_test

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// The schema of the pattern on each database that it is written for, without
// the pattern: what the tables refuse by themselves, and what the sweep leaves.

// schemaOn is one of the databases.
type schemaOn struct {
	file  string
	open  func(t *testing.T) *sql.DB
	now   string // milliseconds since 1970, by the database's clock
	claim string // inserts a key that is pending
	done  string // inserts a key whose result is over, by milliseconds from now
}

const (
	keyColumns  = "INSERT INTO idempotency_keys (caller, idempotency_key, fingerprint, owner, lease_until, created_at"
	claimedRow  = keyColumns + ") VALUES ('c', ?, 'f', 'o', 0, 0)"
	finishedRow = keyColumns + ", status, content_type, body, expires_at) SELECT 'c', ?, 'f', 'o', 0, 0, 201, 'application/json', '{}', "
)

var schemas = map[string]schemaOn{
	"sqlite":   {file: "sqlite.sql", open: openSQLite, now: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"},
	"postgres": {file: "postgres.sql", open: openPostgres, now: "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"},
	"mariadb":  {file: "mariadb.sql", open: func(t *testing.T) *sql.DB { return testneed.OpenMariaDB(t, testneed.MariaDB(t)) }, now: "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)"},
}

func openSQLite(t *testing.T) *sql.DB {
	file := url.PathEscape(filepath.ToSlash(filepath.Join(t.TempDir(), "keys.db")))
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func openPostgres(t *testing.T) *sql.DB {
	db, err := sql.Open("pgx", testneed.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// parts gives a schema's statements, the sweep apart. No text in them holds a
// semicolon at a line's end.
func parts(t *testing.T, file string) (tables []string, sweep string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("files", "pattern", "schema", file))
	if err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(b), "\n-- SWEEP.")
	if !found {
		t.Fatalf("%s has no sweep", file)
	}
	_, after, _ = strings.Cut(after, "\n")
	return strings.SplitAfter(strings.TrimSpace(before), ";\n"), after
}

func eachSchema(t *testing.T, test func(t *testing.T, s schemaOn, db *sql.DB, sweep func() int64)) {
	for name, s := range schemas {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := s.open(t)
			tables, sweep := parts(t, s.file)
			apply := func() {
				for _, statement := range tables {
					must(t, db, statement)
				}
			}
			apply()
			s.claim, s.done = claimedRow, finishedRow+s.now+" + ?"
			if name == "postgres" {
				s.claim, s.done = numbered(s.claim), numbered(s.done)
			}
			must(t, db, s.claim, "kept")
			apply() // does no harm
			if n := count(t, db, "idempotency_keys"); n != 1 {
				t.Fatalf("applied again, the schema leaves %d keys of 1", n)
			}
			must(t, db, "DELETE FROM idempotency_keys")
			test(t, s, db, func() int64 { return must(t, db, sweep) })
		})
	}
}

// numbered writes ? as PostgreSQL does.
func numbered(query string) string {
	for n := 1; strings.Contains(query, "?"); n++ {
		query = strings.Replace(query, "?", "$"+strconv.Itoa(n)+"::"+[]string{"text", "bigint"}[n-1], 1)
	}
	return query
}

func must(t *testing.T, db *sql.DB, statement string, args ...any) int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	result, err := db.ExecContext(ctx, statement, args...)
	if err != nil {
		t.Fatalf("%v: %s", err, statement)
	}
	n, _ := result.RowsAffected()
	return n
}

func refused(t *testing.T, db *sql.DB, what, statement string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement, args...); err == nil {
		t.Errorf("%s is taken", what)
	}
}

func count(t *testing.T, db *sql.DB, table string) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestOfClaimsAtOnceOneIsTaken: each over a connection of its own, all in a
// transaction that is open when the others come.
func TestOfClaimsAtOnceOneIsTaken(t *testing.T) {
	eachSchema(t, func(t *testing.T, s schemaOn, db *sql.DB, _ func() int64) {
		const claims = 8
		var taken, lost int
		var lock sync.Mutex
		var all sync.WaitGroup
		for range claims {
			all.Go(func() {
				tx, err := db.BeginTx(t.Context(), nil)
				if err == nil {
					if _, err = tx.Exec(s.claim, "k"); err == nil {
						time.Sleep(20 * time.Millisecond)
						err = tx.Commit()
					} else {
						tx.Rollback()
					}
				}
				lock.Lock()
				defer lock.Unlock()
				if err == nil {
					taken++
				} else {
					lost++
				}
			})
		}
		all.Wait()
		if taken != 1 || lost != claims-1 {
			t.Errorf("%d claims taken, %d refused", taken, lost)
		}
		must(t, db, strings.Replace(s.claim, "'c'", "'another caller'", 1), "k")
	})
}

// TestKeysAreComparedByteByByte, as their callers do.
func TestKeysAreComparedByteByByte(t *testing.T) {
	eachSchema(t, func(t *testing.T, s schemaOn, db *sql.DB, _ func() int64) {
		for _, key := range []string{"key", "KEY", "key ", " key", strings.Repeat("k", 255)} {
			must(t, db, s.claim, key)
		}
		refused(t, db, "a key twice", s.claim, "key")
		refused(t, db, "an empty key", s.claim, "")
		refused(t, db, "a key of 256 characters", s.claim, strings.Repeat("k", 256))
	})
}

// TestAKeyWithHalfAResultIsRefused: status, body and end come together.
func TestAKeyWithHalfAResultIsRefused(t *testing.T) {
	eachSchema(t, func(t *testing.T, s schemaOn, db *sql.DB, _ func() int64) {
		must(t, db, s.claim, "k")
		for _, half := range []string{"status = 201", "status = 201, body = '{}'", "status = 201, expires_at = 1", "expires_at = 1", "body = '{}'", "body = '{}', expires_at = 1"} {
			refused(t, db, half, "UPDATE idempotency_keys SET "+half)
		}
		must(t, db, "UPDATE idempotency_keys SET status = 201, body = '{}', expires_at = 1")
	})
}

// TestTheClockIsNoPlacesOwn: it tells the same, whatever the time zone of who
// asks.
func TestTheClockIsNoPlacesOwn(t *testing.T) {
	zones := map[string]string{"postgres.sql": "SET TIME ZONE 'Europe/Berlin'", "mariadb.sql": "SET time_zone = '+05:45'", "sqlite.sql": "SELECT 1"}
	eachSchema(t, func(t *testing.T, s schemaOn, db *sql.DB, _ func() int64) {
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.ExecContext(t.Context(), zones[s.file]); err != nil {
			t.Fatal(err)
		}
		var now int64
		if err := conn.QueryRowContext(t.Context(), "SELECT "+s.now).Scan(&now); err != nil {
			t.Fatal(err)
		}
		if off := time.Since(time.UnixMilli(now)).Abs(); off > time.Minute {
			t.Errorf("it is %s off", off)
		}
	})
}

// TestTheSweepDeletesWhatIsOverAlone, at most a thousand keys at a time.
func TestTheSweepDeletesWhatIsOverAlone(t *testing.T) {
	eachSchema(t, func(t *testing.T, s schemaOn, db *sql.DB, sweep func() int64) {
		must(t, db, s.claim, "pending since 1970")
		must(t, db, s.done, "over in a minute", 60_000)
		must(t, db, s.done, "over just now", 0)
		must(t, db, s.done, "over for a minute", -60_000)
		if n := sweep(); n != 2 {
			t.Errorf("%d keys swept, 2 were over", n)
		}
		if n := count(t, db, "idempotency_keys WHERE idempotency_key IN ('pending since 1970', 'over in a minute')"); n != 2 {
			t.Errorf("%d of 2 are left", n)
		}
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		for i := range 1002 {
			if _, err := tx.Exec(s.done, "k"+strconv.Itoa(i), -1); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if first, second := sweep(), sweep(); first != 1000 || second != 2 {
			t.Errorf("swept %d, then %d", first, second)
		}
	})
}

// TestTheTableStaysBounded: however many keys come, those stay that are not
// over.
func TestTheTableStaysBounded(t *testing.T) {
	eachSchema(t, func(t *testing.T, s schemaOn, db *sql.DB, sweep func() int64) {
		most := 0
		for i := range 400 {
			must(t, db, s.done, strconv.Itoa(i), 50)
			if i%20 == 0 {
				sweep()
				most = max(most, count(t, db, "idempotency_keys"))
				time.Sleep(10 * time.Millisecond)
			}
		}
		if most > 300 {
			t.Errorf("%d keys of 400 stood in the table at once", most)
		}
		time.Sleep(60 * time.Millisecond)
		sweep()
		if n := count(t, db, "idempotency_keys"); n != 0 {
			t.Errorf("%d keys stay", n)
		}
	})
}

package effect

import (
	"context"
	"database/sql"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/testneed"
)

const schema = `CREATE TABLE charges (id INTEGER PRIMARY KEY, order_id TEXT NOT NULL, ref INTEGER, amount NUMERIC)`

func sqlEffects(query string, args ...string) *contract.Effects {
	e := &contract.Effects{Kind: contract.BySQL}
	e.SQL.DSNEnv, e.SQL.Query, e.SQL.Args = "COUNTER_DSN", query, args
	return e
}

func withDSN(t *testing.T, dsn string) World {
	w := world(t, "")
	w.LookupEnv = func(name string) (string, bool) { return dsn, name == "COUNTER_DSN" }
	return w
}

// database makes a table with two charges of o-1 and one of o-2.
func database(t *testing.T, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, statement := range []string{schema,
		`INSERT INTO charges VALUES (1, 'o-1', 17, 1.5), (2, 'o-1', 17, 2.5), (3, 'o-2', 4, 7)`} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func sqliteFile(t *testing.T) (string, *sql.DB) {
	path := filepath.Join(t.TempDir(), "a db #1?.db")
	db := database(t, "sqlite", "file:"+strings.NewReplacer("#", "%23", "?", "%3f", " ", "%20").Replace(path)+"?_pragma=journal_mode(WAL)")
	return path, db
}

func TestSQLCounts(t *testing.T) {
	path, lite := sqliteFile(t)
	databases := map[string]func(*testing.T) (string, *sql.DB){
		"sqlite":   func(*testing.T) (string, *sql.DB) { return path, lite },
		"postgres": func(t *testing.T) (string, *sql.DB) { dsn := testneed.Postgres(t); return dsn, database(t, "pgx", dsn) },
	}
	for name, at := range databases {
		t.Run(name, func(t *testing.T) {
			dsn, db := at(t)
			w := withDSN(t, dsn)
			count := open(t, w, sqlEffects("SELECT count(*) FROM charges WHERE order_id = $1", "/order_id"))
			wants(t, count, order, 2)
			wants(t, count, Subject{Values: map[string]string{"/order_id": "' OR '1'='1"}}, 0)
			if _, err := db.Exec(`INSERT INTO charges VALUES (4, 'o-1', 17, 1)`); err != nil {
				t.Fatal(err)
			}
			wants(t, count, order, 3)
			wants(t, open(t, w, sqlEffects("SELECT count(*) FROM charges WHERE ref = $2 AND order_id = $1", "/order_id", "/ref")), order, 3)
			wants(t, open(t, w, sqlEffects("SELECT count(*) FROM charges")), order, 4)
			wants(t, open(t, w, sqlEffects("SELECT sum(amount) FROM charges WHERE order_id <> 'x'")), order, 12)
			refuses(t, count, Subject{}, "/order_id")

			for query, words := range map[string]string{
				"SELECT id FROM charges":                     "more than one row",
				"SELECT id FROM charges WHERE id = 99":       "no row",
				"SELECT id, ref FROM charges WHERE id = 1":   "2 columns",
				"SELECT max(ref) FROM charges WHERE id = 99": "null",
				"SELECT -1": "negative",
				"SELECT amount FROM charges WHERE id = 1":               "fractional",
				"SELECT order_id FROM charges WHERE id = 1":             "not a number",
				"SELECT count(*) FROM refunds":                          "refunds",
				"SELEC 1":                                               "counter's query",
				"DELETE FROM charges RETURNING 1":                       "counter's query",
				"INSERT INTO charges VALUES (9, 'x', 1, 1) RETURNING 1": "counter's query",
				"UPDATE charges SET ref = 1 WHERE id = 1 RETURNING 1":   "counter's query",
				"CREATE TABLE more (x INTEGER)":                         "counter's query",
			} {
				refuses(t, open(t, w, sqlEffects(query)), order, words)
			}
			wants(t, count, order, 3)

			if _, err := db.Exec(`DROP TABLE charges`); err != nil {
				t.Fatal(err)
			}
			refuses(t, count, order, "charges")
			if _, err := db.Exec(strings.Replace(schema, "id INTEGER PRIMARY KEY, ", "", 1)); err != nil {
				t.Fatal(err)
			}
			wants(t, count, order, 0)
		})
	}
}

func TestSQLiteForms(t *testing.T) {
	path, _ := sqliteFile(t)
	escaped := strings.NewReplacer("#", "%23", "?", "%3f", " ", "%20").Replace(path)
	for _, dsn := range []string{path, "sqlite:" + path, "sqlite://" + path, "sqlite3://" + path, "file:" + escaped, "file://" + escaped + "?mode=ro"} {
		wants(t, open(t, withDSN(t, dsn), sqlEffects("SELECT count(*) FROM charges WHERE order_id = ?", "/order_id")), order, 2)
	}
}

func TestSQLiteFileIsNeverMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s3cr3t.db")
	refuses(t, open(t, withDSN(t, path), sqlEffects("SELECT 1")), order, "unable to open")
	if _, err := os.Stat(path); err == nil {
		t.Error("the file was made")
	}
}

// A service may make its file anew; what the old one held is no count.
func TestSQLiteFileIsReplaced(t *testing.T) {
	path, db := sqliteFile(t)
	c := open(t, withDSN(t, path), sqlEffects("SELECT count(*) FROM charges"))
	wants(t, c, order, 3)
	db.Close()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		os.Remove(path + suffix)
	}
	escaped := strings.NewReplacer("#", "%23", "?", "%3f", " ", "%20").Replace(path)
	fresh, err := sql.Open("sqlite", "file:"+escaped)
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	if _, err := fresh.Exec(schema); err != nil {
		t.Fatal(err)
	}
	wants(t, c, order, 0)
}

func TestSQLRefusesToOpen(t *testing.T) {
	for name, dsn := range map[string]string{
		"unset":     "",
		"other":     "mysql://root:s3cr3t@127.0.0.1/db",
		"malformed": "postgres://user:s3cr3t@127.0.0.1:port/db",
		"bad words": "host=127.0.0.1 password=s3cr3t port=x",
		"memory":    ":memory:",
		"in memory": "file:s3cr3t?mode=memory",
		"bad URI":   "file:s3cr3t%zz",
		"bad query": "file:s3cr3t?a=%zz",
		"no path":   "sqlite:",
	} {
		_, err := NewSet(withDSN(t, dsn)).Open(sqlEffects("SELECT 1"))
		if err == nil {
			t.Errorf("%s: opened", name)
		} else if strings.Contains(err.Error()+problem.Hint(err), "s3cr3t") || !strings.Contains(err.Error(), "COUNTER_DSN") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := NewSet(withDSN(t, "postgres://u:s3cr3t@127.0.0.1/db")).Open(sqlEffects("SELECT count(*) FROM c WHERE id = ?", "/order_id"))
	if err == nil || !strings.Contains(problem.Hint(err), "$1") {
		t.Errorf("PostgreSQL with a question mark: %v", err)
	}
}

// What an unreachable database says names its user, host and database.
func TestPostgresUnreachable(t *testing.T) {
	w := withDSN(t, "postgres://s3cr3tuser:s3cr3t@127.0.0.1:1/s3cr3tdb")
	refuses(t, open(t, w, sqlEffects("SELECT 1")), order, "cannot connect to the database of COUNTER_DSN", "refused")
	w = withDSN(t, "host=127.0.0.1 port=1 user=s3cr3tuser password=s3cr3t")
	refuses(t, open(t, w, sqlEffects("SELECT 1")), order, "cannot connect")

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w = withDSN(t, "postgres://s3cr3tuser:s3cr3t@"+l.Addr().String()+"/s3cr3tdb?sslmode=disable")
	w.Timeout = 200 * time.Millisecond
	refuses(t, open(t, w, sqlEffects("SELECT 1")), order, "within 200ms")
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := open(t, w, sqlEffects("SELECT 1")).Count(ctx, order); err == nil || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("cancelled: %v", err)
	}
}

func TestPostgresRefusesTheUser(t *testing.T) {
	dsn := testneed.Postgres(t)
	at := strings.LastIndexByte(dsn, '/')
	nowhere := dsn[:at] + "/s3cr3tdb?sslmode=disable"
	refuses(t, open(t, withDSN(t, nowhere), sqlEffects("SELECT 1")), order, "SQLSTATE 3D000")
}

package main

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// dialect is what differs between the databases.
type dialect struct {
	schema     string // file
	now        string // milliseconds since 1970
	onConflict string // ends an INSERT that leaves a row alone that is there already
	forUpdate  string // ends a SELECT that locks its row
	numbered   bool   // parameters are $1, $2, … and not ?
	isolation  sql.IsolationLevel
	undone     func(error) bool // the transaction was rolled back, and may well pass when tried again
	blocked    func(error) bool // another transaction kept its row for longer than the patience
}

// Under READ COMMITTED a statement that had to wait for a row sees what became
// of it. A stricter level would fail there, and a SELECT without a lock see the
// past.
var postgres = dialect{
	schema: "postgres.sql", numbered: true, isolation: sql.LevelReadCommitted,
	now:        "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
	onConflict: "ON CONFLICT DO NOTHING",
	forUpdate:  "FOR UPDATE",
	undone:     func(err error) bool { return slices.Contains([]string{"40001", "40P01"}, postgresCode(err)) },
	blocked:    func(err error) bool { return postgresCode(err) == "55P03" }, // lock_not_available
}

// An update that changes nothing takes the row's lock at once. INSERT IGNORE
// takes a shared one first, on which two duplicates deadlock, and ignores other
// errors too.
var mariadb = dialect{
	schema: "mariadb.sql", isolation: sql.LevelReadCommitted,
	now:        "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)",
	onConflict: "ON DUPLICATE KEY UPDATE caller = caller",
	forUpdate:  "FOR UPDATE",
	undone:     func(err error) bool { return mariadbCode(err) == 1213 || mariadbCode(err) == 1020 }, // deadlock, record changed
	blocked:    func(err error) bool { return mariadbCode(err) == 1205 },                             // lock wait timeout
}

// SQLite has one writer at a time: BEGIN IMMEDIATE takes its place as the
// transaction begins, so that nothing read in it changes before it writes.
var sqliteFile = dialect{
	schema:     "sqlite.sql",
	now:        "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
	onConflict: "ON CONFLICT DO NOTHING",
	undone:     func(error) bool { return false },
	blocked: func(err error) bool {
		e, ok := errors.AsType[*sqlite.Error](err)
		return ok && e.Code()&0xff == sqlite3.SQLITE_BUSY
	},
}

func postgresCode(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

func mariadbCode(err error) uint16 {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return e.Number
	}
	return 0
}

const (
	connections = 20           // of one process to a server at most
	abandoned   = 2 * patience // after which a server ends a transaction whose owner's machine is gone
)

func openPostgres(address string) (*sql.DB, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, errors.New("DATABASE_URL is no address of a PostgreSQL database")
	}
	config.RuntimeParams["lock_timeout"] = strconv.FormatInt(patience.Milliseconds(), 10)
	config.RuntimeParams["idle_in_transaction_session_timeout"] = strconv.FormatInt(abandoned.Milliseconds(), 10)
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

func openMariaDB(address string) (*sql.DB, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("DATABASE_URL is no address of a MariaDB database")
	}
	config := mysql.NewConfig()
	config.Net, config.Addr, config.DBName = "tcp", u.Host, strings.TrimPrefix(u.Path, "/")
	if u.Port() == "" {
		config.Addr += ":3306"
	}
	config.User = u.User.Username()
	config.Passwd, _ = u.User.Password()
	// A mode that refuses what does not fit, where others cut it to size.
	config.Params = map[string]string{"sql_mode": "'TRADITIONAL'", "innodb_lock_wait_timeout": strconv.Itoa(int(patience.Seconds())),
		"idle_transaction_timeout": strconv.Itoa(int(abandoned.Seconds()))}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, errors.New("DATABASE_URL is no address of a MariaDB database")
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// openSQLite opens a file, which it makes for this user alone. Commits are on the disk when they return; other
// processes that have it open are waited for.
func openSQLite(file string) (*sql.DB, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	if path = filepath.ToSlash(path); path[0] != '/' {
		path = "/" + path // C:/…
	}
	made, err := os.OpenFile(file, os.O_RDONLY|os.O_CREATE, 0o600) // SQLite would let every user of the machine read it
	if err != nil {
		return nil, err
	}
	made.Close()
	query := fmt.Sprintf("_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate", patience.Milliseconds())
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+query)
	if err == nil {
		db.SetMaxOpenConns(1) // requests of this process wait their turn here
	}
	return db, err
}

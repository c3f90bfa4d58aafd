package reference

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/idem-toolkit/idem/internal/problem"
)

var sqliteDialect = dialect{
	blob:        "BLOB",
	tableExists: `SELECT count(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = $1`,
	transient: func(err error) bool {
		var e *sqlite.Error
		return errors.As(err, &e) && (e.Code()&0xff == sqlite3.SQLITE_BUSY || e.Code()&0xff == sqlite3.SQLITE_LOCKED)
	},
}

// sqliteReaders is the size of the pool that reads beside the one writer.
const sqliteReaders = 4

// OpenSQLite opens or makes a database file. Writes are durable when they
// return (WAL with synchronous=FULL), go through one connection, and take the
// write lock as they begin; reads go beside them.
func OpenSQLite(ctx context.Context, path string) (Store, error) {
	if path == "" {
		return nil, problem.New("--store", "sqlite: has no path").WithHint("--store sqlite:PATH, or --store sqlite:memory")
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, problem.New("--store", "the path cannot be made absolute")
	}
	// What is charged to whom is not for every user of the machine; the files
	// that SQLite puts beside take over the mode. It reports errors better.
	if f, err := os.OpenFile(absolute, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
		f.Close()
	}
	file := sqliteURI(filepath.ToSlash(absolute))
	write, err := sql.Open("sqlite", file+"&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	read, err := sql.Open("sqlite", file+"&_pragma=query_only(1)")
	if err != nil {
		write.Close()
		return nil, err
	}
	read.SetMaxOpenConns(sqliteReaders)
	read.SetMaxIdleConns(sqliteReaders)
	return ready(ctx, &sqlStore{write: newPool(write, true), read: newPool(read, true), dialect: sqliteDialect})
}

// sqliteURI escapes what a path may have and a URI may not; a drive letter
// gets the slash that SQLite wants before it.
func sqliteURI(path string) string {
	if path[0] != '/' {
		path = "/" + path
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?_pragma=busy_timeout(10000)"
}

// OpenMemory makes a database in memory, gone when it is closed. All use one
// connection; a second one, which does nothing, keeps the database alive should
// the pool replace the first.
func OpenMemory(ctx context.Context) (Store, error) {
	name := "file:/" + rand.Text() + "?vfs=memdb&_pragma=busy_timeout(10000)"
	anchor, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	held, err := anchor.Conn(ctx)
	if err != nil {
		anchor.Close()
		return nil, err
	}
	db, err := sql.Open("sqlite", name+"&_txlock=immediate")
	if err != nil {
		return nil, errors.Join(err, held.Close(), anchor.Close())
	}
	db.SetMaxOpenConns(1)
	only := newPool(db, true)
	return ready(ctx, &sqlStore{
		write: only, read: only, dialect: sqliteDialect, close: []func() error{held.Close, anchor.Close},
	})
}

// ready prepares a store, or closes it.
func ready(ctx context.Context, s *sqlStore) (Store, error) {
	if err := s.prepare(ctx); err != nil {
		s.Close()
		var known *problem.Error
		if errors.As(err, &known) {
			return nil, err
		}
		p := problem.New("--store", "the database cannot be opened: %s", err)
		p.Err = err
		return nil, p
	}
	return s, nil
}

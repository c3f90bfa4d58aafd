package effect

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
)

// bySQL asks a database, read-only. Its errors never show the data source:
// it may hold a password.
type bySQL struct {
	world  World
	source string // the variable that names the database
	db     *sql.DB
	query  string
	args   []string // JSON Pointers of fresh values
}

func openSQL(w World, e *contract.Effects) (Counter, error) {
	name := e.SQL.DSNEnv
	dsn, ok := "", false
	if w.LookupEnv != nil {
		dsn, ok = w.LookupEnv(name)
	}
	if !ok || dsn == "" {
		return nil, problem.New("", "the variable %s, which names the counter's database, is not set", name).
			WithHint("%s=postgres://user@127.0.0.1/name idem verify ...", name)
	}
	c := &bySQL{world: w, source: name, query: e.SQL.Query, args: e.SQL.Args}
	kind, rest := kindOf(dsn)
	var err error
	switch kind {
	case "postgres":
		c.db, err = openPostgres(rest)
		if err == nil && len(c.args) > 0 && !strings.Contains(c.query, "$1") {
			err = problem.New("", "PostgreSQL numbers the places of a query's values").
				WithHint("query: select count(*) from charges where order_id = $1")
		}
	case "sqlite":
		c.db, err = openSQLite(rest)
	default:
		err = errors.New("is neither a PostgreSQL address nor a SQLite file")
	}
	var known *problem.Error
	switch {
	case errors.As(err, &known):
		return nil, err
	case err != nil:
		return nil, problem.New("", "the value of %s %s", name, err).
			WithHint("%s=postgres://user@127.0.0.1/name, or %s=sqlite:data.db", name, name)
	}
	return c, nil
}

// kindOf tells a data source by its form: an URL, PostgreSQL's words
// (host=... dbname=...), or the path of a SQLite file.
func kindOf(dsn string) (kind, rest string) {
	lower := strings.ToLower(dsn)
	switch {
	case strings.HasPrefix(lower, "postgres://"), strings.HasPrefix(lower, "postgresql://"):
		return "postgres", dsn
	case strings.HasPrefix(lower, "sqlite://"):
		return "sqlite", dsn[len("sqlite://"):]
	case strings.HasPrefix(lower, "sqlite3://"):
		return "sqlite", dsn[len("sqlite3://"):]
	case strings.HasPrefix(lower, "sqlite:"):
		return "sqlite", dsn[len("sqlite:"):]
	case strings.HasPrefix(lower, "file:"):
		return "sqlite", dsn
	case strings.Contains(dsn, "://"):
		return "", ""
	}
	for _, word := range strings.Fields(lower) {
		key, _, found := strings.Cut(word, "=")
		if found && (key == "host" || key == "dbname" || key == "user" || key == "service") {
			return "postgres", dsn
		}
	}
	return "sqlite", dsn
}

func openPostgres(dsn string) (*sql.DB, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("is no PostgreSQL address")
	}
	// Nothing is kept prepared: the table may be made anew between two counts,
	// and a pooler in between may know nothing of the statement.
	config.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(4)
	return db, nil
}

// openSQLite opens a file that exists. Each count has a connection of its own,
// since the service that is tried may replace the file.
func openSQLite(path string) (*sql.DB, error) {
	given := url.Values{}
	if rest, ok := strings.CutPrefix(path, "file:"); ok {
		var query string
		path, query, _ = strings.Cut(rest, "?")
		var err error
		if given, err = url.ParseQuery(query); err != nil {
			return nil, errors.New("is no SQLite file")
		}
		if path, err = url.PathUnescape(strings.TrimPrefix(path, "//")); err != nil {
			return nil, errors.New("is no SQLite file")
		}
	}
	if path == "" || strings.Contains(path, ":memory:") || given.Get("mode") == "memory" {
		return nil, errors.New("is a database that only its own process can see")
	}
	options := url.Values{"mode": {"rw"}, "_pragma": {"query_only(1)", "busy_timeout(5000)"}}
	if given.Get("mode") == "ro" || given.Get("immutable") != "" {
		options.Set("mode", "ro")
	}
	escaped := (&url.URL{Path: path}).EscapedPath()
	db, err := sql.Open("sqlite", "file:"+escaped+"?"+options.Encode())
	if err != nil {
		return nil, errors.New("is no SQLite file")
	}
	db.SetMaxIdleConns(-1)
	return db, nil
}

func (c *bySQL) Close() error {
	c.db.Close()
	return nil
}

// Count runs the query once, in a read-only transaction.
func (c *bySQL) Count(ctx context.Context, s Subject) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, c.world.Timeout)
	defer cancel()
	args := make([]any, len(c.args))
	for i, pointer := range c.args {
		value, ok := s.Values[pointer]
		if !ok {
			return 0, problem.New("", "the operation has no fresh value at %q", pointer)
		}
		args[i] = value
	}
	tx, err := c.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return 0, c.failed(err)
	}
	defer tx.Rollback()
	rows, err := tx.QueryContext(ctx, c.query, args...)
	if err != nil {
		return 0, c.failed(err)
	}
	defer rows.Close()
	return c.single(rows)
}

// single reads one row of one column.
func (c *bySQL) single(rows *sql.Rows) (int64, error) {
	columns, err := rows.Columns()
	if err != nil {
		return 0, c.failed(err)
	}
	if len(columns) != 1 {
		return 0, problem.New("", "the counter's query gives %d columns, not one number", len(columns))
	}
	var value any
	n := 0
	for ; rows.Next(); n++ {
		if n == 1 {
			return 0, problem.New("", "the counter's query gives more than one row")
		}
		if err := rows.Scan(&value); err != nil {
			return 0, c.failed(err)
		}
	}
	if err := rows.Err(); err != nil {
		return 0, c.failed(err)
	}
	if n == 0 {
		return 0, problem.New("", "the counter's query gives no row")
	}
	return integer(value)
}

func integer(value any) (int64, error) {
	var n int64
	var err error
	switch v := value.(type) {
	case int64:
		n = v
		if n < 0 {
			err = errors.New("a negative number")
		}
	case float64:
		n, err = whole(strconv.FormatFloat(v, 'g', -1, 64))
	case []byte:
		n, err = whole(string(v))
	case string:
		n, err = whole(v)
	case nil:
		err = errors.New("null")
	default:
		err = errors.New("not a number")
	}
	if err != nil {
		return 0, problem.New("", "the counter's query gives %s", err)
	}
	return n, nil
}

// failed words a database's error without what the data source may hold: of
// what was refused on the way to it only the cause, of the query all.
func (c *bySQL) failed(err error) error {
	var connecting *pgconn.ConnectError
	var refused *pgconn.PgError
	var lite *sqlite.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return problem.New("", "the database of %s gave no answer within %s", c.source, c.world.Timeout)
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.As(err, &connecting):
		return problem.New("", "cannot connect to the database of %s: %s", c.source, cause(err))
	case errors.As(err, &refused):
		return problem.New("", "the counter's query: %s (SQLSTATE %s)", refused.Message, refused.Code)
	case errors.As(err, &lite):
		return problem.New("", "the counter's query: %s", lite.Error())
	}
	return problem.New("", "the counter's query failed: %s", cause(err))
}

// cause is the innermost reason of a failed connection. The layers above name
// user, host and database.
func cause(err error) string {
	var refused *pgconn.PgError
	var network *net.OpError
	switch {
	case errors.As(err, &refused):
		return "SQLSTATE " + refused.Code
	case errors.As(err, &network):
		return network.Err.Error()
	}
	return "the connection failed"
}

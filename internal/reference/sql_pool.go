package reference

import (
	"context"
	"database/sql"
	"sync"
)

// pool is a database handle that may keep its statements prepared: SQLite
// spends more on reading a statement than on running it, and its connections
// stay. pgx keeps its own.
type pool struct {
	*sql.DB
	keep       bool
	mu         sync.Mutex
	statements map[string]*sql.Stmt // nil: wanted by a transaction, not yet made
}

func newPool(db *sql.DB, keep bool) *pool {
	return &pool{DB: db, keep: keep, statements: map[string]*sql.Stmt{}}
}

// statement prepares once; there are only as many as the source has texts.
// The lock is not held meanwhile: preparing waits for a connection, and who has
// it may wait for the lock.
func (p *pool) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	if s := p.known(query, false); s != nil {
		return s, nil
	}
	s, err := p.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if earlier := p.statements[query]; earlier != nil {
		return earlier, s.Close()
	}
	p.statements[query] = s
	return s, nil
}

// known is a statement prepared earlier, or nil; want asks for it next time.
func (p *pool) known(query string, want bool) *sql.Stmt {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, found := p.statements[query]
	if !found && want {
		p.statements[query] = nil
	}
	return s
}

// begin opens a transaction, after preparing what earlier ones wanted: inside,
// the pool may have no second connection to prepare on.
func (p *pool) begin(ctx context.Context) (*transaction, error) {
	for _, query := range p.wanted() {
		if _, err := p.statement(ctx, query); err != nil {
			return nil, err
		}
	}
	tx, err := p.BeginTx(ctx, nil)
	return &transaction{tx, p}, err
}

func (p *pool) wanted() (queries []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for query, s := range p.statements {
		if s == nil {
			queries = append(queries, query)
		}
	}
	return queries
}

// runner is a pool, or a transaction on it.
type runner interface {
	exec(ctx context.Context, query string, args ...any) (affected int64, err error)
	query(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (p *pool) exec(ctx context.Context, query string, args ...any) (int64, error) {
	if !p.keep {
		return affected(p.ExecContext(ctx, query, args...))
	}
	s, err := p.statement(ctx, query)
	if err != nil {
		return 0, err
	}
	return affected(s.ExecContext(ctx, args...))
}

func (p *pool) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if !p.keep {
		return p.QueryContext(ctx, query, args...)
	}
	s, err := p.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// transaction is one on a pool.
type transaction struct {
	*sql.Tx
	pool *pool
}

func (t *transaction) prepared(ctx context.Context, query string) *sql.Stmt {
	if s := t.pool.known(query, t.pool.keep); s != nil {
		return t.StmtContext(ctx, s)
	}
	return nil
}

func (t *transaction) exec(ctx context.Context, query string, args ...any) (int64, error) {
	if s := t.prepared(ctx, query); s != nil {
		return affected(s.ExecContext(ctx, args...))
	}
	return affected(t.ExecContext(ctx, query, args...))
}

func (t *transaction) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if s := t.prepared(ctx, query); s != nil {
		return s.QueryContext(ctx, args...)
	}
	return t.QueryContext(ctx, query, args...)
}

func affected(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// one reads the one row of a query; sql.ErrNoRows if there is none. The row is
// read to its end, where SQLite finishes a statement that returns what it wrote.
func one[T any](ctx context.Context, r runner, scan func(row) (T, error), query string, args ...any) (item T, err error) {
	list, err := all(ctx, r, scan, query, args...)
	if err == nil && len(list) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		return item, err
	}
	return list[0], nil
}

// all reads every row of a query.
func all[T any](ctx context.Context, r runner, scan func(row) (T, error), query string, args ...any) ([]T, error) {
	rows, err := r.query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, rows.Err()
}

type row interface{ Scan(...any) error }

// value reads a row's only column.
func value[T any](r row) (v T, err error) {
	err = r.Scan(&v)
	return v, err
}

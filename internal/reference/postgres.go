package reference

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/idem-toolkit/idem/internal/problem"
)

// channel is where replicas tell each other of records that somebody awaits.
const channel = "idem_reference"

var postgresDialect = dialect{
	blob:        "BYTEA",
	tableExists: `SELECT to_regclass($1) IS NOT NULL`,
	// The number is this schema's alone, by agreement with nobody.
	lockSchema: `SELECT pg_advisory_xact_lock(7240937101)`,
	skipLocked: `FOR UPDATE SKIP LOCKED`,
	transient: func(err error) bool {
		// serialization_failure and deadlock_detected
		var e *pgconn.PgError
		return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
	},
	announce: func(ctx context.Context, p *pool, id string) (bool, error) {
		n, err := p.exec(ctx,
			`UPDATE idempotency_keys SET awaited = 1 WHERE id = $1 AND state = 'in_progress'`, id)
		return n > 0, err
	},
	notify: func(ctx context.Context, tx *transaction, id string) error {
		_, err := tx.exec(ctx, `SELECT pg_notify($1, $2)`, channel, id)
		return err
	},
}

// postgresConnections is the pool's size where the address does not say
// pool_max_conns.
const postgresConnections = 16

// OpenPostgres connects to a database by its address (a URL or key=value
// pairs; a password may also come from PGPASSWORD or a password file). Any
// number of replicas may share one.
func OpenPostgres(ctx context.Context, dsn string) (Store, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		// Its text may quote the address, which may hold a password.
		return nil, problem.New("--store", "the address of the PostgreSQL database cannot be read").
			WithHint("postgres://USER@HOST:PORT/DATABASE")
	}
	if !strings.Contains(dsn, "pool_max_conns") {
		config.MaxConns = postgresConnections
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "idem serve"
	}
	connections, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, problem.New("--store", "the PostgreSQL database cannot be opened: %s", err)
	}
	db := newPool(stdlib.OpenDBFromPool(connections), false)
	s := &sqlStore{write: db, read: db, dialect: postgresDialect}
	listen := newListener(config.ConnConfig, &s.hub)
	s.close = []func() error{listen.stop, func() error { connections.Close(); return nil }}
	listen.start(ctx)
	return ready(ctx, s)
}

// listener is a replica's one listening connection.
type listener struct {
	config *pgx.ConnConfig
	hub    *hub
	ctx    context.Context
	cancel context.CancelFunc
	done   sync.WaitGroup
	tried  chan struct{} // closed once it listens, or could not
	once   sync.Once
}

func newListener(config *pgx.ConnConfig, h *hub) *listener {
	l := &listener{config: config.Copy(), hub: h, tried: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// start begins to listen and returns when it does, or could not at once.
func (l *listener) start(ctx context.Context) {
	l.done.Go(l.run)
	select {
	case <-l.tried:
	case <-ctx.Done():
	}
}

func (l *listener) ready() { l.once.Do(func() { close(l.tried) }) }

func (l *listener) stop() error {
	l.cancel()
	l.done.Wait()
	return nil
}

// run listens, and connects again when the connection dies, slower each time
// that it cannot. Whenever notifications may have been lost everyone looks for
// himself.
func (l *listener) run() {
	const soon, slowest = 50 * time.Millisecond, 5 * time.Second
	pause := soon
	for l.ctx.Err() == nil {
		listened := l.listen()
		l.hub.wakeAll()
		if listened {
			pause = soon
		}
		_ = sleep(l.ctx, SystemClock{}, pause)
		pause = min(2*pause, slowest)
	}
}

// listen hands on notifications until the connection dies; false if it never
// listened.
func (l *listener) listen() bool {
	defer l.ready()
	conn, err := pgx.ConnectConfig(l.ctx, l.config)
	if err != nil {
		return false
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(l.ctx, "LISTEN "+channel); err != nil {
		return false
	}
	l.hub.wakeAll()
	l.ready()
	for {
		n, err := conn.WaitForNotification(l.ctx)
		if err != nil {
			return true
		}
		l.hub.wake(n.Payload)
	}
}

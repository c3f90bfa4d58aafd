package reference

import (
	"context"
	"crypto/rand"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Schema makes an empty schema with a random name in a PostgreSQL database, so
// that several services on one database do not meet. own is the database's
// address with that schema in front, and with few connections. drop takes the
// schema away with all that is in it.
func Schema(ctx context.Context, dsn string) (own string, drop func(context.Context) error, err error) {
	name := "idem_" + strings.ToLower(rand.Text()[:16])
	if err := statement(ctx, dsn, "CREATE SCHEMA "+name); err != nil {
		return "", nil, err
	}
	drop = func(ctx context.Context) error { return statement(ctx, dsn, "DROP SCHEMA IF EXISTS "+name+" CASCADE") }
	return with(dsn, [2]string{"search_path", name}, [2]string{"pool_max_conns", "6"}), drop, nil
}

// with adds parameters to an address.
func with(dsn string, parameters ...[2]string) string {
	u, err := url.Parse(dsn)
	if !isURL(dsn) || err != nil {
		for _, p := range parameters {
			dsn += " " + p[0] + "=" + p[1]
		}
		return dsn
	}
	q := u.Query()
	for _, p := range parameters {
		q.Set(p[0], p[1])
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// statement runs one statement over a connection of its own. Errors never hold
// the address.
func statement(ctx context.Context, dsn, sql string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return problem.New("--store-env", "the address of the PostgreSQL database cannot be read").
			WithHint("postgres://USER@HOST:PORT/DATABASE")
	}
	delete(config.RuntimeParams, "pool_max_conns")
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return problem.New("--store-env", "the PostgreSQL database cannot be reached: %s", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, sql); err != nil {
		return problem.New("--store-env", "%s", err)
	}
	return nil
}

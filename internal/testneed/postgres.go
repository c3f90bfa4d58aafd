package testneed

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// cluster is the one PostgreSQL of this test binary: an address, or why there
// is none. It is started by the first test that asks for it.
var cluster struct {
	once sync.Once
	dsn  string
	err  error
}

// Postgres returns the address (a postgres:// URL) of a fresh, empty database
// that is dropped when the test ends. The server is the one that
// IDEM_TEST_POSTGRES names, or a private one on a loopback port that lives as
// long as the test binary.
func Postgres(t testing.TB) string {
	t.Helper()
	admin := os.Getenv("IDEM_TEST_POSTGRES")
	if admin == "" {
		cluster.once.Do(func() { cluster.dsn, cluster.err = startCluster() })
		if cluster.err != nil {
			missing(t, "no PostgreSQL: %v", cluster.err)
		}
		admin = cluster.dsn
	}
	name := "t_" + strings.ToLower(rand.Text()[:16])
	if err := execute(admin, "CREATE DATABASE "+name); err != nil {
		t.Fatalf("creating a database for the test: %v", err)
	}
	t.Cleanup(func() {
		if err := execute(admin, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("dropping the test's database: %v", err)
		}
	})
	return inDatabase(t, admin, name)
}

// inDatabase is the same server's address with another database.
func inDatabase(t testing.TB, dsn, name string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		t.Fatal("IDEM_TEST_POSTGRES is not a postgres:// URL")
	}
	u.Path = "/" + name
	return u.String()
}

// execute runs one statement over a connection of its own.
func execute(dsn, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

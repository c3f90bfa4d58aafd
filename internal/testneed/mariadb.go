package testneed

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// mariadb is the one MariaDB of this test binary: an address, or why there is
// none. It is started by the first test that asks for it.
var mariadb struct {
	once    sync.Once
	address string
	err     error
}

// MariaDB returns the address (a mysql:// URL) of a fresh, empty database that
// is dropped when the test ends. The server is the one that IDEM_TEST_MARIADB
// names, or a private one on a loopback port that lives as long as the test
// binary.
func MariaDB(t testing.TB) string {
	t.Helper()
	admin := os.Getenv("IDEM_TEST_MARIADB")
	if admin == "" {
		mariadb.once.Do(func() { mariadb.address, mariadb.err = startMariaDB() })
		if mariadb.err != nil {
			missing(t, "no MariaDB: %v", mariadb.err)
		}
		admin = mariadb.address
	}
	u, err := url.Parse(admin)
	if err != nil || u.Scheme != "mysql" {
		t.Fatal("IDEM_TEST_MARIADB is not a mysql:// URL")
	}
	name := "t_" + strings.ToLower(rand.Text()[:16])
	if err := executeMariaDB(admin, "CREATE DATABASE "+name); err != nil {
		t.Fatalf("creating a database for the test: %v", err)
	}
	t.Cleanup(func() {
		if err := executeMariaDB(admin, "DROP DATABASE "+name); err != nil {
			t.Errorf("dropping the test's database: %v", err)
		}
	})
	u.Path = "/" + name
	return u.String()
}

// OpenMariaDB opens the database at an address that MariaDB gave. It is closed
// when the test ends.
func OpenMariaDB(t testing.TB, address string) *sql.DB {
	t.Helper()
	db, err := openMariaDB(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func openMariaDB(address string) (*sql.DB, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User = "tcp", u.Host, u.User.Username()
	config.Passwd, _ = u.User.Password()
	config.DBName = strings.TrimPrefix(u.Path, "/")
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// executeMariaDB runs one statement over a connection of its own.
func executeMariaDB(address, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	db, err := openMariaDB(address)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, statement)
	return err
}

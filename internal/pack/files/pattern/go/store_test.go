package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// The tests run on a SQLite file, or on the empty database that
// TEST_DATABASE_URL names: its tables are emptied.

// TestMain runs the tests, or what one of them starts as a process of its own,
// to be killed.
func TestMain(m *testing.M) {
	if os.Getenv("PATTERN_TEST_SERVE") == "" {
		os.Exit(m.Run())
	}
	settings, err := readSettings(os.Getenv)
	if err == nil {
		err = run(context.Background(), settings)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(2)
}

// database gives settings for a database that is empty.
func database(t *testing.T) Settings {
	t.Helper()
	s := Settings{Database: os.Getenv("TEST_DATABASE_URL"), Retention: time.Minute, Lease: 10 * time.Second, ProviderRetention: time.Hour}
	if s.Database == "" {
		s.Database = "sqlite:" + filepath.Join(t.TempDir(), "pattern.db")
	}
	store := open(t, s)
	for _, table := range []string{"orders", "idempotency_keys"} {
		change(t, store, "DELETE FROM "+table)
	}
	return s
}

func open(t *testing.T, settings Settings) *Store {
	t.Helper()
	store, err := OpenStore(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// change runs a statement that every database takes.
func change(t *testing.T, s *Store, query string, args ...any) {
	t.Helper()
	if _, err := s.db.Exec(s.sql(query), args...); err != nil {
		t.Fatal(err)
	}
}

// count counts rows.
func count(t *testing.T, s *Store, of string, args ...any) (n int) {
	t.Helper()
	if err := s.db.QueryRow(s.sql("SELECT count(*) FROM "+of), args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// age lets time pass for a key: its lease, its end and its beginning are that
// much earlier.
func age(t *testing.T, s *Store, key string, by time.Duration) {
	t.Helper()
	ms := by.Milliseconds()
	change(t, s, `UPDATE idempotency_keys SET lease_until = lease_until - ?, expires_at = expires_at - ?, created_at = created_at - ?
		WHERE idempotency_key = ?`, ms, ms, ms, key)
}

// ask is a request for a cart under a key.
func ask(key, cart string) Request {
	c := Checkout{Tenant: "acme", Cart: Cart{ID: cart, Version: 1}, Amount: 1999, Currency: "EUR"}
	return Request{Caller: strings.Repeat("c", 64), Key: key, Checkout: c, Fingerprint: fingerprint("POST", "/v1/checkouts", c)}
}

// child is a service in a process of its own.
type child struct {
	*exec.Cmd
	url string
}

// start starts the service, as its users do.
func start(t *testing.T, s Settings, more ...string) child {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program)
	c.Env = append(os.Environ(), "PATTERN_TEST_SERVE=1", "LISTEN=127.0.0.1:0", "DATABASE_URL="+s.Database)
	c.Env = append(c.Env, more...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	end := func() { once.Do(func() { c.Process.Kill(); c.Wait() }) }
	t.Cleanup(end)
	var url string
	if _, err := fmt.Fscanf(out, "listening on %s\n", &url); err != nil {
		t.Fatalf("the service said nothing: %v", err)
	}
	return child{c, url}
}

// kill ends a service as a crash does.
func (c child) kill() {
	c.Process.Kill()
	c.Process.Wait()
}

// post sends a checkout or payment. What becomes of it is not asked: the
// service dies.
func (c child) post(path, key, cart string) {
	body := fmt.Sprintf(`{"tenant":"acme","cart":{"id":%q,"version":1},"amount":1999,"currency":"EUR"}`, cart)
	req, err := http.NewRequest("POST", c.url+path, strings.NewReader(body))
	if err != nil {
		return
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	go func() {
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}()
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// TestAnOwnerWhoseMachineIsGone: nothing tells a server so, which would keep the
// key's row locked for hours.
func TestAnOwnerWhoseMachineIsGone(t *testing.T) {
	s := open(t, database(t))
	setting := map[string]string{"postgres.sql": "current_setting('idle_in_transaction_session_timeout')", "mariadb.sql": "@@idle_transaction_timeout"}[s.schema]
	if setting == "" {
		return // a file's owner is on this machine
	}
	var is string
	if err := s.db.QueryRow("SELECT " + setting).Scan(&is); err != nil || strings.TrimSuffix(is, "s") != "10" {
		t.Errorf("%s is %s: %v", setting, is, err)
	}
}

func TestAFileIsItsOwnersAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pattern.db")
	s := open(t, Settings{Database: "sqlite:" + file, Retention: time.Minute, Lease: time.Minute})
	change(t, s, "DELETE FROM orders")
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
}

func TestParametersAreWrittenAsTheDatabaseReadsThem(t *testing.T) {
	for query, want := range map[string]string{"": "", "a": "a", "a ? b ?": "a $1 b $2", "?": "$1", strings.Repeat("?", 10): "$1$2$3$4$5$6$7$8$9$10"} {
		if got := (&Store{dialect: postgres}).sql(query); got != want {
			t.Errorf("%q: %q", query, got)
		}
		if got := (&Store{dialect: mariadb}).sql(query); got != query {
			t.Errorf("%q: %q", query, got)
		}
	}
}

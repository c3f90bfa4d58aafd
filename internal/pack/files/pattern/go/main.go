// Command pattern is a small shop that can be asked twice and sells once: the
// idempotency pattern in Go, on database/sql.
//
// In reading order:
//
//	reserve.go    the heart: claim a key, do the work, keep the result, or none of it
//	payments.go   an effect that is somebody else's: intent before, result after
//	provider.go   what is asked of the payment provider, and what it says
//	unresolved.go what a person may have to look up
//	request.go    a request as understood: caller, key, body, fingerprint
//	strict.go     the body's canonical form, where it has one
//	orders.go     what is made
//	server.go     HTTP: which answer is for whom
//	store.go      transactions, the schema, the sweep
//	databases.go  what differs between PostgreSQL, MariaDB and SQLite
//	main.go       settings, start and stop
//
// WRONG names one of four ways in which it goes wrong. Each is one line, marked
// WRONG, to see what the check says of it; a real service has none of them.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Settings come from the environment. DATABASE_URL may hold a password and is
// never shown.
type Settings struct {
	Listen            string
	Database          string        // postgres://…, mysql://… or sqlite:FILE
	Schema            string        // the folder of the .sql files
	Retention         time.Duration // how long a result is kept, from its own time on
	Lease             time.Duration // how long a silent owner keeps its claim
	Provider          string        // base URL of the payment provider; empty: no payments
	ProviderRetention time.Duration // how long the provider remembers its own keys
	AnswerDelay       time.Duration // a pause after each commit, for crash tests
	Wrong             string
}

var wrongs = []string{"", "no-expiry", "key-without-result", "server-made-key", "key-outside-transaction"}

func readSettings(getenv func(string) string) (Settings, error) {
	text := func(name, otherwise string) string {
		if v := getenv(name); v != "" {
			return v
		}
		return otherwise
	}
	var bad error
	duration := func(name, otherwise string, least time.Duration) time.Duration {
		d, err := time.ParseDuration(text(name, otherwise))
		if err != nil || d < least {
			bad = errors.Join(bad, fmt.Errorf("%s is no duration of at least %s, such as %s", name, least, otherwise))
		}
		return d
	}
	s := Settings{
		Listen: text("LISTEN", "127.0.0.1:8080"), Database: getenv("DATABASE_URL"), Schema: getenv("SCHEMA"),
		Retention: duration("RETENTION", "24h", time.Millisecond), Lease: duration("LEASE", "30s", 100*time.Millisecond),
		Provider: getenv("PROVIDER_URL"), ProviderRetention: duration("PROVIDER_RETENTION", "24h", time.Minute),
		AnswerDelay: duration("ANSWER_DELAY", "0s", 0), Wrong: getenv("WRONG"),
	}
	if s.Database == "" {
		bad = errors.Join(bad, errors.New("DATABASE_URL is not set: postgres://USER@HOST/NAME, mysql://USER@HOST/NAME or sqlite:FILE"))
	}
	if u, err := url.Parse(s.Provider); s.Provider != "" && (err != nil || u.Host == "" || u.User != nil) {
		bad = errors.Join(bad, errors.New("PROVIDER_URL is no URL of a host, without a user or password in it"))
	}
	if !slices.Contains(wrongs, s.Wrong) {
		bad = errors.Join(bad, fmt.Errorf("WRONG is none of %q", wrongs[1:]))
	}
	return s, bad
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	settings, err := readSettings(os.Getenv)
	if err == nil {
		err = run(ctx, settings)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pattern:", err)
		os.Exit(2)
	}
}

// run serves until ctx ends, then finishes what is under way.
func run(ctx context.Context, settings Settings) error {
	store, err := OpenStore(ctx, settings)
	if err != nil {
		return err
	}
	defer store.Close()
	payments := NewPayments(store, settings)
	listener, err := net.Listen("tcp", settings.Listen)
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	if settings.Wrong != "" {
		slog.Warn("this service is wrong on purpose", "how", settings.Wrong)
	}

	var keepers sync.WaitGroup
	keepers.Go(func() { store.KeepSweeping(ctx) })
	keepers.Go(func() { payments.KeepReconciling(ctx) })
	server := &http.Server{
		Handler:           NewServer(store, payments),
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
	}
	keepers.Go(func() {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		server.Shutdown(last)
	})
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	keepers.Wait()
	return nil
}

package main

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatIsUnresolvedIsTold at the start and when it changes, without keys,
// callers or bodies, and the schema's query lists it.
func TestWhatIsUnresolvedIsTold(t *testing.T) {
	settings, p := database(t), newProvider(t)
	pay := payments(t, settings, p)
	var log bytes.Buffer
	was := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(was)
	tells := func(want string) {
		t.Helper()
		log.Reset()
		if err := pay.tell(t.Context()); err != nil || want == "" && log.Len() > 0 || !strings.Contains(log.String(), want) {
			t.Errorf("%v: %s, want %q", err, log.String(), want)
		}
		for _, secret := range []string{"secret-key", "secret-cart", strings.Repeat("c", 64)} {
			if strings.Contains(log.String(), secret) {
				t.Errorf("it tells %s: %s", secret, log.String())
			}
		}
	}
	tells("level=INFO msg=\"unresolved payments\" asked_again=0 to_be_looked_up=0 oldest=0s")
	tells("")
	p.behave(answers(500, ""), nil)
	for _, key := range []string{"secret-key", "secret-key-2"} {
		if _, err := pay.Pay(t.Context(), ask(key, "secret-cart")); !errors.Is(err, errUnknown) {
			t.Fatal(err)
		}
	}
	tells("") // their owner may be asking still
	age(t, pay.store, "secret-key", settings.Lease)
	tells("level=INFO msg=\"unresolved payments\" asked_again=1 to_be_looked_up=0 oldest=1")
	tells("")
	age(t, pay.store, "secret-key", settings.ProviderRetention)
	age(t, pay.store, "secret-key-2", settings.Lease)
	tells("level=ERROR msg=\"unresolved payments\" asked_again=1 to_be_looked_up=1 oldest=1h0m1")
	if listed := listUnresolved(t, pay.store); len(listed) != 2 || listed[0] != "secret-key" {
		t.Errorf("the schema's query lists %v", listed)
	}
	p.behave(nil, nil)
	if err := pay.Reconcile(t.Context()); err != nil {
		t.Error(err)
	}
	tells("level=ERROR msg=\"unresolved payments\" asked_again=0 to_be_looked_up=1 oldest=1h0m1")
	change(t, pay.store, "DELETE FROM idempotency_keys WHERE idempotency_key = ?", "secret-key") // by somebody who looked it up
	tells("level=INFO msg=\"unresolved payments\" asked_again=0 to_be_looked_up=0 oldest=0s")
}

// listUnresolved runs the query that stands in the schema's comment.
func listUnresolved(t *testing.T, s *Store) (keys []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "schema", s.schema))
	if err != nil {
		t.Fatal(err)
	}
	_, comment, _ := strings.Cut(string(text), "-- UNRESOLVED.")
	comment, _, _ = strings.Cut(comment, "-- What the operations make.")
	var query strings.Builder
	for line := range strings.Lines(comment) {
		if part, is := strings.CutPrefix(line, "--   "); is {
			query.WriteString(part)
		}
	}
	rows, err := s.db.Query(query.String())
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var created, lease int64
		var caller, key, intent string
		if err := rows.Scan(&created, &lease, &caller, &key, &intent); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	return keys
}

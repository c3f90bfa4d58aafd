package reference

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// Services on schemas of their own share a database and meet nowhere.
func TestSchemasKeepServicesApart(t *testing.T) {
	address := testneed.Postgres(t)
	var stores []Store
	for range 2 {
		own, drop, err := Schema(ctx, address)
		if err != nil {
			t.Fatal(err)
		}
		s := mustOpen(t, own)
		t.Cleanup(func() {
			if err := drop(ctx); err != nil {
				t.Error(err)
			}
		})
		stores = append(stores, s)
	}
	rec := mustClaim(t, stores[0], asking("k", "f", 0))
	if err := stores[0].Commit(ctx, paying(rec, "o", 0)); err != nil {
		t.Fatal(err)
	}
	mustClaim(t, stores[1], asking("k", "f", 0)) // the key is free there
	for i, want := range []int{1, 0} {
		effects, err := stores[i].Effects(ctx, "o", 10)
		if err != nil || len(effects) != want {
			t.Errorf("service %d: %d effects, %v", i+1, len(effects), err)
		}
	}
	if records(t, mustOpen(t, address)) != 0 {
		t.Error("the database's own schema has records")
	}
}

func TestADroppedSchemaIsGone(t *testing.T) {
	address := testneed.Postgres(t)
	own, drop, err := Schema(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(ctx, own)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second time does no harm
		if err := drop(ctx); err != nil {
			t.Fatal(err)
		}
	}
	left := mustOpen(t, address).(*sqlStore)
	n, err := one(ctx, left.read, value[int], `SELECT count(*) FROM information_schema.schemata WHERE schema_name LIKE 'idem\_%'`)
	if err != nil || n != 0 {
		t.Errorf("%d schemas are left, %v", n, err)
	}
}

func TestParametersAreAddedToAnAddress(t *testing.T) {
	for address, want := range map[string]string{
		"postgres://u@h/db":                 "postgres://u@h/db?a=b",
		"postgres://u:p%2F@h/db?sslmode=no": "postgres://u:p%2F@h/db?a=b&sslmode=no",
		"host=h dbname=db":                  "host=h dbname=db a=b",
	} {
		if got := with(address, [2]string{"a", "b"}); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
}

func TestASchemaThatCannotBeMade(t *testing.T) {
	for _, address := range []string{"postgres://me:hunter2@%zz/", "postgres://me:hunter2@127.0.0.1:1/charges?sslmode=disable", "postgres://me:hunter2@127.0.0.1:1/x?sslmode=disable&pool_max_conns=3"} {
		_, _, err := Schema(ctx, address)
		if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.HasPrefix(err.Error(), "--store-env: ") {
			t.Errorf("%v", err)
		}
	}
}

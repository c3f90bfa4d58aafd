package reference

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/testneed"
)

func TestOptionsThatCannotBe(t *testing.T) {
	s := mustOpen(t, "sqlite:memory")
	for flag, change := range map[string]func(*Options){
		"--in-flight":    func(o *Options) { o.InFlight = "drop" },
		"--keyless":      func(o *Options) { o.Keyless = "" },
		"--conflict":     func(o *Options) { o.Conflict = 500 },
		"--lease":        func(o *Options) { o.Lease = 0 },
		"--retention":    func(o *Options) { o.Retention = o.Lease },
		"--wait-max":     func(o *Options) { o.WaitMax = -1 },
		"--work":         func(o *Options) { o.Work = -1 },
		"--answer-delay": func(o *Options) { o.AnswerDelay = 2 * time.Hour },
		"--sweep-every":  func(o *Options) { o.SweepEvery = 0 },
		"--sweep-batch":  func(o *Options) { o.SweepBatch = 0 },
		"--instance":     func(o *Options) { o.Instance = "a\r\nb" },
		"--effect-url":   func(o *Options) { o.EffectURL = "ftp://x" },
	} {
		o := Defaults()
		change(&o)
		_, err := New(s, o)
		var p *problem.Error
		if !errors.As(err, &p) || p.Where != flag {
			t.Errorf("%s: %v", flag, err)
		}
	}
	o := Defaults()
	o.EffectURL = "https://user:SECRET@host/"
	if _, err := New(s, o); err == nil || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("a password in --effect-url: %v", err)
	}
}

func TestStoresThatCannotBeOpened(t *testing.T) {
	garbage := filepath.Join(t.TempDir(), "garbage")
	if err := os.WriteFile(garbage, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for address, says := range map[string]string{
		"":                            "neither",
		"mysql://x":                   "neither",
		"sqlite:":                     "no path",
		"sqlite:" + garbage:           "not a database",
		"sqlite:" + t.TempDir():       "cannot be opened",
		"sqlite:/nowhere/at/all/x.db": "cannot be opened",
		"postgres://u:SECRET@%zz/":    "cannot be read",
		"postgres://u:SECRET@" + closed.Addr().String() + "/d?sslmode=disable": "cannot be opened",
	} {
		s, err := Open(ctx, address)
		if err == nil {
			s.Close()
			t.Errorf("%q was opened", address)
			continue
		}
		var p *problem.Error
		if !errors.As(err, &p) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error()+p.Hint, "SECRET") {
			t.Errorf("%q: %v, want %q and no secret", address, err, says)
		}
	}
}

func TestADatabaseOfSomebodyElseIsLeftAlone(t *testing.T) {
	for name, address := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "x.db") },
		"postgres": func(t *testing.T) string { return testneed.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			address := address(t)
			s := mustOpen(t, address).(*sqlStore)
			if _, err := s.write.exec(ctx, `UPDATE reference_meta SET version = 2`); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(ctx, address); err == nil || !strings.Contains(err.Error(), "another version") {
				t.Errorf("version 2: %v", err)
			}
			if _, err := s.write.exec(ctx, `DROP TABLE reference_meta`); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(ctx, address); err == nil || !strings.Contains(err.Error(), "idempotency_keys") {
				t.Errorf("tables of somebody else: %v", err)
			}
		})
	}
}

func TestReplicasThatStartTogetherMakeTheTablesOnce(t *testing.T) {
	for name, address := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "x.db") },
		"postgres": func(t *testing.T) string { return testneed.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			address := address(t)
			var mu sync.Mutex
			var stores []Store
			race(6, func(int) {
				s, err := Open(ctx, address)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				stores = append(stores, s)
			})
			for _, s := range stores {
				s.Close()
			}
		})
	}
}

func TestADatabaseFileIsItsOwnersToRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes here")
	}
	path := filepath.Join(t.TempDir(), "charges.db")
	r := newRig(t, mustOpen(t, "sqlite:"+path), newTestClock(), nil)
	r.charge("k", order("o")).want(t, 201, "")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", suffix, info, err)
		}
	}
}

func TestHasPassword(t *testing.T) {
	for address, want := range map[string]bool{
		"postgres://u:p@h/d":               true,
		"postgresql://u:@h/d":              true,
		"postgres://h/d?password=p":        true,
		"postgres://h/d?sslpassword=p":     true,
		"postgres://u:p@%zz/d":             true,
		"host=h password=p":                true,
		"host=h PASSWORD = p":              true,
		"postgres://u@h/d":                 false,
		"postgres://u@h/passwords":         false,
		"host=h dbname=passwords user=u@h": false,
		"sqlite:/tmp/host=password=x@y":    false,
		"sqlite:memory":                    false,
	} {
		if got := HasPassword(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

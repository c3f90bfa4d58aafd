package reference

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// TestMain lets the test binary stand in for a server that is killed.
func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		os.Exit(serveAsChild())
	}
	os.Exit(m.Run())
}

// eachStore runs a test on every kind of store. open opens the same database
// each time it is called; what is opened is closed at the end. In memory there
// is one instance only.
func eachStore(t *testing.T, test func(t *testing.T, open func() Store)) {
	t.Run("memory", func(t *testing.T) {
		var once sync.Once
		var s Store
		test(t, func() Store {
			once.Do(func() { s = mustOpen(t, "sqlite:memory") })
			return s
		})
	})
	t.Run("sqlite", func(t *testing.T) {
		address := "sqlite:" + filepath.Join(t.TempDir(), "a ?#%41 file.db")
		test(t, func() Store { return mustOpen(t, address) })
	})
	t.Run("postgres", func(t *testing.T) {
		address := testneed.Postgres(t)
		test(t, func() Store { return mustOpen(t, address) })
	})
}

func mustOpen(t testing.TB, address string) Store {
	t.Helper()
	s, err := Open(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return s
}

// testClock moves only when told to, and fires what is due then.
type testClock struct {
	mu     sync.Mutex
	now    time.Time
	timers map[*testTimer]bool
}

type testTimer struct {
	at    time.Time
	fires chan time.Time
}

func newTestClock() *testClock {
	return &testClock{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), timers: map[*testTimer]bool{}}
}

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) After(d time.Duration) (<-chan time.Time, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	timer := &testTimer{c.now.Add(d), make(chan time.Time, 1)}
	c.timers[timer] = true
	return timer.fires, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, timer)
	}
}

func (c *testClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for timer := range c.timers {
		if !timer.at.After(c.now) {
			timer.fires <- c.now
			delete(c.timers, timer)
		}
	}
}

// waiting is how many timers run.
func (c *testClock) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// eventually waits for what other goroutines are about to do.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for range 6000 {
		if holds() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("never happened: %s", what)
}

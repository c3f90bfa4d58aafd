package reference

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// childEnv holds the store's address in a process that stands in for a server.
const childEnv = "IDEM_REFERENCE_CHILD"

const childLease = 500 * time.Millisecond

// serveAsChild is a server in a process of its own, until it is killed.
func serveAsChild() int {
	stopped, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() { // whoever started it died
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	err := func() error {
		store, err := Open(stopped, os.Getenv(childEnv))
		if err != nil {
			return err
		}
		o := Defaults()
		o.Lease, o.SweepEvery = childLease, 20*time.Millisecond
		o.Work, o.AnswerDelay = 3*time.Millisecond, 10*time.Millisecond
		o.EffectURL = os.Getenv(childEnv + "_EFFECT")
		s, err := New(store, o)
		if err != nil {
			return err
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		fmt.Println(l.Addr())
		return s.Serve(stopped, l, 5*time.Second)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// child is a server that can be killed.
type child struct {
	cmd *exec.Cmd
	out *bufio.Reader
	url string
}

func startChild(t testing.TB, env ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	_, inErr := cmd.StdinPipe() // held open for as long as the test lives
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &child{cmd: cmd, out: bufio.NewReader(out)}
}

// ready waits until the child says where it listens.
func (c *child) ready(t testing.TB) *child {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatalf("the server did not start: %v", err)
	}
	c.url = "http://" + strings.TrimSpace(line)
	return c
}

func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// ledger is what the callers know: for each order its first receipt, if any.
type ledger struct {
	mu       sync.Mutex
	receipts map[string]string
	orders   []string
}

func (l *ledger) sent(order string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.orders = append(l.orders, order)
}

// moving says whether an order was sent and, if asked for, a receipt came.
func (l *ledger) moving(had int, receipt bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.orders) > 0 && (!receipt || len(l.receipts) > had)
}

func (l *ledger) received(t testing.TB, order, body string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if earlier, had := l.receipts[order]; had && earlier != body {
		t.Errorf("order %s: receipt %s after %s", order, body, earlier)
	}
	l.receipts[order] = body
}

func TestAKillAtAnyMomentLeavesNothingHalfDone(t *testing.T) {
	if testing.Short() {
		killForAWhile(t, "sqlite:"+filepath.Join(t.TempDir(), "charges.db"), time.Second)
		return
	}
	t.Run("sqlite", func(t *testing.T) {
		killForAWhile(t, "sqlite:"+filepath.Join(t.TempDir(), "charges.db"), 6*time.Second)
	})
	t.Run("postgres", func(t *testing.T) {
		killForAWhile(t, testneed.Postgres(t), 6*time.Second)
	})
}

// leastKills are made even on a machine too slow for the time, and up to
// mostKills until one landed between commit and answer.
const leastKills, mostKills = 5, 40

func killForAWhile(t *testing.T, address string, long time.Duration) {
	env := childEnv + "=" + address
	for range 4 { // while it makes the tables
		c := startChild(t, env)
		time.Sleep(rand.N(60 * time.Millisecond))
		c.kill()
	}
	l := &ledger{receipts: map[string]string{}}
	began := time.Now()
	kills, afterCommit := 0, 0
	for ; kills < leastKills || time.Since(began) < long || afterCommit == 0 && kills < mostKills; kills++ {
		c := startChild(t, env).ready(t)
		done, had := make(chan struct{}), len(l.receipts)
		go func() { defer close(done); callUntilDead(t, c, l, kills) }()
		// Every other kill waits until there is traffic, however slow the machine.
		eventually(t, "the first order", func() bool { return l.moving(had, kills%2 == 1) })
		time.Sleep(rand.N(60 * time.Millisecond))
		c.kill()
		<-done
		c = startChild(t, env).ready(t)
		afterCommit += checkAfterKill(t, c, l)
		c.kill()
		l.orders = nil
	}
	t.Logf("%d kills, %d operations between commit and answer", kills, afterCommit)
	if afterCommit == 0 {
		t.Error("no kill landed between commit and answer")
	}
	checkStore(t, address, l)
}

// callUntilDead sends orders until the server is gone; half of the callers send
// each twice at once.
func callUntilDead(t testing.TB, c *child, l *ledger, round int) {
	r := &rig{t: t, url: c.url}
	var callers sync.WaitGroup
	for caller := range 6 {
		callers.Go(func() {
			for i := range 1000 {
				id := fmt.Sprintf("r%d-c%d-%d", round, caller, i)
				l.sent(id)
				var copies sync.WaitGroup
				failed := make([]error, 1+caller%2)
				for n := range failed {
					copies.Go(func() {
						got, err := r.send(ctx, "POST", "/v1/charges", order(id), "Idempotency-Key: "+id)
						if failed[n] = err; err == nil && got.status == 201 {
							l.received(t, id, got.body)
						}
					})
				}
				copies.Wait()
				if errors.Join(failed...) != nil {
					return
				}
			}
		})
	}
	callers.Wait()
}

// checkAfterKill looks at every order of the round, retries it, and looks
// again. It returns how many had their effect and no receipt.
func checkAfterKill(t testing.TB, c *child, l *ledger) (afterCommit int) {
	t.Helper()
	r := &rig{t: t, url: c.url}
	var mu sync.Mutex
	race(len(l.orders), func(i int) {
		id := l.orders[i]
		before := r.effects(id)
		l.mu.Lock()
		_, receipt := l.receipts[id]
		l.mu.Unlock()
		if before > 1 || receipt && before != 1 {
			t.Errorf("order %s: %d effects after the kill, receipt %v", id, before, receipt)
		}
		got := retryUntilAnswered(r, id)
		l.received(t, id, got.body)
		if marked := got.header.Get("Idempotent-Replayed") == "true"; marked != (before == 1) {
			t.Errorf("order %s: %d effects before the retry, replayed %v", id, before, marked)
		}
		r.wantEffects(id, 1)
		if before == 1 && !receipt {
			mu.Lock()
			afterCommit++
			mu.Unlock()
		}
	})
	return afterCommit
}

// retryUntilAnswered sends the same bytes until the answer is final, which it
// is at the latest when the dead owner's lease has ended.
func retryUntilAnswered(r *rig, id string) (got reply) {
	for range 100 {
		got = r.do("POST", "/v1/charges", order(id), "Idempotency-Key: "+id)
		if got.status == http.StatusCreated {
			return got
		}
		if got.status != 409 && got.status != 503 {
			break
		}
		time.Sleep(childLease / 5)
	}
	r.t.Errorf("order %s: still %d %s", id, got.status, got.body)
	return got
}

// checkStore looks into the database after all: one record, payment and effect
// for each order that was ever sent, and nothing in progress.
func checkStore(t *testing.T, address string, l *ledger) {
	s := mustOpen(t, address).(*sqlStore)
	for query, want := range map[string]int{
		`SELECT count(*) FROM effects`:                                           len(l.receipts),
		`SELECT count(*) FROM payments`:                                          len(l.receipts),
		`SELECT count(DISTINCT order_id) FROM effects`:                           len(l.receipts),
		`SELECT count(*) FROM idempotency_keys WHERE state = 'succeeded'`:        len(l.receipts),
		`SELECT count(*) FROM idempotency_keys WHERE state = 'in_progress'`:      0,
		`SELECT count(*) FROM payments JOIN effects ON payments.id = payment_id`: len(l.receipts),
	} {
		if n, err := one(ctx, s.read, value[int], query); err != nil || n != want {
			t.Errorf("%s: %d, %v; want %d", query, n, err, want)
		}
	}
}

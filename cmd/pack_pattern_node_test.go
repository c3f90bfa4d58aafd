package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// The pattern in TypeScript as a pack brings it: installed from its lock file,
// compiled, and held to the same contract as the one in Go.

// nodePattern is the folder of a pack's pattern with its service compiled.
type nodePattern struct{ node, folder string }

// installNodePattern does what the pack's README says of the pattern in
// TypeScript: it installs what the lock file pins, compiles and checks it.
// SQLite's driver is compiled where no build of it can be fetched, which takes
// minutes, so all the tests of this pattern are subtests of one.
func installNodePattern(t *testing.T) nodePattern {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shop")
	if r := runIdem(t, ".", nil, "pack", dir); r.code != ExitDone {
		t.Fatalf("pack: exit %d\n%s", r.code, r.err)
	}
	p := nodePattern{testneed.Node(t), filepath.Join(dir, "pattern", "node")}
	version, err := exec.Command(p.node, "--version").Output()
	if major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), "."); err != nil || len(major) < 2 || major < "20" {
		testneed.Missing(t, "Node 20 or later, which the pattern's packages need")
	}
	commands := marked(t, readFile(t, dir, "README.md"), "run: node")
	if len(commands) != 1 {
		t.Fatalf("the README says so %d times", len(commands))
	}
	here := strings.NewReplacer(":8080", ":"+testneed.Port(t), ":8081", ":"+testneed.Port(t)).Replace(commands[0])
	installing.Lock()
	defer installing.Unlock()
	for try := range 3 { // a busy machine may leave it open
		said, err := typedInShell(t, dir, filepath.Dir(buildIdem(t)), here, 9*time.Minute)
		if err == nil {
			break
		}
		if c, ok := err.(*exec.ExitError); !ok || c.ExitCode() != ExitInconclusive || try == 2 {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	return p
}

func (p nodePattern) server() string { return filepath.Join(p.folder, "dist", "server.js") }

// names are the variables by which the contract starts the service.
func (p nodePattern) names() []string {
	return []string{"PATTERN_PROGRAM=" + p.node, "PATTERN_ARGUMENT=" + p.server()}
}

func TestPackedPatternInNode(t *testing.T) {
	testneed.Long(t, "installing takes minutes, and each check half a minute")
	t.Parallel()
	p := installNodePattern(t)
	for _, store := range []string{"sqlite", "postgres"} {
		t.Run("keeps its contract on "+store, func(t *testing.T) {
			t.Parallel()
			wantPatternKept(t, checkPattern(t, patternDatabases[store](t), p.names()))
		})
		t.Run("by its own tests on "+store, func(t *testing.T) {
			t.Parallel()
			p.ownTests(t, patternDatabases[store](t))
		})
		t.Run("and in Go on "+store, func(t *testing.T) {
			t.Parallel()
			p.besideGo(t, patternDatabases[store](t))
		})
		t.Run("believes nobody on "+store, func(t *testing.T) {
			t.Parallel()
			p.hostile(t, patternDatabases[store](t))
		})
	}
	for _, f := range patternFaults {
		t.Run(f.wrong+" "+f.operation, func(t *testing.T) {
			t.Parallel()
			wantPatternCaught(t, f.operation, f.step, f.slug,
				checkPattern(t, sqliteFile(t), append(p.names(), "WRONG="+f.wrong), "--operation", f.operation, "--only", f.step))
		})
	}
	t.Run("stops in order", func(t *testing.T) {
		t.Parallel()
		p.stops(t)
	})
	t.Run("stops while it asks", func(t *testing.T) {
		t.Parallel()
		p.stopsAsking(t)
	})
	t.Run("refuses settings", func(t *testing.T) {
		t.Parallel()
		p.refuses(t)
	})
}

// ownTests runs what the pack brings, with the project's canonical forms beside.
func (p nodePattern) ownTests(t *testing.T, database string) {
	cases, err := filepath.Abs(filepath.Join("..", "testdata", "cases", "canonical.json"))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), p.node, "--test", "--test-concurrency=1", "--test-reporter=tap", filepath.Join("dist", "test"))
	c.Dir = p.folder
	c.Env = append(os.Environ(), "CANONICAL_CASES="+cases, "TEST_DATABASE_URL="+database, "SCHEMA="+filepath.Join(p.folder, "..", "schema"))
	c.WaitDelay = time.Second
	said, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, line := range []string{"\n# fail 0\n", "\n# skipped 0\n"} {
		if !bytes.Contains(said, []byte(line)) {
			t.Errorf("no line %q\n%s", line, said)
		}
	}
}

// stops is told to stop in the middle of an answer: it is finished first.
func (p nodePattern) stops(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be told to stop by a signal here")
	}
	s := p.start(t, "DATABASE_URL="+sqliteFile(t), "ANSWER_DELAY=1s")
	answer := make(chan shopReply, 1)
	go func() {
		answer <- s.post(t, "/v1/checkouts", fmt.Sprintf(patternBody, "last"), "Idempotency-Key: last")
	}()
	for end := time.Now().Add(time.Minute); s.orders(t, "last") == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no order")
		}
	}
	if err := s.process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if r := <-answer; r.status != 201 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if state, err := s.process.Wait(); err != nil || state.ExitCode() != 0 {
		t.Errorf("%v, %v\n%s", state, err, s.said)
	}
}

// stopsAsking is told to stop while the provider keeps its reconciling waiting:
// it takes no requests any more.
func (p nodePattern) stopsAsking(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be told to stop by a signal here")
	}
	database, silent := "DATABASE_URL="+sqliteFile(t), listenSilently(t)
	provider := "PROVIDER_URL=http://" + silent.Addr().String()
	p.start(t, database, provider, "LEASE=1s").leaveIntent(t, silent, "left")
	time.Sleep(time.Second) // the lease
	s := p.start(t, database, provider, "LEASE=1h")
	asked, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer asked.Close()
	if _, err := io.ReadFull(asked, make([]byte, len("POST /v1/charges"))); err != nil {
		t.Fatal(err)
	}
	if err := s.process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			break
		}
		conn.Close()
		time.Sleep(10 * time.Millisecond)
	}
	asked.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if _, err := io.Copy(io.Discard, asked); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it took requests until the provider was asked no more: %v\n%s", err, s.said)
	}
}

// refuses tries settings that it cannot serve by. It tells no password.
func (p nodePattern) refuses(t *testing.T) {
	for name, c := range map[string]struct{ env, want string }{
		"no database":          {"", "DATABASE_URL is not set"},
		"a strange database":   {"DATABASE_URL=oracle://u:hunter2@h/d", "DATABASE_URL is neither"},
		"no address":           {"DATABASE_URL=postgres://u:hunter2@h:port/d", "cannot be opened"},
		"nobody at an address": {"DATABASE_URL=postgres://u:hunter2@127.0.0.1:1/d", "cannot be opened: ECONNREFUSED"},
		"no duration":          {"DATABASE_URL=sqlite:x.db LEASE=soon", "LEASE is no duration"},
		"no unit":              {"DATABASE_URL=sqlite:x.db RETENTION=5", "RETENTION is no duration"},
		"no lease":             {"DATABASE_URL=sqlite:x.db LEASE=1ms", "LEASE is no duration of at least 100ms"},
		"no way to be wrong":   {"DATABASE_URL=sqlite:x.db WRONG=somehow", "WRONG is none of"},
		"no provider":          {"DATABASE_URL=sqlite:x.db PROVIDER_URL=there", "PROVIDER_URL is no http"},
		"a provider's secret":  {"DATABASE_URL=sqlite:x.db PROVIDER_URL=http://u:hunter2@there", "PROVIDER_URL is no http"},
		"no port":              {"DATABASE_URL=sqlite:x.db LISTEN=127.0.0.1:99999", "LISTEN is not HOST:PORT"},
		"no schema":            {"DATABASE_URL=sqlite:x.db SCHEMA=nowhere", "cannot be opened: ENOENT"},
		"no folder":            {"DATABASE_URL=sqlite:nowhere/x.db", "cannot be opened: ENOENT"},
	} {
		run := exec.CommandContext(t.Context(), p.node, p.server())
		run.Dir, run.WaitDelay = t.TempDir(), time.Second
		run.Env = append(os.Environ(), strings.Fields("LISTEN=127.0.0.1:0 "+c.env)...)
		said, err := run.CombinedOutput()
		if code := run.ProcessState.ExitCode(); err == nil || code != 2 || !strings.Contains(string(said), c.want) ||
			strings.Contains(string(said), "hunter2") || strings.Count(string(said), "\n") != 1 {
			t.Errorf("%s: exit %d: %s", name, code, said)
		}
	}
}

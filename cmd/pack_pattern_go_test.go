package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/testneed"
)

// The pattern in Go as a pack brings it: built by its own go.mod out of nothing
// but the module cache, and held to its contract.

// packedPattern is a pack's pattern folder with its service built, once.
var packedPattern struct {
	once            sync.Once
	folder, program string
	err             error
}

// offline has Go build by the pattern's own go.mod and go.sum, out of nothing but
// the module cache.
var offline = []string{"CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=readonly", "GOPROXY=off"}

func packPattern(t *testing.T) (folder, program string) {
	t.Helper()
	p := &packedPattern
	idem := buildIdem(t)
	p.once.Do(func() {
		var dir string
		if dir, p.err = sharedFolder(); p.err != nil {
			return
		}
		p.folder = filepath.Join(dir, "shop", "pattern")
		p.program = filepath.Join(p.folder, "go", "pattern")
		if runtime.GOOS == "windows" {
			p.program += ".exe"
		}
		pack := exec.Command(idem, "pack", filepath.Join(dir, "shop"))
		build := exec.Command("go", "build", "-o", p.program, ".")
		build.Dir = filepath.Join(p.folder, "go")
		build.Env = append(os.Environ(), offline...)
		for _, c := range []*exec.Cmd{pack, build} {
			if said, err := c.CombinedOutput(); err != nil {
				p.err = fmt.Errorf("%s: %w\n%s", c, err, said)
				return
			}
		}
	})
	if p.err != nil {
		t.Fatal(p.err)
	}
	return p.folder, p.program
}

// checkPattern holds a pattern's service to the pack's contract on a database,
// beside a payment provider of its own. What the program is comes with env.
func checkPattern(t *testing.T, database string, env []string, args ...string) ran {
	t.Helper()
	folder, _ := packPattern(t)
	ledger := "sqlite:" + filepath.ToSlash(filepath.Join(t.TempDir(), "provider.db"))
	env = append(env,
		"DATABASE_URL="+database,
		"PATTERN_ADDRESS=127.0.0.1:"+testneed.Port(t), "PATTERN_TOKEN=one-caller", "PATTERN_OTHER_TOKEN=another",
		"PROVIDER_URL="+startServe(t, "--store", ledger, "--answer-delay", "20ms"), "PROVIDER_STORE="+ledger,
		"IDEM_KEY="+strings.TrimSpace(runIdem(t, folder, nil, "key", "new").out))
	return settledRun(t, folder, env, append([]string{"verify", "contract.yaml", "--live", "--format", "json"}, args...)...)
}

// packedGo are the variables that name the pattern in Go.
func packedGo(t *testing.T) []string {
	t.Helper()
	_, program := packPattern(t)
	return []string{"PATTERN_PROGRAM=" + program, "PATTERN_ARGUMENT=serve"}
}

func sqliteFile(t *testing.T) string {
	return "sqlite:" + filepath.ToSlash(filepath.Join(t.TempDir(), "pattern.db"))
}

// patternDatabases are what the pattern runs on.
var patternDatabases = map[string]func(t *testing.T) string{
	"sqlite":   sqliteFile,
	"postgres": func(t *testing.T) string { return testneed.Postgres(t) },
	"mariadb":  func(t *testing.T) string { return testneed.MariaDB(t) },
}

// patternOperations reads a report's steps by operation.
func patternOperations(t *testing.T, r ran) map[string][]stepReport {
	t.Helper()
	var report struct {
		Operations []struct {
			Name  string
			Steps []stepReport
		}
	}
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Fatalf("exit %d, no JSON: %v\n%s\n%s", r.code, err, r.out, r.err)
	}
	out := map[string][]stepReport{}
	for _, o := range report.Operations {
		out[o.Name] = o.Steps
	}
	return out
}

// wantPatternKept wants every step of both operations to pass, with a kill that
// landed and effects that were counted where they happen.
func wantPatternKept(t *testing.T, r ran) {
	t.Helper()
	if r.code != ExitDone {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}
	operations := patternOperations(t, r)
	for name, countedBy := range map[string]string{"create-checkout": "http", "create-payment": "sql"} {
		var seen []string
		landed := false
		for _, s := range operations[name] {
			seen = append(seen, s.Step)
			if s.Verdict != "pass" {
				t.Errorf("%s: %s: %s %v %v", name, s.Step, s.Verdict, s.Reasons, s.Findings)
			}
			if e := s.Evidence.Effects; e != nil && e.CountedBy != countedBy {
				t.Errorf("%s: %s: counted by %s", name, s.Step, e.CountedBy)
			}
			for _, m := range s.Evidence.Measures {
				landed = landed || m.Name == "kills" && !strings.HasSuffix(m.Value, ": 0")
			}
		}
		for _, step := range append(slices.Clone(contract.CoreSteps[:]), "scope", "missing-key") {
			if !slices.Contains(seen, step) {
				t.Errorf("%s: %s was not run", name, step)
			}
		}
		if !landed {
			t.Errorf("%s: no kill fell between an effect and its answer", name)
		}
	}
}

func TestPackedPatternInGoKeepsItsContract(t *testing.T) {
	testneed.Long(t, "the check takes half a minute on each database")
	t.Parallel()
	for name, open := range patternDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPatternKept(t, checkPattern(t, open(t), packedGo(t)))
		})
	}
}

// TestPackedPatternsOwnTestsPass on each database, as somebody runs them who has
// the pack.
func TestPackedPatternsOwnTestsPass(t *testing.T) {
	testneed.Long(t, "the tests are built for a module of their own")
	t.Parallel()
	folder, _ := packPattern(t)
	for name, open := range patternDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-timeout=10m", ".")
			c.Dir = filepath.Join(folder, "go")
			c.Env = append(append(os.Environ(), offline...), "TEST_DATABASE_URL="+open(t))
			if said, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}

// patternFaults are the ways in which the pattern goes wrong, the step that is
// to catch each, and by what it does.
var patternFaults = []struct{ wrong, operation, step, slug string }{
	{"no-expiry", "create-checkout", "expiry", "expiry/never-forgets"},
	{"no-expiry", "create-payment", "expiry", "expiry/never-forgets"},
	{"key-without-result", "create-checkout", "duplicate", "duplicate/effect-ran-twice"},
	{"key-without-result", "create-payment", "duplicate", "duplicate/refused"},
	{"server-made-key", "create-checkout", "duplicate", "duplicate/effect-ran-twice"},
	{"server-made-key", "create-payment", "duplicate", "duplicate/effect-ran-twice"},
	{"key-outside-transaction", "create-checkout", "crash", "crash/effect-ran-twice"},
}

func TestPackedPatternInGoGoneWrongIsCaught(t *testing.T) {
	testneed.Long(t, "seven checks of some seconds")
	t.Parallel()
	for _, f := range patternFaults {
		t.Run(f.wrong+" "+f.operation, func(t *testing.T) {
			t.Parallel()
			wantPatternCaught(t, f.operation, f.step, f.slug,
				checkPattern(t, sqliteFile(t), append(packedGo(t), "WRONG="+f.wrong), "--operation", f.operation, "--only", f.step))
		})
	}
}

// wantPatternCaught wants a step to fail, by a slug.
func wantPatternCaught(t *testing.T, operation, step, slug string, r ran) {
	t.Helper()
	if r.code != ExitBroken {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}
	var slugs []string
	for _, s := range patternOperations(t, r)[operation] {
		for _, f := range s.Findings {
			if s.Step == step && s.Verdict == "fail" {
				slugs = append(slugs, f.Slug)
			}
		}
	}
	if !slices.Contains(slugs, slug) {
		t.Errorf("%s found %v, want %s", step, slugs, slug)
	}
}

// TestPackedPatternInGoBelievesNobody: what no right client sends is refused
// before its key is claimed, on each database.
func TestPackedPatternInGoBelievesNobody(t *testing.T) {
	testneed.Long(t, "it is sent much to three databases")
	t.Parallel()
	folder, program := packPattern(t)
	for name, open := range patternDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startPattern(t, exec.Command(program), "DATABASE_URL="+open(t), "SCHEMA="+filepath.Join(folder, "schema"),
				"PROVIDER_URL=http://127.0.0.1:1")
			t.Run("bodies", func(t *testing.T) { hostileBodies(t, s) })
			t.Run("keys", func(t *testing.T) { hostileKeys(t, s) })
			t.Run("heads", func(t *testing.T) { hostileHeads(t, s) })
			t.Run("callers", func(t *testing.T) { strangeCallers(t, s) })
			for _, secret := range []string{patternToken, "zebra", "customer@"} {
				if strings.Contains(s.said.String(), secret) {
					t.Errorf("the log shows %s\n%s", secret, s.said)
				}
			}
		})
	}
}

// TestPackedPatternByTheCommandsOfItsContract runs what the contract says to run
// in its head, on ports of the test's own, and one step of the check.
func TestPackedPatternByTheCommandsOfItsContract(t *testing.T) {
	testneed.Long(t, "the pattern is built once more")
	t.Parallel()
	bash := testneed.Program(t, "bash")
	dir := filepath.Join(t.TempDir(), "shop")
	if r := runIdem(t, ".", nil, "pack", dir); r.code != ExitDone {
		t.Fatal(r.err)
	}
	folder := filepath.Join(dir, "pattern")
	text, err := os.ReadFile(filepath.Join(folder, "contract.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for line := range strings.Lines(string(text)) {
		if command, ok := strings.CutPrefix(line, "#   "); ok {
			commands = append(commands, command)
		}
	}
	script := strings.NewReplacer("8080", testneed.Port(t), "8081", testneed.Port(t)).Replace(strings.Join(commands, ""))
	if len(commands) < 5 || !strings.HasSuffix(script, " --live\n") {
		t.Fatalf("the commands are\n%s", script)
	}
	var said bytes.Buffer
	var out []byte
	for range 4 { // a busy machine may leave it open
		c := exec.CommandContext(t.Context(), bash, "-c", "set -e\ntrap 'kill $! && wait $! || true' EXIT\n"+strings.TrimSpace(script)+" --only duplicate --format json")
		c.Dir = folder
		c.Env = append(append(os.Environ(), offline...), "PATH="+filepath.Dir(buildIdem(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
		c.Stderr = &said
		if out, err = c.Output(); err == nil || c.ProcessState.ExitCode() != ExitInconclusive {
			break
		}
	}
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, said.String())
	}
	if _, json, _ := strings.Cut(string(out), "\n{"); strings.Count(json, `"verdict": "pass"`) < 5 {
		t.Errorf("%s", out)
	}
}

// TestPackedPatternRefuses settings that it cannot serve by, and tells no
// password.
func TestPackedPatternRefuses(t *testing.T) {
	testneed.Long(t, "the pattern is built for a module of its own")
	t.Parallel()
	_, program := packPattern(t)
	for name, c := range map[string]struct{ env, want string }{
		"no database":         {"", "DATABASE_URL is not set"},
		"a strange database":  {"DATABASE_URL=oracle://u:hunter2@h/d", "DATABASE_URL is neither"},
		"no address":          {"DATABASE_URL=postgres://u:hunter2@h:port/d", "no address of a PostgreSQL database"},
		"no duration":         {"DATABASE_URL=sqlite:x.db LEASE=soon", "LEASE is no duration"},
		"no lease":            {"DATABASE_URL=sqlite:x.db LEASE=1ms", "LEASE is no duration of at least 100ms"},
		"no way to be wrong":  {"DATABASE_URL=sqlite:x.db WRONG=somehow", "WRONG is none of"},
		"no provider":         {"DATABASE_URL=sqlite:x.db PROVIDER_URL=there", "PROVIDER_URL is no URL"},
		"a provider's secret": {"DATABASE_URL=sqlite:x.db PROVIDER_URL=http://u:hunter2@there", "PROVIDER_URL is no URL"},
		"no schema":           {"DATABASE_URL=sqlite:x.db SCHEMA=nowhere", "SCHEMA does not name the folder"},
	} {
		run := exec.CommandContext(t.Context(), program)
		run.Dir, run.WaitDelay = t.TempDir(), time.Second
		run.Env = append(os.Environ(), strings.Fields("LISTEN=127.0.0.1:0 "+c.env)...)
		said, err := run.CombinedOutput()
		if code := run.ProcessState.ExitCode(); err == nil || code != 2 || !strings.Contains(string(said), c.want) || strings.Contains(string(said), "hunter2") {
			t.Errorf("%s: exit %d: %s", name, code, said)
		}
	}
}

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

	"github.com/idem-toolkit/idem/internal/testneed"
)

// example is one folder of examples/: what the check must say of its service,
// and of the same service broken.
type example struct {
	name    string
	skipped []string    // steps that are excused, all others must pass
	breaks  []brokenWay // each must be caught by the step
}

type brokenWay struct{ name, step, slug string }

var examples = []example{
	{"stripe-v1", nil, []brokenWay{
		{"ignores-params", "conflict", "conflict/first-result-returned"},
		{"no-claim", "concurrent", "concurrent/effect-ran-twice"},
		{"forgets-on-restart", "crash", "crash/effect-ran-twice"},
		{"forgets-failures", "outcome", "outcome/not-stored"},
		{"shares-accounts", "scope", "scope/other-callers-result"},
	}},
	{"graphql", nil, []brokenWay{
		{"returns-first-on-conflict", "conflict", "conflict/first-result-returned"},
		{"refuses-duplicates", "duplicate", "duplicate/refused"},
		{"no-claim", "concurrent", "concurrent/effect-ran-twice"},
		{"runs-keyless", "missing-key", "missing-key/not-refused"},
	}},
	{"key-in-body", nil, []brokenWay{
		{"ignores-money", "conflict", "conflict/first-result-returned"},
		{"no-claim", "concurrent", "concurrent/effect-ran-twice"},
		{"runs-keyless", "missing-key", "missing-key/not-refused"},
		{"drops-large", "fidelity", "fidelity/effect-ran-twice"},
	}},
	{"azure-repeatability", nil, []brokenWay{
		{"runs-after-window", "expiry", "expiry/wrong-answer"},
		{"ignores-params", "conflict", "conflict/first-result-returned"},
		{"keeps-5xx", "outcome", "outcome/not-released"},
	}},
	{"signed", nil, []brokenWay{
		{"signature-in-fingerprint", "duplicate", "duplicate/refused"},
		{"no-claim", "concurrent", "concurrent/effect-ran-twice"},
		{"forgets-on-restart", "crash", "crash/effect-ran-twice"},
		{"drops-record-on-hang-up", "disconnect", "disconnect/effect-ran-twice"},
	}},
}

const signingSecret = "s1gning-s3cret-of-the-test"

func examplePath(name string, file ...string) string {
	return filepath.Join(append([]string{"..", "examples", name}, file...)...)
}

// builtServices is the services of the examples, built once.
var builtServices = sync.OnceValues(func() (string, error) {
	dir, err := sharedFolder()
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "services")
	if runtime.GOOS == "windows" {
		out += ".exe"
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-o", out, "../examples/services")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, said)
	}
	return out, nil
})

func buildServices(t *testing.T) string {
	t.Helper()
	out, err := builtServices()
	if err != nil {
		t.Fatalf("build the services: %v", err)
	}
	return out
}

// exampleEnv is what an example's local.env sets, with ports and files of its own.
func exampleEnv(t *testing.T, services, broken string) []string {
	t.Helper()
	port := testneed.Port(t)
	return []string{"API_URL=http://127.0.0.1:" + port, "API_HOST=127.0.0.1", "API_TOKEN=sk_test_local_a",
		"OTHER_TOKEN=sk_test_local_b", "SERVICES=" + services, "LISTEN=127.0.0.1:" + port, "RETENTION=8s",
		"DATA=" + filepath.Join(t.TempDir(), "data.ndjson"), "BREAK=" + broken, "SIGNING_SECRET=" + signingSecret}
}

// TestExamplesPass runs every example as its README says: each step that the
// contract enables passes, with effects counted.
func TestExamplesPass(t *testing.T) {
	testneed.Long(t, "the examples take half a minute")
	t.Parallel()
	services := buildServices(t)
	buildIdem(t)
	var all sync.WaitGroup
	defer all.Wait()
	for _, x := range examples {
		env, trace := exampleEnv(t, services, ""), filepath.Join(t.TempDir(), "trace.ndjson")
		all.Go(func() {
			r := settledRun(t, ".", env, "verify", examplePath(x.name, "contract.yaml"), "--live", "--format", "json", "--trace", trace)
			wantExample(t, x, r)
			wantNoSecrets(t, x.name, trace, r)
		})
	}
}

func wantExample(t *testing.T, x example, r ran) {
	t.Helper()
	var report liveReport
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Errorf("%s: exit %d, no JSON: %v\n%s", x.name, r.code, err, r.err)
		return
	}
	if r.code != ExitDone || len(report.Operations) != 1 || len(report.Operations[0].Steps) < 6 {
		t.Errorf("%s: exit %d, verdict %s\n%s", x.name, r.code, report.Verdict, r.err)
	}
	for _, s := range report.Operations[0].Steps {
		want := "pass"
		if slices.Contains(x.skipped, s.Step) {
			want = "skipped"
		}
		if s.Verdict != want {
			t.Errorf("%s: %s is %s, want %s: %v", x.name, s.Step, s.Verdict, want, s.Reasons)
		}
		if e := s.Evidence.Effects; e != nil && e.CountedBy != "http" {
			t.Errorf("%s: %s is counted by %q", x.name, s.Step, e.CountedBy)
		}
	}
}

// wantNoSecrets: what the contract's variables hold is in no record.
func wantNoSecrets(t *testing.T, name, trace string, r ran) {
	t.Helper()
	recorded, err := os.ReadFile(trace)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for _, secret := range []string{signingSecret, "sk_test_local_a", "sk_test_local_b"} {
		if bytes.Contains(recorded, []byte(secret)) || strings.Contains(r.out+r.err, secret) {
			t.Errorf("%s: a secret was recorded or shown", name)
		}
	}
}

// TestBrokenExamplesAreCaught breaks each service in the ways that it knows.
func TestBrokenExamplesAreCaught(t *testing.T) {
	testneed.Long(t, "the broken examples take half a minute")
	t.Parallel()
	services := buildServices(t)
	buildIdem(t)
	places := make(chan struct{}, 4)
	var all sync.WaitGroup
	defer all.Wait()
	for _, x := range examples {
		if len(x.breaks) < 2 {
			t.Errorf("%s is broken in %d ways", x.name, len(x.breaks))
		}
		for _, way := range x.breaks {
			env := exampleEnv(t, services, way.name)
			all.Go(func() {
				places <- struct{}{}
				defer func() { <-places }()
				r := settledRun(t, ".", env, "verify", examplePath(x.name, "contract.yaml"), "--live", "--format", "json", "--only", way.step)
				if !strings.Contains(r.out, fmt.Sprintf("%q: %q", "slug", way.slug)) && !strings.Contains(r.out, fmt.Sprintf("%q:%q", "slug", way.slug)) ||
					r.code != ExitBroken {
					t.Errorf("%s, %s: exit %d without %s\n%s\n%s", x.name, way.name, r.code, way.slug, r.out, r.err)
				}
			})
		}
	}
}

// TestSigningOnceIsRefused: the command of the signed example needs a request to
// sign, and has none where the contract asks it once a run. Nothing is sent.
func TestSigningOnceIsRefused(t *testing.T) {
	testneed.Long(t, "programs are built")
	text, err := os.ReadFile(examplePath("signed", "contract.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "contract.yaml")
	once := bytes.Replace(text, []byte("per: attempt"), []byte("per: run"), 1)
	if bytes.Equal(once, text) {
		t.Fatal("the contract signs no attempts")
	}
	if err := os.WriteFile(file, once, 0o600); err != nil {
		t.Fatal(err)
	}
	r := runIdem(t, ".", exampleEnv(t, buildServices(t), ""), "verify", file, "--live", "--only", "duplicate")
	if r.code != ExitUsage || !strings.Contains(r.err, "contract.yaml:10:") || !strings.Contains(r.err, "no request on standard input") {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
}

// TestExamplesDry holds what a dry run of each example prints.
func TestExamplesDry(t *testing.T) {
	for _, x := range examples {
		code, out, said := idem(t, map[string]string{"COLUMNS": "100"}, "verify", examplePath(x.name, "contract.yaml"))
		if code != ExitDone || len(said) > 0 {
			t.Errorf("%s: exit %d\n%s", x.name, code, said)
		}
		golden := filepath.Join("..", "testdata", "golden", "examples", x.name+".txt")
		if *updateScripts {
			if err := os.WriteFile(golden, out, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out, want) {
			t.Errorf("%s: not what %s holds (-update writes it):\n%s", x.name, golden, out)
		}
	}
}

// TestExamplesAreWhole: every folder has its contract, README and variables, and
// local.env sets all that the contract names.
func TestExamplesAreWhole(t *testing.T) {
	folders, err := os.ReadDir(filepath.Join("..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		known := slices.ContainsFunc(examples, func(x example) bool { return x.name == f.Name() })
		ofItsOwn := f.Name() == "services" || f.Name() == "spark" // no contract: what runs the others, and spark_test.go
		if f.IsDir() && !ofItsOwn && !known {
			t.Errorf("examples/%s is not tested", f.Name())
		}
	}
	for _, x := range examples {
		text, err := os.ReadFile(examplePath(x.name, "contract.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		env, err := os.ReadFile(examplePath(x.name, "local.env"))
		if err != nil {
			t.Fatal(err)
		}
		readme, err := os.ReadFile(examplePath(x.name, "README.md"))
		if err != nil || !bytes.Contains(readme, []byte("**Staging**")) {
			t.Errorf("%s: its README does not say how to point it at staging: %v", x.name, err)
		}
		for _, part := range strings.Split(string(text), "${")[1:] {
			if name, _, _ := strings.Cut(part, "}"); !bytes.Contains(env, []byte(name+"=")) {
				t.Errorf("%s: local.env does not set %s", x.name, name)
			}
		}
	}
}

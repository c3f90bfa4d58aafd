package cmd

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/testneed"
	"github.com/idem-toolkit/idem/internal/zoo"
)

// Two reference services, each a process of its own: on one PostgreSQL they are
// replicas, on a store in memory each they only look like it.

// replica starts one of them at an address.
func replica(t *testing.T, name, address string, env []string, store ...string) {
	t.Helper()
	args := append([]string{"serve", "--listen", address, "--instance", name,
		"--retention", "6s", "--lease", "1s", "--work", "10ms", "--answer-delay", "40ms", "--admin"}, store...)
	c := exec.Command(buildIdem(t), args...)
	c.Env = append(c.Environ(), env...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		resp, err := http.Get("http://" + address + zoo.Ready)
		if err == nil {
			resp.Body.Close()
			if resp.Header.Get("X-Served-By") == name {
				return
			}
			t.Fatalf("something else answers at %s", address)
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// replicaCheck is the reference service's contract, changed, and a check by it.
type replicaCheck struct {
	store zoo.Store
	edits [][2]string // of the contract
	env   []string
	args  []string
	open  bool // it is to be inconclusive
}

func (c replicaCheck) run(t *testing.T) ([]stepReport, ran) {
	t.Helper()
	dir := t.TempDir()
	text := string(zoo.Reference().Contract(c.store))
	for _, e := range c.edits {
		if !strings.Contains(text, e[0]) {
			t.Fatalf("the contract no longer has %s", e[0])
		}
		text = strings.Replace(text, e[0], e[1], 1)
	}
	file := filepath.Join(dir, "contract.yaml")
	write(t, file, text)
	env := append([]string{zoo.EnvProgram + "=" + buildIdem(t), zoo.EnvToken + "=one", zoo.EnvOther + "=two"}, c.env...)
	check := settledRunWithin
	if c.open {
		check = runIdemWithin
	}
	r := check(t, 5*time.Minute, dir, env, append([]string{"verify", file, "--live", "--format", "json"}, c.args...)...)
	return r.steps(t), r
}

// wantReplicas wants every step to pass, and the steps to say how many instances
// they have met: these, or with "" some.
func wantReplicas(t *testing.T, steps []stepReport, r ran, instances map[string]string) {
	t.Helper()
	if r.code != ExitDone {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}
	for _, s := range steps {
		if s.Verdict != "pass" {
			t.Errorf("%s: %s %v %v", s.Step, s.Verdict, s.Reasons, s.Findings)
		}
		for _, m := range s.Evidence.Measures {
			if want, told := instances[s.Step]; m.Name == "instances" && told {
				if want != "" && m.Value != want {
					t.Errorf("%s met %q, want %q", s.Step, m.Value, want)
				}
				delete(instances, s.Step)
			}
		}
	}
	for step := range instances {
		t.Errorf("%s does not say how many instances it met", step)
	}
}

// wantReplicasBroken wants the replicas step to fail, by slugs of its own and at
// cases that say what was across.
func wantReplicasBroken(t *testing.T, steps []stepReport, r ran, slugs ...string) {
	t.Helper()
	if r.code != ExitBroken {
		t.Errorf("exit %d\n%s", r.code, r.err)
	}
	for _, s := range steps {
		if s.Step != "replicas" {
			continue
		}
		var found []string
		for _, f := range s.Findings {
			found = append(found, f.Slug)
			if !strings.HasPrefix(f.Slug, "replicas/") || !strings.Contains(f.ID, "replica") {
				t.Errorf("%s", f.ID)
			}
		}
		for _, slug := range slugs {
			if !slices.Contains(found, slug) {
				t.Errorf("%s is not found, only %v", slug, found)
			}
		}
		failed := 0
		for _, c := range s.Cases {
			across := strings.Contains(c.Name, "replica") || strings.Contains(c.Name, "instance") || strings.Contains(c.Name, "balancer")
			if c.Verdict == "fail" {
				failed++
			}
			if !across {
				t.Errorf("case %q does not say what is across", c.Name)
			}
		}
		if s.Verdict != "fail" || failed < 3 {
			t.Errorf("%s, %d cases fail: %+v", s.Verdict, failed, s.Cases)
		}
		return
	}
	t.Error("the step was not run")
}

const (
	bothURLs  = `["http://${IDEM_ZOO_ADDRESS}", "http://${IDEM_ZOO_REPLICA}"]`
	asReplica = `"--replica", "${IDEM_ZOO_REPLICA}"`
)

// TestTwoProcessesOnOnePostgres: the check starts and kills the first one, the
// second runs all the time.
func TestTwoProcessesOnOnePostgres(t *testing.T) {
	testneed.Long(t, "the whole check takes ten seconds")
	t.Parallel()
	dsn := zoo.EnvDSN + "=" + testneed.Postgres(t)
	one, two := "127.0.0.1:"+testneed.Port(t), "127.0.0.1:"+testneed.Port(t)
	replica(t, "two", two, []string{dsn}, "--store-env", zoo.EnvDSN)
	steps, r := replicaCheck{store: zoo.Postgres, edits: [][2]string{{asReplica, `"--instance", "one"`}},
		env: []string{dsn, zoo.EnvAddress + "=" + one, zoo.EnvReplica + "=" + two}}.run(t)
	first := "1: one"
	wantReplicas(t, steps, r, map[string]string{"duplicate": first, "concurrent": first, "conflict": first, "scope": first, "replicas": "2: one, two"})
}

// behindOneURL is the contract of replicas behind one URL. Their store is taken away
// from one of them alone, so that it is not declared.
func behindOneURL(url string) [][2]string {
	text := string(zoo.Reference().Contract(zoo.Memory))
	at := strings.Index(text, "    store_down:")
	line, _, _ := strings.Cut(text[at:], "\n")
	return [][2]string{{bothURLs, `["` + url + `"]`}, {line + "\n", ""}}
}

// TestBehindABalancer: two processes on one PostgreSQL pass behind balancers
// that spread, and are not accused behind one that does not.
func TestBehindABalancer(t *testing.T) {
	testneed.Long(t, "three checks of ten seconds")
	t.Parallel()
	dsn := zoo.EnvDSN + "=" + testneed.Postgres(t)
	one, two := "127.0.0.1:"+testneed.Port(t), "127.0.0.1:"+testneed.Port(t)
	replica(t, "one", one, []string{dsn}, "--store-env", zoo.EnvDSN)
	replica(t, "two", two, []string{dsn}, "--store-env", zoo.EnvDSN)
	both := "2: one, two"
	for name, url := range map[string]string{"connections": balanceConnections(t, false, one, two), "requests": balanceRequests(t, one, two)} {
		t.Run(name, func(t *testing.T) {
			steps, r := replicaCheck{store: zoo.Memory, edits: behindOneURL(url), args: []string{"--skip", "crash"}}.run(t)
			steps = slices.DeleteFunc(steps, func(s stepReport) bool { return s.Step == "crash" })
			wantReplicas(t, steps, r, map[string]string{"duplicate": "", "concurrent": both, "conflict": both, "scope": both, "replicas": both})
		})
	}
	t.Run("sticky", func(t *testing.T) {
		steps, r := replicaCheck{store: zoo.Memory, edits: behindOneURL(balanceConnections(t, true, one, two)), args: []string{"--only", "replicas"}, open: true}.run(t)
		if r.code != ExitInconclusive {
			t.Errorf("exit %d\n%s", r.code, r.out)
		}
		for _, s := range steps {
			const why = "all answers come from one instance, by X-Served-By: one"
			if s.Step == "replicas" && (s.Verdict != "inconclusive" || len(s.Reasons) != 1 || s.Reasons[0].Text != why || s.Reasons[0].Settle == "") {
				t.Errorf("%s %v %v", s.Verdict, s.Reasons, s.Findings)
			}
		}
	})
}

// TestTwoProcessesThatOnlyLookLikeReplicas have a store in memory each.
func TestTwoProcessesThatOnlyLookLikeReplicas(t *testing.T) {
	testneed.Long(t, "two checks of ten seconds")
	t.Parallel()
	one, two := "127.0.0.1:"+testneed.Port(t), "127.0.0.1:"+testneed.Port(t)
	replica(t, "one", one, nil)
	replica(t, "two", two, nil)
	env := []string{zoo.EnvAddress + "=" + one, zoo.EnvReplica + "=" + two}
	t.Run("a URL each", func(t *testing.T) {
		steps, r := replicaCheck{store: zoo.Memory, env: env, args: []string{"--only", "replicas"}}.run(t)
		wantReplicasBroken(t, steps, r, "replicas/other-answer", "replicas/conflict-not-seen", "replicas/results-differ")
	})
	for name, url := range map[string]string{"connections": balanceConnections(t, false, one, two), "requests": balanceRequests(t, one, two)} {
		t.Run(name, func(t *testing.T) {
			steps, r := replicaCheck{store: zoo.Memory, edits: behindOneURL(url), args: []string{"--only", "replicas"}}.run(t)
			wantReplicasBroken(t, steps, r, "replicas/other-answer", "replicas/conflict-not-seen", "replicas/results-differ")
		})
	}
}

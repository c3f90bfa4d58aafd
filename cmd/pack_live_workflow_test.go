package cmd

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/testneed"
)

const liveToken = "a-token-that-nobody-is-shown"

// hostilePack is a pack of a contract whose texts mean something elsewhere, and
// the environment that a live run of it needs. Its service is the reference
// service, which idem starts.
func hostilePack(t *testing.T) (dir string, env map[string]string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "pack")
	if r := runIdem(t, "..", nil, "pack", dir, "--contract", "testdata/pack/hostile/contract.yaml"); r.code != ExitDone {
		t.Fatal(r.err)
	}
	if r := runIdem(t, dir, nil, "key", "new", "--kid", "k1", "--out", "k1.key"); r.code != ExitDone {
		t.Fatal(r.err)
	}
	return dir, map[string]string{"CHARGES_ADDRESS": "127.0.0.1:" + testneed.Port(t), "GITHUB_STAGING_TOKEN": liveToken, "OTHER_TOKEN": liveToken + "-2",
		"IDEM_KEY": strings.TrimSpace(string(readFile(t, dir, "k1.key")))}
}

// TestLiveWorkflow runs the scripts of a run by hand: what would be sent, what
// is sent, and a promise that is broken.
func TestLiveWorkflow(t *testing.T) {
	testneed.Long(t, "whole checks take ten seconds")
	t.Parallel()
	dir, env := hostilePack(t)
	w := readWorkflow(t, filepath.Join(dir, liveWorkflow))
	write(t, filepath.Join(dir, "broken.yaml"), strings.Replace(string(readFile(t, dir, "contract.yaml")), "conflict: {status: [422]}", "conflict: {status: [409]}", 1))
	context := map[string]string{"inputs.target": "", "inputs.contract": "contract.yaml", "inputs.live": "true",
		"secrets.IDEM_GITHUB_STAGING_TOKEN": env["GITHUB_STAGING_TOKEN"], "secrets.OTHER_TOKEN": env["OTHER_TOKEN"], "secrets.IDEM_KEY": env["IDEM_KEY"],
		"vars.CHARGES_ADDRESS": env["CHARGES_ADDRESS"]}
	run := func(job string, with map[string]string) (map[string]stepRan, *runnerLike) {
		given := maps.Clone(context)
		maps.Copy(given, with)
		r := newRunner(t, dir, given)
		return r.steps(w.Jobs[job].Steps, w.Env, w.Jobs[job].Env), r
	}
	steps, _ := run("dry", nil)
	if s := steps["What a live run would send"]; s.code != 0 || !strings.Contains(s.summary, "## idem verify: not run") || !strings.Contains(s.out, "nothing was sent") {
		t.Errorf("the dry run: exit %d\n%.1000s", s.code, s.out)
	}
	steps, _ = run("dry", map[string]string{"inputs.contract": "../nowhere.yaml"})
	if s := steps["What a live run would send"]; s.code != 2 || !strings.Contains(s.out, "::error title=idem verify::idem: ../nowhere.yaml: cannot be read") {
		t.Errorf("no contract: exit %d\n%.1000s", s.code, s.out)
	}
	for contract, code := range map[string]int{"contract.yaml": 0, "broken.yaml": 1} {
		var s stepRan
		var r *runnerLike
		for range 4 { // a busy machine may let no copies overlap
			steps, r = run("live", map[string]string{"inputs.contract": contract})
			if s = steps["Verify"]; s.code != ExitInconclusive {
				break
			}
		}
		wantLive(t, s, code, contract, filepath.Join(r.temp, "idem-report"))
		if kept, err := os.ReadDir(filepath.Join(r.temp, "idem-report")); err != nil || len(kept) != 3 {
			t.Errorf("kept as an artifact: %v, %v", kept, err)
		}
	}
	steps, _ = run("live", map[string]string{"inputs.target": "http://elsewhere.example"})
	if s := steps["Verify"]; s.code != 2 || !strings.Contains(s.out, "::error title=idem verify::") || !strings.Contains(s.out, "target.allow_hosts") {
		t.Errorf("another host: exit %d\n%.1000s", s.code, s.out)
	}
}

package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/testneed"
)

const checkWorkflow, liveWorkflow = ".github/workflows/idem-check.yml", ".github/workflows/idem-live.yml"

const (
	recipeStep  = "Recipe, and the lock of its versions"
	dryStep     = "Dry run, byte for byte"
	changedStep = "Changed payloads"
)

// checked runs the workflow of a pull request on what is checked out.
func checked(t *testing.T, g gitRepo) map[string]stepRan {
	t.Helper()
	w := readWorkflow(t, filepath.Join(g.dir, checkWorkflow))
	return newRunner(t, g.dir, map[string]string{}).steps(w.Jobs["check"].Steps, w.Env, w.Jobs["check"].Env)
}

// TestPullRequests runs the scripts of the pack's workflow on changes that are
// right and on changes that are not, and looks at what a person sees of them.
func TestPullRequests(t *testing.T) {
	testneed.Long(t, "a workflow runs for each change")
	t.Parallel()
	for name, c := range map[string]struct {
		change  func(g gitRepo)
		codes   map[string]int // 0 where a step is not named
		log     map[string]string
		summary map[string]string
	}{
		"nothing": {change: func(gitRepo) {}, summary: map[string]string{
			recipeStep: "- lint found nothing\n- every version is locked", dryStep: "byte for byte.", changedStep: "None."}},
		"another cart": {change: func(g gitRepo) {
			if err := os.Mkdir(filepath.Join(g.dir, "payloads"), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(g.dir, "payloads", "next.json"), strings.Replace(string(readFile(t, g.dir, "payload.json")), "c_1042", "c_1043", 1))
			g.commit("one more")
			g.git("branch", "-f", "main")
			g.edit("payloads/next.json", `"version": 3`, `"version": 4`)
		},
			log:     map[string]string{changedStep: "::notice file=payloads/next.json,title=changed payload::another operation, with an ID of its own%0Achanged in its identity: cart_version"},
			summary: map[string]string{changedStep: "| payloads/next.json | **another operation"}},
		"another amount": {change: func(g gitRepo) { g.edit("payload.json", "1999", "2999") },
			codes:   map[string]int{dryStep: 1},
			log:     map[string]string{changedStep: "::warning file=payload.json,title=changed payload::the same operation by another request", dryStep: "::error file=expected-dry-run.json,line="},
			summary: map[string]string{changedStep: "| payload.json | **the same operation by another request", dryStep: "2999"}},
		"sent later": {change: func(g gitRepo) {
			g.edit("payload.json", "10:15:00Z", "11:15:00Z")
			r := runIdem(t, g.dir, nil, "verify", "contract.yaml", "--format", "json")
			write(t, filepath.Join(g.dir, "expected-dry-run.json"), r.out)
		}, summary: map[string]string{changedStep: "| payload.json | the same operation by the same request |", dryStep: "byte for byte"}},
		"a payload that is no operation": {change: func(g gitRepo) { write(t, filepath.Join(g.dir, "payload-2.json"), `{"tenant":"acme"}`) },
			codes: map[string]int{changedStep: 1}, log: map[string]string{changedStep: "::error file=payload-2.json,title=changed payload::no operation"},
			summary: map[string]string{changedStep: "| payload-2.json | **no operation"}},
		"a payload that is gone, one with an odd name": {change: func(g gitRepo) {
			write(t, filepath.Join(g.dir, "payload `$(touch pwned)`|\n::error::x.json"), string(readFile(t, g.dir, "payload.json")))
		}, summary: map[string]string{changedStep: "a payload that was not there before"}},
		"the recipe, under the same version": {change: func(g gitRepo) { g.edit("recipe.yaml", "  cart: /cart/id\n", "") },
			codes:   map[string]int{recipeStep: 2, dryStep: 2},
			log:     map[string]string{recipeStep: "::error file=recipe.yaml", dryStep: "::error file=contract.yaml,title=idem verify::"},
			summary: map[string]string{recipeStep: "**lint refuses it**", dryStep: "**There is none**"}},
		"the recipe, under a version that is not locked": {change: func(g gitRepo) { g.edit("recipe.yaml", "version: 1\n", "version: 2\n") },
			codes: map[string]int{recipeStep: 1, dryStep: 1}, log: map[string]string{recipeStep: "::error file=idem.lock,title=idem recipe lock::"},
			summary: map[string]string{recipeStep: "**a version is not what was locked, or not locked yet**"}},
		"the contract, and not its golden": {change: func(g gitRepo) { g.edit("contract.yaml", "retry_window: 4s", "retry_window: 3s") },
			codes: map[string]int{dryStep: 1}, log: map[string]string{dryStep: "::error file=expected-dry-run.json,line=1"},
			summary: map[string]string{dryStep: "**It is another one than expected-dry-run.json says.**"}},
		"one byte of the golden": {change: func(g gitRepo) { g.edit("expected-dry-run.json", `"seed": 1,`, `"seed": 2,`) },
			codes: map[string]int{dryStep: 1}, log: map[string]string{dryStep: "::error file=expected-dry-run.json,line=6,"}, summary: map[string]string{dryStep: `-  "seed": 2,`}},
		"no golden": {change: func(g gitRepo) { g.git("rm", "-q", "expected-dry-run.json") },
			codes: map[string]int{dryStep: 1}, log: map[string]string{dryStep: "title=another dry run::"}},
		"the contract is none": {change: func(g gitRepo) { g.edit("contract.yaml", "duplicate: replay", "duplicate: '##[error]%0A'") },
			codes: map[string]int{dryStep: 2}, log: map[string]string{dryStep: "::error file=contract.yaml,title=idem verify::idem: contract.yaml:"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newPackRepo(t)
			c.change(g)
			g.merge()
			for _, s := range checked(t, g) {
				if s.skipped || s.code != c.codes[s.name] {
					t.Errorf("%s: exit %d, not %d (skipped: %t)\n%.2000s", s.name, s.code, c.codes[s.name], s.skipped, s.out)
				}
				if !strings.Contains(s.out, c.log[s.name]) || !strings.Contains(s.summary, c.summary[s.name]) {
					t.Errorf("%s: the log is to have %q, and the summary %q\n%.2000s\n%.2000s", s.name, c.log[s.name], c.summary[s.name], s.out, s.summary)
				}
				if s.code != 0 && !strings.Contains("\n"+s.out, "\n::error ") {
					t.Errorf("%s failed without an annotation:\n%.1000s", s.name, s.out)
				}
				if strings.Contains("\n"+s.out, "\n::error::x") || len(s.summary) > 1<<20 {
					t.Errorf("%s: %d bytes of summary, and a log that says\n%.1000s", s.name, len(s.summary), s.out)
				}
			}
			if _, err := os.Stat(filepath.Join(g.dir, "pwned")); err == nil {
				t.Error("a name was run")
			}
		})
	}
}

// TestLiveWorkflowHasNamesOfItsOwn: a contract's variables take none away that
// the workflow or its machine has, and none stands there twice.
func TestLiveWorkflowHasNamesOfItsOwn(t *testing.T) {
	t.Parallel()
	own := t.TempDir()
	hostile := filepath.Join("..", "testdata", "pack", "hostile")
	for _, name := range []string{"contract.yaml", "recipe.yaml", "payload.json"} {
		text := strings.ReplaceAll(string(readFile(t, hostile, name)), `"http://${CHARGES_ADDRESS}"`, `"http://${TARGET}${CONTRACT}"`)
		text = strings.ReplaceAll(text, "ready: /healthz", `ready: /healthz, env: {HOME: "${HOME}/x", IDEM_VERSION: "${IDEM_VERSION}"}`)
		write(t, filepath.Join(own, name), text)
	}
	if r := runIdem(t, own, nil, "pack", "pack", "--contract", "contract.yaml"); r.code != ExitDone {
		t.Fatal(r.err)
	}
	for _, s := range readWorkflow(t, filepath.Join(own, "pack", liveWorkflow)).Jobs["live"].Steps { // one name twice cannot be read
		if s.Name != "Verify" {
			continue
		}
		for name, value := range map[string]string{"TARGET": "${{ vars.TARGET }}", "CONTRACT": "${{ vars.CONTRACT }}", "CHARGES_ADDRESS": "${{ vars.CHARGES_ADDRESS }}",
			"IDEM_WORKFLOW_TARGET": "${{ inputs.target }}", "IDEM_WORKFLOW_CONTRACT": "${{ inputs.contract }}", "HOME": ""} {
			if s.Env[name] != value {
				t.Errorf("%s is %q, not %q", name, s.Env[name], value)
			}
		}
		return
	}
	t.Error("nothing verifies")
}

// TestWorkflowsAreTame: what both workflows may do, and by whom.
func TestWorkflowsAreTame(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pack")
	if r := runIdem(t, t.TempDir(), nil, "pack", dir); r.code != ExitDone {
		t.Fatal(r.err)
	}
	pinned := regexp.MustCompile(`^[a-z-]+/[a-z-]+@[0-9a-f]{40}$`)
	versioned := regexp.MustCompile(`uses: \S+@[0-9a-f]{40} # v\d+\.\d+\.\d+\n`)
	for _, name := range []string{checkWorkflow, liveWorkflow} {
		text := string(readFile(t, dir, name))
		w := readWorkflow(t, filepath.Join(dir, name))
		if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" || w.Concurrency["group"] == nil {
			t.Errorf("%s: permissions %v, concurrency %v", name, w.Permissions, w.Concurrency)
		}
		if strings.Contains(text, "pull_request_target") || strings.Contains(text, "secrets.") != (name == liveWorkflow) {
			t.Errorf("%s: who may read secrets", name)
		}
		uses := 0
		for id, job := range w.Jobs {
			if job.Timeout == 0 {
				t.Errorf("%s: the job %s has no timeout", name, id)
			}
			for _, s := range job.Steps {
				if expression.MatchString(s.Run) {
					t.Errorf("%s: %s has an expression in its script", name, s.Name)
				}
				if s.Uses != "" {
					uses++
					if !pinned.MatchString(s.Uses) {
						t.Errorf("%s: %s is not pinned", name, s.Uses)
					}
				}
				if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != false {
					t.Errorf("%s: the checkout keeps its credential", name)
				}
			}
		}
		if got := len(versioned.FindAllString(text, -1)); got != uses {
			t.Errorf("%s: %d of %d actions say their version", name, got, uses)
		}
	}
	live := readWorkflow(t, filepath.Join(dir, liveWorkflow))
	if job := live.Jobs["live"]; job.If != "${{ inputs.live }}" || job.Environment == "" || job.Needs != "dry" {
		t.Errorf("the live job runs if %q, in %q, after %q", job.If, job.Environment, job.Needs)
	}
	if !strings.Contains(string(readFile(t, dir, liveWorkflow)), "type: boolean\n        required: true\n        default: false") {
		t.Error("the live switch is not off by default")
	}
}

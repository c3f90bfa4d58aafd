package cmd

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// workflow is what these tests read of a GitHub workflow, and of an action.
type workflow struct {
	Permissions map[string]string
	Concurrency map[string]any
	Env         map[string]string
	Jobs        map[string]struct {
		If          string
		Needs       string
		Environment string
		Timeout     int `yaml:"timeout-minutes"`
		Env         map[string]string
		Steps       []workflowStep
	}
	Runs struct {
		Using string
		Steps []workflowStep
	}
}

type workflowStep struct {
	ID, Name, Uses, Run, If, Shell string
	Env                            map[string]string
	With                           map[string]any
}

func readWorkflow(t *testing.T, file string) workflow {
	t.Helper()
	var w workflow
	if err := yaml.Unmarshal(readFile(t, file), &w); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return w
}

// runnerLike runs the scripts of steps as GitHub's runner does: each by a bash
// of its own, with the environment that the workflow gives it and with files for
// the path, the summary and the outputs.
type runnerLike struct {
	t       *testing.T
	dir     string            // the checked-out repository
	temp    string            // RUNNER_TEMP
	context map[string]string // "inputs.live": what expressions give
	path    []string
	outcome map[string]string // of steps with an id
	bin     string
}

// stepRan is how a step ended.
type stepRan struct {
	name, out, summary string
	code               int
	skipped            bool
}

// newRunner makes a runner whose go installs the idem of these tests.
func newRunner(t *testing.T, dir string, context map[string]string) *runnerLike {
	t.Helper()
	testneed.Program(t, "bash")
	r := &runnerLike{t: t, dir: dir, temp: t.TempDir(), context: context, outcome: map[string]string{}, bin: t.TempDir()}
	// It wants the arguments that the real one would need.
	fake := "#!/bin/sh\n[ \"$1\" = install ] && [ -n \"$GOBIN\" ] || exit 9\nfor last; do :; done\n" +
		"case $last in github.com/idem-toolkit/idem@main|github.com/idem-toolkit/idem@v[0-9]*|.) ;; *) exit 8;; esac\n" +
		"mkdir -p \"$GOBIN\" && cp '" + buildIdem(t) + "' \"$GOBIN/idem\"\n"
	write(t, filepath.Join(r.bin, "go"), fake)
	if err := os.Chmod(filepath.Join(r.bin, "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

var expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)

// given fills in the expressions of a value in env. Others than these must not
// stand there.
func (r *runnerLike) given(value string) string {
	return expression.ReplaceAllStringFunc(value, func(e string) string {
		name := expression.FindStringSubmatch(e)[1]
		if name == "runner.temp" {
			return r.temp
		}
		if text, ok := strings.CutPrefix(name, "'"); ok && strings.HasSuffix(text, "'") {
			return strings.TrimSuffix(text, "'")
		}
		v, ok := r.context[name]
		if !ok {
			r.t.Errorf("an expression that nothing gives: %s", e)
		}
		return v
	})
}

// steps runs a job's steps, or an action's, and gives those that were scripts.
func (r *runnerLike) steps(steps []workflowStep, envs ...map[string]string) map[string]stepRan {
	r.t.Helper()
	all, failed := map[string]stepRan{}, false
	for _, s := range steps {
		if s.Run == "" {
			continue
		}
		if expression.MatchString(s.Run) {
			r.t.Errorf("%s: an expression inside of a script", s.Name)
		}
		ran := stepRan{name: s.Name, skipped: failed && s.If == ""}
		switch s.If {
		case "", "${{ !cancelled() }}":
		case "${{ !cancelled() && steps.idem.outcome == 'success' }}":
			ran.skipped = r.outcome["idem"] != "success"
		default:
			r.t.Errorf("%s: a condition that nothing decides: %s", s.Name, s.If)
		}
		if !ran.skipped {
			r.run(&ran, s, envs)
		}
		failed = failed || ran.code != 0
		if s.ID != "" {
			r.outcome[s.ID] = map[bool]string{true: "success", false: "failure"}[ran.code == 0 && !ran.skipped]
		}
		all[s.Name] = ran
	}
	return all
}

func (r *runnerLike) run(ran *stepRan, s workflowStep, envs []map[string]string) {
	r.t.Helper()
	folder := r.t.TempDir()
	env := map[string]string{}
	for _, e := range append(envs, s.Env) {
		maps.Copy(env, e)
	}
	script := filepath.Join(folder, "script.sh")
	write(r.t, script, s.Run)
	c := exec.CommandContext(r.t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", script)
	c.Dir = r.dir
	files := map[string]string{}
	for _, name := range []string{"GITHUB_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_ENV"} {
		files[name] = filepath.Join(folder, name)
		write(r.t, files[name], "")
	}
	c.Env = []string{"HOME=" + folder, "CI=true", "GITHUB_ACTIONS=true", "RUNNER_TEMP=" + r.temp, "GITHUB_WORKSPACE=" + r.dir,
		"PATH=" + strings.Join(append(append([]string{}, r.path...), r.bin, os.Getenv("PATH")), string(os.PathListSeparator))}
	for name, file := range files {
		c.Env = append(c.Env, name+"="+file)
	}
	for name, value := range env {
		c.Env = append(c.Env, name+"="+r.given(value))
	}
	said, err := c.CombinedOutput()
	ran.out = string(said)
	if err != nil {
		ran.code = c.ProcessState.ExitCode()
	}
	ran.summary = string(readFile(r.t, files["GITHUB_STEP_SUMMARY"]))
	for line := range strings.Lines(string(readFile(r.t, files["GITHUB_PATH"]))) {
		r.path = append([]string{strings.TrimSpace(line)}, r.path...)
	}
	for line := range strings.Lines(string(readFile(r.t, files["GITHUB_OUTPUT"]))) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		r.context["steps."+s.ID+".outputs."+name] = value
	}
}

// gitRepo is a repository that a pull request is made in.
type gitRepo struct {
	t   *testing.T
	dir string
}

// newPackRepo makes a repository whose main branch is a pack.
func newPackRepo(t *testing.T, args ...string) gitRepo {
	t.Helper()
	testneed.Program(t, "git")
	g := gitRepo{t, t.TempDir()}
	if r := runIdem(t, g.dir, nil, append([]string{"pack", filepath.Join(g.dir, "repo")}, args...)...); r.code != ExitDone {
		t.Fatal(r.err)
	}
	g.dir = filepath.Join(g.dir, "repo")
	g.git("init", "-q", "-b", "main")
	g.commit("a pack")
	g.git("switch", "-q", "-c", "change")
	return g
}

func (g gitRepo) git(args ...string) {
	g.t.Helper()
	c := exec.CommandContext(g.t.Context(), "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	c.Dir = g.dir
	if said, err := c.CombinedOutput(); err != nil {
		g.t.Fatalf("git %v: %v\n%s", args, err, said)
	}
}

func (g gitRepo) commit(why string) {
	g.t.Helper()
	g.git("add", "-A")
	g.git("commit", "-q", "--allow-empty", "-m", why)
}

// edit replaces text in a file, which must have it.
func (g gitRepo) edit(file, old, with string) {
	g.t.Helper()
	text := string(readFile(g.t, g.dir, file))
	if !strings.Contains(text, old) {
		g.t.Fatalf("%s has no %s", file, old)
	}
	write(g.t, filepath.Join(g.dir, file), strings.Replace(text, old, with, 1))
}

// merge is what GitHub checks out for a pull request: both branches merged.
func (g gitRepo) merge() {
	g.t.Helper()
	g.commit("a change")
	g.git("switch", "-q", "--detach", "main")
	g.git("merge", "-q", "--no-ff", "-m", "merged", "change")
}

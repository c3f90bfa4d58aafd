package cmd

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/idem-toolkit/idem/internal/nginx"
	"github.com/idem-toolkit/idem/internal/testneed"
)

// topology is what the pack's compose.yaml describes, as plain processes: its
// replicas by their own commands, its balancer by its own nginx.conf. Only
// addresses and folders are others, as every process here shares one machine.
type topology struct {
	pack, dir string // the pack, and a folder for pids, logs and the stand-in for docker
	front     string // HOST:PORT of the balancer
}

// dockerLike does to processes what the contract's hooks have docker do to
// containers.
const dockerLike = `#!/bin/sh
cd "$(dirname "$0")" || exit 1
case "$*" in
"compose kill --signal KILL one")
  pid=$(cat one.pid) && kill -9 "$pid" || exit 1
  n=0; while kill -0 "$pid" 2>/dev/null && [ $n -lt 200 ]; do sleep 0.01; n=$((n+1)); done ;;
"compose up --detach --no-deps --wait "*)
  for name; do :; done
  sh "./$name.sh" >"$name.log" 2>&1 &
  echo $! >"$name.pid"
  n=0; until ./idem serve --healthcheck "http://$(cat "$name.host")/healthz" 2>/dev/null; do
    n=$((n+1)); [ $n -lt 300 ] || exit 1; sleep 0.05
  done ;;
"compose exec -T balancer nginx -s reload")
  kill -HUP "$(cat nginx.pid)" ;;
*)
  echo "docker is asked for something else: $*" >&2; exit 64 ;;
esac
`

func startTopology(t *testing.T, stores [2]string) topology {
	t.Helper()
	program, err := nginx.Find()
	if err != nil {
		testneed.Missing(t, err.Error())
	}
	p := topology{pack: filepath.Join(t.TempDir(), "pack"), dir: t.TempDir(), front: "127.0.0.1:" + testneed.Port(t)}
	if r := runIdem(t, p.dir, nil, "pack", p.pack); r.code != ExitDone {
		t.Fatal(r.err)
	}
	if err := os.Symlink(buildIdem(t), filepath.Join(p.dir, "idem")); err != nil {
		t.Fatal(err)
	}
	docker := filepath.Join(p.dir, "docker")
	write(t, docker, dockerLike)
	if err := os.Chmod(docker, 0o755); err != nil {
		t.Fatal(err)
	}
	hosts := p.replicas(t, stores)
	t.Cleanup(func() {
		for _, name := range []string{"one", "two"} {
			_ = exec.Command("sh", "-c", `kill -9 "$(cat "$0")"`, filepath.Join(p.dir, name+".pid")).Run()
			if said, _ := os.ReadFile(filepath.Join(p.dir, name+".log")); t.Failed() {
				t.Logf("%s:\n%s", name, said)
			}
		}
	})
	for _, name := range []string{"one", "two"} {
		if said, err := exec.Command(docker, "compose", "up", "--detach", "--no-deps", "--wait", name).CombinedOutput(); err != nil {
			t.Fatalf("%s does not start: %v: %s", name, err, said)
		}
	}
	p.balance(t, program, hosts)
	return p
}

// replicas writes how each replica is started: by the command that compose.yaml
// has for it, on an address and a store of its own.
func (p topology) replicas(t *testing.T, stores [2]string) (hosts [2]string) {
	t.Helper()
	var file struct {
		Services map[string]struct{ Command []string }
	}
	if err := yaml.Unmarshal(readFile(t, p.pack, "compose.yaml"), &file); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"one", "two"} {
		hosts[i] = "127.0.0.1:" + testneed.Port(t)
		args := slices.Clone(file.Services[name].Command)
		listen, any := slices.Index(args, "0.0.0.0:8080"), slices.Index(args, "--listen-any")
		if listen < 0 || any < 0 || !slices.Contains(args, "--store-env") {
			t.Fatalf("compose.yaml starts %s by %v", name, args)
		}
		args[listen] = hosts[i]
		args = slices.Delete(args, any, any+1)
		script := fmt.Sprintf("export CHARGES_DSN='%s'\nexec ./idem", stores[i])
		for _, a := range args {
			script += " '" + a + "'"
		}
		write(t, filepath.Join(p.dir, name+".sh"), script+"\n")
		write(t, filepath.Join(p.dir, name+".host"), hosts[i])
	}
	return hosts
}

// balance starts the pack's balancer by its own configuration.
func (p topology) balance(t *testing.T, program string, hosts [2]string) {
	t.Helper()
	text := strings.ReplaceAll(string(readFile(t, p.pack, "compose", "nginx.conf")), " /tmp/", " "+p.dir+"/")
	for _, swap := range [][2]string{{"server one:8080 ", "server " + hosts[0] + " "}, {"server two:8080 ", "server " + hosts[1] + " "},
		{"listen 8080;", "listen " + p.front + ";"}} {
		if strings.Count(text, swap[0]) != 1 {
			t.Fatalf("nginx.conf has %q %d times", swap[0], strings.Count(text, swap[0]))
		}
		text = strings.Replace(text, swap[0], swap[1], 1)
	}
	file := filepath.Join(p.dir, "nginx.conf")
	write(t, file, text)
	directives := "daemon off;"
	if os.Geteuid() == 0 {
		directives += " user root;" // the folder is the test's alone
	}
	run := exec.Command(program, "-p", p.dir, "-c", file, "-e", filepath.Join(p.dir, "error.log"), "-g", directives)
	var said bytes.Buffer
	run.Stderr = &said
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Process.Signal(syscall.SIGTERM); _ = run.Wait() })
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if err := exec.Command(filepath.Join(p.dir, "idem"), "serve", "--healthcheck", "http://"+p.front+"/healthz").Run(); err == nil {
			return
		} else if time.Now().After(deadline) {
			_ = run.Process.Kill()
			_ = run.Wait()
			t.Fatalf("the balancer does not answer: %v\n%s", err, &said)
		}
	}
}

func (p topology) verify(t *testing.T, args ...string) ran {
	t.Helper()
	env := []string{"API_TOKEN=one-caller", "PATH=" + p.dir + string(os.PathListSeparator) + os.Getenv("PATH")}
	file := filepath.Join(p.pack, "compose", "contract.yaml")
	return settledRun(t, p.pack, env, append([]string{"verify", file, "--live", "--require-effects", "--format", "json", "--target", "http://" + p.front}, args...)...)
}

// TestPackTopology: PostgreSQL, two replicas and the balancer keep the pack's
// contract for them, one of them being killed meanwhile.
func TestPackTopology(t *testing.T) {
	testneed.Long(t, "the whole check waits for a retention of a quarter of a minute")
	t.Parallel()
	dsn := testneed.Postgres(t)
	r := startTopology(t, [2]string{dsn, dsn}).verify(t)
	passed := map[string]bool{}
	for _, s := range r.steps(t) {
		passed[s.Step] = s.Verdict == "pass"
		if s.Verdict != "pass" && s.Verdict != "skipped" {
			t.Errorf("%s: %s %+v %+v", s.Step, s.Verdict, s.Reasons, s.Findings)
		}
	}
	for _, step := range []string{"duplicate", "concurrent", "conflict", "reorder", "crash", "expiry", "replicas"} {
		if !passed[step] {
			t.Errorf("%s does not pass", step)
		}
	}
	if r.code != ExitDone {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
}

// TestPackTopologyOnTwoStores: replicas that share nothing are caught by the
// same contract, through the same balancer.
func TestPackTopologyOnTwoStores(t *testing.T) {
	testneed.Long(t, "the check takes some seconds")
	t.Parallel()
	r := startTopology(t, [2]string{"sqlite:memory", "sqlite:memory"}).verify(t, "--skip", "crash,expiry")
	found := slugsOf(r.steps(t))
	if r.code != ExitBroken || !found["replicas/other-answer"] {
		t.Errorf("exit %d, %v: %s", r.code, found, r.err)
	}
}

package cmd

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/nginx"
	"github.com/idem-toolkit/idem/internal/testneed"
)

// behind is two reference services and the hooks that kill and start them: what
// an operator has who runs nginx in front of two replicas.
type behind struct {
	dir   string
	hosts [2]string
}

// replicaScript does one thing, "$1", to each of the replicas named after it.
const replicaScript = `cd "$(dirname "$0")" || exit 1
what=$1; shift
for name; do
  case $what in
  kill)
    pid=$(cat "$name.pid") && kill -9 "$pid" || exit 1
    n=0; while kill -0 "$pid" 2>/dev/null && [ $n -lt 200 ]; do sleep 0.01; n=$((n+1)); done ;;
  start)
    . "./$name.env"
    "$PROGRAM" serve --listen "$ADDRESS" --instance "$name" --store-env CHARGES_DSN \
      --retention 5s --lease 1s --work 10ms --answer-delay 40ms $FLAGS >"$name.log" 2>&1 &
    echo $! >"$name.pid" ;;
  esac
done
`

// startBehind starts two reference services on these stores, with further flags
// for each.
func startBehind(t *testing.T, stores, flags [2]string) *behind {
	t.Helper()
	b := &behind{dir: t.TempDir()}
	write(t, b.script(), replicaScript)
	for i, name := range []string{"a", "b"} {
		b.hosts[i] = "127.0.0.1:" + testneed.Port(t)
		write(t, filepath.Join(b.dir, name+".env"),
			fmt.Sprintf("PROGRAM='%s'\nADDRESS=%s\nFLAGS='%s'\nexport CHARGES_DSN='%s'\n", buildIdem(t), b.hosts[i], flags[i], stores[i]))
	}
	t.Cleanup(func() {
		b.hook(t, "kill", "a", "b")
		if t.Failed() {
			for _, name := range []string{"a", "b"} {
				said, _ := os.ReadFile(filepath.Join(b.dir, name+".log"))
				t.Logf("%s:\n%s", name, said)
			}
		}
	})
	b.hook(t, "start", "a", "b")
	for _, host := range b.hosts {
		awaitHealth(t, "http://"+host)
	}
	return b
}

func (b *behind) script() string { return filepath.Join(b.dir, "replica.sh") }

func (b *behind) hook(t *testing.T, args ...string) {
	t.Helper()
	if said, err := exec.Command("sh", append([]string{b.script()}, args...)...).CombinedOutput(); err != nil {
		t.Errorf("%v: %v: %s", args, err, said)
	}
}

// awaitHealth waits until a service says that it serves.
func awaitHealth(t *testing.T, base string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if r, err := http.Get(base + "/healthz"); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return
			}
		}
	}
	t.Fatalf("%s does not serve", base)
}

// hooks is the crash part of a contract by which these replicas are killed.
func (b *behind) hooks(killed string) string {
	return fmt.Sprintf("hooks: {kill: [sh, %[1]q, kill, %[2]s], start: [sh, %[1]q, start, %[2]s], ready: /healthz}", b.script(), killed)
}

// frontedContract writes the demo's contract for what stands behind a base URL.
func frontedContract(t *testing.T, dir, base, crash, effects string) (file string) {
	t.Helper()
	text := string(demoContract)
	begin, end := strings.Index(text, "      process:"), strings.Index(text, "      recovery:")
	if begin < 0 || end < begin {
		t.Fatal("the demo's contract no longer starts a process before its recovery")
	}
	text = text[:begin] + "      " + crash + "\n" + text[end:]
	for _, swap := range [][2]string{
		{`base_urls: ["http://${IDEM_DEMO_ADDRESS}"]`, `base_urls: ["` + base + `"]` + "\n  instance: {header: X-Served-By}"},
		{countedOverHTTP, effects},
	} {
		if !strings.Contains(text, swap[0]) {
			t.Fatalf("the demo's contract no longer has %s", swap[0])
		}
		text = strings.Replace(text, swap[0], swap[1], 1)
	}
	file = filepath.Join(dir, "contract.yaml")
	write(t, file, text)
	return file
}

// runFronted checks what stands behind nginx. The roots are those that its
// certificate needs.
func runFronted(t *testing.T, front *nginx.Server, file string, args ...string) ran {
	t.Helper()
	env := []string{"IDEM_DEMO_TOKEN=tok-nginx", "SSL_CERT_FILE=" + front.Roots, "IDEM_DEMO_PROGRAM=" + buildIdem(t)}
	return settledRun(t, filepath.Dir(file), env, append([]string{"verify", file, "--live", "--format", "json"}, args...)...)
}

// TestBehindNginx checks two replicas on one PostgreSQL behind one nginx: over
// each version of HTTP, requests buffered and passed on as they come, and one or
// all of the replicas killed.
func TestBehindNginx(t *testing.T) {
	testneed.Long(t, "whole checks take ten seconds each")
	t.Parallel()
	const races = "duplicate,concurrent,replicas"
	for _, c := range []struct {
		name      string
		streaming bool
		base      func(*nginx.Server) string
		http      string
		killed    string
		fails     string // how nginx takes a replica that does not answer; a run that follows another must meet both again
		only      string
		spoken    string // by what was released
	}{
		{"plain, buffering", false, plain, "auto", "a", " fail_timeout=1s", "", "HTTP/1.1"},
		{"TLS, streaming", true, secure, "auto", "a, b", " max_fails=0", "", "HTTP/1.1 HTTP/2"},
		{"TLS without HTTP2, streaming", true, secure, "1.1", "a", "", races, "HTTP/1.1"},
		{"prior knowledge, buffering", false, prior, "2", "a", "", races, "HTTP/2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dsn := testneed.Postgres(t)
			b := startBehind(t, [2]string{dsn, dsn}, [2]string{})
			front := testneed.Nginx(t, nginx.Config{Upstreams: []string{b.hosts[0] + c.fails, b.hosts[1] + c.fails}, Streaming: c.streaming})
			file := frontedContract(t, b.dir, c.base(front), b.hooks(c.killed), countedOverHTTP)
			args := []string{"--http", c.http}
			if c.only != "" {
				args = append(args, "--only", c.only)
			}
			r := runFronted(t, front, file, args...)
			if c.only == "" {
				wantAllPass(t, r, "http")
			}
			wantFronted(t, r, c.spoken)
		})
	}
}

// wantFronted wants races that passed over the versions of HTTP that were meant,
// came to both replicas, and are said to have gone through nginx.
func wantFronted(t *testing.T, r ran, versions string) {
	t.Helper()
	if r.code != ExitDone {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	reached, spoken, told := 0, map[string]bool{}, false
	for _, s := range r.steps(t) {
		for _, m := range s.Evidence.Measures {
			if m.Name == "instances" && m.Value == "2: a, b" {
				reached++
			}
		}
		for _, one := range s.Evidence.Releases {
			spoken[one.Protocol] = true
		}
		for _, n := range s.Notes {
			told = told || s.Step == "concurrent" && strings.Contains(n, "Server: nginx")
		}
	}
	if all := strings.Join(slices.Sorted(maps.Keys(spoken)), " "); reached < 2 || all != versions || !told {
		t.Errorf("both replicas reached in %d steps, released over %s, nginx told of: %t\n%s", reached, all, told, r.out)
	}
}

func plain(s *nginx.Server) string  { return "http://" + s.Plain }
func prior(s *nginx.Server) string  { return "http://" + s.Prior }
func secure(s *nginx.Server) string { return "https://" + s.Secure }

// TestAProcessBehindNginx: nginx answers 502 before the service was ever
// started, and when it was killed. That is nobody in the service's place, and no
// answer of its.
func TestAProcessBehindNginx(t *testing.T) {
	testneed.Long(t, "the crash step takes some seconds")
	t.Parallel()
	host := "127.0.0.1:" + testneed.Port(t)
	front := testneed.Nginx(t, nginx.Config{Upstreams: []string{host + " max_fails=0"}})
	file := frontedContract(t, t.TempDir(), plain(front),
		`process: {command: ["${IDEM_DEMO_PROGRAM}", serve, --listen, "`+host+`", --store, "sqlite:charges.db", --retention, 5s, --lease, 1s, `+
			`--work, 10ms, --answer-delay, 40ms], ready: /healthz}`, countedOverHTTP)
	r := runFronted(t, front, file, "--only", "crash")
	if s := r.steps(t); r.code != ExitDone {
		t.Errorf("exit %d\n%+v\n%s", r.code, s, r.err)
	}
	if !strings.Contains(front.Passed(), "POST /v1/charges 502 ") {
		t.Error("no kill was told by nginx")
	}
}

// TestTwoStoresBehindNginx: replicas that share nothing look like one service
// from outside, and run what the balancer spreads over them once each.
func TestTwoStoresBehindNginx(t *testing.T) {
	testneed.Long(t, "the check takes some seconds")
	t.Parallel()
	sink := "127.0.0.1:" + testneed.Port(t)
	pay := "--effect-url http://" + sink + "/pay"
	b := startBehind(t, [2]string{"sqlite:memory", "sqlite:memory"}, [2]string{pay, pay})
	front := testneed.Nginx(t, nginx.Config{Upstreams: b.hosts[:]})
	file := frontedContract(t, b.dir, plain(front), b.hooks("a"), "      sink: {listen: \""+sink+"\", match: /order_id}")
	// Which replica a request meets hangs on what else was sent meanwhile: three
	// with one key may all meet the same.
	found := map[string]bool{}
	for range 4 {
		r := runFronted(t, front, file, "--only", "duplicate,concurrent")
		maps.Copy(found, slugsOf(r.steps(t)))
		if r.code != ExitBroken {
			t.Fatalf("exit %d, %v\n%s", r.code, found, r.err)
		}
		if found["duplicate/effect-ran-twice"] && found["concurrent/effect-ran-twice"] {
			return
		}
	}
	t.Errorf("found %v", found)
}

func slugsOf(steps []stepReport) map[string]bool {
	found := map[string]bool{}
	for _, s := range steps {
		for _, f := range s.Findings {
			found[f.Slug] = true
		}
	}
	return found
}

// TestAProxyThatSendsAgain: nginx sends no POST to the next replica once it was
// sent to one, unless it is told to. Then callers get a replay as their first
// answer, which is what the contract rules out, and the effect is still one.
func TestAProxyThatSendsAgain(t *testing.T) {
	testneed.Long(t, "the check takes some seconds")
	t.Parallel()
	dsn := testneed.Postgres(t)
	const slow = "--answer-delay 600ms"
	b := startBehind(t, [2]string{dsn, dsn}, [2]string{slow, slow})
	for _, c := range []struct {
		name, directive string
		again           bool
	}{
		{"as it is", "proxy_next_upstream error timeout", false},
		{"told to", "proxy_next_upstream error timeout non_idempotent", true},
	} {
		front := testneed.Nginx(t, nginx.Config{Upstreams: []string{b.hosts[0] + " max_fails=0", b.hosts[1] + " max_fails=0"},
			Location: []string{c.directive, "proxy_read_timeout 200ms"}})
		file := frontedContract(t, b.dir, plain(front), b.hooks("a"), countedOverHTTP)
		r := runFronted(t, front, file, "--only", "duplicate")
		found := slugsOf(r.steps(t))
		for try := 1; c.again && !found["duplicate/marker-on-first"] && try < 4; try++ { // neither replica was quick enough
			r = runFronted(t, front, file, "--only", "duplicate")
			found = slugsOf(r.steps(t))
		}
		if got := strings.Contains(front.Passed(), " 504, 201\n"); got != c.again {
			t.Errorf("%s: a POST went to both replicas: %t\n%s", c.name, got, front.Passed())
		}
		if c.again != found["duplicate/marker-on-first"] || len(found) > 1 || !c.again && len(found) > 0 {
			t.Errorf("%s: exit %d, %v\n%s", c.name, r.code, found, r.err)
		}
	}
}

package cmd

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/testneed"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/zoo"
)

// overTLS makes of a contract of the zoo, and of what starts its service, one
// over https, and gives the variable that has the certificate trusted.
func overTLS(t *testing.T, dir, file string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("whom this system trusts is not for a variable to say")
	}
	certificate := filepath.Join(dir, "served.pem")
	text, err := selfSigned(nil, time.Now())
	if err == nil {
		err = writePEM(certificate, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	plain, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	secure := strings.NewReplacer("http://${", "https://${", `"serve", "--listen"`, `"serve", "--tls", "`+certificate+`", "--listen"`).Replace(string(plain))
	if strings.Count(secure, "https://${") != 4 || strings.Count(secure, "--tls") != 1 {
		t.Fatalf("this is not the contract that was meant:\n%s", secure)
	}
	write(t, file, secure)
	return "SSL_CERT_FILE=" + certificate
}

// The whole check of the reference service passes over every version of HTTP,
// and speaks the one that it says.
func TestTheCheckOverEveryHTTP(t *testing.T) {
	testneed.Long(t, "a check takes fifteen seconds")
	t.Parallel()
	for name, c := range map[string]struct {
		tls  bool
		http string // the flag
		want string
		both bool // races run over HTTP/1.1 as well
	}{
		"in clear, HTTP/2":    {false, "2", "HTTP/2", false},
		"https, what ALPN is": {true, "", "HTTP/2", true},
		"https, HTTP/2 alone": {true, "2", "HTTP/2", false},
		"https, HTTP/1.1":     {true, "1.1", "HTTP/1.1", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, file, _, env := zooContract(t, "--contract")
			if c.tls {
				env = append(env, overTLS(t, dir, file))
			}
			args := []string{"verify", file, "--live", "--format", "json", "--trace", "run.ndjson"}
			if c.http != "" {
				args = append(args, "--http", c.http)
			}
			r := settledRun(t, dir, env, args...)
			wantAllPassed(t, r)
			wantSpoken(t, filepath.Join(dir, "run.ndjson"), c.want, c.both)
			if again := runIdem(t, dir, nil, "report", "run.ndjson", "--format", "json"); again.out != r.out || again.code != r.code {
				t.Errorf("judged again: exit %d\n%s", again.code, again.err)
			}
		})
	}
}

// wantAllPassed wants every step of the contract to have passed.
func wantAllPassed(t *testing.T, r ran) {
	t.Helper()
	steps := r.steps(t)
	for _, s := range steps {
		if s.Verdict != "pass" {
			t.Errorf("%s: %s %v %v", s.Step, s.Verdict, s.Reasons, s.Findings)
		}
	}
	if r.code != ExitDone || len(steps) < 16 {
		t.Errorf("exit %d over %d steps\n%s", r.code, len(steps), r.err)
	}
}

// wantSpoken wants every request of a trace sent over one version of HTTP, and
// over HTTP/2 some that shared a connection, as those released together do. Where
// the server chose HTTP/2, races run over connections of their own as well.
func wantSpoken(t *testing.T, file, version string, both bool) {
	t.Helper()
	sent, old, shared, most := 0, 0, map[int]int{}, 0
	for _, e := range sentIn(t, file) {
		if both && e.Sent.Protocol == "HTTP/1.1" && e.Step == "concurrent" {
			old++
			continue
		}
		sent++
		shared[e.Sent.Connection]++
		most = max(most, shared[e.Sent.Connection])
		if e.Sent.Protocol != version || (e.Sent.Stream > 0) != (version == "HTTP/2") {
			t.Fatalf("%s %s: %s, stream %d", e.Step, e.Label, e.Sent.Protocol, e.Sent.Stream)
		}
	}
	if sent < 50 || (most > 1) != (version == "HTTP/2") || (old > 1) != both {
		t.Errorf("%d requests, %d on one connection, %d over HTTP/1.1", sent, most, old)
	}
}

// What is planted over one version of HTTP is harvested over it, as planting
// says, or over another: a key is one key over all.
func TestPlantAndHarvestOverHTTP2(t *testing.T) {
	s := newStaging(t)
	r := s.idem("--plant", s.file("planted"), "--http", "2")
	if r.code != ExitDone || !strings.HasSuffix(r.out, "planted --http 2\n") {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	wantSpokenBy(t, s.file("planted"), "HTTP/2")
	s.pass(12 * time.Hour)
	for version, want := range map[string]string{"2": "HTTP/2", "1.1": "HTTP/1.1"} {
		trace := s.file("harvest-" + version + ".ndjson")
		verdicts, slugs := s.harvest(ExitDone, "--only", "duplicate,conflict", "--http", version, "--trace", trace)
		if verdicts["duplicate"] != "pass" || verdicts["conflict"] != "pass" {
			t.Errorf("HTTP/%s: %v %s", version, verdicts, slugs)
		}
		wantSpokenBy(t, trace, want)
	}
}

// wantSpokenBy wants every request that a trace's own run sent to be of one
// version of HTTP: what was planted stands in a harvest's trace at times before 0.
func wantSpokenBy(t *testing.T, file, version string) {
	t.Helper()
	sent := 0
	for _, e := range sentIn(t, file) {
		if e.Sent.WriteEnded < 0 {
			continue
		}
		sent++
		if e.Sent.Protocol != version {
			t.Errorf("%s: %s %s over %s", file, e.Step, e.Label, e.Sent.Protocol)
		}
	}
	if sent < 2 {
		t.Errorf("%s: %d requests", file, sent)
	}
}

// sentIn gives what a trace says of copies that were sent.
func sentIn(t *testing.T, file string) []trace.Event {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var sent []trace.Event
	for e, err := range trace.Read(f) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == trace.KindSent {
			sent = append(sent, e)
		}
	}
	return sent
}

// Faults are caught over HTTP/2 too, one of each step, and nobody who is right
// is accused: neither a service that speaks nothing else, nor one whose streams
// are reset now and then. With -self-test all are, by TestSelfTest on the store in
// memory.
func TestSelfTestOverHTTP2(t *testing.T) {
	testneed.Long(t, "a self-test takes a minute")
	report, r := selfTestOf(t, nil, "--jobs", "6", "--http", "2", "--fault", strings.Join(oneFaultOfEachStep(), ","),
		"--style", "reference,speaks-http2-only,offers-http2,resets-sometimes,offers-upgrade")
	wantSound(t, report, r)
	if len(report.Matrices) != 1 || len(report.Matrices[0].LeftOut) != 1 || report.Matrices[0].LeftOut[0].Name != "offers-upgrade" || report.HTTP != "2" {
		t.Errorf("%q: %+v", report.HTTP, report.Matrices)
	}
}

// What one version of HTTP alone shows is left out where another was chosen, and
// that is said.
func TestSelfTestLeavesOutWhatAVersionCannotShow(t *testing.T) {
	all := append(zoo.Faults(), zoo.Styles()...)
	for chosen, want := range map[string]string{"": "", "auto": "speaks-http2-only", "1.1": "speaks-http2-only", "2": "offers-upgrade"} {
		st := &selfTest{verify: &verifyOptions{http: chosen, selfTest: selfTestOptions{repeat: 1}}}
		st.plan(zoo.File, all)
		var out []string
		for _, l := range st.matrices[0].LeftOut {
			if !strings.Contains(l.Why, " alone shows it") {
				t.Errorf("%s: %s", l.Name, l.Why)
			}
			out = append(out, l.Name)
		}
		if strings.Join(out, " ") != want || len(st.cases)+len(out) != len(all) {
			t.Errorf("--http %s: left out %v, %d of %d checked", chosen, out, len(st.cases), len(all))
		}
	}
}

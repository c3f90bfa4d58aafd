package cmd

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// staging is a service whose clock, and idem's, are moved on together, so that
// a day passes at once.
type staging struct {
	t       *testing.T
	address string
	dir     string
	flags   []string
	service *exec.Cmd
	passed  time.Duration
	env     map[string]string
	settle  string // what the last harvest said would settle what is open
}

const stagingToken = "staging-token-7f3a"

func newStaging(t *testing.T, flags ...string) *staging {
	testneed.Long(t, "it starts services of their own")
	address, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	s := &staging{t: t, address: address, dir: t.TempDir(), flags: flags, env: map[string]string{"TOKEN": stagingToken}}
	write(t, filepath.Join(s.dir, "c.yaml"), stagingContract(address, ""))
	s.start()
	t.Cleanup(s.stop)
	return s
}

// stagingContract is what the service promises for real: a day.
func stagingContract(address, more string) string {
	return `idem: contract/v1
name: staging
target:
  base_urls: ["http://` + address + `"]
  allow_hosts: [127.0.0.1]
  auth: {header: Authorization, env: TOKEN, prefix: "Bearer "}
` + more + `operations:
  - name: create-charge
    request:
      method: POST
      path: /v1/charges
      headers: {Content-Type: application/json}
      body: {order_id: "o-1", amount: 1999, currency: EUR}
      fresh: [/order_id]
    key: {header: Idempotency-Key, generate: uuid4}
    promise:
      duplicate: replay
      marker: {header: Idempotent-Replayed, value: "true"}
      conflict: {status: [422]}
      in_flight: {wait: true}
      retention: {at_least: 24h, at_most: 25h}
    effects:
      http: {method: GET, path: "/v1/effects?order_id={fresh:/order_id}", count: "$.data[*]"}
      appears_within: 2s
      settle: 50ms
`
}

// start starts the service on its address. Its store keeps how far its clock was
// moved on.
func (s *staging) start() {
	s.t.Helper()
	args := append([]string{"serve", "--admin", "--listen", s.address, "--retention", "24h", "--lease", "1s",
		"--store", "sqlite:" + filepath.Join(s.dir, "charges.db")}, s.flags...)
	s.service = exec.Command(buildIdem(s.t), args...)
	s.service.Dir = s.dir
	var said bytes.Buffer
	s.service.Stderr = &said
	if err := s.service.Start(); err != nil {
		s.t.Fatal(err)
	}
	for range 200 {
		if r, err := http.Get("http://" + s.address + "/healthz"); err == nil {
			r.Body.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.t.Fatalf("the service does not answer: %s", said.String())
}

func (s *staging) stop() {
	if s.service != nil {
		s.service.Process.Kill()
		s.service.Wait()
		s.service = nil
	}
}

// deploy starts the service anew, and without what it remembers where that is lost.
func (s *staging) deploy(lost bool) {
	s.stop()
	if lost {
		files, _ := filepath.Glob(filepath.Join(s.dir, "charges.db*"))
		for _, f := range files {
			os.Remove(f)
		}
	}
	s.start()
	if lost {
		s.advance(s.passed)
	}
}

func (s *staging) advance(by time.Duration) {
	s.t.Helper()
	if by == 0 {
		return
	}
	r, err := http.Post("http://"+s.address+"/admin/advance?seconds="+strconv.Itoa(int(by.Seconds())), "", nil)
	if err != nil || r.StatusCode != 200 {
		s.t.Fatalf("the clock cannot be moved on: %v %v", err, r)
	}
	r.Body.Close()
}

// pass lets time pass, for the service and for idem.
func (s *staging) pass(by time.Duration) {
	s.t.Helper()
	s.passed += by
	s.advance(by)
}

// idem runs idem verify c.yaml --live at the moved time.
func (s *staging) idem(args ...string) ran {
	s.t.Helper()
	return s.command(append([]string{"verify", filepath.Join(s.dir, "c.yaml"), "--live"}, args...)...)
}

func (s *staging) command(args ...string) ran {
	s.t.Helper()
	var out, said bytes.Buffer
	app := &App{In: strings.NewReader(""), Out: &out, Err: &said, Environ: os.Environ,
		Now: func() time.Time { return time.Now().Add(s.passed) },
		LookupEnv: func(name string) (string, bool) {
			v, ok := s.env[name]
			return v, ok
		}}
	code := Main(app, args)
	if strings.Contains(out.String()+said.String(), stagingToken) {
		s.t.Error("the token is shown")
	}
	return ran{code, out.String(), said.String()}
}

func (s *staging) file(name string) string { return filepath.Join(s.dir, name) }

// harvest wants an exit code, and gives the verdicts of the steps and the slugs found.
func (s *staging) harvest(want int, args ...string) (verdicts map[string]string, slugs string) {
	s.t.Helper()
	r := s.idem(append([]string{"--harvest", s.file("planted"), "--format", "json"}, args...)...)
	var report struct {
		Operations []struct {
			Steps []struct {
				Step, Verdict string
				Findings      []struct{ Slug, Repro string }
				Reasons       []struct{ Text, Settle string }
			}
		}
	}
	if err := json.Unmarshal([]byte(r.out), &report); err != nil || len(report.Operations) != 1 {
		s.t.Fatalf("exit %d: %v\n%s\n%s", r.code, err, r.out, r.err)
	}
	verdicts, s.settle = map[string]string{}, ""
	for _, step := range report.Operations[0].Steps {
		verdicts[step.Step] = step.Verdict
		for _, reason := range step.Reasons {
			s.settle += reason.Settle + "\n"
		}
		for _, f := range step.Findings {
			slugs += f.Slug + " "
			if !strings.Contains(f.Repro, "--plant planted.ndjson") {
				s.t.Errorf("%s: it is not shown again by %s", f.Slug, f.Repro)
			}
		}
	}
	if r.code != want {
		s.t.Errorf("exit %d, want %d: %v %s\n%s", r.code, want, verdicts, slugs, r.err)
	}
	return verdicts, slugs
}

func (s *staging) plant(want int) ran {
	s.t.Helper()
	r := s.idem("--plant", s.file("planted"))
	if r.code != want {
		s.t.Fatalf("planting: exit %d, want %d\n%s\n%s", r.code, want, r.out, r.err)
	}
	return r
}

func (s *staging) want(verdicts map[string]string, duplicate, conflict, expiry string) {
	s.t.Helper()
	for step, want := range map[string]string{"duplicate": duplicate, "conflict": conflict, "expiry": expiry, "concurrent": "skipped", "crash": "skipped"} {
		if verdicts[step] != want {
			s.t.Errorf("%s: %s, want %s", step, verdicts[step], want)
		}
	}
}

// TestPlantTonightHarvestLater: a right service passes after a restart, in the
// last quarter of its retention, and when it is over; between there is nothing
// to tell, and idem says when to come back.
func TestPlantTonightHarvestLater(t *testing.T) {
	s := newStaging(t)
	write(t, s.file("c.yaml"), stagingContract(s.address, `limits: {cleanup: {run: [/bin/sh, -c, "echo $1 >>cleaned", sh, "{fresh:/order_id}"]}}`+"\n"))
	r := s.plant(ExitDone)
	if !strings.Contains(r.out, "create-charge: 9 operations") || strings.Count(r.out, "    from  ") != 2 {
		t.Error(r.out)
	}
	info, err := os.Stat(s.file("planted"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if r := s.idem("--plant", s.file("planted")); r.code != ExitUsage || !strings.Contains(r.err, "never written over") {
		t.Error(r)
	}
	if r := s.command("report", s.file("planted")); r.code != ExitUsage || !strings.Contains(r.err, "--harvest") {
		t.Error(r)
	}

	s.pass(12 * time.Hour)
	s.deploy(false)
	verdicts, _ := s.harvest(ExitInconclusive)
	s.want(verdicts, "pass", "pass", "inconclusive")
	if verdicts, _ := s.harvest(ExitDone, "--only", "duplicate,conflict"); verdicts["expiry"] != "skipped" {
		t.Error(verdicts)
	}

	// Half a line of a harvest that was killed does no harm.
	tear(t, s.file("planted"), `{"seq":99,"at":1,"kind":"harv`)
	s.pass(9 * time.Hour)
	verdicts, _ = s.harvest(ExitInconclusive)
	s.want(verdicts, "pass", "pass", "inconclusive") // forgetting is still to come
	if !strings.Contains(s.settle, "after the planting), from about 2") {
		t.Errorf("no time to come back at: %s", s.settle)
	}

	s.pass(3*time.Hour + 30*time.Minute)
	verdicts, _ = s.harvest(ExitInconclusive) // between at_least and at_most
	s.want(verdicts, "inconclusive", "inconclusive", "inconclusive")
	if r := s.idem("--harvest", s.file("planted")); !strings.Contains(r.out, "harvest again from ") {
		t.Error(r.out)
	}

	s.pass(2 * time.Hour)
	verdicts, _ = s.harvest(ExitDone, "--trace", s.file("trace"))
	s.want(verdicts, "skipped", "skipped", "pass")
	judged, again := s.command("report", s.file("trace")), s.command("report", s.file("trace"))
	if judged.code != ExitDone || judged.out != again.out || !strings.Contains(judged.out, "a harvest of what run ") {
		t.Error(judged)
	}
	cleaned, _ := os.ReadFile(s.file("cleaned"))
	text, _ := os.ReadFile(s.file("planted"))
	if n := strings.Count(string(cleaned), "\n"); n < 9+2*5 {
		t.Errorf("cleanup was called %d times: planted operations and each run's own are to be cleaned up", n)
	}
	if strings.Contains(string(text), stagingToken) {
		t.Error("the plant file shows the token")
	}
}

func tear(t *testing.T, file, half string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(half); err != nil {
		t.Fatal(err)
	}
}

// TestHarvestFindsALostStore: a deploy that loses the records is found at once.
func TestHarvestFindsALostStore(t *testing.T) {
	s := newStaging(t)
	s.plant(ExitDone)
	s.pass(2 * time.Hour)
	s.deploy(true)
	verdicts, slugs := s.harvest(ExitBroken)
	s.want(verdicts, "fail", "fail", "inconclusive")
	if !strings.Contains(slugs, "duplicate/effect-ran-twice") {
		t.Error(slugs)
	}
}

// TestHarvestFindsFaults that no check of a few seconds could.
func TestHarvestFindsFaults(t *testing.T) {
	for _, c := range []struct {
		fault string
		pass  []time.Duration // harvested after each
		slug  string
	}{
		{"forgets-early", []time.Duration{23 * time.Hour}, "expiry/forgot-early"},
		{"never-forgets", []time.Duration{26 * time.Hour}, "expiry/never-forgets"},
		{"replay-extends", []time.Duration{20 * time.Hour, 6 * time.Hour}, "expiry/extended-by-replay"},
		{"runs-thrice-after-expiry", []time.Duration{26 * time.Hour}, "expiry/ran-more-than-once"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			s := newStaging(t, "--fault", c.fault)
			s.plant(ExitDone)
			for i, by := range c.pass {
				s.pass(by)
				want := ExitBroken
				if i < len(c.pass)-1 {
					want = ExitInconclusive
				}
				if _, slugs := s.harvest(want); want == ExitBroken && !strings.Contains(slugs, c.slug) {
					t.Errorf("found %s, want %s", slugs, c.slug)
				}
			}
		})
	}
}

// TestHarvestRefuses what would accuse a right service, or show nothing.
func TestHarvestRefuses(t *testing.T) {
	s := newStaging(t)
	s.plant(ExitDone)
	whole, err := os.ReadFile(s.file("planted"))
	if err != nil {
		t.Fatal(err)
	}
	spec := stagingContract(s.address, "")
	refused := func(name, want string) {
		t.Helper()
		if r := s.idem("--harvest", s.file("planted")); r.code != ExitUsage || !strings.Contains(r.err, want) {
			t.Errorf("%s: exit %d\n%s%s", name, r.code, r.out, r.err)
		}
	}
	write(t, s.file("c.yaml"), strings.Replace(spec, "1999", "2000", 1))
	refused("another contract", "is not the one that was planted: its sha256 differs")
	write(t, s.file("c.yaml"), spec)

	if r := s.idem("--harvest", s.file("planted"), "--report", "json="+s.file("planted")); r.code != ExitUsage ||
		!strings.Contains(r.err, "would be written over what was planted") {
		t.Errorf("a report in its place: exit %d\n%s%s", r.code, r.out, r.err)
	}

	s.passed = -time.Hour
	refused("an hour before", "the clock says that it is before the planting")
	s.passed = 0

	lines := strings.SplitAfter(string(whole), "\n")
	for name, c := range map[string]struct{ text, want string }{
		"empty":         {"", "nothing was planted"},
		"no header":     {strings.Join(lines[1:], ""), "event"},
		"a line broken": {lines[0] + "{\n" + strings.Join(lines[2:], ""), "trace line 2"},
		"a line lost":   {lines[0] + strings.Join(lines[2:], ""), "event 3 stands where event 2 belongs"},
		"not planted":   {strings.Replace(string(whole), `"phase":"plant",`, "", 1), "not what --plant writes"},
		"no time":       {strings.Replace(string(whole), `"epoch":"`, `"epoch":"x`, 1), "does not say when"},
		"another key":   {strings.Replace(string(whole), `"key":"`, `"key":"0`, 40), "is not the one that was planted"},
		"another body":  {strings.Replace(string(whole), `"size":`, `"size":1`, 40), "is not the one that was planted"},
	} {
		write(t, s.file("planted"), c.text)
		refused(name, c.want)
	}

	// A planting that was cut off keeps what it has.
	conflict := "inconclusive"
	for i, line := range lines {
		if strings.Contains(line, `"kind":"answer"`) && strings.Contains(line, `"trial":"conflict`) {
			conflict = "pass" // it was planted before the cut: trials go side by side
		}
		if strings.Contains(line, `"kind":"answer"`) && strings.Contains(line, `"trial":"replay-1"`) {
			write(t, s.file("planted"), strings.Join(lines[:i+1], "")+`{"seq":`)
			break
		}
	}
	s.pass(time.Hour)
	verdicts, _ := s.harvest(ExitInconclusive)
	s.want(verdicts, "pass", conflict, "inconclusive")
}

// TestPlantWithAKeyOfARecipe: other key material would make other keys, and
// accuse a right service.
func TestPlantWithAKeyOfARecipe(t *testing.T) {
	s := newStaging(t)
	write(t, s.file("charge.recipe.yaml"), `idem: recipe/v1
namespace: acme.payments
operation: charge
version: 1
prefix: chg
boundary: One charge for each order.
identity: {order: /order_id}
key: {kid: k1, env: IDEM_KEY, format: hex}
`)
	write(t, s.file("c.yaml"), strings.Replace(stagingContract(s.address, ""), "generate: uuid4", "recipe: charge.recipe.yaml", 1))
	s.env["IDEM_KEY"] = strings.Repeat("5a", 32)
	s.plant(ExitDone)
	s.pass(time.Hour)
	s.env["IDEM_KEY"] = strings.Repeat("5b", 32)
	if r := s.idem("--harvest", s.file("planted")); r.code != ExitUsage || !strings.Contains(r.err, "key material") {
		t.Error(r)
	}
	s.env["IDEM_KEY"] = strings.Repeat("5a", 32)
	verdicts, _ := s.harvest(ExitInconclusive)
	s.want(verdicts, "pass", "pass", "inconclusive")
	if text, _ := os.ReadFile(s.file("planted")); strings.Contains(string(text), s.env["IDEM_KEY"]) {
		t.Error("the plant file shows the key material")
	}
}

// TestNothingIsPlantedWhereNobodyListens, and no file stays.
func TestNothingIsPlantedWhereNobodyListens(t *testing.T) {
	s := newStaging(t)
	s.stop()
	r := s.plant(ExitUnsent)
	if _, err := os.Stat(s.file("planted")); !os.IsNotExist(err) {
		t.Errorf("%v: %s", err, r.out)
	}
}

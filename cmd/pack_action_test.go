package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// actionInputs are the defaults of the project's action.
func actionInputs() map[string]string {
	return map[string]string{"inputs.version": "", "inputs.checksum": "", "inputs.contract": "", "inputs.live": "false", "inputs.target": "",
		"inputs.expected": "", "inputs.arguments": "", "github.server_url": "https://github.example", "github.action_path": ""}
}

// acted runs the project's action with some inputs in a folder.
func acted(t *testing.T, dir string, inputs, env map[string]string) (map[string]stepRan, *runnerLike) {
	t.Helper()
	context := actionInputs()
	maps.Copy(context, inputs)
	context["github.action_path"] = filepath.Dir(buildIdem(t))
	r := newRunner(t, dir, context)
	return r.steps(readWorkflow(t, filepath.Join("..", "action.yml")).Runs.Steps, env), r
}

// TestAction runs the scripts of the project's action: what it installs, what it
// says where, and how it ends.
func TestAction(t *testing.T) {
	testneed.Long(t, "an action runs for each case")
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pack")
	if r := runIdem(t, t.TempDir(), nil, "pack", dir); r.code != ExitDone {
		t.Fatal(r.err)
	}
	write(t, filepath.Join(dir, "none.yaml"), "idem: contract/v1\nname: '##[error]x'\n")
	write(t, filepath.Join(dir, "other.json"), "{}\n")
	for name, c := range map[string]struct {
		inputs      map[string]string
		step        string
		code        int
		log, report string
	}{
		"installs":             {step: "Verify"},
		"a version":            {inputs: map[string]string{"version": "v0.1.0"}, step: "Install idem"},
		"no version":           {inputs: map[string]string{"version": "latest; id"}, step: "Install idem", code: 2, log: "::error title=idem::the input version is none"},
		"a checksum alone":     {inputs: map[string]string{"checksum": strings.Repeat("0", 64)}, step: "Install idem", code: 2, log: "no version is given"},
		"no checksum":          {inputs: map[string]string{"version": "0.1.0", "checksum": "x"}, step: "Install idem", code: 2, log: "not 64 hexadecimal digits"},
		"a dry run":            {inputs: map[string]string{"contract": "contract.yaml"}, step: "Verify", log: "::notice file=contract.yaml,title=idem verify::nothing was sent", report: "## idem verify: not run"},
		"the golden":           {inputs: map[string]string{"contract": "contract.yaml", "expected": "expected-dry-run.json"}, step: "Verify"},
		"another golden":       {inputs: map[string]string{"contract": "contract.yaml", "expected": "other.json"}, step: "Verify", code: 1, log: "::error title=another dry run::other.json is not the dry run of contract.yaml"},
		"no contract":          {inputs: map[string]string{"contract": "none.yaml"}, step: "Verify", code: 2, log: "::error title=idem verify::idem: none.yaml:1:1: "},
		"a flag for its name":  {inputs: map[string]string{"contract": "--live"}, step: "Verify", code: 2, log: "::error title=idem verify::idem: --live: cannot be read"},
		"neither true nor not": {inputs: map[string]string{"contract": "contract.yaml", "live": "yes"}, step: "Verify", code: 2, log: "neither true nor false"},
		"further arguments":    {inputs: map[string]string{"contract": "contract.yaml", "arguments": "--only\nduplicate\n\n--require-live"}, step: "Verify", code: 3, log: "::error file=contract.yaml,title=idem verify::nothing was sent"},
		"another host":         {inputs: map[string]string{"contract": "contract.yaml", "live": "true", "target": "http://elsewhere.example"}, step: "Verify", code: 2, log: "is not in target.allow_hosts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inputs := map[string]string{}
			for k, v := range c.inputs {
				inputs["inputs."+k] = v
			}
			steps, r := acted(t, dir, inputs, nil)
			s := steps[c.step]
			if s.skipped || s.code != c.code || !strings.Contains(s.out, c.log) || !strings.Contains(s.summary, c.report) {
				t.Errorf("%s ends with %d, not %d (skipped: %t)\n%.1500s\n%.500s", c.step, s.code, c.code, s.skipped, s.out, s.summary)
			}
			if found := r.context["steps.verify.outputs.exit"]; c.step == "Verify" && c.inputs["contract"] != "" && c.code != 2 && found != fmt.Sprint(c.code) {
				t.Errorf("the output exit is %q", found)
			}
		})
	}
}

// TestActionTakesAnArchive: a release's archive is run where it has the checksum
// that was given, and nowhere else.
func TestActionTakesAnArchive(t *testing.T) {
	testneed.Long(t, "an archive is made")
	t.Parallel()
	testneed.Program(t, "openssl")
	dir := t.TempDir()
	archive := filepath.Join(dir, "archive.tar.gz")
	if said, err := exec.Command("tar", "-c", "-z", "-f", archive, "-C", filepath.Dir(buildIdem(t)), "idem").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	sum := sha256.Sum256(readFile(t, archive))
	good := hex.EncodeToString(sum[:])
	for checksum, code := range map[string]int{good: 0, strings.Repeat("0", 64): 2} {
		inputs := actionInputs()
		maps.Copy(inputs, map[string]string{"inputs.version": "0.1.0", "inputs.checksum": checksum})
		r := newRunner(t, dir, inputs)
		// It wants a secure address of the release, and gives the archive.
		write(t, filepath.Join(r.bin, "curl"), "#!/bin/sh\nwhile [ $# -gt 1 ]; do [ \"$1\" = --output ] && out=$2; shift; done\n"+
			"case $1 in https://github.example/idem-toolkit/idem/releases/download/v0.1.0/idem_0.1.0_*.tar.gz) cp '"+archive+"' \"$out\" ;; *) exit 22 ;; esac\n")
		if err := os.Chmod(filepath.Join(r.bin, "curl"), 0o755); err != nil {
			t.Fatal(err)
		}
		s := r.steps(readWorkflow(t, filepath.Join("..", "action.yml")).Runs.Steps)["Install idem"]
		_, err := os.Stat(filepath.Join(r.temp, "idem", "idem"))
		if s.code != code || (err == nil) != (code == 0) {
			t.Errorf("exit %d, not %d: %v\n%s", s.code, code, err, s.out)
		}
	}
}

// TestActionLive holds the reference service to what it keeps, and to what it
// does not. The contract has variables of its own under names that an action's
// inputs could have.
func TestActionLive(t *testing.T) {
	testneed.Long(t, "a check takes some seconds")
	t.Parallel()
	dir, env := hostilePack(t)
	own := map[string][2]string{"422": {"TARGET", "CONTRACT"}, "409": {"code", "out"}}
	for status, code := range map[string]int{"422": 0, "409": 1} {
		one, other := own[status][0], own[status][1]
		env[one], env[other] = env["CHARGES_ADDRESS"], env["CHARGES_ADDRESS"]
		text := strings.Replace(string(readFile(t, dir, "contract.yaml")), "conflict: {status: [422]}", "conflict: {status: ["+status+"]}", 1)
		text = strings.NewReplacer(`"http://${CHARGES_ADDRESS}"`, `"http://${`+one+`}"`, "${CHARGES_ADDRESS}", "${"+other+"}").Replace(text)
		write(t, filepath.Join(dir, "held.yaml"), text)
		var steps map[string]stepRan
		var r *runnerLike
		for range 4 { // a busy machine may leave it open
			steps, r = acted(t, dir, map[string]string{"inputs.contract": "held.yaml", "inputs.live": "true", "inputs.arguments": "--only\nconflict"}, env)
			if steps["Verify"].code != ExitInconclusive {
				break
			}
		}
		wantLive(t, steps["Verify"], code, "held.yaml", filepath.Join(r.temp, "idem-report"))
	}
}

// wantLive wants what a person and a machine see of a live run.
func wantLive(t *testing.T, s stepRan, code int, file, reports string) {
	t.Helper()
	says := map[int][2]string{0: {"::notice file=" + file + ",title=idem verify::pass", "## idem verify: pass"},
		1: {"::error file=" + file + ",line=", "## idem verify: fail"}}[code]
	if s.code != code || !strings.Contains(s.out, says[0]) || !strings.Contains(s.summary, says[1]) {
		t.Errorf("exit %d, not %d\n%.3000s\n%.500s", s.code, code, s.out, s.summary)
	}
	var suites struct {
		Failures int `xml:"failures,attr"`
		Tests    int `xml:"tests,attr"`
	}
	if err := xml.Unmarshal(readFile(t, reports, "verify.xml"), &suites); err != nil || suites.Tests == 0 || (suites.Failures > 0) != (code == 1) {
		t.Errorf("JUnit: %v, %+v", err, suites)
	}
	for _, text := range []string{s.out, s.summary} {
		if strings.Contains(text, liveToken) {
			t.Error("a secret is shown")
		}
	}
	if code == 1 && !strings.Contains(s.out, "title=conflict/wrong-answer::") {
		t.Errorf("no annotation of the finding:\n%.2000s", s.out)
	}
}

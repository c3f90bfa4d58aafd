package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// TestLiveWorkflowBringsTheKeyFile: what a recipe reads from a file, the workflow
// writes from a secret for the one step, and a secret that is empty is told.
func TestLiveWorkflowBringsTheKeyFile(t *testing.T) {
	testneed.Long(t, "a whole check takes ten seconds")
	t.Parallel()
	own := t.TempDir()
	hostile := filepath.Join("..", "testdata", "pack", "hostile")
	for _, name := range []string{"contract.yaml", "recipe.yaml", "payload.json"} {
		text := string(readFile(t, hostile, name))
		text = strings.Replace(text, "key: {kid: k1, env: IDEM_KEY}", `key: {kid: k1, file: "keys/it's $(touch pwned) ${{ github.token }}"}`, 1)
		text = strings.Replace(text, "OTHER_TOKEN", "IDEM_KEY_K1", 1) // a name that the secret would have too
		write(t, filepath.Join(own, name), text)
	}
	if r := runIdem(t, own, nil, "pack", "pack", "--contract", "contract.yaml"); r.code != ExitDone {
		t.Fatal(r.err)
	}
	dir := filepath.Join(own, "pack")
	if r := runIdem(t, own, nil, "key", "new", "--kid", "k1", "--out", "k1.key"); r.code != ExitDone {
		t.Fatal(r.err)
	}
	key := strings.TrimSpace(string(readFile(t, own, "k1.key")))
	run := func(secret string) stepRan {
		w := readWorkflow(t, filepath.Join(dir, liveWorkflow))
		context := map[string]string{"inputs.target": "", "inputs.contract": "contract.yaml", "inputs.live": "true",
			"secrets.IDEM_GITHUB_STAGING_TOKEN": liveToken, "secrets.IDEM_KEY_K1": liveToken + "-2", "secrets.IDEM_KEY_K1_2": secret,
			"vars.CHARGES_ADDRESS": "127.0.0.1:" + testneed.Port(t)}
		steps := newRunner(t, dir, context).steps(w.Jobs["live"].Steps, w.Env, w.Jobs["live"].Env)
		for _, gone := range []string{"keys/it's $(touch pwned) ${{ github.token }}", "pwned"} {
			if _, err := os.Stat(filepath.Join(dir, gone)); err == nil {
				t.Errorf("%s is there", gone)
			}
		}
		if s := steps["Verify"]; strings.Contains(s.out+s.summary, key) {
			t.Error("the key is shown")
		}
		return steps["Verify"]
	}
	if s := run(""); s.code != 2 || !strings.Contains(s.out, "::error title=idem verify::the secret IDEM_KEY_K1_2 of the environment idem-live is empty") {
		t.Errorf("no secret: exit %d\n%.1000s", s.code, s.out)
	}
	for try := range 4 { // a busy machine may let no copies overlap
		s := run(key)
		if s.code == ExitDone {
			break
		}
		if s.code != ExitInconclusive || try == 3 {
			t.Fatalf("exit %d\n%.3000s", s.code, s.out)
		}
	}
}

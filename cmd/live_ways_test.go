package cmd

import (
	"os"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/testneed"
)

const countedOverHTTP = "      http: {method: GET, path: \"/v1/effects?order_id={fresh:/order_id}\", count: \"$.data[*]\"}"

// TestEffectsCountedAtASink has idem stand in for the service that moves the
// money: what the reference service calls is counted there, kills included.
func TestEffectsCountedAtASink(t *testing.T) {
	testneed.Long(t, "the check takes twelve seconds")
	t.Parallel()
	sink := "127.0.0.1:" + testneed.Port(t)
	dir := t.TempDir()
	file, env := referenceContract(t, dir, "--store, \"${IDEM_DEMO_STORE}\", --effect-url, \"http://"+sink+"/pay\"",
		"      sink: {listen: \""+sink+"\", match: /order_id, distinct: {header: Idempotency-Key}}")
	env = append(env, "IDEM_DEMO_STORE=sqlite:"+strings.ReplaceAll(dir, `\`, "/")+"/charges.db")
	wantAllPass(t, settledRun(t, dir, env, "verify", file, "--live", "--format", "json"), "sink")
}

// TestExpiryByMovingTheClock passes an hour's retention in no time, through
// the contract's advance hook.
func TestExpiryByMovingTheClock(t *testing.T) {
	main := startServe(t, "--admin", "--retention", "1h", "--lease", "5s")
	dir := t.TempDir()
	file, env := referenceContract(t, dir, "--store, \"sqlite:memory\"", countedOverHTTP)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	text = text[:strings.Index(text, "    crash:")] +
		"    expiry: {advance: [\"" + strings.ReplaceAll(buildIdem(t), `\`, "/") + "-no-such-hook\"]}\n"
	text = strings.Replace(text, "http://${IDEM_DEMO_ADDRESS}", main, 1)
	text = strings.Replace(text, "{at_least: 5s, at_most: 6s, from: first_use}", "{at_least: 1h, at_most: 2h, from: first_use}", 1)
	write(t, file, text)
	args := []string{"verify", file, "--live", "--only", "expiry", "--format", "json"}
	if r := runIdem(t, dir, env, args...); r.code != ExitInconclusive || !strings.Contains(r.out, "advance hook") {
		t.Errorf("a hook that is not there: exit %d\n%s%s", r.code, r.out, r.err)
	}
	hook := startAdvanceHook(t, main)
	text = text[:strings.Index(text, "    expiry:")] + "    expiry: {advance: [sh, \"" + hook + "\"]}\n"
	write(t, file, text)
	if r := settledRun(t, dir, env, args...); r.code != ExitDone {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
}

// startAdvanceHook writes a hook that moves the clock of a reference service.
func startAdvanceHook(t *testing.T, base string) string {
	t.Helper()
	testneed.Program(t, "curl")
	hook := t.TempDir() + "/advance.sh"
	write(t, hook, "exec curl -qsSf -X POST \""+base+"/admin/advance?seconds=$IDEM_SECONDS\"\n")
	return hook
}

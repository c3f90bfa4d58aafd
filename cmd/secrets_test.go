package cmd

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/testneed"
)

// secretRecipe derives the keys of secretContract from a secret of its own.
const secretRecipe = `idem: recipe/v1
namespace: acme.payments
operation: checkout.charge
version: 1
prefix: chg
boundary: One charge for each order.
identity: {order: /order_id}
sensitive: [/customer/email]
key: {kid: k7, env: SECRET_TEST_KEY}
`

// hidden are the secrets of one run, by what they are.
func hidden(line, token, password, email string, key []byte) map[string]string {
	return map[string]string{
		"the key line":            line,
		"the key in base32":       strings.Split(line, "-")[2],
		"the key in hexadecimal":  hex.EncodeToString(key),
		"the key in base64":       base64.StdEncoding.EncodeToString(key),
		"the token":               token,
		"the token in base64":     base64.StdEncoding.EncodeToString([]byte(token)),
		"the password of the DSN": password,
		"the sensitive value":     email,
	}
}

func search(t *testing.T, secrets map[string]string, where string, artefact []byte) {
	t.Helper()
	for what, secret := range secrets {
		if bytes.Contains(artefact, []byte(secret)) {
			t.Errorf("%s stands in %s", what, where)
		}
	}
}

// TestSecretsStayHidden looks through everything that a live run leaves:
// arguments of processes, output, errors, trace and reports.
func TestSecretsStayHidden(t *testing.T) {
	testneed.Long(t, "the check takes ten seconds")
	t.Parallel()
	dsn, err := url.Parse(testneed.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	password := "pw-8f2c1d77aa"
	dsn.User = url.UserPassword(dsn.User.Username(), password)
	key := bytes.Repeat([]byte{0xa7, 0x31}, 16)
	secret, err := determ.NewSecret("k7", key)
	if err != nil {
		t.Fatal(err)
	}
	line, err := secret.Line()
	if err != nil {
		t.Fatal(err)
	}
	token, email := "tok-5b1e0c9d77f3", "somebody@example.org"
	secrets := hidden(line, token, password, email, key)

	dir := t.TempDir()
	file, env := referenceContract(t, dir, "--store-env, CHARGES_DSN",
		"      sql: {dsn_env: CHARGES_DSN, query: \"SELECT count(*) FROM effects WHERE order_id = $1\", args: [/order_id]}")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	swapped := strings.Replace(string(text), "generate: uuid4", "recipe: charge.recipe.yaml", 1)
	swapped = strings.Replace(swapped, "currency: EUR}", "currency: EUR, customer: {email: "+email+"}}", 1)
	write(t, file, swapped)
	write(t, filepath.Join(dir, "charge.recipe.yaml"), secretRecipe)
	env = append(env, "IDEM_DEMO_TOKEN="+token, "SECRET_TEST_KEY="+line, "CHARGES_DSN="+dsn.String())

	args := []string{"verify", file, "--live", "--verbose", "--trace", filepath.Join(dir, "trace.ndjson")}
	for _, format := range []string{"json", "junit", "markdown"} {
		args = append(args, "--report", format+"="+filepath.Join(dir, "report."+format))
	}
	r, arguments := watchArguments(t, env, args)
	// A loaded machine may leave a step open: it is looked through all the same.
	if r.code != ExitDone && r.code != ExitInconclusive {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	search(t, secrets, "the arguments of a process", arguments)
	search(t, secrets, "standard output", []byte(r.out))
	search(t, secrets, "standard error", []byte(r.err))
	for _, name := range []string{"trace.ndjson", "report.json", "report.junit", "report.markdown"} {
		artefact, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || len(artefact) == 0 {
			t.Fatalf("%s: %d bytes, %v", name, len(artefact), err)
		}
		search(t, secrets, name, artefact)
	}
	again := runIdem(t, dir, nil, "report", filepath.Join(dir, "trace.ndjson"), "--format", "json")
	first, _ := os.ReadFile(filepath.Join(dir, "report.json"))
	if again.out != string(first) || again.code != r.code {
		t.Error("the trace judged again gives another report")
	}
	searchErrors(t, secrets, dir, file, env)
}

// searchErrors makes runs fail and looks through what they say.
func searchErrors(t *testing.T, secrets map[string]string, dir, file string, env []string) {
	t.Helper()
	for name, change := range map[string][]string{
		"a key of another kid":     {"SECRET_TEST_KEY=" + strings.Replace(envValue(env, "SECRET_TEST_KEY"), "-k7-", "-k8-", 1)},
		"a key with a typo":        {"SECRET_TEST_KEY=" + envValue(env, "SECRET_TEST_KEY") + "x"},
		"no program":               {"IDEM_DEMO_PROGRAM=" + filepath.Join(dir, "none")},
		"a DSN that nobody serves": {"CHARGES_DSN=" + strings.Replace(envValue(env, "CHARGES_DSN"), "127.0.0.1", "127.0.0.9", 1)},
		"a token with a line":      {"IDEM_DEMO_TOKEN=" + envValue(env, "IDEM_DEMO_TOKEN") + "\nx"},
	} {
		r := runIdem(t, dir, append(env, change...), "verify", file, "--live", "--only", "duplicate", "--format", "json")
		if r.code == ExitDone {
			t.Errorf("%s: exit 0", name)
		}
		search(t, secrets, "what is said of "+name, []byte(r.out+r.err))
	}
	dry := runIdem(t, dir, env, "verify", file)
	if dry.code != ExitDone {
		t.Errorf("dry run: exit %d %s", dry.code, dry.err)
	}
	search(t, secrets, "a dry run", []byte(dry.out+dry.err))
}

func envValue(env []string, name string) string {
	value := ""
	for _, e := range env {
		if n, v, _ := strings.Cut(e, "="); n == name {
			value = v
		}
	}
	return value
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// watchArguments runs idem and collects the arguments of all processes that
// can be seen meanwhile, where the system shows them.
func watchArguments(t *testing.T, env, args []string) (ran, []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var out, said, seen bytes.Buffer
	c := exec.CommandContext(ctx, buildIdem(t), args...)
	c.Env, c.Stdout, c.Stderr = append(os.Environ(), env...), &out, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { c.Wait(); close(done) }()
	for {
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, l := range lines {
			b, _ := os.ReadFile(l)
			seen.Write(b)
		}
		select {
		case <-done:
			return ran{c.ProcessState.ExitCode(), out.String(), said.String()}, seen.Bytes()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

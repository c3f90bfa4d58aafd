package cmd

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/determ"
)

// identityFiles is a folder of recipes, payloads and keys for every kind of
// key source, good and bad.
type identityFiles struct {
	dir     string
	secrets map[string]string // what must never be shown, by what it is
	env     map[string]string
	public  []byte // a raw secret, for standard input
}

func writeIdentityFiles(t *testing.T) identityFiles {
	t.Helper()
	raw := bytes.Repeat([]byte{0xA7, 0x31, 0x5C, 0x0E}, 8)
	secret, err := determ.NewSecret("k1", raw)
	if err != nil {
		t.Fatal(err)
	}
	line, err := secret.Line()
	if err != nil {
		t.Fatal(err)
	}
	const passphrase = "correct horse battery"
	sealed, err := secret.Seal([]byte(passphrase), strings.NewReader(strings.Repeat("seed", 20)))
	if err != nil {
		t.Fatal(err)
	}
	f := identityFiles{dir: t.TempDir(), public: raw, env: map[string]string{
		"LINE": line, "HEX": hex.EncodeToString(raw), "B64": base64.StdEncoding.EncodeToString(raw), "RAW": string(raw), "SEALED": sealed, "PASS": passphrase,
		"BADLINE": line[:len(line)-1] + "q", "BADHEX": hex.EncodeToString(raw) + "z", "SHORT": hex.EncodeToString(raw)[:40], "BADPASS": "wrong horse battery",
	}}
	f.secrets = map[string]string{
		"the bytes": string(raw), "hexadecimal": f.env["HEX"][:32], "base64": f.env["B64"][:24], "base32": line[12:44], "Go bytes": strings.Trim(fmt.Sprint(raw[:8]), "[]"),
		"the sealed line": sealed[13:60], "the passphrase": "horse battery", "the mail": "payer@example.com", "the card": "4111111111111111",
	}
	f.write(t, "payload.json", `{"cart":"c_1","mail":"payer@example.com","card":4111111111111111}`)
	f.write(t, "lossy.json", `{"cart":9007199254740993,"mail":"payer@example.com","card":4111111111111111.5}`)
	f.write(t, "broken.json", `{"mail":"payer@example.com","mail":"payer@example.com"}`)
	f.write(t, "nomail.json", `{"cart":["payer@example.com"],"card":"4111111111111111"}`)
	f.write(t, "line.key", line+"\n")
	for name, key := range map[string]string{
		"line": "{kid: k1, env: LINE}", "hex": "{kid: k1, env: HEX, format: hex}", "b64": "{kid: k1, env: B64, format: base64}", "raw": "{kid: k1, env: RAW, format: raw}",
		"sealed": "{kid: k1, env: SEALED, passphrase: {env: PASS}}", "file": "{kid: k1, file: line.key}", "stdin": "{kid: k1, fd: 0, format: raw}",
		"badline": "{kid: k1, env: BADLINE}", "badhex": "{kid: k1, env: BADHEX, format: hex}", "short": "{kid: k1, env: SHORT, format: hex}",
		"otherkid": "{kid: k2, env: LINE}", "wrongformat": "{kid: k1, env: HEX}", "hexasraw": "{kid: k1, env: HEX, format: raw}", "badpass": "{kid: k1, env: SEALED, passphrase: {env: BADPASS}}",
		"nopass": "{kid: k1, env: SEALED}", "checked": "{kid: k1, env: LINE, check: '00000000'}", "inline": line, "inlined": "{kid: k1, " + line + ": x}", "inenv": "{kid: k1, env: " + line + "}",
	} {
		f.write(t, name+".yaml", "idem: recipe/v1\nnamespace: n\noperation: o\nversion: 1\nprefix: p\nboundary: One each.\n"+
			"identity: {cart: /cart, mail: {pointer: /mail, type: string}, card: /card}\nsensitive: [/mail, /card]\nkey: "+key+"\n")
	}
	return f
}

func (f identityFiles) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestIdentitySecretsStayHidden runs every command that reads a key, well and
// badly, and looks for key, passphrase and sensitive values in all it says.
func TestIdentitySecretsStayHidden(t *testing.T) {
	f := writeIdentityFiles(t)
	recipes, err := filepath.Glob(filepath.Join(f.dir, "*.yaml"))
	if err != nil || len(recipes) < 19 {
		t.Fatal(len(recipes), err)
	}
	payloads := []string{"payload.json", "lossy.json", "broken.json", "nomail.json"}
	good, bad := 0, 0
	run := func(args ...string) {
		stdout, stderr, code := runHere(f.env, bytes.NewReader(f.public), args...)
		for what, secret := range f.secrets {
			if strings.Contains(stdout+stderr, secret) {
				t.Errorf("idem %s shows %s:\n%s%s", strings.Join(args, " "), what, stdout, stderr)
			}
		}
		switch {
		case code == ExitDone && stdout != "":
			good++
		case code != ExitDone && stderr != "":
			bad++
		case args[0] != "recipe":
			t.Errorf("idem %s: %d, %q, %q", strings.Join(args, " "), code, stdout, stderr)
		}
	}
	for _, r := range recipes {
		some := payloads
		if text, err := os.ReadFile(r); err != nil || bytes.Contains(text, []byte("SEALED")) {
			some = payloads[:1] // opening a sealed key is slow, as it should be
		}
		for _, p := range some {
			p = filepath.Join(f.dir, p)
			run("derive", "-r", r, p)
			run("derive", "-r", r, p, "--explain")
			run("derive", "-r", r, p, "--explain", "--format", "json", "--with-listed")
			run("derive", "-r", r, p, "--check", "p_1_x", "-v")
		}
		run("key", "check", "-r", r)
		run("recipe", "lint", r)
	}
	for _, name := range []string{"LINE", "HEX", "SEALED", "BADLINE", "SHORT"} {
		run("key", "check", "--key-env", name)
		run("key", "check", "--key-env", name, "--key-format", "hex", "--kid", "k1")
		run("key", "check", "--key-env", name, "--passphrase-env", "BADPASS")
	}
	run("key", "check", filepath.Join(f.dir, "line.key"))
	run("key", "new", "--out", filepath.Join(f.dir, "new.key"), "--passphrase-env", f.env["LINE"])
	if good < 25 || bad < 60 {
		t.Errorf("only %d runs went well and %d badly", good, bad)
	}
}

// TestNewKeyIsInItsFileAlone: with --out nothing else tells the key.
func TestNewKeyIsInItsFileAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k")
	stdout, stderr, code := runHere(nil, nil, "key", "new", "--out", path)
	line, err := os.ReadFile(path)
	if code != ExitDone || err != nil || !bytes.HasPrefix(line, []byte("idemkey1-k1-")) {
		t.Fatal(code, stderr, err)
	}
	if stdout != "" || strings.Contains(stderr, string(line[12:30])) {
		t.Errorf("%q %q", stdout, stderr)
	}
	again, _, _ := runHere(nil, nil, "key", "new")
	if again == string(line) {
		t.Error("two keys are one")
	}
}

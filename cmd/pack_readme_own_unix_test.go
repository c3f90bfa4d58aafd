//go:build unix

package cmd

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// ownPack writes a pack for a contract with a recipe, which ends with what is
// given, and gives its folder and what was said.
func ownPack(t *testing.T, recipe string) (dir, said string) {
	t.Helper()
	own := t.TempDir()
	write(t, filepath.Join(own, "contract.yaml"), `idem: contract/v1
name: ours
target: {base_urls: ["http://127.0.0.1:9"], allow_hosts: [127.0.0.1]}
operations:
  - name: charge
    request: {method: POST, path: /v1/charges, body: {order_id: "o-1", amount: 1999, slot: "2026-11-30T10:15:00Z"}, fresh: [/order_id]}
    key: {header: Idempotency-Key, recipe: charge.recipe.yaml}
    promise: {duplicate: replay}
`)
	write(t, filepath.Join(own, "charge.recipe.yaml"), recipe)
	r := runIdem(t, own, nil, "pack", "pack", "--contract", "contract.yaml")
	if r.code != ExitDone {
		t.Fatal(r.err)
	}
	return filepath.Join(own, "pack"), r.err
}

const plainRecipe = "idem: recipe/v1\nnamespace: acme.pay\noperation: charge\nversion: 1\nprefix: chg\nboundary: One charge for each order id.\nidentity: {order_id: /order_id}\n"

// TestReadmeOfOnesOwn: whatever a recipe lacks, and wherever its key is, what the
// README says to run ends well, and no key that it makes would be committed.
func TestReadmeOfOnesOwn(t *testing.T) {
	testneed.Program(t, "git")
	testneed.Program(t, "openssl")
	bin := filepath.Dir(buildIdem(t))
	for name, c := range map[string]struct {
		recipe, said string // of the pack
		has          string // in the recipe of the pack
		keyed        bool   // the README makes a key
	}{
		"no example": {plainRecipe + "key: {kid: k1, env: IDEM_KEY}", "has an example, made of the payload", "\nexample:\n  payload: {\"order_id\":\"o-1\",\"amount\":1999,\"slot\":\"2026-11-30T10:15:00Z\"}\n  id: chg_", true},
		"no example, as JSON": {`{"idem": "recipe/v1", "namespace": "acme.pay", "operation": "charge", "version": 1, "prefix": "chg",
 "boundary": "One charge for each order id.", "identity": {"order_id": "/order_id"}, "key": {"kid": "k1", "env": "IDEM_KEY"}}`, "has an example", `, "example": {"payload": {"order_id"`, true},
		"an example that lint would warn of": {strings.Replace(plainRecipe, "/order_id}", "/order_id, slot: /slot}", 1) + "key: {kid: k1, env: IDEM_KEY}\n", "goes without --strict", "slot: /slot", true},
		"a key in a file":                    {plainRecipe + "key: {kid: k1, file: k1.key}\n", "has an example", "file: k1.key", true},
		"a key deeper":                       {plainRecipe + "key: {kid: k1, file: \"se cret/it's [k1]\"}\n", "has an example", "example:", true},
		"a key in hexadecimal":               {plainRecipe + "key: {kid: k1, file: ./keys/k1, format: hex}\n", "has an example", "example:", true},
		"a key in base64":                    {plainRecipe + "key: {kid: k1, env: IDEM_KEY, format: base64}\n", "has an example", "example:", true},
		"a key that is checked":              {plainRecipe + "key: {kid: k1, env: IDEM_KEY, check: abcdefgh}\n", "has an example", "example:", false},
		"a key elsewhere":                    {plainRecipe + "key: {kid: k1, file: /etc/k1.key}\n", "does not bring the key of charge.recipe.yaml, file /etc/k1.key", "example:", false},
		"a key above":                        {plainRecipe + "key: {kid: k1, file: ../k1.key}\n", "does not bring the key of charge.recipe.yaml, file ../k1.key", "example:", false},
		"a key from a program":               {plainRecipe + "key: {kid: k1, command: [pass, show, k1]}\n", "does not bring the key of charge.recipe.yaml, command pass", "example:", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, said := ownPack(t, c.recipe)
			if !strings.Contains(said, c.said) || !strings.Contains(string(readFile(t, dir, "recipe.yaml")), c.has) {
				t.Errorf("it said\n%s\nand the recipe is\n%s", said, readFile(t, dir, "recipe.yaml"))
			}
			commands := strings.Join(marked(t, readFile(t, dir, "README.md"), "run"), "\n")
			commands, pattern, _ := strings.Cut(commands, "(\n  cd pattern")
			if pattern == "" || strings.Contains(commands, "idem derive") != c.keyed {
				t.Errorf("the README says to run\n%s", commands)
			}
			for range 2 { // and who runs them again has the key already
				if said, err := typedInShell(t, dir, bin, commands, time.Minute); err != nil {
					t.Fatalf("%v\n%s\n%s", err, commands, said)
				}
			}
			said, err := typedInShell(t, dir, bin, "git init -q && git add -A && git ls-files", time.Minute)
			if err != nil || strings.Contains(said, "k1") || strings.Contains(said, ".key") {
				t.Errorf("%v: git takes\n%s", err, said)
			}
		})
	}
}

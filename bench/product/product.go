// Package product builds what the programs beside it measure, as releases are
// built, and has what it derives by.
package product

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Name is the file name of the built command. It ends as Windows wants it,
// which nobody else minds.
const Name = "idem.exe"

// Recipe is a small one whose key is in the environment.
const Recipe = `idem: recipe/v1
namespace: acme.payments
operation: checkout.charge
version: 1
prefix: chg
boundary: One charge for each tenant, cart and cart version.
identity:
  tenant: /tenant
  cart: /cart/id
  cart_version: {pointer: /cart/version, type: integer}
key: {kid: k1, env: IDEM_BENCH_KEY, format: hex}
`

// Key is the recipe's, in hex, and KeyEnv gives it. It stands for no secret.
const (
	Key    = "6b6579206f662061207370656564206d6561737572656d656e74206f6e6c7921"
	KeyEnv = "IDEM_BENCH_KEY=" + Key
)

// Build builds a command of the project, "." for idem itself, into a folder
// and gives its file. It is to be called in the project's root.
func Build(ctx context.Context, dir, command string) (file string, err error) {
	if _, err := os.Stat("go.mod"); err != nil {
		return "", fmt.Errorf("run it from the project's root: %w", err)
	}
	file = filepath.Join(dir, Name)
	if command != "." {
		file = filepath.Join(dir, filepath.Base(command)+".exe")
	}
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, command)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w: %.500s", command, err, strings.TrimSpace(string(said)))
	}
	return file, nil
}

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/idem-toolkit/idem/bench/product"
)

// way is one command that reads records and writes a line for each.
type way struct {
	name    string
	program string
	args    []string
	env     []string
	dir     string
}

// Names of the ways that gates speak of.
const (
	ofJQ   = "jq -cS ."
	ofLoop = "a jq and an openssl for each record"
)

func workers(n int) string {
	if n == 1 {
		return "idem derive --ndjson, 1 worker"
	}
	return fmt.Sprintf("idem derive --ndjson, %d workers", n)
}

// loop is what people write who have no such tool. What it computes is a plain
// HMAC of the same fields.
const loop = `while IFS= read -r line; do
  printf %s "$line" | jq -cSj '{cart: .cart.id, cart_version: .cart.version, tenant: .tenant}' |
    openssl dgst -sha256 -hmac "$IDEM_BENCH_KEY"
done`

// ways builds idem and gives what is to be measured, and what is not here.
func ways(ctx context.Context, dir string, counts ...int) (all []way, missing []string, err error) {
	if err := os.WriteFile(filepath.Join(dir, "charge.yaml"), []byte(product.Recipe), 0o600); err != nil {
		return nil, nil, err
	}
	idem, err := product.Build(ctx, dir, ".")
	if err != nil {
		return nil, nil, err
	}
	env := []string{product.KeyEnv}
	for _, n := range counts {
		all = append(all, way{workers(n), idem, []string{"derive", "-r", "charge.yaml", "--ndjson", "--workers", strconv.Itoa(n)}, env, dir})
	}
	for _, other := range []way{
		{ofJQ, "jq", []string{"-cS", "."}, nil, dir},
		{ofLoop, "sh", []string{"-c", loop}, env, dir},
	} {
		needs := []string{other.program}
		if other.name == ofLoop {
			needs = []string{"sh", "jq", "openssl"}
		}
		for _, program := range needs {
			if _, err = exec.LookPath(program); err != nil {
				missing = append(missing, fmt.Sprintf("%s (%s)", other.name, err))
				break
			}
		}
		if err == nil {
			all = append(all, other)
		}
	}
	return all, missing, nil
}

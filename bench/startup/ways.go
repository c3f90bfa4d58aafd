package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/idem-toolkit/idem/bench/product"
)

// Names of the ways that the gate speaks of.
const (
	ofDerive  = "idem derive"
	ofOpenSSL = "openssl dgst -hmac"
)

// way is one command line.
type way struct {
	name    string
	program string
	args    []string
	env     []string
	dir     string
}

const payload = `{"tenant":"acme","cart":{"id":"c_8f31","version":3,"lines":[{"sku":"A-1","qty":2}]},"note":"ring twice"}` + "\n"

// ways builds what is called, and says what is not here.
func ways(ctx context.Context, dir string) (all []way, missing []string, err error) {
	for name, text := range map[string]string{"charge.yaml": product.Recipe, "payload.json": payload} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, nil, err
		}
	}
	idem, err := product.Build(ctx, dir, ".")
	if err != nil {
		return nil, nil, err
	}
	bare, err := product.Build(ctx, dir, "./bench/startup/bare")
	if err != nil {
		return nil, nil, err
	}
	written := filepath.Join(dir, "written.exe")
	program, err := os.ReadFile(idem)
	if err == nil {
		err = os.WriteFile(written, program, 0o700)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, file := range []string{idem, bare} {
		if err := settle(file); err != nil {
			return nil, nil, err
		}
	}
	plain, err := hex.DecodeString(product.Key)
	if err != nil {
		return nil, nil, err
	}
	derive := []string{"derive", "-r", "charge.yaml", "payload.json"}
	all = []way{
		{ofDerive, idem, derive, []string{product.KeyEnv}, dir},
		{"idem derive, its file just written", written, derive, []string{product.KeyEnv}, dir},
		{"idem canon", idem, []string{"canon", "payload.json"}, nil, dir},
		{"idem --version", idem, []string{"--version"}, nil, dir},
		{"a Go program that does nothing", bare, nil, nil, dir},
	}
	for _, other := range []way{
		// It has no way to take a key but in its arguments; this one is no secret.
		{ofOpenSSL, "openssl", []string{"dgst", "-sha256", "-hmac", string(plain), "payload.json"}, nil, dir},
		{"jq -cS", "jq", []string{"-cS", ".", "payload.json"}, nil, dir},
	} {
		if other.program, err = exec.LookPath(other.program); err != nil {
			missing = append(missing, fmt.Sprintf("%s (%s)", other.name, err))
			continue
		}
		all = append(all, other)
	}
	return all, missing, nil
}

// call runs it once.
func (w way) call(ctx context.Context) (took, cpu time.Duration, err error) {
	c := exec.CommandContext(ctx, w.program, w.args...)
	c.Dir, c.Env = w.dir, append(os.Environ(), w.env...)
	began := time.Now()
	err = c.Run()
	took = time.Since(began)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", w.name, err)
	}
	return took, c.ProcessState.UserTime() + c.ProcessState.SystemTime(), nil
}

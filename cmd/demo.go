package cmd

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"net"
	"os"
	"path/filepath"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
)

//go:embed demo.contract.yaml
var demoContract []byte

// runDemo checks the reference service live: on a free loopback port, with a
// SQLite file in a temporary folder that is removed at the end.
func runDemo(ctx context.Context, app *App, o *verifyOptions) error {
	dir, err := os.MkdirTemp("", "idem-demo-")
	if err != nil {
		return problem.New("", "no temporary folder can be made: %s", reason(err))
	}
	defer os.RemoveAll(dir)
	settings, err := demoSettings(dir)
	if err != nil {
		return err
	}
	spec, err := contract.Parse("demo.contract.yaml", demoContract, nil)
	if err != nil {
		return err
	}
	if err := o.selection.Check(spec); err != nil {
		return err
	}
	world := *app
	world.LookupEnv = func(name string) (string, bool) {
		if v, ok := settings[name]; ok {
			return v, true
		}
		return app.LookupEnv(name)
	}
	return runLive(ctx, &world, o, spec)
}

// demoSettings fills in what the demo's contract leaves open.
func demoSettings(dir string) (map[string]string, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, problem.New("", "this program's own file cannot be found: %s", err)
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	token := make([]byte, 16)
	rand.Read(token) // never fails (crypto/rand)
	return map[string]string{
		"IDEM_DEMO_PROGRAM": program,
		"IDEM_DEMO_ADDRESS": address,
		"IDEM_DEMO_STORE":   "sqlite:" + filepath.ToSlash(filepath.Join(dir, "charges.db")),
		"IDEM_DEMO_TOKEN":   "demo-" + hex.EncodeToString(token),
	}, nil
}

// freeAddress finds a loopback port that nothing listens on.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", problem.New("", "no loopback port is free: %s", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

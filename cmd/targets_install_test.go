package cmd

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// installTime bounds how long a target's packages may take to come and to build.
const installTime = 15 * time.Minute

func targetFolder(name string) string { return filepath.Join("..", "testdata", "targets", name) }

// buildGo builds a Go program under testdata/targets and gives its path.
func buildGo(t *testing.T, name string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), name)
	if runtime.GOOS == "windows" {
		out += ".exe"
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-o", out, ".")
	build.Dir = targetFolder(name)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, said)
	}
	return out
}

// installNode installs a Node target into a folder of its own.
func installNode(t *testing.T, name string) string {
	t.Helper()
	testneed.Node(t)
	dir := copyTarget(t, name)
	install(t, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	return dir
}

// installPython gives the interpreter of an environment that has a Python
// target's packages, each checked against the hash that it is pinned to.
func installPython(t *testing.T, name string) string {
	t.Helper()
	python := testneed.Python(t)
	dir := filepath.Join(t.TempDir(), "venv")
	install(t, ".", python, "-m", "venv", dir)
	inside := filepath.Join(dir, "bin", "python")
	if runtime.GOOS == "windows" {
		inside = filepath.Join(dir, "Scripts", "python.exe")
	}
	install(t, targetFolder(name), inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
		"--no-deps", "--require-hashes", "--requirement", "requirements.txt")
	return inside
}

// buildMaven builds a Java target in a folder of its own and gives its archive.
func buildMaven(t *testing.T, name string) string {
	t.Helper()
	maven := testneed.Maven(t)
	dir := copyTarget(t, name)
	install(t, dir, maven, "--quiet", "--batch-mode", "--no-transfer-progress", "package")
	return filepath.Join(dir, "target", "server.jar")
}

// copyTarget copies a target, so that nothing is installed into the tree.
func copyTarget(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(targetFolder(name))); err != nil {
		t.Fatal(err)
	}
	for _, made := range []string{"node_modules", "target"} {
		os.RemoveAll(filepath.Join(dir, made))
	}
	return dir
}

// installing lets one installation at a time compile: two of them starve the
// services of all other tests.
var installing sync.Mutex

// install runs one command of an installation, once more if it failed: the
// registries are far away.
func install(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	installing.Lock()
	defer installing.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), installTime)
	defer cancel()
	for try := 1; ; try++ {
		command := exec.CommandContext(ctx, program, args...)
		command.Dir = dir
		said, err := command.CombinedOutput()
		if err == nil {
			return
		}
		if try == 2 {
			t.Fatalf("%s %q: %v\n%s", program, args, err, said)
		}
	}
}

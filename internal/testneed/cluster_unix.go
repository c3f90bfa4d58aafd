//go:build unix

package testneed

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// startCluster makes a PostgreSQL cluster in a temporary directory, starts it
// on a free loopback port and returns the address of its maintenance database.
// The programs are those in PATH, else the newest where Debian keeps them.
func startCluster() (string, error) {
	debians, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(debians, func(a, b string) int { return version(b) - version(a) })
	initdb, postgres, err := programs(append(filepath.SplitList(os.Getenv("PATH")), debians...))
	if err != nil {
		return "", err
	}
	return thrice(func() (string, error) { return tryCluster(initdb, postgres) })
}

func tryCluster(initdb, postgres string) (string, error) {
	dir, err := os.MkdirTemp("", "idem-postgres-")
	if err != nil {
		return "", err
	}
	who, err := unprivileged(dir, "postgres")
	if err == nil {
		err = initialise(initdb, dir, who)
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	port, err := freePort()
	if err != nil {
		return "", err
	}
	dsn := "postgres://idem@127.0.0.1:" + port + "/postgres?sslmode=disable"
	return dsn, keep(dir, "QUIT", who, func() error { return execute(dsn, "SELECT 1") },
		postgres, "-D", filepath.Join(dir, "data"), "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300", "-c", "shared_buffers=32MB")
}

// programs finds initdb and postgres in the first folder that holds both.
func programs(dirs []string) (initdb, postgres string, err error) {
	for _, dir := range dirs {
		initdb, postgres = filepath.Join(dir, "initdb"), filepath.Join(dir, "postgres")
		if executable(initdb) && executable(postgres) {
			return initdb, postgres, nil
		}
	}
	return "", "", errors.New("initdb and postgres are neither in PATH nor under /usr/lib/postgresql")
}

func version(dir string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	return n
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

func initialise(initdb, dir string, who *syscall.SysProcAttr) error {
	cmd := exec.Command(initdb, "-D", filepath.Join(dir, "data"), "-U", "idem",
		"-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	cmd.Dir, cmd.SysProcAttr = dir, who
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

//go:build unix

package testneed

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// startMariaDB makes a MariaDB in a temporary directory, starts it on a free
// loopback port and returns its address.
func startMariaDB() (string, error) {
	install, err := exec.LookPath("mariadb-install-db")
	if err != nil {
		return "", errors.New("mariadb-install-db is not in PATH")
	}
	server, err := findMariaDB(append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin"))
	if err != nil {
		return "", err
	}
	return thrice(func() (string, error) { return tryMariaDB(install, server) })
}

// findMariaDB finds the server in the first folder that has it. Debian keeps it
// where only root has it in PATH.
func findMariaDB(dirs []string) (string, error) {
	for _, dir := range dirs {
		if path := filepath.Join(dir, "mariadbd"); executable(path) {
			return path, nil
		}
	}
	return "", errors.New("mariadbd is neither in PATH nor in /usr/sbin")
}

func tryMariaDB(install, server string) (string, error) {
	dir, err := os.MkdirTemp("", "idem-mariadb-")
	if err != nil {
		return "", err
	}
	data := filepath.Join(dir, "data")
	who, err := unprivileged(dir, "mysql")
	if err == nil {
		cmd := exec.Command(install, "--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", "--datadir="+data)
		cmd.Dir, cmd.SysProcAttr = dir, who
		if out, failed := cmd.CombinedOutput(); failed != nil {
			err = fmt.Errorf("mariadb-install-db: %w: %s", failed, out)
		}
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	port, err := freePort()
	if err != nil {
		return "", err
	}
	address := "mysql://root@127.0.0.1:" + port + "/"
	return address, keep(dir, "KILL", who, func() error { return executeMariaDB(address, "DO 1") },
		server, "--no-defaults", "--datadir="+data, "--bind-address=127.0.0.1", "--port="+port, "--skip-name-resolve",
		"--socket=socket", "--pid-file=pid", // in the data directory: a socket's path must be short
		"--max-connections=300", "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=32M")
}

//go:build unix

package testneed

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// keeper runs the server for as long as its standard input stays open, which
// is as long as the test binary lives, however that ends. It stops it by its
// process id and removes the data. $1 data directory, $2 postgres, $3 port.
const keeper = `
trap '' INT TERM HUP
"$2" -D "$1/data" -p "$3" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
  -c fsync=off -c full_page_writes=off -c max_connections=300 -c shared_buffers=32MB &
pid=$!
read -r _
kill -QUIT "$pid"
wait "$pid"
rm -rf "$1"
`

// held keeps the writing ends of the keepers' standard inputs from being
// collected, and so closed.
var held []*os.File

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
	// Another process may take the free port first: then all is tried anew.
	for range 3 {
		var dsn string
		if dsn, err = tryCluster(initdb, postgres); err == nil {
			return dsn, nil
		}
	}
	return "", err
}

func tryCluster(initdb, postgres string) (string, error) {
	dir, err := os.MkdirTemp("", "idem-postgres-")
	if err != nil {
		return "", err
	}
	who, err := unprivileged(dir)
	if err == nil {
		err = initialise(initdb, dir, who)
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return launch(postgres, dir, who)
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

// unprivileged gives the attributes to run the server with. PostgreSQL refuses
// to run as root, so root runs it as the user postgres and gives it the
// directory.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	// A group of its own, so that the terminal's interrupt is the test's alone.
	attr := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() != 0 {
		return attr, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("running as root, and there is no user postgres to start it as")
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return attr, os.Chown(dir, int(uid), int(gid))
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

// launch starts the keeper on a free port and waits until the server answers.
// From here on the directory is the keeper's to remove.
func launch(postgres, dir string, who *syscall.SysProcAttr) (string, error) {
	port, err := freePort()
	if err != nil {
		return "", err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer read.Close()
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		write.Close()
		return "", err
	}
	defer log.Close()
	cmd := exec.Command("/bin/sh", "-c", keeper, "keeper", dir, postgres, port)
	cmd.Dir, cmd.SysProcAttr = dir, who
	cmd.Stdin, cmd.Stdout, cmd.Stderr = read, log, log
	if err := cmd.Start(); err != nil {
		write.Close()
		return "", err
	}
	dsn := "postgres://idem@127.0.0.1:" + port + "/postgres?sslmode=disable"
	for range 200 {
		if err = execute(dsn, "SELECT 1"); err == nil {
			held = append(held, write)
			return dsn, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	said, _ := os.ReadFile(log.Name())
	write.Close()
	cmd.Wait()
	return "", fmt.Errorf("the server did not come up: %w: %s", err, said)
}

//go:build unix

package testneed

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// keeper runs a database server for as long as its standard input stays open,
// which is as long as the test binary lives, however that ends. It stops it by
// its process id and removes the data. $1 the server's folder, $2 the signal
// that stops it, then the server itself.
const keeper = `
trap '' INT TERM HUP
dir=$1 signal=$2
shift 2
"$@" &
pid=$!
read -r _
kill -"$signal" "$pid"
wait "$pid"
rm -rf "$dir"
`

// held keeps the writing ends of the keepers' standard inputs from being
// collected, and so closed.
var held []*os.File

// keep starts the keeper and waits until the server is up. From here on the
// folder is the keeper's to remove.
func keep(dir, signal string, who *syscall.SysProcAttr, up func() error, server ...string) error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		write.Close()
		return err
	}
	defer log.Close()
	cmd := exec.Command("/bin/sh", append([]string{"-c", keeper, "keeper", dir, signal}, server...)...)
	cmd.Dir, cmd.SysProcAttr = dir, who
	cmd.Stdin, cmd.Stdout, cmd.Stderr = read, log, log
	if err := cmd.Start(); err != nil {
		write.Close()
		return err
	}
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if err = up(); err == nil {
			held = append(held, write)
			return nil
		}
	}
	said, _ := os.ReadFile(log.Name())
	write.Close()
	cmd.Wait()
	return fmt.Errorf("the server did not come up: %w: %s", err, said)
}

// unprivileged gives the attributes to run a server with. Database servers
// refuse to run as root, so root runs them as the user that Debian makes for
// them and gives that one the folder.
func unprivileged(dir, name string) (*syscall.SysProcAttr, error) {
	// A group of its own, so that the terminal's interrupt is the test's alone.
	attr := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() != 0 {
		return attr, nil
	}
	u, err := user.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("running as root, and there is no user %s to start it as", name)
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

// thrice starts a server and gives its address. Another process may take the
// free port first: then all is tried anew.
func thrice(start func() (address string, err error)) (address string, err error) {
	for range 3 {
		if address, err = start(); err == nil {
			return address, nil
		}
	}
	return "", err
}

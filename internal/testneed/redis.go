package testneed

import (
	"fmt"
	"net"
	"os/exec"
	"testing"
	"time"
)

// Redis starts a Redis server of the test's own on a free loopback port, in
// memory only, and gives its address (a redis:// URL). It ends with the test.
func Redis(t testing.TB) string {
	t.Helper()
	program := Program(t, "redis-server")
	for try := 1; ; try++ {
		address, err := startRedis(t, program)
		if err == nil {
			return address
		}
		if try == 3 { // another process may have taken the port meanwhile
			t.Fatalf("starting %s: %v", program, err)
		}
	}
}

// holding runs a server for as long as its standard input stays open, so that
// the server ends with the test's process, however that ends.
const holding = `"$@" & server=$!; read _; kill -9 $server`

func startRedis(t testing.TB, program string) (string, error) {
	t.Helper()
	port, err := freePort()
	if err != nil {
		return "", err
	}
	server := exec.Command("/bin/sh", "-c", holding, "redis", program, "--bind", "127.0.0.1", "--port", port,
		"--save", "", "--appendonly", "no", "--dir", t.TempDir())
	hold, err := server.StdinPipe()
	if err != nil {
		return "", err
	}
	if err := server.Start(); err != nil {
		return "", err
	}
	t.Cleanup(func() { hold.Close(); server.Wait() })
	address := net.JoinHostPort("127.0.0.1", port)
	for patience := time.Now().Add(30 * time.Second); time.Now().Before(patience); time.Sleep(20 * time.Millisecond) {
		if pong(address) {
			return "redis://" + address, nil
		}
	}
	return "", fmt.Errorf("no answer on %s within 30 s", address)
}

// pong says whether a Redis server answers there.
func pong(address string) bool {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		return false
	}
	answer := make([]byte, 7)
	n, _ := conn.Read(answer)
	return string(answer[:n]) == "+PONG\r\n"
}

package testneed

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"
)

// Port gives a loopback port that is free, and is given to no other test of this
// process.
func Port(t testing.TB) string {
	t.Helper()
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// given are the ports that were given.
var given sync.Map

// freePort finds a port below those that systems take for the near ends of
// connections: of these another test's may be the one, between now and a
// service's start, or while it is killed and started again.
func freePort() (string, error) {
	for range 1000 {
		port := strconv.Itoa(11_000 + rand.IntN(19_000))
		if _, taken := given.LoadOrStore(port, true); taken {
			continue
		}
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			return port, l.Close()
		}
	}
	return "", errors.New("no port is free")
}

package report

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// received is one request as it arrived.
type received struct {
	line   string   // the request line
	header []string // field lines in order, those made by every client left out
	body   string
}

// listener keeps what arrives on a loopback port, byte for byte: net/http
// would tidy names and order.
type listener struct {
	url string
	mu  sync.Mutex
	got []received
}

func listen(t *testing.T) *listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &listener{url: "http://" + l.Addr().String()}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { s.serve(c) })
		}
	})
	t.Cleanup(func() { l.Close(); all.Wait() })
	return s
}

func (s *listener) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	var r received
	length := 0
	for first := true; ; first = false {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSuffix(line, "\r\n")
		name, value, _ := strings.Cut(line, ":")
		switch {
		case line == "":
			body := make([]byte, length)
			if _, err := io.ReadFull(in, body); err != nil {
				return
			}
			r.body = string(body)
			s.mu.Lock()
			s.got = append(s.got, r)
			s.mu.Unlock()
			io.WriteString(c, "HTTP/1.1 201 Created\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
			return
		case first:
			r.line = line
		case strings.EqualFold(name, "Content-Length"):
			fmt.Sscan(value, &length)
			r.header = append(r.header, "Content-Length")
		case !strings.EqualFold(name, "Host"):
			r.header = append(r.header, line)
		}
	}
}

// taken gives what arrived since the last call.
func (s *listener) taken() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	return got
}

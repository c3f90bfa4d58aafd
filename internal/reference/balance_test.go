package reference

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/problem"
)

// shared serves three replicas of which the first shares its address, and gives
// who answered each of so many requests, over connections of their own or one.
func shared(t *testing.T, how Balancing, requests int, oneConnection bool) []string {
	t.Helper()
	store, err := OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var services []*Service
	for i := range 3 {
		o := Defaults()
		o.Instance, o.Admin = fmt.Sprint("replica-", i+1), true
		s, err := New(store, o)
		if err != nil {
			t.Fatal(err)
		}
		services = append(services, s)
	}
	services[0].Share(how, services[1:]...)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- services[0].Serve(ctx, l, time.Second) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		store.Close()
	})
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: !oneConnection}}
	var names []string
	for range requests {
		resp, err := client.Get("http://" + l.Addr().String() + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		names = append(names, resp.Header.Get("X-Served-By"))
	}
	// What takes the store away takes it from all of them.
	for _, up := range []string{"false", "true"} {
		resp, err := client.Post("http://"+l.Addr().String()+"/admin/store?up="+up, "", nil)
		if err != nil || resp.StatusCode != 200 {
			t.Fatal(resp, err)
		}
		resp.Body.Close()
		for i, s := range services {
			if err := s.store.Ping(t.Context()); (err == nil) != (up == "true") {
				t.Errorf("up=%s: replica %d: %v", up, i+1, err)
			}
		}
	}
	return names
}

func TestSharedAddress(t *testing.T) {
	count := func(names []string) map[string]int {
		n := map[string]int{}
		for _, name := range names {
			n[name]++
		}
		return n
	}
	if got := shared(t, InTurns, 9, false); fmt.Sprint(count(got)) != "map[replica-1:3 replica-2:3 replica-3:3]" || got[0] == got[1] {
		t.Errorf("in turns: %v", got)
	}
	if got := shared(t, InTurns, 9, true); fmt.Sprint(count(got)) != "map[replica-1:3 replica-2:3 replica-3:3]" {
		t.Errorf("in turns on one connection: %v", got)
	}
	if got := count(shared(t, ByConnections, 60, false)); len(got) != 3 {
		t.Errorf("60 connections met %v", got)
	}
	if got := count(shared(t, ByConnections, 20, true)); len(got) != 1 {
		t.Errorf("one connection met %v", got)
	}
	if got := count(shared(t, ByCallers, 20, false)); len(got) != 1 {
		t.Errorf("one caller met %v", got)
	}
}

func TestBalancingsAreChecked(t *testing.T) {
	for _, good := range []Balancing{NoBalancing, InTurns, ByConnections, ByCallers} {
		if err := good.Check(); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []Balancing{"turn", "Turns", "random", " "} {
		if err := bad.Check(); err == nil || !strings.Contains(problem.Line(err.Error()), "--balance: is not turns, connections or callers") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

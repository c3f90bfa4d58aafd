package main

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/certificate"
)

// testRig is a rig on a server within the test.
func testRig(t *testing.T) *rig {
	t.Helper()
	said, err := serve()
	if err != nil {
		t.Fatal(err)
	}
	g := &rig{words: new(bytes.Buffer), control: newControl()}
	g.plain.base, g.secure.base = "http://"+said.Plain, "https://"+said.Secure
	if g.secure.config, err = certificate.Trusting([]byte(said.Certificate)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.control.CloseIdleConnections)
	return g
}

// A server that looks the key up first is caught by a body hold, whatever the
// machine does meanwhile; one that claims never is; and what is told is
// forgotten.
func TestTheServersWindows(t *testing.T) {
	g := testRig(t)
	late, latePath := waits(500 * time.Millisecond)
	for _, c := range []struct {
		name, path string
		way        way
		ran        int
	}{
		{"key before body", "/early", idemWays()[1], 2},
		{"key before body, HTTP/2", "/early", idemWays()[2], 2},
		{late, latePath, idemWays()[0], 2},
		{"a claim", "/claim", idemWays()[0], 1},
		{"a claim", "/claim", idemWays()[3], 1},
		{"nothing kept", "/arrive", idemWays()[1], 0},
	} {
		keys := g.newKeys(2, 1)
		all, err := g.round(context.Background(), c.way, g.plain, c.path, keys)
		if err != nil || len(all) != 1 || all[0].Ran != c.ran || len(all[0].Ready) != 2 || len(all[0].Headers) != 2 {
			t.Errorf("%s: %+v, %v", c.name, all, err)
			continue
		}
		if width(all[0].Headers) < 0 || all[0].Ready[0] < all[0].Headers[0] {
			t.Errorf("%s: ready before its headers: %+v", c.name, all[0])
		}
		if again, err := g.seen(context.Background(), g.plain, keys[0]); err != nil || len(again.Ready) != 0 {
			t.Errorf("%s: still known: %+v, %v", c.name, again, err)
		}
	}
}

func TestKeysAreTold(t *testing.T) {
	g := testRig(t)
	all, err := g.round(context.Background(), naiveWays()[1], g.plain, "/arrive", g.newKeys(6, 3))
	if err != nil || len(all) != 3 {
		t.Fatalf("%d keys, %v", len(all), err)
	}
	for _, one := range all {
		if len(one.Ready) != 2 {
			t.Errorf("%d copies of a key", len(one.Ready))
		}
	}
	if k := g.newKeys(6, 3); k[0] != k[1] || k[1] == k[2] || k[2] != k[3] || k[3] == k[4] || k[4] != k[5] || k[0] == k[5] {
		t.Errorf("three keys of two neighbours each are %q", k)
	}
	if a, b := g.newKeys(2, 1), g.newKeys(2, 1); a[0] != a[1] || a[0] == b[0] {
		t.Errorf("%v, then %v", a, b)
	}
}

// What does not go as meant is an error, and the round does not count.
func TestRoundsThatDoNotCount(t *testing.T) {
	g := testRig(t)
	idle := way{"idle", func(context.Context, target, string, []string) error { return nil }}
	if _, err := g.round(context.Background(), idle, g.plain, "/arrive", g.newKeys(2, 1)); err == nil || !strings.Contains(err.Error(), "0 of 2") {
		t.Errorf("nobody came: %v", err)
	}
	for _, w := range append(naiveWays(), idemWays()...) {
		if _, err := g.round(context.Background(), w, g.plain, "/nowhere", g.newKeys(2, 1)); err == nil || !strings.Contains(err.Error(), "status 404") {
			t.Errorf("%s: %v", w.name, err)
		}
		if err := w.release(context.Background(), target{base: "http://127.0.0.1:1"}, "/", g.newKeys(2, 1)); err == nil {
			t.Errorf("%s: nobody listens, and no error", w.name)
		}
	}
	var l losses
	l.add(http.ErrHandlerTimeout)
	l.add(http.ErrNotSupported)
	if said := l.said(); l.Lost != 2 || !strings.Contains(said, "2 did not count") || !strings.Contains(said, http.ErrHandlerTimeout.Error()) {
		t.Errorf("%+v: %q", l, said)
	}
}

// A gathering answers nobody before all are there.
func TestWarmingNeedsAll(t *testing.T) {
	g := testRig(t)
	client := &http.Client{Transport: naive{}.transport(nil)}
	defer client.CloseIdleConnections()
	if err := (naive{}).fire(context.Background(), client, g.plain.base+"/warm?n=2", []string{"alone"}); err == nil || !strings.Contains(err.Error(), "504") {
		t.Errorf("one of two: %v", err)
	}
	for _, path := range []string{"/warm?n=0", "/warm?n=65", "/warm"} {
		if err := (naive{}).fire(context.Background(), client, g.plain.base+path, []string{"k"}); err == nil || !strings.Contains(err.Error(), "400") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

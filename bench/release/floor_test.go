package main

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"
)

// moving is a server that does not stand still.
func moving(during func() error) error { return during() }

// mute takes connections and says nothing.
func mute(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// Every copy arrives once, over TLS too, and nothing is whole before the
// release.
func TestTheFloorSendsWhatIdemDoes(t *testing.T) {
	g := testRig(t)
	for _, to := range []target{g.plain, g.secure} {
		for i, whole := range []bool{false, true} {
			before := -1
			keys := g.newKeys(30, 30)
			w := floorWays(func(during func() error) error {
				one, err := g.seen(context.Background(), to, keys[0])
				before = len(one.Ready)
				return errors.Join(err, during())
			})[i]
			if err := w.release(context.Background(), to, "/arrive", keys); err != nil || before != 0 {
				t.Errorf("%s, whole %v: %d ready before the release, %v", to.base, whole, before, err)
			}
			for _, k := range keys[1:] { // the first is forgotten, having been asked for
				if one, err := g.seen(context.Background(), to, k); err != nil || len(one.Ready) != 1 {
					t.Errorf("%s, whole %v: a copy arrived %d times, %v", to.base, whole, len(one.Ready), err)
				}
			}
		}
	}
}

// Under a body hold every handler has begun before the release: a server that
// looks at the key first is caught.
func TestTheFloorHolds(t *testing.T) {
	g := testRig(t)
	caught := false
	for range 20 { // it may be late for one where the machine is busy
		all, err := g.round(context.Background(), floorWays(moving)[0], g.plain, "/early", g.newKeys(2, 1))
		if err != nil {
			t.Fatal(err)
		}
		caught = caught || all[0].Ran == 2
	}
	if !caught {
		t.Error("it does not hold")
	}
	for _, w := range floorWays(moving) {
		if all, err := g.round(context.Background(), w, g.plain, "/claim", g.newKeys(2, 1)); err != nil || all[0].Ran != 1 {
			t.Errorf("%s: %+v, %v", w.name, all, err)
		}
	}
}

// What is not as meant is an error, and the release is not made in vain.
func TestTheFloorRefuses(t *testing.T) {
	g := testRig(t)
	broken := errors.New("it goes on")
	for i := range 2 {
		w := floorWays(func(func() error) error { return broken })[i]
		if err := w.release(context.Background(), g.plain, "/arrive", g.newKeys(2, 1)); !errors.Is(err, broken) {
			t.Errorf("%s: %v", w.name, err)
		}
		w = floorWays(moving)[i]
		if err := w.release(context.Background(), g.plain, "/nowhere", g.newKeys(2, 1)); err == nil || !strings.Contains(err.Error(), "status 404") {
			t.Errorf("%s: %v", w.name, err)
		}
		if err := w.release(context.Background(), target{base: "http://127.0.0.1:1"}, "/", g.newKeys(2, 1)); err == nil {
			t.Errorf("%s: nobody listens, and no error", w.name)
		}
		hung, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		silent := target{base: "http://" + mute(t)}
		if err := w.release(hung, silent, "/", g.newKeys(2, 1)); err == nil {
			t.Errorf("%s: nobody answers, and no error", w.name)
		}
		cancel()
	}
}

// Where a server cannot be stopped that is said, and nothing else is missing.
func TestWithoutAFloor(t *testing.T) {
	for _, c := range []struct {
		still stillness
		rows  int
		says  string
	}{
		{moving, 8, ""},
		{func(func() error) error { return errors.New("operation not permitted") }, 0, "own pace, for which it is stopped: operation not permitted"},
	} {
		g, r := &rig{}, &results{}
		g.findFloors(c.still, r)
		rows, all := 0, g.cases()
		for _, s := range all {
			if s.Way == floorBody || s.Way == floorWhole {
				rows++
			}
		}
		if said := strings.Join(r.Missing, "; "); rows != c.rows || len(all)-rows != 28 || !strings.Contains(said, c.says) || (said == "") != (c.says == "") {
			t.Errorf("%d rows of %d, missing %q", rows, len(all), said)
		}
	}
}

// The server with one processor is another one: it has what arrived there.
func TestOneProcessor(t *testing.T) {
	one, err := spawn(t.Context(), []string{"GOMAXPROCS=1"}, "serve")
	if err != nil {
		t.Fatal(err)
	}
	defer one.stop()
	if one.Processors != 1 {
		t.Errorf("it uses %d", one.Processors)
	}
	g := testRig(t)
	g.single.base = "http://" + one.Plain
	for _, w := range idemWays()[1:3] {
		caught := false
		for range 20 { // it may be late for one where the machine is busy
			all, err := g.round(t.Context(), w, g.single, "/early", g.newKeys(2, 1))
			if err != nil {
				t.Fatal(err)
			}
			caught = caught || all[0].Ran == 2
		}
		if !caught {
			t.Errorf("%s does not catch it", w.name)
		}
	}
	if d, err := g.windowOf(t.Context(), g.single, "/early"); err != nil || d <= 0 {
		t.Errorf("window %v, %v", d, err)
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The test binary is its own server and relay, as the program is.
func TestMain(m *testing.M) {
	if code, ok := child(os.Args[1:]); ok {
		os.Exit(code)
	}
	if len(os.Args) == 2 && os.Args[1] == "stop-and-wait" {
		fmt.Println(stopAndWait())
		os.Exit(4)
	}
	os.Exit(m.Run())
}

// stopAndWait stops a server, says which, and stays so until it is killed.
func stopAndWait() error {
	s, err := spawn(context.Background(), nil, "serve")
	if err != nil {
		return err
	}
	return stopping(s.process)(func() error {
		fmt.Println(s.process.Pid)
		time.Sleep(time.Minute)
		return errors.New("it was not killed")
	})
}

func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var out, words bytes.Buffer
	code = run(ctx, args, &out, &words)
	return code, out.String(), words.String()
}

// Every way runs at every place, and every round counts.
func TestAllOfItRuns(t *testing.T) {
	code, stdout, stderr := call(t, "--rounds", "2", "--trials", "1", "--safe", "4", "--no-rivals", "--no-nginx", "--delay", "2ms", "--jitter", "1ms", "--json")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var r results
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	places := map[string]int{}
	for _, s := range r.Spreads {
		places[s.Place]++
		if s.Rounds != 2 || s.Lost != 0 || s.Median <= 0 || s.P90 < s.Median {
			t.Errorf("%+v", s)
		}
	}
	// Where the server cannot be stopped that is said, and the rows are left out.
	paced, floors := runtime.GOOS == "linux", 0
	if paced {
		floors = len(floorWays(nil))
	}
	for place, extra := range map[string]int{onLoopback: floors, overTLS: floors, viaRelay: 0} {
		if want := 2 * (len(naiveWays()) + len(idemWays()) + extra); places[place] != want {
			t.Errorf("%s: %d spreads, not %d", place, places[place], want)
		}
		if r.paced(place) != (extra > 0) {
			t.Errorf("%s beside the server's own pace: %v", place, r.paced(place))
		}
	}
	if told := strings.Contains(strings.Join(r.Missing, "\n"), "own pace"); told == paced {
		t.Errorf("left out: %q", r.Missing)
	}
	servers := map[string]bool{}
	for _, a := range r.Rates {
		servers[a.Server] = true
		if a.Trials != 1 || a.Rounds != a.Each || a.Lost != 0 || a.Window <= 0 || a.Doubles < a.Caught {
			t.Errorf("%+v", a)
		}
	}
	if !servers[keyFirst] || !servers[keyFirstOne] || r.Safe == nil || r.Safe.Trials != 4 || r.Safe.Doubles != 0 || len(r.Gates) == 0 {
		t.Errorf("%d rates, safe %+v, %d gates", len(r.Rates), r.Safe, len(r.Gates))
	}
}

func TestItPrintsATable(t *testing.T) {
	code, stdout, stderr := call(t, "--rounds", "1", "--trials", "0", "--safe", "0", "--no-rivals", "--no-nginx", "--no-relay")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(http2Body) + ` \| 30 \| [\d.]+ us \| [\d.]+ us \| [\d.]+ \| [\d.]+ \|( [\d.]+ \|)? 1 \|$`)
	if len(row.FindAllString(stdout, -1)) != 2 || !strings.Contains(stdout, "| not measured | missed |") || strings.Contains(stdout, "\n| relay |") {
		t.Error(stdout)
	}
}

func TestItRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--rounds", "-1"}, "below 0"},
		{[]string{"--jitter", "11ms"}, "the jitter"},
		{[]string{"--delay", "2s"}, "the delay"},
		{[]string{"--gates", "--rounds", "10"}, "at least 50 rounds"},
		{[]string{"--gates", "--short"}, "at least 50 rounds"},
		{[]string{"faster"}, `"faster"`},
		{[]string{"--fast"}, "-fast"},
	} {
		if code, stdout, stderr := call(t, c.args...); code != 2 || stdout != "" || !strings.Contains(stderr, c.says) {
			t.Errorf("%v: exit %d, %q", c.args, code, stderr)
		}
	}
	if code, stdout, _ := call(t, "--help"); code != 0 || stdout != "" {
		t.Errorf("--help: exit %d", code)
	}
}

func TestShortKeepsWhatIsGiven(t *testing.T) {
	o, err := parse([]string{"--trials", "7", "--short"}, new(bytes.Buffer))
	if err != nil || o.trials != 7 || o.rounds >= gateRounds || o.safe >= 10_000 || o.install {
		t.Errorf("%+v, %v", o, err)
	}
}

// One place says which version of a tool is taken.
func TestTheRivalIsPinned(t *testing.T) {
	text, err := os.ReadFile("../../.ci/versions")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\nVEGETA="+vegetaVersion+"\n") {
		t.Errorf(".ci/versions does not say VEGETA=%s", vegetaVersion)
	}
}

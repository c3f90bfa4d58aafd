package effect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/process"
	"github.com/idem-toolkit/idem/internal/wire"
)

var background = context.Background()

var order = Subject{Values: map[string]string{"/order_id": "o-1", "/ref": "17"}, Text: "order_id=o-1"}

// world is a world on loopback.
func world(t *testing.T, base string) World {
	t.Helper()
	w := World{
		Client:    wire.New(wire.Options{AllowHosts: func(host string) bool { return host == "127.0.0.1" }}),
		LookupEnv: func(string) (string, bool) { return "", false },
		Command:   process.Command{Environ: os.Environ()},
		Timeout:   20 * time.Second,
	}
	if base != "" {
		var err error
		if w.Endpoint, err = wire.ParseEndpoint(base, nil); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func open(t *testing.T, w World, e *contract.Effects) Counter {
	t.Helper()
	set := NewSet(w)
	t.Cleanup(func() {
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	})
	c, err := set.Open(e)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func wants(t *testing.T, c Counter, s Subject, want int64) {
	t.Helper()
	if n, err := c.Count(background, s); err != nil || n != want {
		t.Errorf("counted %d, %v; want %d", n, err, want)
	}
}

func refuses(t *testing.T, c Counter, s Subject, words ...string) {
	t.Helper()
	n, err := c.Count(background, s)
	if err == nil {
		t.Fatalf("counted %d", n)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %q", err, word)
		}
	}
	if strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("the error shows a secret: %v", err)
	}
}

func TestResponsesCountNothing(t *testing.T) {
	for _, e := range []*contract.Effects{nil, {Kind: contract.ByResponses}} {
		if _, err := open(t, World{}, e).Count(background, order); !errors.Is(err, ErrNoCounter) {
			t.Errorf("got %v", err)
		}
	}
}

func TestUnknownKind(t *testing.T) {
	if _, err := NewSet(World{}).Open(&contract.Effects{Kind: "tea leaves"}); err == nil {
		t.Error("opened")
	}
}

func TestWhole(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "7": 7, "3.0": 3, "3e0": 3, "1.5e1": 15, "-0": 0, "9007199254740993": 9007199254740993, "9223372036854775807": 1<<63 - 1, "1e-999": 0,
	} {
		if n, err := whole(text); err != nil || n != want {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
	for _, text := range []string{
		"", " ", "x", "-1", "-1e400", "1.5", "1e-3", "9223372036854775808", "1e16", "1e400", "NaN", "Inf", "-inf", "0x10", "1_000", "true", "3 4",
	} {
		if n, err := whole(text); err == nil {
			t.Errorf("%q is %d", text, n)
		}
	}
}

// Whatever JSON may write of a number is either the count it is, or an error.
func TestWholeIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "number")
		n, err := whole(text)
		exact, ok := new(big.Rat).SetString(text)
		if err != nil || !ok {
			return
		}
		if exact.Sign() < 0 || exact.IsInt() && exact.Cmp(new(big.Rat).SetInt64(n)) != 0 {
			t.Fatalf("%s is %d", text, n)
		}
	})
}

// The matchers by hand take what the pattern beside them takes.
func TestMatchersByHand(t *testing.T) {
	digits, free := regexp.MustCompile(`^(0|[1-9][0-9]*)$`), regexp.MustCompile(`^[A-Za-z0-9_.:-]*$`)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.StringMatching(`[0-9]{0,4}`), rapid.StringMatching(`[A-Za-z0-9_.:é\-]{0,6}[\n '\]]?`), rapid.String()).Draw(t, "text")
		if isDigits(s) != digits.MatchString(s) || plain(s) != free.MatchString(s) {
			t.Fatalf("%q: digits %t, plain %t", s, isDigits(s), plain(s))
		}
	})
}

func TestFill(t *testing.T) {
	s := Subject{Values: map[string]string{"/a": "x y&z=/é+%", "/b": ""}}
	got, err := s.fill("/v1/{fresh:/a}?q={fresh:/a}&r={fresh:/b}", percent)
	if want := "/v1/x%20y%26z%3D%2F%C3%A9%2B%25?q=x%20y%26z%3D%2F%C3%A9%2B%25&r="; err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := s.fill("{fresh:/a}{}", raw); err != nil || got != "x y&z=/é+%{}" {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := s.fill("{fresh:/c}", raw); err == nil || !strings.Contains(err.Error(), `"/c"`) {
		t.Errorf("an unknown pointer: %v", err)
	}
}

// A value comes out of path and query as it went in.
func TestPercentLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String().Draw(t, "value")
		u, err := url.Parse("/a/" + percent(value) + "?q=" + percent(value))
		if err != nil || u.Path != "/a/"+value || u.Query().Get("q") != value {
			t.Fatalf("%q became %v", value, u)
		}
		if m := (wire.Message{Method: "GET", Target: u.RequestURI()}); m.Check() != nil {
			t.Fatalf("cannot be sent: %v", m.Check())
		}
	})
}

func TestPointer(t *testing.T) {
	document, err := decode([]byte(`{"a":{"b":["x",12,1.50,true,null,{}]},"~/":"t","":"e"}`))
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{"/a/b/0": "x", "/a/b/1": "12", "/a/b/2": "1.50", "/~0~1": "t", "/": "e"} {
		path, ok := tokens(pointer)
		if got, found := at(document, path); !ok || !found || got != want {
			t.Errorf("%s: %q", pointer, got)
		}
	}
	for _, pointer := range []string{"", "/a", "/a/b", "/a/b/3", "/a/b/4", "/a/b/5", "/a/b/6", "/a/b/-1", "/a/b/01", "/a/b/-", "/a/b/0/x", "/c"} {
		path, _ := tokens(pointer)
		if got, found := at(document, path); found {
			t.Errorf("%s: %q", pointer, got)
		}
	}
	if _, ok := tokens("a"); ok {
		t.Error("a is a pointer")
	}
}

func TestVariables(t *testing.T) {
	s := Subject{Values: map[string]string{"/order_id": "o", "/cart/Item-id": "i", "": "root", "/a/b": "1", "/a_b": "2"}}
	want := [][2]string{{"IDEM_FRESH", "root"}, {"IDEM_FRESH_CART_ITEM_ID", "i"}, {"IDEM_FRESH_ORDER_ID", "o"}}
	if got := Variables(s.Values); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestSetKeepsNothingOpen(t *testing.T) {
	set := NewSet(world(t, ""))
	e := &contract.Effects{Kind: contract.BySink}
	e.Sink.Listen, e.Sink.Match = "127.0.0.1:0", "/a"
	if _, err := set.Open(e); err != nil {
		t.Fatal(err)
	}
	if err := set.Close(); err != nil {
		t.Fatal(err)
	}
	if err := set.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	if len(slices.Collect(maps.Keys(set.sinks))) != 0 {
		t.Error("a sink is left")
	}
}

// The test binary plays the counter's command: TEST_COUNTER says how.
func TestMain(m *testing.M) {
	switch os.Getenv("TEST_COUNTER") {
	case "":
		os.Exit(m.Run())
	case "args":
		fmt.Println(os.Args[len(os.Args)-1])
	case "env":
		fmt.Println(os.Getenv("IDEM_FRESH_REF"))
	case "print":
		fmt.Print(os.Getenv("TEST_TEXT"))
	case "flood":
		for range 100_000 {
			fmt.Println("1")
		}
	case "secrets":
		n := 0
		for _, entry := range os.Environ() {
			if strings.Contains(entry, "s3cr3t") {
				n++
			}
		}
		fmt.Println(n)
	case "fail":
		fmt.Fprintln(os.Stderr, "no such table, token s3cr3t")
		os.Exit(3)
	case "hang":
		time.Sleep(time.Minute)
	}
}

package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/problem"
)

func parse(t *testing.T, src string) *Node {
	t.Helper()
	n, err := Parse("f.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFieldsRead(t *testing.T) {
	n := parse(t, "s: text\ni: 7\nb: true\nl: [a, b]\ne: red\no: {x: -3}\nempty: []\nnothing:\n")
	f, err := ReadObject(n, "thing", "s", "i", "b", "l", "e", "o", "empty", "nothing", "absent")
	if err != nil {
		t.Fatal(err)
	}
	o := f.Object("o", "x")
	got := fmt.Sprintln(f.String("s"), f.Int("i", 1, 7), f.Bool("b"), f.StringList("l"), f.Enum("e", "red", "blue"), o.Int("x", -5, 5),
		f.OptStringList("empty") != nil, f.Has("nothing"), f.Get("nothing").Kind, f.Has("absent"), f.Get("absent") == nil)
	if want := "text 7 true [a b] red -3 true true null false true\n"; got != want {
		t.Errorf("got %q want %q", got, want)
	}
	got = fmt.Sprintln(f.OptString("absent", "d"), f.OptInt("absent", 4, 5, 6), f.OptBool("absent", true), f.OptStringList("absent") == nil,
		f.OptEnum("absent", "x", "red"), f.OptObject("absent") == nil)
	if want := "d 4 true true x true\n"; got != want {
		t.Errorf("got %q want %q", got, want)
	}
	if f.Err() != nil || o.Err() != nil {
		t.Error(f.Err(), o.Err())
	}
}

func TestFieldsRefuse(t *testing.T) {
	read := func(f func(*Fields)) func(*Fields) { return f }
	for _, c := range []struct {
		src, want, hint string
		read            func(*Fields)
	}{
		{"a: 1\nverson: 2\n", `f.yaml:2:1: unknown key "verson" in thing`, `did you mean "version"?`, nil},
		{"Version: 2\n", `f.yaml:1:1: unknown key "Version" in thing`, `did you mean "version"?`, nil},
		{"colour: 2\n", `f.yaml:1:1: unknown key "colour" in thing`, "known keys: version, name, a", nil},
		{"idemkey1-k1-aaaa: 2\n", "f.yaml:1:1: unknown key «secret» in thing", "known keys: version, name, a", nil},
		{"[a]\n", "f.yaml:1:1: thing must be an object, not a list", "", nil},
		{"a: 1\n", "f.yaml:1:1: name is missing in thing", "", read(func(f *Fields) { f.String("name") })},
		{"name: 1\n", "f.yaml:1:7: name must be a string, not a number", "put the value in quotes", read(func(f *Fields) { f.String("name") })},
		{"name:\n", "f.yaml:1:6: name must be a string, not null", "", read(func(f *Fields) { f.OptString("name", "") })},
		{"a: '1'\n", "f.yaml:1:4: a must be a whole number, not a string", "", read(func(f *Fields) { f.Int("a", 0, 9) })},
		{"a: 1.0\n", "f.yaml:1:4: a must be a whole number, written in digits alone", "", read(func(f *Fields) { f.Int("a", 0, 9) })},
		{"a: -0\n", "f.yaml:1:4: a must be a whole number, written in digits alone", "", read(func(f *Fields) { f.Int("a", 0, 9) })},
		{"a: 10\n", "f.yaml:1:4: a must be from 0 to 9", "", read(func(f *Fields) { f.OptInt("a", 1, 0, 9) })},
		{"a: 99999999999999999999\n", "f.yaml:1:4: a must be from 0 to 9", "", read(func(f *Fields) { f.Int("a", 0, 9) })},
		{"a: no\n", "f.yaml:1:4: a must be true or false, not a string", "a: true", read(func(f *Fields) { f.Bool("a") })},
		{"a: x\n", "f.yaml:1:4: a must be a list of strings, not a string", "", read(func(f *Fields) { f.StringList("a") })},
		{"a: [x, 1]\n", "f.yaml:1:8: each of a must be a string, not a number", "put the value in quotes", read(func(f *Fields) { f.StringList("a") })},
		{"a: rde\n", `f.yaml:1:4: "rde" is not a known a`, `did you mean "red"?`, read(func(f *Fields) { f.Enum("a", "red", "blue") })},
		{"a: purple\n", `f.yaml:1:4: "purple" is not a known a`, "one of red, blue", read(func(f *Fields) { f.Enum("a", "red", "blue") })},
		{"a: {q: 1}\n", `f.yaml:1:5: unknown key "q" in a`, "known keys: x", read(func(f *Fields) { f.Object("a", "x").Int("x", 0, 1) })},
		{"a: 3\nname: 4\n", "f.yaml:1:4: a must be a string, not a number", "put the value in quotes", read(func(f *Fields) { f.String("a"); f.String("name") })},
	} {
		f, err := ReadObject(parse(t, c.src), "thing", "version", "name", "a")
		if err == nil && c.read != nil {
			c.read(f)
			err = f.Err()
		}
		if err == nil || err.Error() != c.want || problem.Hint(err) != c.hint {
			t.Errorf("%q:\ngot  %v (%s)\nwant %s (%s)", c.src, err, problem.Hint(err), c.want, c.hint)
		}
	}
}

func TestShowCutsAndMasks(t *testing.T) {
	if got := Show(strings.Repeat("é", 41)); got != `"`+strings.Repeat("é", 40)+`..."` {
		t.Error(got)
	}
	if got := Show("\x1b[2J"); got != `"\x1b[2J"` {
		t.Error(got)
	}
	if got := Show("IDEMKEY1-k-abc"); got != "«secret»" {
		t.Error(got)
	}
}

package fingerprint

import (
	"slices"
	"testing"

	"github.com/idem-toolkit/idem/internal/problem"
)

// The examples of RFC 6901 section 5.
func TestPointerExamples(t *testing.T) {
	v, err := Parse([]byte(`{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}`))
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"/foo/0": `"bar"`, "/": "0", "/a~1b": "1", "/c%d": "2", "/e^f": "3", "/g|h": "4", `/i\j`: "5", `/k"l`: "6",
		"/ ": "7", "/m~0n": "8", "/foo": `["bar","baz"]`,
	} {
		p, err := ParsePointer(pointer)
		if err != nil || p.String() != pointer {
			t.Errorf("%s: read as %s, %v", pointer, p, err)
		}
		at, ok := v.At(p)
		if !ok {
			t.Errorf("%s is absent", pointer)
			continue
		}
		if got, _ := at.Canonical(Strict, ""); string(got) != want {
			t.Errorf("%s: got %s; want %s", pointer, got, want)
		}
	}
	if at, ok := v.At(Pointer{}); !ok || at != v {
		t.Error("the empty pointer is not the whole value")
	}
	for _, absent := range []string{"/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/+1", "/foo/1e0", "/foo/", "/foo/0/x", "/bar",
		"/foo/18446744073709551616", "/foo/９", "//", "/a"} {
		p, err := ParsePointer(absent)
		if err != nil {
			t.Errorf("%s: %v", absent, err)
		}
		if at, ok := v.At(p); ok {
			t.Errorf("%s is there: %v", absent, at)
		}
	}
}

func TestPointerRefused(t *testing.T) {
	for pointer, want := range map[string]string{
		"a":       "pointer a does not start with /",
		"#/a":     "pointer #/a does not start with /",
		"/a~":     "pointer /a~ has a ~ that is not followed by 0 or 1",
		"/a~2/b":  "pointer /a~2/b has a ~ that is not followed by 0 or 1",
		"/~01~":   "pointer /~01~ has a ~ that is not followed by 0 or 1",
		"/\xff":   `pointer /\xff is not UTF-8`,
		"a\x1b[m": `pointer a\u001b[m does not start with /`,
	} {
		p, err := ParsePointer(pointer)
		if err == nil || err.Error() != want || p != nil {
			t.Errorf("%q: got %v, %v", pointer, p, err)
		}
		if pointer == "a" && problem.Hint(err) != "write it as /a" {
			t.Errorf("hint %q", problem.Hint(err))
		}
	}
}

func TestPointerCovers(t *testing.T) {
	a := Pointer{"a", "0"}
	for _, c := range []struct {
		other Pointer
		want  bool
	}{
		{Pointer{"a", "0"}, true}, {Pointer{"a", "0", "x"}, true}, {Pointer{"a"}, false},
		{Pointer{"a", "1"}, false}, {Pointer{}, false}, {Pointer{"a", "00"}, false},
	} {
		if a.Covers(c.other) != c.want {
			t.Errorf("%s over %s: %v", a, c.other, !c.want)
		}
	}
	if !(Pointer{}).Covers(a) {
		t.Error("the whole value does not hold its parts")
	}
}

func FuzzPointer(f *testing.F) {
	for _, s := range []string{"", "/", "/a/b", "/~0~1", "/~", "/~2", "a", "#/a", "//", "/\xff", "/0/01/-"} {
		f.Add(s)
	}
	v, err := Parse([]byte(`{"a":{"b":[0,[1]]},"":{"~":1,"/":2}}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePointer(s)
		if err != nil {
			return
		}
		if p.String() != s {
			t.Fatalf("%q came back as %q", s, p)
		}
		v.At(p)
		if again, err := ParsePointer(p.String()); err != nil || !slices.Equal(again, p) {
			t.Fatalf("%q: %v, %v", s, again, err)
		}
	})
}

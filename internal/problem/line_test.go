package problem

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

const key = "idemkey1-k1-ojxzsvrt6eccnv5or77bjzjngd3fqbj7j4atzrufbgmos3uyieya-3x4on6a"

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"":                                   "",
		"größer: 3 > 2 «x»":                  "größer: 3 > 2 «x»",
		"a\x1b]0;title\x07b":                 `a\u001b]0;title\u0007b`,
		"a\nidem: all is well":               `a\nidem: all is well`,
		"tab\there\r":                        `tab\there\r`,
		"c1 \u009b2J del \x7f":               `c1 \u009b2J del \u007f`,
		"bidi \u202egnp.exe\u2066\u200f":     `bidi \u202egnp.exe\u2066\u200f`,
		"lines \u2028\u2029":                 `lines \u2028\u2029`,
		"broken \xff\xc3":                    `broken \xff\xc3`,
		"tag \U000E0041":                     `tag \U000e0041`,
		"file " + key + ": not there":        "file «secret»: not there",
		"/tmp/" + key[:40] + "...":           "/tmp/«secret»...",
		strings.ToUpper(key):                 "«secret»",
		"idemkeyx1-k1-abc and idemsub1-k2-x": "«secret» and «secret»",
		"an idemkey1 line, idemkey1-, idem":  "an idemkey1 line, idemkey1-, idem",
		"xidemkey1-k1-aa/idemkey1-k1-bb":     "x«secret»/«secret»",
	} {
		if got := Line(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := Text("one\ntwo\x1b" + key + "\n"); got != "one\ntwo\\u001b«secret»\n" {
		t.Errorf("%q", got)
	}
}

func TestLineIsPrintable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		line := Line(s + key[:rapid.IntRange(10, len(key)).Draw(t, "cut")] + s)
		for _, r := range line {
			if !unicode.IsPrint(r) {
				t.Fatalf("%q", line)
			}
		}
		if strings.Contains(strings.ToLower(line), "idemkey1-k") {
			t.Fatalf("%q", line)
		}
		if Line(line) != line {
			t.Fatalf("%q changes again", line)
		}
	})
}

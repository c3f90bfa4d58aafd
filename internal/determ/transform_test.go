package determ

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/rangetable"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write generated files again")

// TestAssignedTable holds the table to golang.org/x/text's of Unicode 15.0.0,
// whatever version the standard library has, and writes it with -update.
func TestAssignedTable(t *testing.T) {
	table := rangetable.Assigned("15.0.0")
	if table == nil {
		t.Fatal("golang.org/x/text has no Unicode 15.0.0")
	}
	assigned := func(r rune) bool {
		return unicode.Is(table, r) && !unicode.Is(unicode.Cs, r)
	}
	if *update {
		writeAssigned(t, assigned)
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if isAssigned15(r) != assigned(r) {
			t.Fatalf("U+%04X: assigned %v in the table", r, isAssigned15(r))
		}
	}
}

func writeAssigned(t *testing.T, assigned func(rune) bool) {
	var b strings.Builder
	b.WriteString("package determ\n\n// assigned15 are the ranges of code points that Unicode 15.0.0 assigns: every\n" +
		"// general category but Cn, surrogates left out. First and last of each range\n" +
		"// in turn; TestAssignedTable makes the table with -update.\nvar assigned15 = [...]rune{\n")
	ranges, first := 0, rune(-1)
	for r := rune(0); r <= unicode.MaxRune+1; r++ {
		switch {
		case assigned(r) && first < 0:
			first = r
		case !assigned(r) && first >= 0:
			before, after := "\t", ""
			if ranges%5 > 0 {
				before = " "
			}
			if ranges%5 == 4 {
				after = "\n"
			}
			fmt.Fprintf(&b, "%s0x%04X, 0x%04X,%s", before, first, r-1, after)
			ranges, first = ranges+1, -1
		}
	}
	if err := os.WriteFile("assigned15.go", []byte(strings.TrimRight(b.String(), "\n")+"\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTransforms(t *testing.T) {
	for _, c := range []struct {
		by       Transform
		in, want string
	}{
		{Trim, "\t\r\n a \u00a0\n", "a \u00a0"},
		{Trim, "\v\fa\u2003", "\v\fa\u2003"},
		{Trim, " \n", ""},
		{ASCIILowercase, "AZ[Éİſ", "az[Éİſ"},
		{NFC, "e\u0301", "\u00e9"},
		{NFC, "\u212b", "\u00c5"},       // a singleton
		{NFC, "\u0958", "\u0915\u093c"}, // excluded from composition
		{NFC, "\u1100\u1161\u11a8", "\uac01"},
		{NFC, "a\u0323\u0302", "\u1ead"},
		{NFC, "a\u0302\u0323", "\u1ead"},
		{NFC, "\u0344", "\u0308\u0301"},
		{NFC, "ﬁ", "ﬁ"}, // a compatibility character stays
		{NFC, "\ue000", "\ue000"},
		{NFC, "a" + strings.Repeat("\u0301", 40), "\u00e1" + strings.Repeat("\u0301", 39)},
		{NFC, "a" + strings.Repeat("\u0302", 35) + strings.Repeat("\u0323", 35), "\u1ead" + strings.Repeat("\u0323", 34) + strings.Repeat("\u0302", 34)},
		{NFC, "\u1100\u1161" + strings.Repeat("\u0300", 33), "\uac00" + strings.Repeat("\u0300", 33)},
		{NFC, strings.Repeat("\u0300", 64), strings.Repeat("\u0300", 64)},
		{NFC, "x\u034f\u0301y", "x\u034f\u0301y"},
	} {
		got, err := c.by.Apply(c.in)
		if err != nil || got != c.want {
			t.Errorf("%s of %+q: %+q, %v; want %+q", c.by, c.in, got, err, c.want)
		}
	}
}

func TestNFCRefusesUnassigned(t *testing.T) {
	// Assigned in 15.1, 16.0 and 17.0; never assigned; noncharacters.
	for _, r := range []rune{0x2FFC, 0x31EF, 0x2EBF0, 0x1C89, 0x16D40, 0x1FAE9, 0x0378, 0xFFFE, 0xFDD0, 0x10FFFF} {
		_, err := NFC.Apply("a" + string(r))
		if want := fmt.Sprintf("U+%04X is not assigned in Unicode 15.0.0", r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("U+%04X: %v", r, err)
		}
	}
}

// TestComposeFully holds our own steps to the library's wherever that one
// inserts nothing.
func TestComposeFully(t *testing.T) {
	pieces := []string{"a", "e", "o", "\u0301", "\u0302", "\u0323", "\u0344", "\u1ea1", "\u1100", "\u1161", "\u11a8", "\uac00", "\u0915", "\u093c", "\u0958",
		"\u1025", "\u102e", "\u0dd9", "\u0dcf", "\u0dca", "\u212b", "\U0001d15e", "\u0f73", "\u0f71", "\u0f72", "\u034f", "\u3099", "\u304b", "\U00011131", "\U00011127", "\u05e9\u05bc\u05c1"}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		if got, want := composeFully(s), norm.NFC.String(s); got != want {
			t.Fatalf("%+q: %+q, want %+q", s, got, want)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		if got, want := composeFully(s), norm.NFC.String(s); got != want && !strings.Contains(want, "\u034f") {
			t.Fatalf("%+q: %+q, want %+q", s, got, want)
		}
	})
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if s := string(r); isAssigned15(r) && composeFully(s) != norm.NFC.String(s) {
			t.Fatalf("U+%04X", r)
		}
	}
}

func TestIsIntegral(t *testing.T) {
	for literal, want := range map[string]bool{
		"0": true, "-0": true, "-0.0": true, "3": true, "3.0": true, "30e-1": true, "3.5": false, "35e-1": false, "1e21": true, "1.5e1": true,
		"1.55e1": false, "0e-9999999999999999999": true, "1e99999999999999999999": true, "1e-99999999999999999999": false, "100E-2": true, "100e-3": false, "0.30e1": true,
	} {
		if got := isIntegral(literal); got != want {
			t.Errorf("%s: %v", literal, got)
		}
	}
}

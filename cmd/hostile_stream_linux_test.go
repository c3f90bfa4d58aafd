package cmd

import (
	"fmt"
	"strings"
	"testing"
)

// TestHostileRecordsInAStream: each stands among ordinary ones, gets its own
// answer or its own error, and moves none of the others.
func TestHostileRecordsInAStream(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 50_000
	}
	names := func(head, last string) (text, canonical string) {
		var down, up strings.Builder
		for i := range n {
			fmt.Fprintf(&down, `"%s%07d":0,`, head, n-1-i)
			fmt.Fprintf(&up, `,"%s%07d":0`, head, i)
		}
		return "{" + down.String() + last + "}", "{" + up.String()[1:]
	}
	sorted, canonical := names("same-", `"z":0`)
	escaped, _ := names(`a\n`, fmt.Sprintf(`"\u0061\u000A%07d":1`, n/2))
	hostile := []struct{ record, want string }{
		{strings.Repeat("[", 8<<20), `"class":"too-deep"`},
		{strings.Repeat(`{"a":`, 2<<20), `"class":"too-deep"`},
		{sorted, canonical + `,"z":0}`},
		{escaped, `"class":"duplicate-name"`},
		{"[" + strings.Repeat("9", n) + "]", `"class":"number-out-of-range"`},
		{"[0." + strings.Repeat("1", n) + "]", `"class":"lossy-number"`},
		{"[1" + strings.Repeat("0", 300) + "." + strings.Repeat("0", n) + "]", "[1e+300]"},
		{`{"\u0061":1,"a":2}`, `"class":"duplicate-name"`},
		{`{"\u00e9":1,"e\u0301":2,"\u00e9 ":3}`, "{\"e\u0301\":2,\"\u00e9\":1,\"\u00e9 \":3}"},
		{strings.Repeat(" ", 8<<20), ""},
		{strings.Repeat(" ", 8<<20) + "x", `"class":"literal"`},
		{`"` + strings.Repeat(`\u0000`, n) + `"`, `"` + strings.Repeat(`\u0000`, n) + `"`},
		{`"` + strings.Repeat("a", n), `"class":"unexpected-end"`},
	}
	var in strings.Builder
	var want []string
	longest := 0
	for i, h := range hostile {
		for j := range 3000 {
			fmt.Fprintf(&in, "{\"b\": %d, \"a\": %d}\n", i, j)
			want = append(want, fmt.Sprintf(`{"a":%d,"b":%d}`, j, i))
		}
		in.WriteString(h.record + "\n")
		want = append(want, h.want)
		longest = max(longest, len(h.record))
	}
	for _, workers := range []string{"1", "3"} {
		got := feed(t, t.TempDir(), strings.NewReader(in.String()), "canon", "--ndjson", "--on-error", "emit", "--workers", workers)
		lines := strings.Split(strings.TrimSuffix(got.out, "\n"), "\n")
		if got.code != ExitUsage || len(lines) != len(want) {
			t.Fatalf("%s workers: exit %d, %d lines, not %d, %.300s", workers, got.code, len(lines), len(want), got.err)
		}
		for i, line := range lines {
			if class := strings.HasPrefix(want[i], `"class"`); class && (!strings.HasPrefix(line, `{"error":{`+want[i]+fmt.Sprintf(`,"line":%d,`, i+1)) || len(line) > 1000) ||
				!class && line != want[i] {
				t.Errorf("%s workers, line %d: %.200s, not %.200s", workers, i+1, line, want[i])
			}
		}
		// A few huge lines are under way at once.
		if most := int64(3*fixed + 12*longest + 320*n); got.most > most {
			t.Errorf("%s workers: %d MB of memory for lines of %d MB", workers, got.most>>20, longest>>20)
		}
	}
}

//go:build unix

package pack

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTheShellReadsThemBack has a shell print what was quoted for it.
func TestTheShellReadsThemBack(t *testing.T) {
	ask := func(t interface {
		Helper()
		Fatal(...any)
		Fatalf(string, ...any)
	}, all []string) {
		t.Helper()
		var script, want strings.Builder
		for _, s := range all {
			q, err := quoteShell(s)
			if err != nil {
				t.Fatal(err)
			}
			script.WriteString("printf '%s\\000' " + q + "\n")
			want.WriteString(s + "\x00")
		}
		c := exec.Command("sh", "-eu")
		c.Stdin = strings.NewReader(script.String())
		c.Dir, c.Env = "/", []string{"PATH=/usr/bin:/bin", "HOME=/nowhere"}
		var stdout, stderr bytes.Buffer
		c.Stdout, c.Stderr = &stdout, &stderr
		if err := c.Run(); err != nil || stdout.String() != want.String() || stderr.Len() > 0 {
			t.Fatalf("%v: %q, not %q\n%s", err, stdout.String(), want.String(), stderr.String())
		}
	}
	var all []string
	for _, s := range hostile {
		if !strings.Contains(s, "\x00") {
			all = append(all, s)
		}
	}
	ask(t, all)
	rapid.Check(t, func(t *rapid.T) {
		ask(t, rapid.SliceOf(texts().Filter(func(s string) bool { return !strings.Contains(s, "\x00") })).Draw(t, "all"))
	})
}

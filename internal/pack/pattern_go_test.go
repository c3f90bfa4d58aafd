package pack_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}

// TestThePatternsModulesAreTheProjects: the pattern is compiled and tried as part
// of the project too, and with the same modules as those that it is handed out
// with. Where they part: go mod tidy in a copy, then the versions of go.mod.
func TestThePatternsModulesAreTheProjects(t *testing.T) {
	required := regexp.MustCompile(`(?m)^\t(\S+ v\S+)`)
	ours := text(t, "../../go.mod")
	modules := required.FindAllStringSubmatch(text(t, "files/pattern/go/go.mod.file"), -1)
	if len(modules) < 10 {
		t.Fatalf("only %d modules are read", len(modules))
	}
	for _, m := range modules {
		if !strings.Contains(ours, "\t"+m[1]) {
			t.Errorf("the pattern has %s, and the project another version", m[1])
		}
	}
	sums := strings.Split(text(t, "../../go.sum"), "\n")
	known := map[string]bool{}
	for _, line := range sums {
		known[line] = true
	}
	for _, line := range strings.Split(text(t, "files/pattern/go/go.sum.file"), "\n") {
		if !known[line] {
			t.Errorf("the project's go.sum lacks %s", line)
		}
	}
}

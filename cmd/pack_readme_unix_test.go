//go:build unix

package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestReadmeWhereTheShopDoesNotStart: where something else has the shop's port,
// what the README says to run comes to its end, shows why, and sends nothing to
// whoever listens there.
func TestReadmeWhereTheShopDoesNotStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pack")
	if r := runIdem(t, t.TempDir(), nil, "pack", dir); r.code != ExitDone {
		t.Fatal(r.err)
	}
	program := func(name, text string) {
		write(t, filepath.Join(dir, name), "#!/bin/sh\n"+text+"\n")
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program("pattern/shop", "echo 'cannot listen: address already in use' >&2\nexit 1")
	program("idem", "echo sent >>sent.txt")
	starts := regexp.MustCompile(`(?s)[^\n]*pattern/shop > \w+\.log.*?`+"\n```").FindAllString(string(readFile(t, dir, "README.md")), -1)
	if len(starts) != 2 {
		t.Fatalf("the README starts the shop %d times", len(starts))
	}
	for _, commands := range starts {
		said, err := typedInShell(t, dir, dir, "sleep 3 & export SHOP=$!\n"+strings.TrimSuffix(commands, "```"), 30*time.Second)
		if err != nil || !strings.Contains(said, "address already in use") {
			t.Errorf("%v\n%s\n%s", err, commands, said)
		}
	}
	if sent, err := os.ReadFile(filepath.Join(dir, "sent.txt")); err == nil {
		t.Errorf("sent all the same:\n%s", sent)
	}
}

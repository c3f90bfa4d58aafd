package cmd

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// What the README of a pack says to type, and who types it.

// marked gives the commands of a README under a mark.
func marked(t *testing.T, readme []byte, mark string) []string {
	t.Helper()
	var out []string
	for _, m := range regexp.MustCompile("(?s)<!-- "+mark+" -->\n```sh\n(.*?)```").FindAllStringSubmatch(string(readme), -1) {
		out = append(out, m[1])
	}
	return out
}

// typedInShell runs commands as a reader does who stops at the first that fails,
// and who has the idem of a folder.
func typedInShell(t *testing.T, dir, bin, commands string, within time.Duration) (string, error) {
	t.Helper()
	testneed.Program(t, "sh")
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", "set -eu\n"+commands)
	c.Dir, c.WaitDelay = dir, 5*time.Second
	c.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	said, err := c.CombinedOutput()
	return string(said), err
}

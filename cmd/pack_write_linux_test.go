package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAPackThatDoesNotFit: where the disk takes no more, the error says so, the
// exit is 2, and nothing is left of it: not in a new folder, not in one that was
// there, not of a zip file.
func TestAPackThatDoesNotFit(t *testing.T) {
	idem := buildIdem(t)
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.Mkdir(there, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(there, "README.md"), "theirs")
	write(t, filepath.Join(dir, "old.zip"), "theirs")
	before := contents(t, dir)
	for _, args := range []string{"new", "--force there", "--zip new.zip", "--force --zip old.zip"} {
		c := exec.Command("sh", "-c", `ulimit -f 16 && exec "$0" pack `+args, idem)
		c.Dir = dir
		said, err := c.CombinedOutput()
		if c.ProcessState.ExitCode() != ExitUsage || !strings.Contains(string(said), "cannot be written") || !strings.Contains(string(said), "file too large") {
			t.Errorf("%s: %v\n%s", args, err, said)
		}
		sameContents(t, args, contents(t, dir), before)
	}
	c := exec.Command("sh", "-c", `exec "$0" pack --zip - > /dev/full`, idem)
	if said, err := c.CombinedOutput(); c.ProcessState.ExitCode() != ExitUsage || !strings.Contains(string(said), "no space left") {
		t.Errorf("a full disk: %v\n%s", err, said)
	}
}

// TestAPackWhereNothingCanBeWritten: a folder of the system's own.
func TestAPackWhereNothingCanBeWritten(t *testing.T) {
	idem := buildIdem(t)
	for _, dir := range []string{"/proc/idem-pack", "/proc/self/fdinfo"} {
		c := exec.Command(idem, "pack", "--force", dir)
		said, err := c.CombinedOutput()
		if c.ProcessState.ExitCode() != ExitUsage || !strings.HasPrefix(string(said), "idem: "+dir+": ") || strings.Contains(string(said), "panic") {
			t.Errorf("%s: %v\n%s", dir, err, said)
		}
	}
}

//go:build unix

package house

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestTheReadmeHolds does what a reader of the README does, block by block, in
// one empty folder and one shell's environment: it writes the files, runs the
// commands and compares what they print.
func TestTheReadmeHolds(t *testing.T) {
	tour := newTour(t)
	ran := 0
	for _, b := range blocks(read(t, "README.md")) {
		switch {
		case strings.HasPrefix(b.mark, "file: "):
			tour.write(b)
		case b.mark == "run" || strings.HasPrefix(b.mark, "run, "):
			ran++
			tour.run(b)
		case b.mark == "prints":
			tour.compare(b)
		}
	}
	if ran == 0 {
		t.Error("the README has no command to run")
	}
}

// tour is one reading of the README.
type tour struct {
	t      *testing.T
	folder string
	ports  map[string]string // in place of the README's
	path   string
	output string // of the last command
}

func newTour(t *testing.T) *tour {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin+"/idem", ".")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	ports := map[string]string{}
	for _, named := range []string{":8080", ":8081", ":8082"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		ports[named] = ":" + port
	}
	return &tour{t: t, folder: t.TempDir(), ports: ports, path: bin + string(os.PathListSeparator) + os.Getenv("PATH")}
}

func (r *tour) write(b block) {
	name := filepath.Join(r.folder, strings.TrimPrefix(b.mark, "file: "))
	if err := os.WriteFile(name, []byte(r.here(b.text)), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// here puts the tour's free ports in the place of the README's.
func (r *tour) here(text string) string {
	for named, free := range r.ports {
		text = strings.ReplaceAll(text, named, free)
	}
	return text
}

// there undoes here.
func (r *tour) there(text string) string {
	for named, free := range r.ports {
		text = strings.ReplaceAll(text, free, named)
	}
	return text
}

// run runs a block as one script. What it exports, the next ones see too.
func (r *tour) run(b block) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	script := "[ ! -f .exported ] || . ./.exported\nset -eu\ntrap 'code=$?; export -p > .exported; exit $code' EXIT\n" + r.here(b.text)
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir = r.folder
	cmd.Env = []string{"PATH=" + r.path, "HOME=" + r.folder, "TMPDIR=" + r.t.TempDir()}
	cmd.WaitDelay = 5 * time.Second
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	r.output = r.there(string(out))
	want := "0"
	if code, ok := strings.CutPrefix(b.mark, "run, exit "); ok {
		want = code
	}
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != want {
		r.t.Errorf("README.md:%d: exit %s (%v), not %s\n%s%s%s", b.line, got, err, want, b.text, r.output, said.String())
	}
}

// compare holds what a command printed to what the README says it prints. A
// line "..." stands for any lines.
func (r *tour) compare(b block) {
	if !alike(strings.Split(b.text, "\n"), strings.Split(r.output, "\n")) {
		r.t.Errorf("README.md:%d: it prints\n%s\nand not\n%s", b.line, r.output, b.text)
	}
}

func alike(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "..." {
		for i := range len(got) + 1 {
			if alike(want[1:], got[i:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && want[0] == got[0] && alike(want[1:], got[1:])
}

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		want, got string
		alike     bool
	}{
		{"a b", "a b", true},
		{"a b", "a b c", false},
		{"a ... c", "a c", true},
		{"a ... c", "a x y c", true},
		{"a ... c", "a x y", false},
		{"a b", "a", false},
	} {
		if alike(strings.Fields(c.want), strings.Fields(c.got)) != c.alike {
			t.Errorf("%q and %q", c.want, c.got)
		}
	}
}

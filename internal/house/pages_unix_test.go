//go:build unix

package house

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// TestThePagesHold does what a reader of each page does, block by block, in
// one folder and one shell's environment: it writes the files, runs the
// commands and compares what they print.
func TestThePagesHold(t *testing.T) {
	idem := builtIdem(t)
	followed := 0
	for _, p := range slices.Concat(pages(t), packPages(t, idem)) {
		if !toRun(p) {
			continue
		}
		followed++
		t.Run(p.path, func(t *testing.T) {
			t.Parallel()
			follow(t, idem, p)
		})
	}
	if followed < 5 {
		t.Errorf("only %d pages have commands to run", followed)
	}
}

// toRun says whether a page has commands that are run, here.
func toRun(p page) bool {
	return !strings.HasPrefix(p.path, packFiles) &&
		slices.ContainsFunc(blocks(p.text), func(b block) bool { return runs(b) })
}

func runs(b block) bool { return b.mark == "run" || strings.HasPrefix(b.mark, "run, ") }

const (
	packFiles = "internal/pack/files/" // what packs are made of
	packed    = "pack:"                // a page of a pack that is written
)

// builtIdem builds the program into a folder of its own.
func builtIdem(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin+"/idem", ".")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// packPages writes a pack and gives its pages.
func packPages(t *testing.T, bin string) []page {
	t.Helper()
	dir := writePack(t, bin)
	var out []page
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(p) != ".md" {
			return err
		}
		text, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		out = append(out, page{packed + filepath.ToSlash(rel), string(text)})
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("a pack without a page: %v", err)
	}
	return out
}

func writePack(t *testing.T, bin string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pack")
	if out, err := exec.Command(bin+"/idem", "pack", dir).CombinedOutput(); err != nil {
		t.Fatalf("idem pack: %v\n%s", err, out)
	}
	return dir
}

// tour is one reading of a page.
type tour struct {
	t      *testing.T
	page   page
	folder string
	ports  map[string]string // in place of the page's
	path   string
	env    []string
	tmp    string // in place of /tmp
	kept   string // the file that keeps what blocks export
	output string // of the last command
	late   func() // once ports are named; until then a pack's files are as they were written
	shells []int  // each the leader of a group of processes
}

func follow(t *testing.T, bin string, p page) {
	if needs := pageMark(p, "needs"); needs != "" {
		for name := range strings.SplitSeq(needs, ",") {
			testneed.Program(t, strings.TrimSpace(name))
		}
	}
	r := &tour{t: t, page: p, folder: t.TempDir(), tmp: t.TempDir(), kept: filepath.Join(t.TempDir(), "exported"), path: bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	text := p.text
	inner, isPacked := strings.CutPrefix(p.path, packed)
	switch {
	case isPacked:
		dir := writePack(t, bin)
		r.folder = filepath.Join(dir, filepath.Dir(filepath.FromSlash(inner)))
		r.ports = freePorts(t, text+contents(t, dir))
		r.late = func() { rewrite(t, dir, r.here, ".yaml") }
	case pageMark(p, "in") == "the project":
		copyProject(t, r.folder)
		examples := filepath.Join(r.folder, "examples")
		r.ports = freePorts(t, text+contents(t, examples))
		rewrite(t, examples, r.here, ".env")
	default:
		r.ports = freePorts(t, text)
	}
	r.env = append([]string{"PATH=" + r.path, "HOME=" + t.TempDir(), "TMPDIR=" + r.tmp}, caches()...)
	t.Cleanup(r.sweep)
	for _, b := range blocks(text) {
		switch {
		case strings.HasPrefix(b.mark, "file: "):
			r.write(b)
		case runs(b):
			r.run(b)
		case b.mark == "prints":
			r.compare(b)
		}
		if t.Failed() {
			return // what comes after a step that failed says nothing
		}
	}
	r.stopped()
}

// pageMark gives the value of a mark of a whole page, "" where it has none.
func pageMark(p page, name string) string {
	m := regexp.MustCompile(`(?m)^<!-- ` + name + `: (.+) -->$`).FindStringSubmatch(p.text)
	if m == nil {
		return ""
	}
	return m[1]
}

// caches is what Go and npm need to find what was downloaded already, since
// the home folder is a new one.
var caches = sync.OnceValue(func() []string {
	var env []string
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN"} {
		if value, err := exec.Command("go", "env", name).Output(); err == nil {
			env = append(env, name+"="+strings.TrimSpace(string(value)))
		}
	}
	// With -trimpath it does not matter in which folder something was compiled.
	env = append(env, "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false -trimpath")
	if home, err := os.UserHomeDir(); err == nil {
		env = append(env, "NPM_CONFIG_USERCONFIG="+filepath.Join(home, ".npmrc"), "NPM_CONFIG_CACHE="+filepath.Join(home, ".npm"))
	}
	for _, e := range os.Environ() {
		if strings.HasPrefix(strings.ToLower(e), "npm_config_") {
			env = append(env, e)
		}
	}
	return env
})

// copyProject copies what belongs to the project.
func copyProject(t *testing.T, to string) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && (skipped[d.Name()] || rel == ".release"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular() || rel == "idem":
			return nil
		}
		content, err := os.ReadFile(p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a test's own, gone meanwhile
		}
		info, infoErr := d.Info()
		if err := errors.Join(err, infoErr); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), content, info.Mode().Perm())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// contents gives all that stands in the texts of a folder.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".yaml", ".json", ".env"}, filepath.Ext(p)) {
			return err
		}
		text, err := os.ReadFile(p)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// freePorts gives a free port for each of loopback that a text names.
func freePorts(t *testing.T, text string) map[string]string {
	t.Helper()
	ports := map[string]string{}
	for _, m := range regexp.MustCompile(`(?:127\.0\.0\.1|localhost)(:\d{4,5})\b`).FindAllStringSubmatch(text, -1) {
		if ports[m[1]] != "" {
			continue
		}
		ports[m[1]] = ":" + testneed.Port(t)
	}
	return ports
}

// rewrite changes files that lie there already.
func rewrite(t *testing.T, dir string, change func(string) string, endings ...string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains(endings, filepath.Ext(p)) {
			return err
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		return os.WriteFile(p, []byte(change(string(text))), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (r *tour) write(b block) {
	name := filepath.Join(r.folder, strings.TrimPrefix(b.mark, "file: "))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(r.here(b.text)), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// here puts the tour's free ports, and its folder for what is temporary, in the
// place of the page's.
func (r *tour) here(text string) string {
	return replaced(strings.ReplaceAll(text, "/tmp/", r.tmp+"/"), r.ports)
}

// there undoes here.
func (r *tour) there(text string) string {
	back := map[string]string{}
	for named, free := range r.ports {
		back[free] = named
	}
	return strings.ReplaceAll(replaced(text, back), r.tmp+"/", "/tmp/")
}

// replaced replaces whole ports, all at once: a free one may be another's name.
func replaced(text string, ports map[string]string) string {
	return regexp.MustCompile(`:\d{4,5}\b`).ReplaceAllStringFunc(text, func(port string) string {
		if other := ports[port]; other != "" {
			return other
		}
		return port
	})
}

// run runs a block as one script. What it exports, the next ones see too. On
// a busy machine a check may come to no verdict: that one is made again.
func (r *tour) run(b block) {
	if r.late != nil && r.here(b.text) != b.text {
		r.late()
		r.late = nil
	}
	want := 0
	if code, ok := strings.CutPrefix(b.mark, "run, exit "); ok {
		want, _ = strconv.Atoi(code)
	}
	var code int
	var said string
	for try := range 3 {
		before := listing(r.folder)
		code, said = r.shell(b.text)
		if code != 3 || want == 3 || try == 2 {
			break
		}
		for name := range listing(r.folder) {
			if !before[name] {
				_ = os.Remove(filepath.Join(r.folder, name))
			}
		}
	}
	if code != want {
		r.t.Errorf("%s: exit %d, not %d\n%s\n%s%s", place(r.page.path, b.line), code, want, b.text, r.output, said)
	}
}

// shell runs a script in a group of processes of its own, and gives its exit
// code and its words.
func (r *tour) shell(script string) (int, string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", "[ ! -f "+r.kept+" ] || . "+r.kept+
		"\nset -eu\ntrap 'code=$?; export -p > "+r.kept+"; exit $code' EXIT\n"+r.here(script))
	cmd.Dir, cmd.Env = r.folder, r.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if cmd.ProcessState == nil {
		r.t.Fatal(err)
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		r.t.Errorf("%s: what is left in the background holds the output; send it to a file", r.page.path)
	}
	r.shells = append(r.shells, cmd.Process.Pid)
	r.output = r.there(string(out))
	return cmd.ProcessState.ExitCode(), said.String()
}

// listing gives the names in a folder.
func listing(folder string) map[string]bool {
	entries, _ := os.ReadDir(folder)
	names := map[string]bool{}
	for _, e := range entries {
		if !e.IsDir() {
			names[e.Name()] = true
		}
	}
	return names
}

// stopped holds a page to end what it began: a reader's machine is no better
// off with a service that nobody stops.
func (r *tour) stopped() {
	for range 50 {
		if !slices.ContainsFunc(r.shells, running) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	r.t.Errorf("%s leaves a process behind", r.page.path)
}

func running(group int) bool { return syscall.Kill(-group, 0) == nil }

// sweep ends what a page that failed has left.
func (r *tour) sweep() {
	for _, group := range r.shells {
		if running(group) {
			_ = syscall.Kill(-group, syscall.SIGKILL)
		}
	}
}

// compare holds what a command printed to what the page says it prints. A
// line "..." stands for any lines.
func (r *tour) compare(b block) {
	if !alike(strings.Split(b.text, "\n"), strings.Split(r.output, "\n")) {
		r.t.Errorf("%s: it prints\n%s\nand not\n%s", place(r.page.path, b.line), r.output, b.text)
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

func TestPortsAreReplacedWhole(t *testing.T) {
	ports := map[string]string{":8080": ":8081", ":8081": ":4444"}
	if got := replaced("a:8080 b:8081 c:80801 d:8082", ports); got != "a:8081 b:4444 c:80801 d:8082" {
		t.Error(got)
	}
	found := slices.Sorted(maps.Keys(freePorts(t, "http://127.0.0.1:8080/x, localhost:8081, 10:8082, 127.0.0.1:8080")))
	if !slices.Equal(found, []string{":8080", ":8081"}) {
		t.Error(found)
	}
}

package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fed is what a process of idem did with hostile input.
type fed struct {
	ran
	taken int64 // bytes of its input
	most  int64 // bytes of memory that it had at once
}

// feed runs the built program with an input through a pipe.
func feed(t *testing.T, dir string, in io.Reader, args ...string) fed {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	counted := &countedReader{in: in}
	var out, said bytes.Buffer
	c := exec.CommandContext(ctx, buildIdem(t), args...)
	c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = dir, append(os.Environ(), "IDEM_KEY="+strings.Repeat("5a", 32), "GOGC=100"), counted, &out, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended, most := make(chan struct{}), make(chan int64)
	go func() { most <- peak(c.Process.Pid, ended) }()
	err := c.Wait()
	close(ended)
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && !errors.Is(err, syscall.EPIPE) {
		t.Fatal(err)
	}
	return fed{ran{c.ProcessState.ExitCode(), out.String(), said.String()}, counted.n, <-most}
}

// peak looks at the most memory that a process has had, until it ends. What
// the system tells of it afterwards is no less than what its parent had.
func peak(pid int, ended <-chan struct{}) (most int64) {
	for {
		select {
		case <-ended:
			return most
		case <-time.After(2 * time.Millisecond):
		}
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if err != nil || filepath.Base(exe) != "idem" {
			continue // it is still this program, about to become the other
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		_, line, found := strings.Cut(string(status), "VmHWM:")
		if err != nil || !found {
			continue
		}
		if kilobytes, err := strconv.ParseInt(strings.Fields(line)[0], 10, 64); err == nil {
			most = max(most, kilobytes<<10)
		}
	}
}

type countedReader struct {
	in io.Reader
	n  int64
}

func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.n += int64(n)
	return n, err
}

// of gives size bytes of a piece again and again, between a head and a tail.
func of(head, piece, tail string, size int64) io.Reader {
	block := strings.Repeat(piece, max(1, 1<<16/len(piece)))
	return io.MultiReader(strings.NewReader(head), io.LimitReader(&again{block: block}, size/int64(len(piece))*int64(len(piece))), strings.NewReader(tail))
}

type again struct {
	block string
	at    int
}

func (r *again) Read(p []byte) (int, error) {
	n := copy(p, r.block[r.at:])
	r.at = (r.at + n) % len(r.block)
	return n, nil
}

const hostileRecipe = `idem: recipe/v1
namespace: acme.payments
operation: checkout.charge
version: 1
prefix: chg
boundary: One charge for each of what the tests call one.
identity: {none: {pointer: /none, when_absent: omit}, tenant: {input: tenant}}
sensitive: [/customer/email]
key: {kid: k1, env: IDEM_KEY, format: hex}
`

// readers are the command lines that read a JSON text from standard input.
var readers = map[string][]string{
	"canon":               {"canon"},
	"canon, cross-check":  {"canon", "--cross-check"},
	"canon, reference":    {"canon", "--engine", "reference"},
	"fingerprint":         {"fingerprint", "-"},
	"fingerprint, public": {"fingerprint", "--public", "-"},
	"fingerprint, recipe": {"fingerprint", "-r", "recipe.yaml", "-"},
	"request":             {"fingerprint", "--request", "--path", "/", "--public", "-"},
	"derive":              {"derive", "-r", "recipe.yaml", "--input", "tenant=acme"},
}

// own are those of them that build no tree of what they read.
var own = []string{"canon", "fingerprint", "fingerprint, public", "fingerprint, recipe", "derive"}

const fixed = 40 << 20 // bytes of memory that a process has whatever it reads

func hostileFolder(t *testing.T) string {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "recipe.yaml"), []byte(hostileRecipe), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestHopelessTextsAreRefusedAtOnce: of a gigabyte that is wrong from its
// beginning little is taken, and little memory with it.
func TestHopelessTextsAreRefusedAtOnce(t *testing.T) {
	dir := hostileFolder(t)
	pieces := map[string]string{"[": "nested more than 1000 deep", `{"a":`: "nested more than 1000 deep", `[{"":[`: "nested more than 1000 deep",
		"[]": "something follows the JSON value", "\x00": "belongs here", `[1,2,`: "nested more than 1000 deep"}
	all := map[string][]string{"recipe": {"recipe", "lint", "-"}, "contract": {"verify", "-", "--dry-run"}, "explained": {"derive", "-r", "recipe.yaml", "--input", "tenant=acme", "--explain"}}
	for name, args := range readers {
		all[name] = args
	}
	for name, args := range all {
		for piece, why := range pieces {
			got := feed(t, dir, of("", piece, "", 1<<30), args...)
			if got.code != ExitUsage || got.out != "" || got.taken > 16<<20 || got.most > fixed+fixed/2 {
				t.Errorf("%s of %q: exit %d, %d bytes taken, %d MB of memory, %.200s", name, piece, got.code, got.taken, got.most>>20, got.err)
			}
			if readers[name] != nil && !strings.Contains(got.err, why) {
				t.Errorf("%s of %q: %s", name, piece, got.err)
			}
		}
	}
}

// TestLargeTextsTakeMemoryInProportion: a text that has to be read to its end
// takes a few times its size, whatever it is made of.
func TestLargeTextsTakeMemoryInProportion(t *testing.T) {
	dir := hostileFolder(t)
	size := int64(16 << 20)
	if testing.Short() {
		size = 8 << 20
	}
	measured := false
	for what, in := range map[string]struct {
		head, piece, tail, err string
	}{
		"spaces":             {"", " ", "", "there is no JSON value"},
		"lines":              {"", "\r\n\t ", "", "there is no JSON value"},
		"spaces behind":      {"[]", " ", "", ""},
		"spaces within":      {"[1", " ", "]", ""},
		"a string":           {`"`, "a", `"`, ""},
		"a name":             {`{"`, "name", `":0}`, ""},
		"pairs":              {`["`, `\ud83d\ude00`, `"]`, ""},
		"controls":           {`["`, `\u0001`, `"]`, ""},
		"zeros":              {"[", "0,", "0]", ""},
		"empty objects":      {"[", "{},", "{}]", ""},
		"nests":              {"[", "[[[]],{}],", "[]]", ""},
		"no end":             {`["`, "a", "", "ends inside the string"},
		"a wrong end":        {"[", "1,", "x]", "a bare word"},
		"half a pair at end": {`["`, "é", `\ud83d"]`, "half of a surrogate pair"},
		"digits":             {"[", "9", "]", "beyond the double range"},
		"digits behind":      {"[0.", "1", "]", "would change"},
		"a long power":       {"[1e-", "9", "]", "would change"},
	} {
		for _, name := range own {
			got := feed(t, dir, of(in.head, in.piece, in.tail, size), readers[name]...)
			wantErr := in.err
			if strings.HasPrefix(name, "derive") && wantErr == "would change" {
				wantErr = "" // it is not selected
			}
			if (got.code == 0) != (wantErr == "") || !strings.Contains(got.err, wantErr) {
				t.Errorf("%s of %s: exit %d, %.300s", name, what, got.code, got.err)
			}
			if most := fixed + 12*size; got.most > most {
				t.Errorf("%s of %s: %d MB of memory for %d MB", name, what, got.most>>20, size>>20)
			}
			measured = measured || got.most > size
			if len(got.err) > 1000 {
				t.Errorf("%s of %s: a message of %d bytes", name, what, len(got.err))
			}
		}
	}
	if !measured {
		t.Error("no process is seen to have any memory")
	}
}

// TestAMillionNamesInOneObject: in the worst of orders they come out in the
// right one, and take memory by their number.
func TestAMillionNamesInOneObject(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 50_000
	}
	dir := hostileFolder(t)
	for _, c := range []struct {
		what, head string
		order      func([]string)
	}{
		{"reversed", `\n`, slices.Reverse[[]string]},
		{"organ pipe", "all-of-them-begin-alike-", organPipe},
		{"shuffled", "", func(names []string) {
			rand.New(rand.NewPCG(1, 2)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		}},
	} {
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprintf("%s%07d", c.head, i)
		}
		want := `{"` + strings.Join(names, `":0,"`) + `":0}`
		c.order(names)
		text := `{"` + strings.Join(names, `":0,"`) + `":0}`
		got := feed(t, dir, strings.NewReader(text), "canon")
		if got.code != 0 || got.out != want {
			t.Errorf("%s: exit %d, %.200s %.200s", c.what, got.code, got.out, got.err)
		}
		if most := fixed + 8*int64(len(text)) + 320*int64(n); got.most > most {
			t.Errorf("%s: %d MB of memory for %d MB and %d names", c.what, got.most>>20, len(text)>>20, n)
		}
		// One more, which is another spelling of one of them.
		last := names[n/3]
		twice := text[:len(text)-1] + `,"` + last[:len(last)-1] + fmt.Sprintf(`\u%04X`, last[len(last)-1]) + `":0}`
		got = feed(t, dir, strings.NewReader(twice), "canon")
		if got.code != ExitUsage || got.out != "" || !strings.Contains(got.err, "this name twice") {
			t.Errorf("%s, one twice: exit %d, %.200s", c.what, got.code, got.err)
		}
	}
}

// organPipe puts names in rising order and then in falling, every other one.
func organPipe(names []string) {
	var up, down []string
	for i, name := range names {
		if i%2 == 0 {
			up = append(up, name)
		} else {
			down = append(down, name)
		}
	}
	slices.Reverse(down)
	copy(names, append(up, down...))
}

// TestDeepAndWide: a thousand names out of order at every one of many levels.
func TestDeepAndWide(t *testing.T) {
	var wide, sorted strings.Builder
	for i := range 300 {
		fmt.Fprintf(&wide, `"n%03d":%d,`, 299-i, i)
		fmt.Fprintf(&sorted, `,"n%03d":%d`, i, 299-i)
	}
	const depth = 900
	text := strings.Repeat("{"+wide.String()+`"in":`, depth) + "{}" + strings.Repeat("}", depth)
	want := strings.Repeat(`{"in":`, depth) + "{}" + strings.Repeat(sorted.String()+"}", depth)
	got := feed(t, hostileFolder(t), strings.NewReader(text), "canon")
	if got.code != 0 || got.out != want {
		t.Errorf("exit %d, %.200s %.200s", got.code, got.out, got.err)
	}
	if most := fixed + 40*int64(len(text)); got.most > most {
		t.Errorf("%d MB of memory for %d MB", got.most>>20, len(text)>>20)
	}
}

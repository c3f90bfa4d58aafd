package keysource

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/problem"
)

const (
	secretHex = "86ee3eb47f42bd0122c0b04d845912b3fd87de3e6eeacda53d29e22b3939bfaa"
	keyLine   = "idemkey1-k1-q3xd5nd7ik6qciwawbgyiwiswp6ypxr6n3vm3jj5fhrcwojzx6va-zic36va"
	testLine  = "idemkey1-k1-ojxzsvrt6eccnv5or77bjzjngd3fqbj7j4atzrufbgmos3uyieya-3x4on6a"
	otherEnv  = "IDEM_TEST_CHILD"
)

// TestMain lets the test binary stand for a key command.
func TestMain(m *testing.M) {
	switch os.Getenv(otherEnv) {
	case "":
		os.Exit(m.Run())
	case "print":
		fmt.Println(keyLine)
	case "environment":
		fmt.Print(strings.Join(os.Environ(), "\n"))
	case "folder":
		dir, _ := os.Getwd()
		fmt.Print(dir)
	case "fail":
		fmt.Println(keyLine)
		fmt.Fprintln(os.Stderr, "the key is "+keyLine)
		os.Exit(3)
	case "endless":
		for {
			fmt.Print(strings.Repeat("x", 1<<12))
		}
	case "sleep":
		time.Sleep(time.Minute)
	}
	os.Exit(0)
}

// child is a key command of one of the kinds above.
func child(kind string, more ...string) ([]string, func() []string) {
	return []string{os.Args[0]}, func() []string { return append(append(os.Environ(), otherEnv+"="+kind), more...) }
}

func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func write(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func spec(s determ.Source) determ.KeySpec {
	return determ.KeySpec{Kid: "k1", Source: s, Format: determ.FormatIdemkey, Where: "r.yaml:3:6"}
}

func TestLoads(t *testing.T) {
	argv, environ := child("print")
	dir := filepath.Dir(write(t, "key", keyLine+"\n", 0o600))
	sealed := write(t, "sealed", sealedLine(t, "open sesame"), 0o600)
	for name, c := range map[string]struct {
		spec  determ.KeySpec
		world World
	}{
		"environment":   {spec(determ.Source{Env: "K"}), World{LookupEnv: env("K", keyLine)}},
		"file":          {spec(determ.Source{File: "key"}), World{Dir: dir}},
		"absolute file": {spec(determ.Source{File: filepath.Join(dir, "key")}), World{Dir: "/nowhere"}},
		"open file":     {spec(determ.Source{File: write(t, "key", keyLine, 0o444), AnyMode: true}), World{}},
		"stdin":         {spec(determ.Source{IsFD: true}), World{Stdin: strings.NewReader(keyLine + "\r\n")}},
		"command":       {spec(determ.Source{Command: argv}), World{Environ: environ}},
		"hex": {determ.KeySpec{Kid: "k1", Source: determ.Source{Env: "K"}, Format: determ.FormatHex},
			World{LookupEnv: env("K", secretHex)}},
		"sealed file, passphrase in the environment": {
			determ.KeySpec{Kid: "k1", Source: determ.Source{File: sealed}, Format: determ.FormatIdemkey, Passphrase: &determ.Source{Env: "P"}},
			World{LookupEnv: env("P", "open sesame")}},
		"passphrase not needed": {
			determ.KeySpec{Kid: "k1", Source: determ.Source{Env: "K"}, Format: determ.FormatIdemkey, Passphrase: &determ.Source{Env: "P"}},
			World{LookupEnv: env("K", keyLine)}},
		"allowed test secret": {spec(determ.Source{Env: "K"}), World{LookupEnv: env("K", testLine), AllowTestSecret: true}},
	} {
		s, err := Load(t.Context(), c.spec, c.world)
		if err != nil || s.Kid() != "k1" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func sealedLine(t *testing.T, passphrase string) string {
	t.Helper()
	s, err := Load(t.Context(), spec(determ.Source{Env: "K"}), World{LookupEnv: env("K", keyLine)})
	if err != nil {
		t.Fatal(err)
	}
	line, err := s.Seal([]byte(passphrase), strings.NewReader(strings.Repeat("salt", 20)))
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func TestRefuses(t *testing.T) {
	fail, failEnv := child("fail")
	endless, endlessEnv := child("endless")
	sleep, sleepEnv := child("sleep")
	nothing, nothingEnv := child("nothing")
	sealed := sealedLine(t, "open sesame")
	withPassphrase := func(p determ.Source) determ.KeySpec {
		s := spec(determ.Source{Env: "K"})
		s.Passphrase = &p
		return s
	}
	checked := spec(determ.Source{Env: "K"})
	checked.Check = "00000000"
	for name, c := range map[string]struct {
		spec       determ.KeySpec
		world      World
		want, hint string
	}{
		"variable not set":  {spec(determ.Source{Env: "K"}), World{LookupEnv: env()}, "r.yaml:3:6: key k1 from environment variable K: the variable is not set", "set K to"},
		"variable empty":    {spec(determ.Source{Env: "K"}), World{LookupEnv: env("K", "")}, "the key is empty", "set K to the key; where none was used before: export K="},
		"no file":           {spec(determ.Source{File: "nowhere"}), World{Dir: t.TempDir()}, "key k1 from file nowhere: it cannot be opened: ", "put the key there; where none was used before: idem key new --kid k1 --out "},
		"a folder":          {spec(determ.Source{File: "."}), World{Dir: t.TempDir()}, "it is a folder", ""},
		"a huge file":       {spec(determ.Source{File: write(t, "big", strings.Repeat("a", determ.MaxKeyText+1), 0o600)}), World{}, "more than 65536 bytes", ""},
		"no such command":   {spec(determ.Source{Command: []string{"idem-no-such-program"}}), World{Environ: os.Environ}, "it cannot be started: ", ""},
		"a failing command": {spec(determ.Source{Command: fail}), World{Environ: failEnv}, "it ended with status 3", "run it by hand"},
		"a silent command":  {spec(determ.Source{Command: nothing}), World{Environ: nothingEnv}, "it printed nothing", ""},
		"an endless command": {spec(determ.Source{Command: endless}), World{Environ: endlessEnv},
			"it printed more than 65536 bytes", ""},
		"a silent wait": {spec(determ.Source{Command: sleep}), World{Environ: sleepEnv, Timeout: 300 * time.Millisecond},
			"it gave no end of the key in time", ""},
		"the test secret":      {spec(determ.Source{Env: "K"}), World{LookupEnv: env("K", testLine)}, "this is the public test secret", "--allow-test-secret"},
		"another secret":       {checked, World{LookupEnv: env("K", keyLine)}, "the wrong secret was loaded", ""},
		"no passphrase named":  {spec(determ.Source{Env: "K"}), World{LookupEnv: env("K", sealed)}, "sealed under a passphrase, and none is named", "passphrase: {env: IDEM_PASSPHRASE} in the recipe's key"},
		"a wrong passphrase":   {withPassphrase(determ.Source{Env: "P"}), World{LookupEnv: env("K", sealed, "P", "open barley")}, "the passphrase is wrong", ""},
		"no passphrase set":    {withPassphrase(determ.Source{Env: "P"}), World{LookupEnv: env("K", sealed)}, "the passphrase from environment variable P: the variable is not set", "set P to the passphrase"},
		"no source whatsoever": {spec(determ.Source{}), World{}, "no source is named", ""},
	} {
		_, err := Load(t.Context(), c.spec, c.world)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(problem.Hint(err), c.hint) {
			t.Errorf("%s: %v (%s)", name, err, problem.Hint(err))
			continue
		}
		for _, secret := range []string{"q3xd5nd7ik6q", secretHex, "ojxzsvrt", "open sesame", "open barley", sealed[20:60]} {
			if strings.Contains(err.Error()+problem.Hint(err), secret) {
				t.Errorf("%s shows the key: %v", name, err)
			}
		}
	}
}

func TestPublicSubkeyIsRefused(t *testing.T) {
	triple := determ.Triple{Namespace: "a", Operation: "b", Version: 1}
	line, err := determ.TestSecret("k1").SubkeyLine(triple)
	if err != nil {
		t.Fatal(err)
	}
	w := World{LookupEnv: env("K", line), Triples: []determ.Triple{triple}}
	if _, err := Load(t.Context(), spec(determ.Source{Env: "K"}), w); err == nil || !strings.Contains(err.Error(), "public test secret") {
		t.Error(err)
	}
}

func TestModeIsChecked(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has access lists, which TestAccessList tries")
	}
	for mode, ok := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o700: true, 0o640: false, 0o604: false, 0o644: false, 0o620: false, 0o610: false, 0o444: false} {
		path := write(t, "key", keyLine, mode)
		_, err := Load(t.Context(), spec(determ.Source{File: path}), World{})
		if (err == nil) != ok {
			t.Errorf("%04o: %v", mode, err)
		}
		if !ok && (!strings.Contains(err.Error(), fmt.Sprintf("its mode is %04o", mode)) || !strings.Contains(problem.Hint(err), "chmod 600 "+path)) {
			t.Errorf("%04o: %v", mode, err)
		}
		if _, err := Load(t.Context(), spec(determ.Source{File: path, AnyMode: true}), World{}); err != nil {
			t.Errorf("%04o, any: %v", mode, err)
		}
		// A link is judged by what it leads to.
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(t.Context(), spec(determ.Source{File: link}), World{}); (err == nil) != ok {
			t.Errorf("%04o by a link: %v", mode, err)
		}
	}
}

func TestAccessList(t *testing.T) {
	const me, everyone, users = "S-1-5-21-1-2-3-1001", "S-1-1-0", "S-1-5-32-545"
	const fileRead, fileAll, appendData, readAttributes = 0x120089, 0x1F01FF, 0x4, 0x80
	for name, c := range map[string]struct {
		entry entry
		lets  bool
	}{
		"owner":                  {entry{aceAllows, 0, fileAll, me}, false},
		"SYSTEM":                 {entry{aceAllows, 0, fileAll, sidSystem}, false},
		"Administrators":         {entry{aceAllows, 0, fileAll, sidAdministrators}, false},
		"owner rights":           {entry{aceAllows, 0, fileRead, sidOwnerRights}, false},
		"everyone reads":         {entry{aceAllows, 0, fileRead, everyone}, true},
		"users read":             {entry{aceAllows, 0x10, fileRead, users}, true},
		"another user":           {entry{aceAllows, 0, readData, "S-1-5-21-1-2-3-1002"}, true},
		"generic read":           {entry{aceAllows, 0, genericRead, users}, true},
		"generic all":            {entry{aceAllows, 0, genericAll, users}, true},
		"may change the list":    {entry{aceAllows, 0, writeDACL, users}, true},
		"may take it":            {entry{aceAllows, 0, writeOwner, users}, true},
		"denied":                 {entry{aceDenies, 0, fileRead, everyone}, false},
		"for children of folder": {entry{aceAllows, inheritOnly, fileRead, everyone}, false},
		"appends only":           {entry{aceAllows, 0, appendData, users}, false},
		"reads attributes only":  {entry{aceAllows, 0, readAttributes, everyone}, false},
		"conditional":            {entry{9, 0, fileRead, ""}, true},
	} {
		if got := c.entry.lets(me); got != c.lets {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestChildrenInheritNoKeys(t *testing.T) {
	argv, environ := child("environment", "IDEM_KEY="+keyLine, "PASS=open sesame", "OTHER_KEY=whatever", "STRAY= "+testLine, "HARMLESS=1")
	w := World{Environ: environ, Specs: []determ.KeySpec{
		{Source: determ.Source{Env: "IDEM_KEY"}, Passphrase: &determ.Source{Env: "PASS"}}, {Source: determ.Source{Env: "OTHER_KEY"}}, {Source: determ.Source{Command: argv}}}}
	out, err := w.runCommand(t.Context(), argv)
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"IDEM_KEY", "PASS=", "OTHER_KEY", "STRAY", keyLine, testLine} {
		if strings.Contains(string(out), gone) {
			t.Errorf("the child has %s", gone)
		}
	}
	if !strings.Contains(string(out), "HARMLESS=1") {
		t.Error("the child has lost the rest")
	}
}

func TestCommandRunsBesideTheRecipe(t *testing.T) {
	argv, environ := child("folder")
	dir := t.TempDir()
	out, err := World{Environ: environ, Dir: dir}.runCommand(t.Context(), argv)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := filepath.EvalSymlinks(dir)
	if got, _ := filepath.EvalSymlinks(string(out)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestInterruptedCommand(t *testing.T) {
	argv, environ := child("sleep")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Load(ctx, spec(determ.Source{Command: argv}), World{Environ: environ})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestRingReadsOnce: standard input has one key, which current and previous
// version share.
func TestRingReadsOnce(t *testing.T) {
	r := NewRing(World{Stdin: strings.NewReader(keyLine)})
	for range 2 {
		if _, err := r.Load(t.Context(), spec(determ.Source{IsFD: true})); err != nil {
			t.Fatal(err)
		}
	}
}

package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/pack"
)

var packFiles = []pack.File{
	{Name: "a.txt", Content: []byte("ours")}, {Name: "deep/er/b.sh", Content: []byte("#!/bin/sh\n"), Executable: true}, {Name: "z.txt", Content: []byte("ours too")},
}

// contents gives what is in a folder, by slashed name; folders end in a slash.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if name = filepath.ToSlash(name); d.IsDir() {
			out[name+"/"] = ""
			return err
		}
		text, err := os.ReadFile(path)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sameContents(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

// TestAPackIsWhole: into a new folder, an empty one and one that is not empty,
// with the modes of programs and of nothing else.
func TestAPackIsWhole(t *testing.T) {
	want := map[string]string{"a.txt": "ours", "deep/": "", "deep/er/": "", "deep/er/b.sh": "#!/bin/sh\n", "z.txt": "ours too"}
	for _, before := range []string{"new", "empty", "full"} {
		parent := t.TempDir()
		dir := filepath.Join(parent, "pack")
		if before != "new" {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if before == "full" {
			write(t, filepath.Join(dir, "other.txt"), "theirs")
			want["other.txt"] = "theirs"
		}
		kept, err := writeFolder(context.Background(), dir, packFiles, before == "full")
		if err != nil || len(kept) > 0 {
			t.Fatal(before, err, kept)
		}
		sameContents(t, before, contents(t, dir), want)
		if names, err := os.ReadDir(parent); err != nil || len(names) != 1 {
			t.Errorf("%s: %v beside it, %v", before, names, err)
		}
		for _, f := range packFiles {
			info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f.Name)))
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Separator == '/' && (info.Mode().Perm()&0o111 != 0) != f.Executable {
				t.Errorf("%s has the mode %s", f.Name, info.Mode())
			}
		}
	}
}

// TestNothingIsLeftOfAPackThatWasNotWritten: an interrupt before it is whole, and
// a file that cannot give way after others have been put, leave all as it was.
func TestNothingIsLeftOfAPackThatWasNotWritten(t *testing.T) {
	parent := t.TempDir()
	over, cancel := context.WithCancel(context.Background())
	cancel()
	var exit *exitCode
	if _, err := writeFolder(over, filepath.Join(parent, "new"), packFiles, false); !errors.As(err, &exit) || exit.code != ExitInterrupted {
		t.Errorf("interrupted: %v", err)
	}
	sameContents(t, "interrupted", contents(t, parent), map[string]string{})

	dir := filepath.Join(parent, "full")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := writeFolder(over, dir, packFiles, false); !errors.As(err, &exit) || exit.code != ExitInterrupted {
		t.Errorf("interrupted: %v", err)
	}
	sameContents(t, "interrupted within", contents(t, dir), map[string]string{})

	before := map[string]string{"a.txt": "theirs", "z.txt": "theirs"}
	for i := range mostKept {
		name := "z.txt.orig"
		if i > 0 {
			name = fmt.Sprintf("z.txt.orig%d", i+1)
		}
		before[name] = "theirs before"
	}
	for name, text := range before {
		write(t, filepath.Join(dir, name), text)
	}
	_, err := writeFolder(context.Background(), dir, packFiles, true)
	if err == nil || !strings.Contains(err.Error(), "z.txt: would be replaced, and there are 100 of it already") {
		t.Errorf("no more can be kept: %v", err)
	}
	sameContents(t, "taken back", contents(t, dir), before)
}

// TestATerminalShowsNoZip: but /dev/null, which also is a device, takes one.
func TestATerminalShowsNoZip(t *testing.T) {
	o := &packOptions{zip: "-", given: func(flag string) bool { return flag == "zip" }}
	for columns, refused := range map[int]bool{80: true, 0: false} {
		err := o.check(&App{OutTTY: true, Columns: func() int { return columns }}, nil)
		if (err != nil) != refused {
			t.Errorf("%d columns: %v", columns, err)
		}
	}
}

// TestPacksAtOnce: of several that write into one folder each writes alone or is
// refused, and none of what was there is lost.
func TestPacksAtOnce(t *testing.T) {
	for range 25 {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a.txt"), "theirs")
		write(t, filepath.Join(dir, "z.txt"), "theirs too")
		said := make(chan error)
		for range 4 {
			go func() {
				_, err := writeFolder(context.Background(), dir, packFiles, true)
				said <- err
			}()
		}
		written := 0
		for range 4 {
			switch err := <-said; {
			case err == nil:
				written++
			case !strings.Contains(err.Error(), "another idem pack writes here"):
				t.Error(err)
			}
		}
		if written == 0 {
			t.Error("none was written")
		}
		sameContents(t, "at once", contents(t, dir), map[string]string{"a.txt": "ours", "a.txt.orig": "theirs",
			"deep/": "", "deep/er/": "", "deep/er/b.sh": "#!/bin/sh\n", "z.txt": "ours too", "z.txt.orig": "theirs too"})
	}
}

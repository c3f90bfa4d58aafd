package cmd

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestWriteWhole(t *testing.T) {
	dir := t.TempDir()
	holds := func(name, want string) {
		t.Helper()
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, want %q: %v", name, got, want, err)
		}
	}
	put := func(name, text string) {
		t.Helper()
		if err := writeWhole(filepath.Join(dir, name), []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	put("new", "one")
	holds("new", "one")

	// A reader of the old one reads it to its end; its mode is kept.
	write(t, filepath.Join(dir, "old"), "before")
	if err := os.Chmod(filepath.Join(dir, "old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		reader, err := os.Open(filepath.Join(dir, "old"))
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		put("old", "x")
		b := make([]byte, 10)
		if n, _ := reader.Read(b); string(b[:n]) != "before" {
			t.Errorf("the old file was written over: %q", b[:n])
		}
		if info, _ := os.Stat(filepath.Join(dir, "old")); info.Mode().Perm() != 0o600 {
			t.Error(info.Mode())
		}
	}

	if err := os.Symlink("new", filepath.Join(dir, "link")); err == nil {
		put("link", "two")
		holds("new", "two")
		if info, _ := os.Lstat(filepath.Join(dir, "link")); info.Mode()&os.ModeSymlink == 0 {
			t.Error("the link is none any more")
		}
		if err := os.Symlink("later", filepath.Join(dir, "dangling")); err != nil {
			t.Fatal(err)
		}
		put("dangling", "three")
		holds("later", "three")
	}
	if err := writeWhole(os.DevNull, []byte("away")); err != nil {
		t.Error(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if writeWhole(filepath.Join(dir, "folder"), nil) == nil || writeWhole(filepath.Join(dir, "no", "folder"), nil) == nil {
		t.Error("a folder, or a file in none, was written")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".idem-report-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

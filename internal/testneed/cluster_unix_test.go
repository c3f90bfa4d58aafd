//go:build unix

package testneed

import (
	"os"
	"path/filepath"
	"testing"
)

func TestProgramsTellsWhatIsMissing(t *testing.T) {
	half := folder(t, 0o755, "initdb")
	for name, dirs := range map[string][]string{
		"no folder":               nil,
		"an empty one":            {t.TempDir()},
		"one of the two":          {half},
		"the two in two folders":  {half, folder(t, 0o755, "postgres")},
		"two that nobody can run": {folder(t, 0o644, "initdb", "postgres")},
	} {
		if initdb, postgres, err := programs(dirs); err == nil {
			t.Errorf("%s: found %s and %s", name, initdb, postgres)
		}
	}
}

func TestProgramsTakesTheFirstFolderWithBoth(t *testing.T) {
	first, second := folder(t, 0o755, "initdb", "postgres"), folder(t, 0o755, "initdb", "postgres")
	initdb, postgres, err := programs([]string{folder(t, 0o755, "initdb"), first, second})
	if err != nil || initdb != filepath.Join(first, "initdb") || postgres != filepath.Join(first, "postgres") {
		t.Errorf("got %s, %s, %v, want those of %s", initdb, postgres, err, first)
	}
}

// folder gives a new folder with programs of these names.
func folder(t *testing.T, mode os.FileMode, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

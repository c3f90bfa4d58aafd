package pack

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/determ"
)

var update = flag.Bool("update", false, "write testdata/listing.txt anew, for a change that is meant")

// sampleFilling is the filling of the fictional sample.
func sampleFilling(t testing.TB) Filling {
	t.Helper()
	var f Filling
	f.Contract, f.Recipe, f.Payload = Sample()
	c, err := contract.Parse(ContractName, f.Contract, func(string) ([]byte, error) { return f.Payload, nil })
	if err != nil {
		t.Fatal(err)
	}
	r, err := determ.Parse(RecipeName, f.Recipe)
	if err != nil {
		t.Fatal(err)
	}
	f.Values = ValuesOf(c, c.Operations[0], r, "0.1.0-dev")
	f.Values.Sample = true
	return f
}

// TestWhatAPackHas holds the list of a pack's files, an asterisk behind those
// that are programs: what comes or goes shows.
func TestWhatAPackHas(t *testing.T) {
	files, err := Files(sampleFilling(t))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range files {
		line := f.Name
		if f.Executable {
			line += "*"
		}
		lines = append(lines, line)
	}
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile("testdata/listing.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/listing.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("the pack has\n%s\nand testdata/listing.txt says\n%s\ngo test ./internal/pack -update, where that is meant", got, want)
	}
	if !slices.IsSortedFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the files are not sorted")
	}
}

package cmd

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// onSpark has TestSpark start a cluster, which takes minutes and a download of
// PySpark; .ci/run spark does.
var onSpark = flag.Bool("spark", false, "derive IDs on a Spark cluster of two workers")

// TestSpark runs the example on a cluster, as its README says. Without the flag
// it holds what needs no Spark: the data set is the same everywhere, the
// programs compile and what is installed is pinned.
func TestSpark(t *testing.T) {
	testneed.Long(t, "Python programs are run")
	python := testneed.Python(t)
	if !*onSpark {
		wantSameDataSet(t, python)
		wantPrograms(t, python)
		return
	}
	testneed.Java(t)
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, python, examplePath("spark", "run.py"), "--idem", buildIdem(t))
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) } // so that it ends its cluster
	run.WaitDelay = time.Minute
	said, err := run.CombinedOutput()
	t.Logf("%s", said)
	if err != nil || !bytes.Contains(said, []byte("ok: 200000 lines, ")) || bytes.Contains(said, []byte("WRONG")) {
		t.Errorf("run.py: %v", err)
	}
}

// dataSet writes the example's data set into a folder, and gives its parts.
func dataSet(t *testing.T, python, folder, records, partitions string) []string {
	t.Helper()
	said, err := exec.Command(python, examplePath("spark", "generate.py"), "--records", records, "--partitions", partitions, folder).CombinedOutput()
	if err != nil {
		t.Fatalf("generate.py: %v\n%s", err, said)
	}
	parts, err := filepath.Glob(filepath.Join(folder, "part-*.ndjson"))
	if err != nil || len(parts) == 0 {
		t.Fatalf("no parts in %s: %v", folder, err)
	}
	return parts
}

func wantSameDataSet(t *testing.T, python string) {
	t.Helper()
	three := whole(t, dataSet(t, python, filepath.Join(t.TempDir(), "three"), "500", "3"))
	seven := whole(t, dataSet(t, python, filepath.Join(t.TempDir(), "seven"), "500", "7"))
	if !bytes.Equal(three, seven) || bytes.Count(three, []byte("\n")) != 500 {
		t.Error("the data set depends on its partitions")
	}
	const first = `{"tenant":"t_955","meter":{"id":"m_943284","site":"Wien","unit":"GiB"},"hour":490000,"units":56.379,`
	if !bytes.HasPrefix(three, []byte(first)) {
		t.Errorf("it begins with %.200s", three)
	}
}

func wantPrograms(t *testing.T, python string) {
	t.Helper()
	programs, err := filepath.Glob(examplePath("spark", "*.py"))
	if err != nil || len(programs) < 6 {
		t.Fatalf("%v: %v", programs, err)
	}
	for _, program := range programs {
		// Compiled in memory: nothing is left in the tree.
		said, err := exec.Command(python, "-c", "import sys; compile(open(sys.argv[1], encoding='utf-8').read(), sys.argv[1], 'exec')", program).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", program, err, said)
		}
	}
	pins, err := os.ReadFile(examplePath("spark", "requirements.txt"))
	if err != nil || strings.Count(string(pins), "==") != strings.Count(string(pins), "--hash=sha256:") || !strings.Contains(string(pins), "pyspark==") {
		t.Errorf("not all is pinned: %v\n%s", err, pins)
	}
}

// whole gives the parts of a data set, one behind the other.
func whole(t *testing.T, parts []string) []byte {
	t.Helper()
	var out []byte
	for _, part := range parts {
		out = append(out, readFile(t, part)...)
	}
	return out
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/idem-toolkit/idem/bench/product"
)

// initial is the initialisation of one package, the least of all traces: what
// is more was the machine's.
type initial struct {
	Package string  `json:"package"`
	Us      float64 `json:"us"`
	Bytes   int     `json:"bytes"`
}

// initials traces what is initialised before main (GODEBUG=inittrace=1).
func initials(ctx context.Context, dir string, traces int) (all []initial, total float64, err error) {
	least := map[string]initial{}
	for range traces {
		c := exec.CommandContext(ctx, filepath.Join(dir, product.Name), "--version")
		c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		var trace bytes.Buffer
		c.Stderr = &trace
		if err := c.Run(); err != nil {
			return nil, 0, err
		}
		for _, one := range readTrace(trace.Bytes()) {
			if before, ok := least[one.Package]; !ok || one.Us < before.Us {
				least[one.Package] = one
			}
		}
	}
	for _, one := range least {
		all = append(all, one)
		total += one.Us / 1000
	}
	slices.SortFunc(all, func(a, b initial) int {
		if a.Us != b.Us {
			return int(1000 * (b.Us - a.Us))
		}
		return bytes.Compare([]byte(a.Package), []byte(b.Package))
	})
	return all, total, nil
}

// readTrace reads lines as the runtime package documents them:
//
//	init internal/bytealg @0.008 ms, 0 ms clock, 0 bytes, 0 allocs
func readTrace(trace []byte) []initial {
	var out []initial
	lines := bufio.NewScanner(bytes.NewReader(trace))
	for lines.Scan() {
		var one initial
		var at, clock float64
		if _, err := fmt.Sscanf(lines.Text(), "init %s @%f ms, %f ms clock, %d bytes", &one.Package, &at, &clock, &one.Bytes); err == nil {
			one.Us = clock * 1000
			out = append(out, one)
		}
	}
	return out
}

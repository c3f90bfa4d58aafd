// Command containers holds the containers of a pack to what they promise: its
// Compose file is loaded as Docker Compose loads it, and its Dockerfiles are
// read as Docker reads them. It is a module of its own, so that idem stands on
// neither.
//
//	containers PACK...      the folders of packs
//	containers -f FILE      a Dockerfile beside its context
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: containers PACK..., or containers -f DOCKERFILE")
		os.Exit(2)
	}
	var wrong []string
	if os.Args[1] == "-f" {
		for _, file := range os.Args[2:] {
			wrong = append(wrong, dockerfile(file)...)
		}
	} else {
		for _, pack := range os.Args[1:] {
			wrong = append(wrong, composition(filepath.Join(pack, "compose.yaml"))...)
			wrong = append(wrong, dockerfile(filepath.Join(pack, "compose", "Dockerfile"))...)
		}
	}
	for _, what := range wrong {
		fmt.Fprintln(os.Stderr, what)
	}
	if len(wrong) > 0 {
		os.Exit(1)
	}
}

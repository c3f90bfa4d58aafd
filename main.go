// Command idem gives operations one stable identity and proves that retries are safe.
package main

import (
	"os"

	"github.com/idem-toolkit/idem/cmd"
)

func main() {
	os.Exit(cmd.Main(cmd.System(), os.Args[1:]))
}

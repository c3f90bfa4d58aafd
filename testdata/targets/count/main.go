// Command count prints how often an order was charged: how many lines of the
// effects file are that order's id. It stands outside the servers that write
// the file, so that it tells the same while they run, hang or are dead.
//
//	count FILE ORDER_ID
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: count FILE ORDER_ID")
		os.Exit(2)
	}
	n, err := count(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
	fmt.Println(n)
}

// count fails where there is no file: a server makes it before it listens, and
// a 0 from the wrong place would look like a charge that never happened.
func count(file, order string) (n int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if lines.Text() == order {
			n++
		}
	}
	return n, lines.Err()
}

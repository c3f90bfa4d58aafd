// Command bare ends at once: what every Go program takes to start.
package main

func main() {}

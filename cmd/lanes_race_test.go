//go:build race

package cmd

// lanes is fewer under the race detector, where a check keeps a processor for
// many times as long: services that cannot run in time show nothing.
const lanes = 4

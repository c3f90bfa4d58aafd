//go:build race

package probe_test

// raceDetector makes a simulated run take ten times as long.
const raceDetector = true

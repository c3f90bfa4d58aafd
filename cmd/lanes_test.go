//go:build !race

package cmd

// lanes is how many tests run at once where nobody says it (-parallel): a live
// check mostly waits, for a retention, a lease or a late effect, and hardly keeps
// a processor.
const lanes = 6

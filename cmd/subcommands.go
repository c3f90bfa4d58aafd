package cmd

import (
	"io"

	"github.com/spf13/cobra"
)

// subcommand is one way to begin a command line. Making them all takes longer
// than deriving an ID, so a line that begins with one's name gets that alone.
type subcommand struct {
	name string
	add  func(*App) *cobra.Command
	ends ending
}

// ending is what a signal finds to tidy up.
type ending int

const (
	tidily  ending = iota // files half written, processes, a target: signals are heeded from the start
	bluntly               // nothing: signals may end the program as they do while it is still being loaded
)

// subcommands gives all of them, in any order: help sorts them.
func subcommands() []subcommand {
	return []subcommand{
		{"canon", newCanonCmd, bluntly},
		{"derive", newDeriveCmd, bluntly},
		{"fingerprint", newFingerprintCmd, bluntly},
		{"changed", newChangedCmd, bluntly},
		{"key", newKeyCmd, tidily},
		{"recipe", newRecipeCmd, tidily},
		{"serve", newServeCmd, tidily},
		{"verify", newVerifyCmd, tidily},
		{"report", newReportCmd, tidily},
		{"explain", newExplainCmd, bluntly},
		{"profile", newProfileCmd, bluntly},
		{"pack", newPackCmd, tidily},
		{"config", newConfigCmd, bluntly},
	}
}

// firstOf gives the subcommand that a command line begins with, and none where
// it begins with anything else.
func firstOf(args []string) (none subcommand) {
	if len(args) == 0 {
		return none
	}
	for _, s := range subcommands() {
		if s.name == args[0] {
			return s
		}
	}
	return none
}

// Tree gives all commands, for what is said of them without running one: of
// others than the one that runs, and in the manual.
func Tree() *cobra.Command {
	return newRootCmd(&App{Out: io.Discard, Err: io.Discard}, subcommand{})
}

package cmd

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A command that is made alone says of itself what it says among all others.
func TestOneSubcommandIsAsAmongAll(t *testing.T) {
	help := func(only subcommand, path []string) string {
		var out bytes.Buffer
		root := newRootCmd(&App{Out: &out, Err: io.Discard}, only)
		root.SetArgs(append(path, "--help"))
		if err := root.Execute(); err != nil {
			t.Error(path, err)
		}
		return out.String()
	}
	for _, s := range subcommands() {
		if got := firstOf([]string{s.name, "x"}); got.name != s.name {
			t.Errorf("%s is taken for %q", s.name, got.name)
		}
		root := newRootCmd(&App{Out: io.Discard, Err: io.Discard}, s)
		if c, _, err := root.Find([]string{s.name}); err != nil || c.Name() != s.name {
			t.Errorf("%s makes %s: %v", s.name, c.Name(), err)
		}
		everyCommand(root, func(c *cobra.Command) {
			path := strings.Fields(c.CommandPath())[1:]
			if len(path) == 0 || path[0] == "help" {
				return
			}
			if alone, among := help(s, path), help(subcommand{}, path); alone != among || alone == "" {
				t.Errorf("%v: alone\n%s\namong all\n%s", path, alone, among)
			}
		})
	}
	if n := len(Tree().Commands()); n < len(subcommands())+2 { // and help and completion
		t.Errorf("the whole tree has %d commands", n)
	}
}

func TestOtherLinesGetEverySubcommand(t *testing.T) {
	for _, args := range [][]string{nil, {""}, {"--version"}, {"-q", "derive"}, {"help"}, {"completion"}, {"deriv"}, {"Derive"}, {cobra.ShellCompRequestCmd, "der"}} {
		if got := firstOf(args); got.add != nil {
			t.Errorf("%q: only %s", args, got.name)
		}
	}
}

package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/idem-toolkit/idem/cmd"
)

// manual gives a page for each command, by its file's name.
func manual(root *cobra.Command, version string, day time.Time) map[string][]byte {
	pages := map[string][]byte{}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "help" {
			return
		}
		pages[pageName(c)+".1"] = page(root, c, version, day)
		for _, inner := range c.Commands() {
			visit(inner)
		}
	}
	visit(root)
	return pages
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func page(root, c *cobra.Command, version string, day time.Time) []byte {
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	r := &roff{}
	r.request("TH", strings.ToUpper(pageName(c)), "1", day.Format(time.DateOnly), root.Name()+" "+version, root.Name()+" manual")
	r.section("NAME")
	r.line(pageName(c) + " - " + c.Short)
	r.section("SYNOPSIS")
	r.request("B", synopsis(c))
	if c.Long != "" {
		r.section("DESCRIPTION")
		r.prose(c.Long)
	}
	commands(r, c)
	flags(r, "OPTIONS", c.LocalFlags())
	flags(r, "OPTIONS OF EVERY COMMAND", c.InheritedFlags())
	if c.Example != "" {
		r.section("EXAMPLES")
		r.verbatim(c.Example)
	}
	if c == root {
		environment(r)
	}
	if c.Runnable() || c == root {
		exitStatus(r)
	}
	seeAlso(r, c)
	return r.Bytes()
}

func synopsis(c *cobra.Command) string {
	if c.HasAvailableSubCommands() {
		return c.CommandPath() + " COMMAND"
	}
	return c.UseLine()
}

func commands(r *roff, c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	r.section("COMMANDS")
	for _, inner := range c.Commands() {
		if inner.IsAvailableCommand() {
			r.tagged(inner.CommandPath(), inner.Short)
		}
	}
}

func flags(r *roff, title string, set *pflag.FlagSet) {
	if !set.HasAvailableFlags() {
		return
	}
	r.section(title)
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		switch value {
		case "string", "strings", "stringArray":
			value = "value"
		case "int", "uint", "float":
			value = "number"
		}
		term := "--" + f.Name
		if f.Shorthand != "" {
			term = "-" + f.Shorthand + ", " + term
		}
		switch {
		case value != "" && f.NoOptDefVal != "":
			term += "[=" + value + "]"
		case value != "":
			term += " " + value
		}
		switch f.DefValue {
		case "", "false", "0", "0s", "[]":
		default:
			usage += " (default " + f.DefValue + ")"
		}
		r.tagged(term, usage)
	})
}

func environment(r *roff) {
	r.section("ENVIRONMENT")
	r.tagged("IDEM_FORMAT, IDEM_COLOR, IDEM_SEED, ...", "a general setting, each with the name of its flag; a flag beats it. idem config show lists them")
	r.tagged("IDEM_CONFIG", "the config file")
	r.tagged("NO_COLOR, CLICOLOR_FORCE", "no colours, or colours where standard output is no terminal")
	r.section("FILES")
	r.tagged("idem.yaml", "general settings, in the working directory")
	r.tagged("$XDG_CONFIG_HOME/idem/config.yaml", "general settings, where there is no idem.yaml and none is named")
}

func exitStatus(r *roff) {
	r.section("EXIT STATUS")
	for _, e := range []struct {
		code  int
		means string
	}{
		{cmd.ExitDone, "done, or all promises hold"},
		{cmd.ExitBroken, "a promise is broken, or a check said no"},
		{cmd.ExitUsage, "usage, contract or input error"},
		{cmd.ExitInconclusive, "inconclusive, or nothing ran"},
		{cmd.ExitUnsent, "nothing could be sent"},
		{cmd.ExitInterrupted, "interrupted or terminated"},
	} {
		r.tagged(strconv.Itoa(e.code), e.means)
	}
}

// seeAlso names the command above, and those below or, where there are none,
// those beside.
func seeAlso(r *roff, c *cobra.Command) {
	var names []string
	if c.HasParent() {
		names = append(names, pageName(c.Parent()))
	}
	near := c.Commands()
	if len(near) == 0 && c.HasParent() {
		near = c.Parent().Commands()
	}
	for _, other := range near {
		if other != c && other.IsAvailableCommand() {
			names = append(names, pageName(other))
		}
	}
	r.section("SEE ALSO")
	for i, name := range names {
		comma := ","
		if i == len(names)-1 {
			comma = ""
		}
		fmt.Fprintf(r, ".BR %s (1)%s\n", escaped(name), comma)
	}
}

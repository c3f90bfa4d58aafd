package cmd

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
)

// Words that other tools have, and orders in which they take things: what is
// told where somebody who does not know this tool types them.

// otherCommand says by which command a word of other tools is done here. It is
// no map, which would be filled at every start.
func otherCommand(word string) string {
	switch word {
	case "version":
		return "idem --version"
	case "diff", "compare":
		return "idem fingerprint --diff ONE ANOTHER"
	case "hash", "digest":
		return "idem fingerprint FILE..."
	case "canonicalize":
		return "idem canon [FILE|-]"
	case "id", "generate":
		return "idem derive -r RECIPE [FILE|-]"
	case "test", "run", "check":
		return "idem verify CONTRACT"
	case "demo", "self-test":
		return "idem verify --" + word
	case "validate", "recipe check", "recipe validate":
		return "idem recipe lint RECIPE..."
	case "init":
		return "idem pack DIR"
	case "server", "mock":
		return "idem serve"
	case "keygen":
		return "idem key new [--kid KID] [--out FILE]"
	}
	return ""
}

// otherWord gives the command line that a word in the place of a command most
// likely meant: what other tools call it, a file, or what a command shows.
func otherWord(c *cobra.Command, word string) string {
	path := strings.TrimPrefix(c.CommandPath()+" ", "idem ")
	if line := otherCommand(path + strings.ToLower(word)); line != "" {
		return line
	}
	if profile := problem.Nearest(word, contract.ProfileNames()); profile != "" && c.Name() == "profile" {
		return c.CommandPath() + " show " + profile
	}
	if c.HasParent() || !showable(word) || secretFile(word) {
		return ""
	}
	switch filepath.Ext(word) {
	case ".yaml", ".yml":
		return "idem verify " + word
	case ".json":
		return "idem derive -r RECIPE " + word
	case ".ndjson", ".jsonl":
		return "idem derive -r RECIPE --ndjson " + word
	}
	return ""
}

// flagHere gives what a flag of other tools is called here; "" for any other.
func flagHere(name string) string {
	switch name {
	case "step", "steps":
		return "only"
	case "url", "base-url", "endpoint":
		return "target"
	case "port", "addr", "address":
		return "listen"
	case "output":
		return "out"
	case "jsonl", "lines":
		return "ndjson"
	case "threads", "parallel":
		return "workers"
	case "key":
		return "key-file"
	case "params":
		return "input"
	case "keep-going":
		return "on-error"
	}
	return ""
}

// otherFlag says how that which another tool's flag asks for is asked for here;
// "" where it is not known.
func otherFlag(c *cobra.Command, name string) string {
	if f := c.Flag(flagHere(name)); f != nil && c.Flag(name) == nil {
		return withFlag(c, f, sampleValue(f))
	}
	switch {
	case name == "dry-run" && c.Flag("live") != nil:
		return useLine(c, nil) + ": nothing is sent without --live"
	case slices.Contains([]string{"file", "input-file", "payload", "contract"}, name) && strings.Contains(c.Use, "FILE") || name == "contract" && strings.Contains(c.Use, "CONTRACT"):
		return useLine(c, nil)
	}
	return ""
}

// recipeLine gives a command with the first arguments that it takes, and with
// the recipe where that was named by no flag.
func recipeLine(c *cobra.Command, args []string, most int) string {
	at := slices.IndexFunc(args, func(arg string) bool {
		return slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(arg)) && showable(arg) && !strings.HasPrefix(arg, "-")
	})
	f := c.Flag("recipe")
	if at < 0 || f == nil || f.Changed || !strings.Contains(c.Use, "-r RECIPE") {
		return useLine(c, args[:min(len(args), most)])
	}
	rest := slices.Delete(slices.Clone(args), at, at+1)
	return strings.Replace(useLine(c, rest[:min(len(rest), most)]), "-r RECIPE", "-r "+args[at], 1)
}

// listParted gives a list of words as it was meant, where a space behind a
// comma has parted it; "" where none is.
func listParted(c *cobra.Command, args []string) string {
	rest := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.ContainsAny(arg, "./") }) // no files
	list := ""
	c.Flags().Visit(func(f *pflag.Flag) {
		words, ok := f.Value.(pflag.SliceValue)
		if !ok || f.Value.Type() != "stringSlice" || len(rest) == 0 {
			return
		}
		named := words.GetSlice()
		if last := len(named) - 1; last > 0 && named[last] == "" {
			all := strings.Join(slices.Concat(named[:last], rest), ",")
			if showable(all) {
				list = "--" + f.Name + " " + all
			}
		}
	})
	return list
}

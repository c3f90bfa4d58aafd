package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/explain"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/report"
	"github.com/idem-toolkit/idem/internal/zoo"
)

// What a shell offers behind a flag or as an argument. It is put into the tree
// only when a shell asks, so that nobody else pays for it.

// completing says whether a shell asks for completions.
func completing(args []string) bool {
	return len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
}

// values gives what a shell may offer.
type values func() []string

// offer is a flag of one command, or of every command that has it, and its
// values. A list takes several, with commas between.
type offer struct {
	command string // its path without "idem"; "" any
	flag    string
	values  values
	list    bool
}

// offers gives all of them, a command's own before those of any.
func offers() []offer {
	short, full := these("text", "json"), these(report.Formats()...)
	return []offer{
		{"verify", "format", full, false},
		{"verify", "report", reportPrefixes, false},
		{"verify", "only", stepNames, true},
		{"verify", "skip", stepNames, true},
		{"verify", "fault", variants(zoo.Faults, "all", "none"), true},
		{"verify", "style", variants(zoo.Styles, "all", "none"), true},
		{"verify", "store", these("memory", "file", "postgres"), true},
		{"verify", "http", these("auto", "1.1", "2"), false},
		{"report", "format", full, false},
		{"report", "report", reportPrefixes, false},
		{"report", "script", slugs, false},
		{"config show", "format", full, false},
		{"profile show", "format", these("text", "json", "contract"), false},
		{"serve", "format", these("human", "json"), false},
		{"serve", "contract", these("memory", "file", "postgres"), false},
		{"serve", "fault", variants(zoo.Faults, "list"), false},
		{"serve", "style", variants(zoo.Styles, "list"), false},
		{"serve", "balance", these("turns", "connections", "callers"), false},
		{"serve", "in-flight", these("wait", "reject"), false},
		{"serve", "keyless", these("reject", "execute"), false},
		{"serve", "conflict", these("400", "409", "422"), false},
		{"serve", "store", these("sqlite:memory"), false},
		{"fingerprint", "reorder", these("semantic", "bytes"), false},
		{"fingerprint", "method", these("POST", "PUT", "PATCH", "DELETE"), false},
		{"recipe lint", "allow", lintSlugs, false},
		{"recipe lint", "format", these("text", "json", "github"), false},
		{"changed", "format", these("text", "json", "markdown", "github"), false},
		{"", "format", short, false},
		{"", "color", these("auto", "always", "never"), false},
		{"", "engine", these("own", "reference"), false},
		{"", "numbers", these("strict", "ieee754"), false},
		{"", "on-error", these("stop", "emit"), false},
		{"", "key-format", these("idemkey", "hex", "base64", "raw"), false},
	}
}

// offerValues teaches a whole tree what to offer.
func offerValues(root *cobra.Command) {
	all := offers()
	everyCommand(root, func(c *cobra.Command) {
		path := strings.Join(strings.Fields(c.CommandPath())[1:], " ")
		visit := func(f *pflag.Flag) {
			i := slices.IndexFunc(all, func(o offer) bool { return o.flag == f.Name && (o.command == path || o.command == "") })
			if i >= 0 {
				_ = c.RegisterFlagCompletionFunc(f.Name, all[i].complete) // fails only where it is there already
			} else if fileless(f) {
				_ = c.RegisterFlagCompletionFunc(f.Name, cobra.NoFileCompletions)
			}
		}
		if c == root {
			c.PersistentFlags().VisitAll(visit)
		}
		c.LocalNonPersistentFlags().VisitAll(visit)
		switch {
		case c.HasSubCommands() || c.ValidArgsFunction != nil || len(c.ValidArgs) > 0:
		case path == "explain":
			c.ValidArgsFunction = upTo(c, func() []string { return append(topicNames(), slugs()...) })
		case path == "profile show":
			c.ValidArgsFunction = upTo(c, contract.ProfileNames)
		default:
			c.ValidArgsFunction = upTo(c, nil)
		}
	})
}

// fileless says whether a flag's value can be no file: it is counted or timed,
// or named by its help as something else.
func fileless(f *pflag.Flag) bool {
	switch f.Value.Type() {
	case "int", "uint", "uint64", "float64", "duration":
		return true
	}
	switch name, _ := pflag.UnquoteUsage(f); name {
	case "variable", "descriptor", "name", "member", "ID", "NAME=VALUE", "NAME=JSON", "url":
		return true
	}
	switch f.Name {
	case "run-id", "operation", "allow-production", "instance", "listen", "replica", "effect-url", "store-env", "namespace":
		return true
	}
	return false
}

// complete offers what begins as the word does: the whole of a flag's value,
// or of a list its last word behind those that stand there.
func (o offer) complete(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	before, directive := "", cobra.ShellCompDirectiveNoFileComp
	if o.list {
		before = word[:strings.LastIndex(word, ",")+1]
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	taken := strings.Split(before, ",")
	var out []string
	for _, w := range o.values() {
		if o.list && slices.Contains(taken, w) {
			continue
		}
		if strings.HasSuffix(w, "=") {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		if strings.HasPrefix(before+w, word) {
			out = append(out, before+w)
		}
	}
	return out, directive
}

// upTo offers words, or files where there are none, for as long as the command
// takes a further argument.
func upTo(c *cobra.Command, offered values) cobra.CompletionFunc {
	takes := c.Args
	return func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if takes != nil && takes(c, append(slices.Clone(args), word)) != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if offered == nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return offer{values: offered}.complete(c, args, word)
	}
}

func these(list ...string) values { return func() []string { return list } }

func variants(list func() []zoo.Variant, more ...string) values {
	return func() []string {
		out := slices.Clone(more)
		for _, v := range list() {
			out = append(out, v.Name)
		}
		return out
	}
}

func reportPrefixes() []string {
	var out []string
	for _, format := range report.Formats() {
		out = append(out, format+"=")
	}
	return out
}

func stepNames() []string {
	var out []string
	for _, s := range probe.Steps() {
		out = append(out, s.Name)
	}
	return out
}

func topicNames() []string {
	var out []string
	for _, s := range explain.Topics() {
		out = append(out, s.Name)
	}
	return out
}

func slugs() []string {
	var out []string
	for _, s := range explain.Topics() {
		for _, e := range s.Entries {
			out = append(out, e.Slug)
		}
	}
	return out
}

func lintSlugs() []string {
	var out []string
	for _, e := range explain.FindStep("recipe").Entries {
		_, slug, _ := strings.Cut(e.Slug, "/")
		out = append(out, slug)
	}
	return out
}

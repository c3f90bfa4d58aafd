package cmd

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// What is wrong with a command line: commands and numbers of arguments here,
// flags in usage_flags.go. Every word that the library would say is said in
// the tool's own, with the command as it should have been.

// inOwnWords makes a whole tree of commands refuse in the tool's words.
func inOwnWords(app *App, root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return flagProblem(typed{c, app.typed.args}, err) })
	everyCommand(root, func(c *cobra.Command) {
		decimalFlags(c.Flags())
		decimalFlags(c.PersistentFlags())
		if inner := c.Args; inner != nil && !c.HasSubCommands() {
			c.Args = func(c *cobra.Command, args []string) error {
				if inner(c, args) == nil {
					return nil
				}
				return wrongCount(c, args, inner)
			}
		}
		if c.Name() == "help" && c.Parent() == root {
			c.Run = nil
			c.RunE = func(_ *cobra.Command, args []string) error { return helpOn(root, args) }
		}
	})
}

func everyCommand(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, inner := range c.Commands() {
		everyCommand(inner, visit)
	}
}

// helpOn is idem help COMMAND.
func helpOn(root *cobra.Command, args []string) error {
	if err := unknownCommand(root, args); err != nil {
		return err
	}
	c, _, err := root.Find(args)
	if err != nil {
		return problem.New("", "%s", err)
	}
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	return c.Help()
}

// unknownCommand refuses a command line whose command is not there, before
// anything is said of its flags.
func unknownCommand(root *cobra.Command, args []string) error {
	if completing(args) {
		return nil // a shell asks for completions; its command comes to be later
	}
	c, rest, _ := root.Find(args)
	if c == nil || !c.HasSubCommands() {
		return nil
	}
	word := firstWord(c, rest)
	if word == "" {
		return nil
	}
	err := problem.New("", "%s has no command %s", c.CommandPath(), document.Show(word))
	if line := otherWord(c, word); line != "" {
		return err.WithHint("%s", line)
	}
	if near := nearestCommand(c, word); near != nil {
		return err.WithHint("%s", useLine(near, nil))
	}
	return err.WithHint("%s --help", c.CommandPath())
}

// firstWord gives the first argument that is neither a flag nor a flag's
// value, "" where there is none or a flag before it is not known.
func firstWord(c *cobra.Command, args []string) string {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return strings.Join(args[i+1:min(i+2, len(args))], "")
		}
		if len(arg) < 2 || arg[0] != '-' {
			return arg
		}
		name, _, valued := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		f := c.Flag(name)
		if !strings.HasPrefix(arg, "--") {
			f = c.Flags().ShorthandLookup(name[len(name)-1:])
		}
		switch {
		case name == "help" || name == "h" || name == "version":
		case f == nil:
			return ""
		case f.NoOptDefVal == "" && !valued:
			i++
		}
	}
	return ""
}

// nearestCommand gives the command that a word most likely meant: one of that
// name elsewhere, one that begins so, or one that is spelled much like it, of
// c's own before others.
func nearestCommand(c *cobra.Command, word string) *cobra.Command {
	word = strings.ToLower(word)
	for _, tree := range []*cobra.Command{c, Tree()} {
		var names []string
		byName := map[string]*cobra.Command{}
		everyCommand(tree, func(inner *cobra.Command) {
			name := inner.Name()
			if inner != tree && byName[name] == nil && !inner.Hidden && inner.Parent().Name() != "completion" {
				byName[name] = inner
				names = append(names, name)
			}
		})
		if exact := byName[word]; exact != nil {
			return exact
		}
		for _, name := range names {
			if len(word) > 1 && strings.HasPrefix(name, word) {
				return byName[name]
			}
		}
		if near := problem.Nearest(word, names); near != "" {
			return byName[near]
		}
	}
	return nil
}

// wrongCount says how many arguments a command takes, and how many are given.
// What too many of them say is not repeated: it may be a value that was to
// stand behind a flag, and a secret.
func wrongCount(c *cobra.Command, args []string, takes cobra.PositionalArgs) error {
	least, most := -1, -1
	for n := range 10 {
		if takes(c, make([]string, n)) == nil {
			if most = n; least < 0 {
				least = n
			}
		}
	}
	bound := number(most) + " at most"
	switch {
	case most < 1:
		bound = "no argument"
	case least == most && most == 1:
		bound = "one argument"
	case least == most:
		bound = number(most) + " arguments"
	case most == 1:
		bound = "one argument at most"
	}
	wrong := problem.New("", "%s takes %s, and %s", c.CommandPath(), bound, given(len(args)))
	if list := listParted(c, args); list != "" {
		return wrong.WithHint("%s, with no space behind a comma", list)
	}
	return wrong.WithHint("%s%s", recipeLine(c, args, max(most, 0)), switches(c))
}

// switches gives the flags without values that were given.
func switches(c *cobra.Command) string {
	given := ""
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.String() == f.NoOptDefVal {
			given += " --" + f.Name
		}
	})
	return given
}

func given(n int) string {
	if n < 2 {
		return number(n) + " is given"
	}
	return number(n) + " are given"
}

func number(n int) string {
	if words := [...]string{"none", "one", "two", "three"}; n < len(words) {
		return words[n]
	}
	return count(n, "argument")
}

// withFlag gives the shortest command with one flag.
func withFlag(c *cobra.Command, f *pflag.Flag, value string) string {
	line := useLine(c, nil)
	if f.Name == "demo" || f.Name == "self-test" {
		return c.CommandPath() + " --" + f.Name // they bring all that is needed
	}
	if c.HasSubCommands() {
		line = c.CommandPath() + " COMMAND"
	}
	for open := strings.IndexByte(line, '['); open >= 0; open = strings.IndexByte(line, '[') {
		_, rest, _ := strings.Cut(line[open:], "]") // what may be left out
		line = strings.TrimSpace(line[:open] + strings.TrimSpace(rest))
	}
	if f.Shorthand != "" && strings.Contains(line, " -"+f.Shorthand+" ") {
		return line
	}
	return strings.TrimSpace(line + " --" + f.Name + " " + value)
}

// useLine gives a command as it is to be typed: its use line, with recipe and
// arguments filled in where they are known and may be shown.
func useLine(c *cobra.Command, args []string) string {
	words := []string{c.CommandPath()}
	if c.HasSubCommands() {
		return c.CommandPath() + " --help"
	}
	behind := "" // the flag before
	for _, word := range strings.Fields(c.Use)[1:] {
		name := strings.Trim(word, "[]")
		switch {
		case strings.HasPrefix(name, "-"):
			behind = strings.TrimLeft(name, "-")
		case behind != "":
			if f := c.Flags().ShorthandLookup(behind[:1]); f != nil && len(behind) == 1 && f.Changed && showable(f.Value.String()) {
				word = f.Value.String()
			}
			behind = ""
		case len(args) > 0 && showable(args[0]):
			word, args = args[0], args[1:]
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// shellWord gives a word as a shell takes it.
func shellWord(s string) string {
	if showable(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// showable says whether a word may stand in a hint as it is: a shell takes it
// for itself, and it is no key.
func showable(s string) bool {
	return problem.Plain(s) && len(s) <= 80 && document.Show(s)[0] == '"'
}

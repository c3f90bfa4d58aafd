package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// typed is the command line as it was typed, for hints that say how it should
// have been. The zero one is that of a command that no line began.
type typed struct {
	command *cobra.Command
	args    []string
}

// shownFlags are the flags whose values a hint repeats. What others hold may be
// a secret, or be of a payload.
var shownFlags = [...]string{
	"recipe", "format", "numbers", "engine", "reorder", "annotate", "workers", "on-error", "base", "kid", "key-format",
	"only", "skip", "operation", "seed", "http", "fault", "style", "repeat", "jobs", "trace", "plant", "harvest", "report", "color",
}

// with gives the line with flags added before its first file, and others left
// out. files take the place of those that were typed, unless they are nil.
func (t typed) with(added, files []string, without ...string) string {
	flags, own := t.parts(without...)
	if files == nil {
		files = own
	}
	line := append(strings.Fields(t.command.CommandPath()), flags...)
	line = append(line, added...)
	for _, file := range files {
		line = append(line, fileWord(file, "FILE"))
	}
	return strings.Join(line, " ")
}

// meaning gives the line with a flag's name in the place of one that is not
// there; "" where it names no file, or is another line.
func (t typed) meaning(wrong string, f *pflag.Flag) string {
	t.args = slices.Clone(t.args)
	for i, arg := range t.args {
		name, value, valued := strings.Cut(arg, "=")
		if name != wrong {
			continue
		}
		if t.args[i] = "--" + f.Name; valued {
			t.args[i] += "=" + value
		} else if f.NoOptDefVal == "" && i+1 == len(t.args) {
			return ""
		}
		if _, files := t.parts(); len(files) == 0 {
			return ""
		}
		return t.with(nil, nil)
	}
	return ""
}

// parts gives the flags of the line as a hint shows them, less those that are
// not wanted, and its arguments.
func (t typed) parts(without ...string) (flags, files []string) {
	words := len(strings.Fields(t.command.CommandPath())) - 1 // the command's own
	args := t.args
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			files = append(files, args...)
			args = nil
		case len(arg) < 2 || arg[0] != '-':
			if words--; words < 0 {
				files = append(files, arg)
			}
		default:
			flag, used := t.flag(arg, args)
			if len(flag) > 0 && !slices.Contains(without, strings.TrimLeft(flag[0], "-")) {
				flags = append(flags, flag...)
			}
			args = args[used:]
		}
	}
	return flags, files
}

// flag gives one flag as a hint shows it, and how many words behind it are its
// own.
func (t typed) flag(arg string, behind []string) (shown []string, used int) {
	name, value, valued := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	f := t.command.Flag(name)
	if !strings.HasPrefix(arg, "--") {
		if f = t.command.Flags().ShorthandLookup(arg[1:2]); f != nil && f.NoOptDefVal == "" && len(arg) > 2 {
			value, valued = strings.TrimPrefix(arg[2:], "="), true
		}
		name = arg[:2]
	} else {
		name = "--" + name
	}
	switch {
	case f == nil || f.NoOptDefVal != "" && !valued:
		if f == nil || !showable(arg) {
			return nil, 0
		}
		return []string{arg}, 0
	case f.NoOptDefVal != "":
		return []string{name + "=" + shownValue(f, value)}, 0
	case !valued && len(behind) > 0:
		return []string{name, shownValue(f, behind[0])}, 1
	}
	return []string{name, shownValue(f, value)}, 0
}

func shownValue(f *pflag.Flag, value string) string {
	switch {
	case slices.Contains(shownFlags[:], f.Name) && showable(value) && urlIn(value) == "" && !isSecretValue(value):
		return value
	case strings.HasPrefix(f.Name, "input"):
		if name, _, _ := strings.Cut(value, "="); showable(name) {
			return name + "=..."
		}
	case f.Value.Type() == "bool":
		return value
	}
	return "..."
}

package cmd

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// flagProblem says in the tool's words what pflag found wrong with a flag.
func flagProblem(line typed, err error) error {
	c := line.command
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var bad *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(line, unknown)
	case errors.As(err, &bare):
		f := bare.GetFlag()
		return problem.New("--"+f.Name, "the value is missing").WithHint("%s", withFlag(c, f, sampleValue(f)))
	case errors.As(err, &bad):
		return badValue(c, bad.GetFlag(), bad.GetValue())
	}
	var syntax *pflag.InvalidSyntaxError
	if errors.As(err, &syntax) {
		return problem.New("", "%s is no flag", document.Show(syntax.GetSpecifiedFlag())).WithHint("%s --help", c.CommandPath())
	}
	return problem.New("", "%s", err).WithHint("%s --help", c.CommandPath())
}

// unknownFlag names what was most likely meant: the flag of that name written
// with one dash, one spelled much like it, or another command's.
func unknownFlag(line typed, e *pflag.NotExistError) error {
	c := line.command
	name, _, _ := strings.Cut(e.GetSpecifiedName(), "=")
	shown := "--" + name
	if group, _, _ := strings.Cut(e.GetSpecifiedShortnames(), "="); group != "" {
		shown = "-" + name
		if len(group) > 1 && (c.Flag(group) != nil || nearestFlag(c, group) != nil) {
			name, shown = group, "-"+group // a long flag with one dash
		}
	}
	if !showable(shown) {
		shown = document.Show(shown)
	}
	err := problem.New("", "%s has no flag %s", c.CommandPath(), shown)
	if hint := otherFlag(c, name); hint != "" {
		return err.WithHint("%s", hint)
	}
	if f := nearestFlag(c, name); f != nil {
		if meant := line.meaning(shown, f); meant != "" {
			return err.WithHint("%s", meant)
		}
		return err.WithHint("%s", withFlag(c, f, sampleValue(f)))
	}
	if f := c.Flag("format"); f != nil && (name == "json" || name == "junit" || name == "markdown") {
		return err.WithHint("%s", withFlag(c, f, name))
	}
	var with []string
	everyCommand(Tree(), func(other *cobra.Command) {
		if other.Flags().Lookup(name) != nil && !other.Hidden && other.Name() != "help" && name != "help" {
			with = append(with, other.CommandPath())
		}
	})
	if len(with) > 0 && len(with) <= 3 {
		return err.WithHint("it is a flag of %s", strings.Join(with, ", "))
	}
	return err.WithHint("%s --help", c.CommandPath())
}

// nearestFlag gives c's flag of that name or one spelled much like it.
func nearestFlag(c *cobra.Command, name string) *pflag.Flag {
	if f := c.Flag(name); f != nil {
		return f
	}
	var names []string
	for _, flags := range []*pflag.FlagSet{c.LocalFlags(), c.InheritedFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
	}
	if near := problem.Nearest(strings.ReplaceAll(name, "_", "-"), names); near != "" {
		return c.Flag(near)
	}
	return nil
}

// badValue says what a flag takes. A value that may be a key or a passphrase,
// put behind the wrong flag, is not repeated.
func badValue(c *cobra.Command, f *pflag.Flag, value string) error {
	shown := document.Show(value)
	if strings.Contains(f.Name, "key") || strings.Contains(f.Name, "passphrase") {
		shown = "what stands there"
	}
	kind := "not what this flag takes"
	switch f.Value.Type() {
	case "bool":
		return problem.New("--"+f.Name, "%s is neither true nor false", shown).WithHint("%s", withFlag(c, f, ""))
	case "uint", "uint64", "uint32":
		kind = "not a whole number from 0 to 18446744073709551615"
	case "int", "int64", "int32":
		kind = "not a whole number"
	case "duration":
		kind = "not a duration with its unit"
	case "stringSlice":
		kind = "not a list of words with commas between"
	}
	return problem.New("--"+f.Name, "%s is %s", shown, kind).WithHint("%s", withFlag(c, f, sampleValue(f)))
}

// together refuses flags of which one alone may be given, before the library
// does it in its own words.
func together(c *cobra.Command) (err error) {
	const exclusive = "cobra_annotation_mutually_exclusive" // as MarkFlagsMutuallyExclusive writes it
	given := map[string]*pflag.Flag{}                       // by group
	c.Flags().Visit(func(f *pflag.Flag) {
		for _, group := range f.Annotations[exclusive] {
			first := given[group]
			if first == nil {
				given[group] = f
			} else if err == nil {
				err = problem.New("--"+f.Name, "it cannot stand beside --%s", first.Name).
					WithHint("%s", withFlag(c, first, sampleValue(first)))
			}
		}
	})
	return err
}

// sampleValue gives the default of a flag, or else what its help calls the
// value; nothing for a flag that stands alone.
func sampleValue(f *pflag.Flag) string {
	if f.NoOptDefVal != "" {
		return "" // a switch
	}
	unset := f.DefValue == "0" || f.DefValue == "0s" // nobody would write that
	if f.DefValue != "" && f.DefValue != "[]" && !unset && showable(f.DefValue) {
		if f.Value.Type() == "duration" {
			return shortDuration(f.DefValue)
		}
		return f.DefValue
	}
	switch name, _ := pflag.UnquoteUsage(f); name {
	case "", "string", "stringArray", "strings", "uint", "int":
		return "VALUE"
	default:
		return strings.ToUpper(name)
	}
}

func shortDuration(s string) string {
	for _, zero := range [...]string{"0s", "0m"} {
		if n := len(s) - len(zero); n > 0 && s[n:] == zero && (s[n-1] == 'm' || s[n-1] == 'h') {
			s = s[:n]
		}
	}
	return s
}

// orSample gives an error about a flag the flag's default as its hint, where it
// has none.
func orSample(c *cobra.Command, err error) error {
	var p *problem.Error
	if !errors.As(err, &p) || problem.Hint(err) != "" {
		return err
	}
	name, isFlag := strings.CutPrefix(p.Where, "--")
	f := c.Flag(name)
	if !isFlag || f == nil {
		return err
	}
	return p.WithHint("%s", withFlag(c, f, sampleValue(f)))
}

// decimalFlags makes whole numbers decimal, as they are everywhere else: the
// library takes 010 for 8 and 0x10 for 16.
func decimalFlags(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		switch f.Value.Type() {
		case "int", "int64", "uint", "uint64":
			if _, done := f.Value.(decimal); !done {
				f.Value = decimal{f.Value}
			}
		}
	})
}

type decimal struct{ pflag.Value }

// Set takes digits alone, with a minus before them where the type has one.
func (d decimal) Set(text string) error {
	digits, minus := strings.CutPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return errors.New("not decimal")
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		digits = "0"
	}
	if minus {
		digits = "-" + digits
	}
	return d.Value.Set(digits)
}

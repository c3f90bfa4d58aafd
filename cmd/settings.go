package cmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/report"
)

// Settings are the general settings of the tool. Each comes from a flag, else
// from an IDEM_ variable, else from the config file, else it is the default.
// Nothing that is case-sensitive belongs here: viper lower-cases names, so
// header names, JSON members and recipes never pass through it.
type Settings struct {
	Format         string // of reports: one of report.Formats
	Color          string // auto, always, never
	Quiet, Verbose bool
	Seed           uint64
	RequireLive    bool
	RequireEffects bool

	values []settingValue
	files  configFiles
}

// setting is one that can be given. Its flag has dashes for underscores, its
// variable is IDEM_ and the name in capitals.
type setting struct {
	name   string
	absent any           // the default; its type is the setting's
	kind   document.Kind // in the config file
	words  []string      // the values of a word; nil: any
	root   bool          // the flag is the root command's: every command has it
	what   string
}

// settingList gives all settings, in the order of config show.
func settingList() []setting {
	return []setting{
		{"format", "human", document.String, report.Formats(), false, "of reports on standard output"},
		{"color", "auto", document.String, []string{"auto", "always", "never"}, true, "of standard output"},
		{"quiet", false, document.Bool, nil, true, "say nothing but results and errors"},
		{"verbose", false, document.Bool, nil, true, "say more"},
		{"seed", uint64(1), document.Number, nil, false, "fixes order and fresh values of a run"},
		{"require_live", false, document.Bool, nil, false, "exit 3 where nothing was sent"},
		{"require_effects", false, document.Bool, nil, false, "a pass needs counted effects"},
	}
}

func (s setting) flag() string { return strings.ReplaceAll(s.name, "_", "-") }

func (s setting) variable() string { return "IDEM_" + strings.ToUpper(s.name) }

// parse reads a setting's text as its type. Where is the flag, variable or
// line that it stands at.
func (s setting) parse(where, text string) (any, error) {
	switch s.absent.(type) {
	case bool:
		switch text {
		case "true", "1":
			return true, nil
		case "false", "0":
			return false, nil
		}
		return nil, problem.New(where, "%s is neither true nor false", document.Show(text))
	case uint64:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil || strings.HasPrefix(text, "+") {
			return nil, problem.New(where, "%s is not a whole number from 0 to 18446744073709551615", document.Show(text))
		}
		return n, nil
	}
	for _, word := range s.words {
		if text == word {
			return text, nil
		}
	}
	return nil, problem.New(where, "%s is none of %s", document.Show(text), strings.Join(s.words, ", ")).MeaningOr(text, s.words, "")
}

// settingValue is a setting as it came out.
type settingValue struct {
	setting
	value any
	from  string // "flag --seed", "IDEM_SEED", "idem.yaml:3", "default"
	rank  origin
}

// origin ranks where a value can come from.
type origin int

const (
	fromDefault origin = iota
	fromFile
	fromVariable
	fromFlag
)

// settings finds out every general setting for a command, and puts quiet and
// verbose into force. Values are checked wherever they stand, also where a
// higher place overrides them, except for a flag, which is the command's own.
func settings(app *App, c *cobra.Command) (*Settings, error) {
	found := &Settings{}
	var err error
	if found.files, err = findConfig(app, c); err != nil {
		return nil, err
	}
	file, err := readConfig(found.files.read)
	if err != nil {
		return nil, err
	}
	// viper layers the values: default, file, then what is set outright.
	v := viper.New()
	for _, s := range settingList() {
		one := settingValue{setting: s, from: "default"}
		v.SetDefault(s.name, s.absent)
		if in, ok := file[s.name]; ok {
			if err := v.MergeConfigMap(map[string]any{s.name: in.value}); err != nil {
				return nil, problem.New(in.from, "%s", err)
			}
			one.from, one.rank = in.from, fromFile
		}
		if text, ok := app.LookupEnv(s.variable()); ok && text != "" {
			value, err := s.parse(s.variable(), text)
			if err != nil {
				return nil, err
			}
			v.Set(s.name, value)
			one.from, one.rank = s.variable(), fromVariable
		}
		if text, ok := flagValue(c, s); ok {
			value, err := s.parse("--"+s.flag(), text)
			if err != nil {
				return nil, err
			}
			v.Set(s.name, value)
			one.from, one.rank = "flag --"+s.flag(), fromFlag
		}
		one.value = v.Get(s.name)
		found.values = append(found.values, one)
	}
	found.fill(app, v)
	return found, nil
}

// before is what goes before every command: what its flags and the general
// settings say must be well said, also where the command would not look.
func before(app *App, c *cobra.Command) error {
	app.typed.command = c
	var err error
	c.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && f.Value.Type() == "string" && f.Value.String() == "" && f.Annotations[mayBeEmpty] == nil {
			err = problem.New("--"+f.Name, "it is given, and empty").WithHint("leave it out, or see %s --help", c.CommandPath())
		}
	})
	if err == nil {
		err = together(c)
	}
	if err == nil && anySaid(app, c) {
		_, err = settings(app, c)
	}
	return err
}

// anySaid says whether any setting may have been given anywhere. Mostly none
// was, and to layer nothing but defaults would take as long as a derivation.
func anySaid(app *App, c *cobra.Command) bool {
	if files, err := findConfig(app, c); err != nil || files.read != "" {
		return true
	}
	for _, s := range settingList() {
		if text, ok := app.LookupEnv(s.variable()); ok && text != "" {
			return true
		}
		if f := c.Flags().Lookup(s.flag()); f != nil && f.Changed {
			return true
		}
	}
	return false
}

// mayBeEmpty marks a flag whose value means something when it is empty. With
// every other one, a variable that is not set would undo what the flag asks for.
const mayBeEmpty = "idem/empty"

func allowEmpty(flags *pflag.FlagSet, name string) {
	f := flags.Lookup(name)
	f.Annotations = map[string][]string{mayBeEmpty: {}}
}

// ownFlag marks a flag that has a setting's name and default, and is a command's
// own: serve's --format is not that of reports.
const ownFlag = "idem/own"

// flagValue gives the text of a flag that was given on the command line. One
// of that name with another default is a command's own: derive's --format is
// not that of reports.
func flagValue(c *cobra.Command, s setting) (string, bool) {
	f := c.Flags().Lookup(s.flag())
	if f == nil || !f.Changed || f.DefValue != fmt.Sprint(s.absent) || f.Annotations[ownFlag] != nil {
		return "", false
	}
	return f.Value.String(), true
}

func (s *Settings) fill(app *App, v *viper.Viper) {
	s.Format, s.Color = v.GetString("format"), v.GetString("color")
	s.Quiet, s.Verbose = v.GetBool("quiet"), v.GetBool("verbose")
	s.Seed = v.GetUint64("seed")
	s.RequireLive, s.RequireEffects = v.GetBool("require_live"), v.GetBool("require_effects")
	app.Quiet, app.Verbose = s.Quiet, s.Verbose
}

// colour says whether standard output is to be coloured. NO_COLOR and
// CLICOLOR_FORCE are environment: they give way to --color and IDEM_COLOR, and
// beat the config file, which beats what the terminal is.
func (s *Settings) colour(app *App) bool {
	choice := s.get("color")
	decided := choice.value != "auto"
	if decided && choice.rank >= fromVariable {
		return choice.value == "always"
	}
	if text, _ := app.LookupEnv("NO_COLOR"); text != "" {
		return false
	}
	if text, _ := app.LookupEnv("CLICOLOR_FORCE"); text != "" && text != "0" {
		return true
	}
	if decided {
		return choice.value == "always"
	}
	return app.OutTTY
}

func (s *Settings) get(name string) settingValue {
	for _, v := range s.values {
		if v.name == name {
			return v
		}
	}
	return settingValue{}
}

// addSettingsFlags adds the flags that every command takes.
func addSettingsFlags(root *cobra.Command) {
	root.PersistentFlags().String("config", "", "config file instead of idem.yaml (or IDEM_CONFIG)")
	allowEmpty(root.PersistentFlags(), "config") // refused in its own words
	root.PersistentFlags().String("color", "auto", "colours on standard output: auto, always, never")
}

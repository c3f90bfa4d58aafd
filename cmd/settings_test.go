package cmd

import (
	"bytes"
	"os"
	"strconv"
	"testing"

	"github.com/spf13/cobra"
	"pgregory.net/rapid"
)

func putFile(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func uintText(n uint64) string { return strconv.FormatUint(n, 10) }

// settingsWorld is an App with an environment of its own.
func settingsWorld(env map[string]string, terminal bool) *App {
	return &App{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, OutTTY: terminal,
		LookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Environ:   func() []string { return nil }}
}

// settingsOf finds out the settings for a command line in an empty directory.
func settingsOf(t testing.TB, app *App, args ...string) *Settings {
	t.Helper()
	root := newRootCmd(app, subcommand{})
	var found *Settings
	probe := &cobra.Command{Use: "probe", RunE: func(c *cobra.Command, _ []string) (err error) {
		found, err = settings(app, c)
		return err
	}}
	root.AddCommand(probe)
	root.SetArgs(append([]string{"probe"}, args...))
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestColour: a flag or IDEM_COLOR beats NO_COLOR and CLICOLOR_FORCE, which
// beat the config file, which beats what the terminal is.
func TestColour(t *testing.T) {
	type vars = map[string]string
	for _, c := range []struct {
		name     string
		env      vars
		file     string
		flag     string
		terminal bool
		want     bool
	}{
		{"pipe", nil, "", "", false, false},
		{"terminal", nil, "", "", true, true},
		{"NO_COLOR", vars{"NO_COLOR": "1"}, "", "", true, false},
		{"NO_COLOR, empty", vars{"NO_COLOR": ""}, "", "", true, true},
		{"CLICOLOR_FORCE", vars{"CLICOLOR_FORCE": "1"}, "", "", false, true},
		{"CLICOLOR_FORCE=0", vars{"CLICOLOR_FORCE": "0"}, "", "", false, false},
		{"both", vars{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, "", "", true, false},
		{"variable beats NO_COLOR", vars{"NO_COLOR": "1", "IDEM_COLOR": "always"}, "", "", false, true},
		{"variable beats terminal", vars{"IDEM_COLOR": "never"}, "", "", true, false},
		{"variable auto", vars{"IDEM_COLOR": "auto", "NO_COLOR": "1"}, "", "", true, false},
		{"flag beats NO_COLOR", vars{"NO_COLOR": "1"}, "", "always", false, true},
		{"flag beats variable", vars{"IDEM_COLOR": "always"}, "", "never", true, false},
		{"file beats pipe", nil, "always", "", false, true},
		{"file beats terminal", nil, "never", "", true, false},
		{"NO_COLOR beats file", vars{"NO_COLOR": "1"}, "always", "", true, false},
		{"CLICOLOR_FORCE beats file", vars{"CLICOLOR_FORCE": "1"}, "never", "", false, true},
		{"variable beats file", vars{"IDEM_COLOR": "never"}, "always", "", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if c.file != "" {
				putFile(t, "idem.yaml", "color: "+c.file+"\n")
			}
			var args []string
			if c.flag != "" {
				args = []string{"--color", c.flag}
			}
			app := settingsWorld(c.env, c.terminal)
			if got := settingsOf(t, app, args...).colour(app); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// TestSettingsApply: quiet and verbose come into force wherever they are set.
func TestSettingsApply(t *testing.T) {
	t.Chdir(t.TempDir())
	putFile(t, "idem.yaml", "verbose: true\n")
	app := settingsWorld(map[string]string{"IDEM_QUIET": "true"}, false)
	if s := settingsOf(t, app); !s.Quiet || !s.Verbose || !app.Quiet || !app.Verbose {
		t.Errorf("%+v, app quiet %v, verbose %v", s, app.Quiet, app.Verbose)
	}
	if s := settingsOf(t, app, "--quiet=false"); s.Quiet || app.Quiet {
		t.Error("a flag that is false does not beat the variable")
	}
}

// TestSettingsKeepValues: what was written is what is read, over all layers.
func TestSettingsKeepValues(t *testing.T) {
	t.Chdir(t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		for _, s := range settingList() {
			if s.name != "seed" {
				continue
			}
			got, err := s.parse("x", uintText(seed))
			if err != nil || got != seed {
				t.Fatalf("%d became %v, %v", seed, got, err)
			}
		}
	})
	app := settingsWorld(map[string]string{"IDEM_SEED": uintText(1<<64 - 1)}, false)
	if s := settingsOf(t, app); s.Seed != 1<<64-1 {
		t.Errorf("seed %d", s.Seed)
	}
	putFile(t, "idem.yaml", "seed: 18446744073709551615\nformat: markdown\n")
	if s := settingsOf(t, settingsWorld(nil, false)); s.Seed != 1<<64-1 || s.Format != "markdown" {
		t.Errorf("%+v", s)
	}
}

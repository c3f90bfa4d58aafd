package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

func newConfigCmd(app *App) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "the general settings, and where each came from",
		Args:  cobra.NoArgs,
		RunE:  needsSubcommand,
	}
	c.AddCommand(newConfigShowCmd(app))
	return c
}

func newConfigShowCmd(app *App) *cobra.Command {
	c := &cobra.Command{
		Use:   "show",
		Short: "tell each setting's value and where it came from",
		Long: `Tell the value of each general setting and where it came from. A flag beats an IDEM_
variable, that beats the config file, and that the default. The config file is the one
that --config or IDEM_CONFIG names, else idem.yaml in the working directory, else
$XDG_CONFIG_HOME/idem/config.yaml. With format json the answer is JSON.`,
		Example: `  idem config show
  IDEM_SEED=7 idem config show --format json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runConfigShow(app, c) },
	}
	for _, s := range settingList() {
		if s.root {
			continue
		}
		switch absent := s.absent.(type) {
		case bool:
			c.Flags().Bool(s.flag(), absent, s.what)
		case uint64:
			c.Flags().Uint64(s.flag(), absent, s.what)
		case string:
			c.Flags().String(s.flag(), absent, s.what+": "+strings.Join(s.words, ", "))
		}
	}
	return c
}

func runConfigShow(app *App, c *cobra.Command) error {
	s, err := settings(app, c)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if s.Format == "json" {
		s.writeJSON(&b)
	} else {
		s.writeText(&b)
	}
	if _, err := app.Out.Write(b.Bytes()); err != nil {
		return problem.New("standard output", "%s", err)
	}
	return nil
}

func (s *Settings) writeText(b *bytes.Buffer) {
	fmt.Fprintf(b, "%-16s  %-8s  %s\n", "setting", "value", "from")
	for _, v := range s.values {
		fmt.Fprintf(b, "%-16s  %-8s  %s\n", v.name, fmt.Sprint(v.value), v.from)
	}
	if s.files.read != "" {
		fmt.Fprintf(b, "config file: %s\n", s.files.read)
		return
	}
	fmt.Fprintf(b, "config file: none, looked for %s\n", strings.Join(s.files.looked, ", "))
}

func (s *Settings) writeJSON(b *bytes.Buffer) {
	type value struct {
		Name  string `json:"name"`
		Value any    `json:"value"`
		From  string `json:"from"`
	}
	out := struct {
		ConfigFile *string  `json:"config_file"`
		Looked     []string `json:"looked_for"`
		Settings   []value  `json:"settings"`
	}{Looked: s.files.looked}
	if s.files.read != "" {
		out.ConfigFile = &s.files.read
	}
	for _, v := range s.values {
		out.Settings = append(out.Settings, value{v.name, v.value, v.from})
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(out) // plain data always encodes
}

// place gives "idem.yaml:3".
func place(n *document.Node) string { return n.File + ":" + strconv.Itoa(n.Line) }

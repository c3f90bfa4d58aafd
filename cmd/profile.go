package cmd

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

type profileOptions struct {
	name   string // empty: all of them
	format string
}

func newProfileCmd(app *App) *cobra.Command {
	c := &cobra.Command{
		Use:   "profile",
		Short: "what well-known APIs promise, for a contract to build on",
		Long: `What well-known APIs promise of repeated requests, from public documentation. A contract
that says profile: NAME is filled in with what is known, and its own words win. What is
not confirmed from a source stays unknown, and the step that needs it inconclusive.`,
		Example: `  idem profile list
  idem profile show stripe`,
		Args: cobra.NoArgs,
		RunE: needsSubcommand,
	}
	c.AddCommand(newProfileListCmd(app), newProfileShowCmd(app))
	return c
}

func newProfileListCmd(app *App) *cobra.Command {
	o := &profileOptions{}
	c := &cobra.Command{
		Use:     "list",
		Short:   "list the profiles",
		Example: `  idem profile list --format json`,
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runProfile(app, o) },
	}
	c.Flags().StringVar(&o.format, "format", "text", "text or json")
	return c
}

func newProfileShowCmd(app *App) *cobra.Command {
	o := &profileOptions{}
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "show what a profile fills in, what it leaves open, and a contract to begin with",
		Example: `  idem profile show stripe
  idem profile show stripe --format contract > contract.yaml
  idem profile show ietf --format json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.name = args[0]
			if o.name == "" {
				return problem.New("", "which profile").WithHint("idem profile list")
			}
			return runProfile(app, o)
		},
	}
	c.Flags().StringVar(&o.format, "format", "text", "text, json, or contract: the contract to begin with alone")
	return c
}

func runProfile(app *App, o *profileOptions) error {
	words := []string{"text", "json"}
	if o.name != "" {
		words = append(words, "contract")
	}
	if err := oneOf("--format", o.format, "json", words...); err != nil {
		return err
	}
	b := page{columns: app.columns()}
	if o.name == "" {
		list, err := listedProfiles()
		if err != nil {
			return err
		}
		b.explained(o.format, list, func() {
			for _, p := range list {
				b.row("", p.Profile, p.About)
			}
		})
	} else {
		p, err := contract.ProfileNamed(o.name)
		if err != nil {
			hint := "idem profile list"
			if near := problem.Nearest(o.name, contract.ProfileNames()); near != "" {
				hint = "idem profile show " + near
			}
			return problem.New("", "no profile named %s is known", document.Show(o.name)).WithHint("%s", hint)
		}
		if o.format == "contract" {
			b.WriteString(starter(p))
		} else {
			b.explained(o.format, shownProfile(p), func() { b.profile(p) })
		}
	}
	if _, err := app.Out.Write(b.Bytes()); err != nil {
		return problem.New("standard output", "%s", err)
	}
	return nil
}

// profileJSON is a profile for programs.
type profileJSON struct {
	Profile string                                `json:"profile"`
	About   string                                `json:"about"`
	Source  string                                `json:"source"`
	Page    string                                `json:"page,omitempty"`    // the address of the page that says most of it
	Example string                                `json:"example,omitempty"` // a folder of this project
	Fills   map[string]map[string]json.RawMessage `json:"fills,omitempty"`   // key and promise, as the contract has them
	Unknown []missingJSON                         `json:"unknown,omitempty"`
	Notes   []string                              `json:"notes,omitempty"`
	Starter string                                `json:"starter,omitempty"`
}

type missingJSON struct {
	Promise string `json:"promise"`
	Line    string `json:"line"` // a contract line that would state it
	Step    string `json:"step"` // which needs it
	Said    string `json:"said,omitempty"`
}

func listedProfiles() ([]profileJSON, error) {
	var out []profileJSON
	for _, name := range contract.ProfileNames() {
		p, err := contract.ProfileNamed(name)
		if err != nil {
			return nil, err
		}
		out = append(out, profileJSON{Profile: p.Name, About: p.About, Source: p.Source, Page: p.Page})
	}
	return out, nil
}

func shownProfile(p *contract.Profile) profileJSON {
	out := profileJSON{Profile: p.Name, About: p.About, Source: p.Source, Page: p.Page, Example: p.Example, Notes: p.Notes, Starter: starter(p),
		Fills: map[string]map[string]json.RawMessage{}}
	for _, block := range []string{"key", "promise"} {
		lines := map[string]json.RawMessage{}
		for _, l := range p.Filled(block) {
			lines[l.Name] = l.JSON
		}
		out.Fills[block] = lines
	}
	for _, m := range p.Missing() {
		out.Unknown = append(out.Unknown, missingJSON{Promise: m.Name, Line: m.Line, Step: m.Step, Said: m.Said})
	}
	return out
}

// profile writes a profile for people.
func (p *page) profile(of *contract.Profile) {
	fmt.Fprintf(p, "%s: %s\nfrom %s\n", of.Name, of.About, of.Source)
	if of.Page != "" {
		fmt.Fprintf(p, "see %s\n", of.Page)
	}
	fmt.Fprintf(p, "\nfills in\n")
	for _, block := range []string{"key", "promise"} {
		for _, l := range of.Filled(block) {
			fmt.Fprintf(p, "  %s.%s: %s\n", block, l.Name, l.Value)
		}
	}
	fmt.Fprintf(p, "\nunknown: a line like these under promise states it, until then the step is inconclusive or left out\n")
	if !of.KeyPlace() {
		fmt.Fprintf(p, "  %-42s  every step needs it\n", "key.header: Idempotency-Key")
	}
	for _, m := range of.Missing() {
		fmt.Fprintf(p, "  %-42s  for %s", m.Line, m.Step)
		if m.Said != "" {
			fmt.Fprintf(p, "; %s", m.Said)
		}
		fmt.Fprintln(p)
	}
	if len(of.Notes) > 0 {
		fmt.Fprintf(p, "\nto know\n")
		for _, n := range of.Notes {
			fmt.Fprintf(p, "  %s\n", n)
		}
	}
	fmt.Fprintf(p, "\na contract to begin with")
	if of.Example != "" {
		fmt.Fprintf(p, "; a whole one, with a service to try it on, is in %s", of.Example)
	}
	fmt.Fprintf(p, "\n\n%s", starter(of))
}

// request is what the starter sends: the API's own where the profile has it.
func request(p *contract.Profile) string {
	var b strings.Builder
	for _, l := range p.Begin {
		fmt.Fprintf(&b, "      %s: %s\n", l.Name, l.Value)
	}
	if b.Len() > 0 {
		return b.String()
	}
	return `      path: /v1/things
      headers: {Content-Type: application/json}
      body: {reference: r-1, amount: 1999}
      fresh: [/reference]
`
}

// starter is a contract that reads as it stands: what no profile can know is
// for the user to put in.
func starter(p *contract.Profile) string {
	key := "generate: uuid4"
	if !p.KeyPlace() {
		key = "header: Idempotency-Key, " + key
	}
	out := `idem: contract/v1
name: my-api
profile: ` + p.Name + `
target:
  base_urls: [http://127.0.0.1:8080]
  allow_hosts: [127.0.0.1]
  # auth: {header: Authorization, env: API_TOKEN, prefix: "Bearer "}
operations:
  - name: create
    request:
      method: POST
` + request(p) + `    key: {` + key + `}
    effects: responses
    promise:
      compare: json
`
	for _, m := range p.Missing() {
		out += "      # " + m.Line + "\n"
	}
	return out
}

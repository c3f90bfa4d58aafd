package cmd

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/zoo"
)

// zooOptions are the flags by which the reference service is served in another
// way than its own.
type zooOptions struct {
	fault, style string
	format       string
	contract     string // memory, file, postgres; empty: serve

	variant zoo.Variant // the zero one where neither is given
}

func (o *zooOptions) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.fault, "fault", "", "break a promise: one of --fault list")
	f.StringVar(&o.style, "style", "", "keep another promise, as legal: one of --style list")
	f.StringVar(&o.format, "format", "human", "of --fault list and --style list: human, json")
	f.Lookup("format").Annotations = map[string][]string{ownFlag: {}}
	f.StringVar(&o.contract, "contract", "", "print the contract that this service is held to, with its store in memory, file or postgres, and serve nothing")
	f.Lookup("contract").NoOptDefVal = string(zoo.File)
	c.MarkFlagsMutuallyExclusive("fault", "style")
}

// settle finds the variant. done says that the command has said all: a list or
// a contract was asked for.
func (o *zooOptions) settle(app *App) (done bool, err error) {
	if err := oneOf("--format", o.format, "json", "human", "json"); err != nil {
		return false, err
	}
	switch {
	case o.fault == "list":
		return true, writeVariants(app, zoo.Faults(), o.format)
	case o.style == "list":
		return true, writeVariants(app, zoo.Styles(), o.format)
	case o.format != "human":
		return false, problem.New("--format", "it is for lists").WithHint("idem serve --fault list --format json")
	case o.fault != "":
		o.variant, err = variantNamed("--fault", o.fault, zoo.Faults())
	case o.style != "":
		o.variant, err = variantNamed("--style", o.style, zoo.Styles())
	}
	if err != nil || o.contract == "" {
		return false, err
	}
	return true, o.writeContract(app)
}

func (o *zooOptions) writeContract(app *App) error {
	var names []string
	for _, store := range zoo.Stores() {
		names = append(names, string(store))
		if o.contract != string(store) {
			continue
		}
		if _, err := app.Out.Write(o.variant.Contract(store)); err != nil {
			return problem.New("standard output", "%s", rootCause(err))
		}
		return nil
	}
	if near := problem.Nearest(o.contract, names); near != "" {
		names = []string{near}
	}
	return problem.New("--contract", "%s is no kind of store", document.Show(o.contract)).
		WithHint("--contract=%s", strings.Join(names, ", or --contract="))
}

// variantNamed finds a variant, or says which one may be meant.
func variantNamed(flag, name string, list []zoo.Variant) (zoo.Variant, error) {
	var names []string
	for _, v := range list {
		if v.Name == name {
			return v, nil
		}
		names = append(names, v.Name)
	}
	what := strings.TrimPrefix(flag, "--")
	hint := "idem serve " + flag + " list names them all"
	for _, v := range slices.Concat(zoo.Faults(), zoo.Styles()) {
		switch {
		case v.Name != name: // a fault that was taken for a style is told as one
		case v.IsFault():
			hint = "--fault " + name
		default:
			hint = "--style " + name
		}
	}
	return zoo.Variant{}, problem.New(flag, "there is no %s %s", what, document.Show(name)).MeaningOr(name, names, "%s", hint)
}

// writeVariants lists variants, in the order of their steps.
func writeVariants(app *App, list []zoo.Variant, format string) error {
	if format == "json" {
		type entry struct {
			Name     string   `json:"name"`
			What     string   `json:"what"`
			CaughtBy []string `json:"caught_by,omitempty"`
		}
		all := []entry{}
		for _, v := range list {
			all = append(all, entry{v.Name, v.What, v.Caught})
		}
		return printJSON(app.Out, all)
	}
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, v := range list {
		if v.IsFault() {
			fmt.Fprintf(w, "%s\t%s\t%s\n", v.Name, strings.Join(v.Caught, ", "), v.What)
		} else {
			fmt.Fprintf(w, "%s\t%s\n", v.Name, v.What)
		}
	}
	w.Flush()
	return writeText(app, b.String())
}

package cmd

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/report"
	"github.com/idem-toolkit/idem/internal/trace"
)

func newReportCmd(app *App) *cobra.Command {
	o := &verifyOptions{}
	c := &cobra.Command{
		Use:   "report TRACE",
		Short: "judge a recorded run again and render it",
		Long: `Judge a recorded run again and render it. The verdict comes from the trace alone:
the same trace gives the same bytes, on any machine.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.settle(app, c); err != nil {
				return err
			}
			return runReport(app, o, args[0])
		},
	}
	c.Flags().StringVar(&o.format, "format", "human", "on standard output: "+strings.Join(report.Formats(), ", "))
	c.Flags().StringArrayVar(&o.reports, "report", nil, "a further report, FORMAT=PATH")
	return c
}

func runReport(app *App, o *verifyOptions, file string) error {
	if _, err := report.Destinations(o.reports); err != nil {
		return err
	}
	in := app.In
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return problem.New(file, "cannot be read: %s", reason(err))
		}
		defer f.Close()
		in = f
	}
	return o.judge(app, in, file)
}

// judge reads a trace, judges it, writes the reports and ends with the run's
// exit code.
func (o *verifyOptions) judge(app *App, in io.Reader, name string) error {
	r, err := probe.Judge(trace.Read(in))
	if err != nil {
		return problem.New(name, "%s", err)
	}
	options := report.ContractOptions(r.Contract)
	options.Color, options.Verbose = o.colour, app.Verbose
	err = o.writeReports(app, func(b *bytes.Buffer, format string) error {
		return report.Write(b, format, *r, options)
	})
	if err != nil {
		return err
	}
	return exitWith(r.Exit)
}

package cmd

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/contract"
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
the same trace gives the same bytes, on any machine.

A trace that breaks off, whatever cut it, is that of an interrupted run: what was
recorded until then is judged, and the exit code is 130.`,
		Example: `  idem report run.ndjson
  idem report run.ndjson --format json
  idem report run.ndjson --script duplicate/effect-ran-twice > again.sh`,
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
	c.Flags().StringVar(&o.script, "script", "", "nothing but the curl script of the finding with this slug or id")
	return c
}

func runReport(app *App, o *verifyOptions, file string) error {
	if _, err := report.Destinations(o.reports); err != nil {
		return err
	}
	in := app.stdin("the trace")
	if file != "-" {
		f, err := app.openInput(file)
		if err != nil {
			return err
		}
		defer f.Close()
		in, o.tracePath = app.patient(f), file
	}
	r, err := judged(in, file)
	if err != nil {
		return err
	}
	return o.show(app, r)
}

// judged reads a trace and judges it.
func judged(in io.Reader, name string) (*probe.Report, error) {
	r, err := probe.Judge(trace.Read(in))
	if err != nil {
		wrong := problem.New(name, "%s", err).Because(err)
		if problem.Hint(err) == "" && (strings.HasPrefix(err.Error(), "trace line 1: ") || strings.Contains(err.Error(), "is empty")) {
			return nil, wrong.WithHint("a trace is what idem verify writes to the file behind --trace")
		}
		return nil, wrong
	}
	return r, nil
}

// show writes the reports and ends with the run's exit code.
func (o *verifyOptions) show(app *App, r *probe.Report) error {
	if o.script != "" {
		script, err := report.Script(*r, report.ContractOptions(r.Contract), o.script)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(app.Out, script); err != nil {
			return problem.New("standard output", "%s", err)
		}
		return nil
	}
	err := o.writeReports(app, func(b *bytes.Buffer, d report.Destination) error {
		return report.Write(b, d.Format, *r, o.rendering(app, r.Contract, d))
	})
	if err != nil {
		return err
	}
	return exitWith(r.Exit)
}

// rendering is how a report is to look. Files get neither colours nor the
// terminal's width: those are standard output's.
func (o *verifyOptions) rendering(app *App, c *contract.Contract, d report.Destination) report.Options {
	options := report.ContractOptions(c)
	options.Verbose, options.Trace = app.Verbose, o.tracePath
	if d.Path == "-" {
		options.Color, options.Width = o.colour, app.columns()
	}
	return options
}

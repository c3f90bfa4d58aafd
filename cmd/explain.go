package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/explain"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/report"
)

type explainOptions struct {
	name   string // a slug or a step; empty with list
	list   bool
	format string
}

func newExplainCmd(app *App) *cobra.Command {
	o := &explainOptions{}
	c := &cobra.Command{
		Use:   "explain [SLUG|STEP]",
		Short: "say what a broken promise means for money, how it comes about and how to fix it",
		Long: `Explain a finding by its slug, or a step by its name: what it means for money, how it
comes about, how to fix it, and what evidence shows it. Slugs are permanent.`,
		Example: `  idem explain duplicate/effect-ran-twice
  idem explain crash
  idem explain --list`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.name = args[0]
			}
			return runExplain(app, o)
		},
	}
	c.Flags().BoolVar(&o.list, "list", false, "list every step and slug")
	c.Flags().StringVar(&o.format, "format", "text", "text or json")
	return c
}

func runExplain(app *App, o *explainOptions) error {
	var b bytes.Buffer
	switch {
	case o.format != "text" && o.format != "json":
		return problem.New("--format", "%s is neither text nor json", document.Show(o.format)).WithHint("--format json")
	case o.list && o.name != "":
		return problem.New("", "--list lists everything and takes no name").WithHint("idem explain --list")
	case o.list:
		writeExplained(&b, o.format, explain.Steps(), listText)
	case o.name == "":
		return problem.New("", "which slug or step").WithHint("idem explain duplicate, or idem explain --list")
	case explain.Find(o.name) != nil:
		writeExplained(&b, o.format, explain.Find(o.name), entryText)
	case explain.FindStep(o.name) != nil:
		writeExplained(&b, o.format, explain.FindStep(o.name), stepText)
	default:
		return unexplained(o.name)
	}
	if _, err := app.Out.Write(b.Bytes()); err != nil {
		return problem.New("standard output", "%s", err)
	}
	return nil
}

// unexplained names what was most likely meant.
func unexplained(name string) error {
	err := problem.New("", "no slug or step is called %s", document.Show(name))
	near := explain.Near(name)
	switch len(near) {
	case 0:
		return err.WithHint("idem explain --list")
	case 1:
		return err.WithHint("idem explain %s", near[0])
	}
	return err.WithHint("idem explain %s, or one of %s", near[0], strings.Join(near[1:], ", "))
}

func writeExplained[T any](b *bytes.Buffer, format string, v T, text func(*bytes.Buffer, T)) {
	if format == "text" {
		text(b, v)
		return
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // plain data always encodes
}

func listText(b *bytes.Buffer, steps []*explain.Step) {
	for i, s := range steps {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "%-30s  %s\n", s.Name, s.Asks)
		for _, e := range s.Entries {
			fmt.Fprintf(b, "%-30s  %s\n", e.Slug, e.Title)
		}
	}
}

func entryText(b *bytes.Buffer, e *explain.Entry) {
	fmt.Fprintf(b, "%s\n%s\n", e.Slug, e.Title)
	section(b, "What it means for money", e.Money)
	section(b, "How it comes about", e.Causes...)
	section(b, "How to fix it", e.Fixes...)
	section(b, "What shows it", e.Evidence)
	fmt.Fprintf(b, "\nThe step: idem explain %s\n", e.Step())
}

func stepText(b *bytes.Buffer, s *explain.Step) {
	fmt.Fprintf(b, "%s\n%s\n", s.Name, s.Asks)
	section(b, "What it does", s.Does...)
	section(b, "Controls", s.Controls...)
	section(b, "It passes where", s.Pass)
	section(b, "It is inconclusive where", s.Unsure)
	section(b, "It needs from the contract", s.Needs)
	b.WriteString("\nWhat it finds\n")
	for _, e := range s.Entries {
		fmt.Fprintf(b, "  %-30s  %s\n", e.Slug, e.Title)
	}
}

// section writes a heading and texts beneath it, several as a list.
func section(b *bytes.Buffer, heading string, texts ...string) {
	fmt.Fprintf(b, "\n%s\n", heading)
	first, next := "  ", "  "
	if len(texts) > 1 {
		first, next = "  - ", "    "
	}
	for _, text := range texts {
		indent := first
		for _, line := range report.Wrap(text, 80-len(first)) {
			fmt.Fprintf(b, "%s%s\n", indent, line)
			indent = next
		}
	}
}

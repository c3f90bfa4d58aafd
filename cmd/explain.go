package cmd

import (
	"bytes"
	"cmp"
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
comes about, how to fix it, and what evidence shows it. What recipe lint finds is
explained too, with or without recipe/ before the slug. Slugs are permanent.`,
		Example: `  idem explain duplicate/effect-ran-twice
  idem explain crash
  idem explain volatile-time
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
	b := page{columns: app.columns()}
	if err := checkFormat(o.format); err != nil {
		return err
	}
	switch {
	case o.list && o.name != "":
		return problem.New("", "--list lists everything and takes no name").WithHint("idem explain --list")
	case o.list:
		b.explained(o.format, explain.Topics(), func() { b.list(explain.Topics()) })
	case o.name == "":
		return problem.New("", "which slug or step").WithHint("idem explain duplicate, or idem explain --list")
	case explain.Find(o.name) != nil:
		b.explained(o.format, explain.Find(o.name), func() { b.entry(explain.Find(o.name)) })
	case explain.FindStep(o.name) != nil:
		b.explained(o.format, explain.FindStep(o.name), func() { b.step(explain.FindStep(o.name)) })
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

// page is a text in the making.
type page struct {
	bytes.Buffer
	columns int // of the terminal; 0 where there is none
}

func (p *page) explained(format string, v any, text func()) {
	if format == "text" {
		text()
		return
	}
	e := json.NewEncoder(p)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // plain data always encodes
}

func (p *page) list(steps []*explain.Step) {
	for i, s := range steps {
		if i > 0 {
			p.WriteByte('\n')
		}
		p.row("", s.Name, s.Asks)
		for _, e := range s.Entries {
			p.row("", e.Slug, e.Title)
		}
	}
}

// row is a name and what it means. In a pipe it is one line, to be searched.
func (p *page) row(indent, name, text string) {
	const column = 30
	label := fmt.Sprintf("%s%-*s  ", indent, column, name)
	lines := []string{text}
	if p.columns > 0 {
		lines = report.Wrap(text, p.columns-len(label))
	}
	for _, line := range lines {
		fmt.Fprintf(p, "%s%s\n", label, line)
		label = strings.Repeat(" ", len(label))
	}
}

func (p *page) entry(e *explain.Entry) {
	fmt.Fprintf(p, "%s\n", e.Slug)
	p.prose("", "", e.Title)
	p.section("What it means for money", e.Money)
	p.section("How it comes about", e.Causes...)
	p.section("How to fix it", e.Fixes...)
	p.section("What shows it", e.Evidence)
	what := "The step"
	if e.Step() == "recipe" {
		what = "All that recipe lint finds"
	}
	fmt.Fprintf(p, "\n%s: idem explain %s\n", what, e.Step())
}

func (p *page) step(s *explain.Step) {
	fmt.Fprintf(p, "%s\n", s.Name)
	p.prose("", "", s.Asks)
	p.section("What it does", s.Does...)
	p.section("Controls", s.Controls...)
	p.section("It passes where", s.Pass)
	if s.Unsure != "" {
		p.section("It is inconclusive where", s.Unsure)
	}
	if s.Needs != "" {
		p.section("It needs from the contract", s.Needs)
	}
	if len(s.Terms) > 0 {
		p.WriteString("\nWhat its evidence means\n")
	}
	for _, t := range s.Terms {
		p.prose("  ", "    ", t.Word+": "+t.Means)
	}
	p.WriteString("\nWhat it finds\n")
	for _, e := range s.Entries {
		p.row("  ", e.Slug, e.Title)
	}
}

// section writes a heading and texts beneath it, several as a list.
func (p *page) section(heading string, texts ...string) {
	fmt.Fprintf(p, "\n%s\n", heading)
	first, next := "  ", "  "
	if len(texts) > 1 {
		first, next = "  - ", "    "
	}
	for _, text := range texts {
		p.prose(first, next, text)
	}
}

// prose writes text broken at the terminal's columns, at 80 where there is none.
func (p *page) prose(first, next, text string) {
	for _, line := range report.Wrap(text, cmp.Or(p.columns, 80)-len(first)) {
		fmt.Fprintf(p, "%s%s\n", first, line)
		first = next
	}
}

package cmd

import (
	"bytes"
	"path/filepath"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/report"
)

// lintGitHub writes what a person reads, then an annotation at the place of each
// finding: an error where it fails the command.
func lintGitHub(app *App, r lintReport, strict bool) error {
	var text bytes.Buffer
	log := *app
	log.Out, log.Err = &text, &text
	lintText(&log, r)
	var all []report.Annotation
	for _, one := range r.Recipes {
		file := filepath.ToSlash(one.File)
		if one.Error != "" {
			all = append(all, report.Annotation{Level: report.AnnotationError, File: file, Title: "no recipe", Text: withHint(one.Error, one.Hint)})
		}
		for _, f := range one.Findings {
			a := report.Annotation{Level: report.AnnotationWarning, File: file, Line: f.Line, Column: f.Column, Title: f.Slug, Text: withHint(f.Message, f.Hint)}
			if f.Level == determ.LevelError || strict {
				a.Level = report.AnnotationError
			}
			all = append(all, a)
		}
	}
	return writeText(app, report.ForLog(text.String())+report.Annotations(all))
}

// withHint is a message, and its hint on a line of its own.
func withHint(message, hint string) string {
	text := problem.Line(message)
	if hint != "" {
		text += "\nhint: " + problem.Line(hint)
	}
	return text
}

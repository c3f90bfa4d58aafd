package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

type recipeLintOptions struct {
	files  []string
	format string
	strict bool
	allow  []string
	engine engineFlags
}

func newRecipeLintCmd(app *App) *cobra.Command {
	o := &recipeLintOptions{}
	c := &cobra.Command{
		Use:   "lint RECIPE...",
		Short: "find recipes that would charge twice, or once for two",
		Long: `Find what makes a recipe give a retry another ID, or two operations the same one: a
missing boundary, an identity of nothing but a customer and an amount, fields that are
new for each attempt, empty and private values, an example or lock that no longer holds.
The example's ID is recomputed under the public test secret; no key is read.

Exit 1 where there is an error, with --strict also where there is a warning. What lint
judges by names and looks may be right all the same: --allow leaves it out. What each
finding means: idem explain recipe.`,
		Example: `  idem recipe lint recipes/*.yaml
  idem recipe lint charge.yaml --strict --allow volatile-time:due_at`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return interruptible(c.Context(), func() error { return runRecipeLint(app, o) })
		},
	}
	c.Flags().StringVar(&o.format, "format", "text", "text, json, or github for the log of a workflow")
	c.Flags().BoolVar(&o.strict, "strict", false, "exit 1 for warnings too")
	c.Flags().StringArrayVar(&o.allow, "allow", nil, "leave a finding out by its `SLUG`, or SLUG:FIELD for one identity field; may be repeated")
	o.engine.registerCross(c.Flags())
	return c
}

// lintedRecipe is what lint says of one file.
type lintedRecipe struct {
	File     string           `json:"file"`
	Findings []determ.Finding `json:"findings"`
	Error    string           `json:"error,omitempty"` // the file is no recipe at all
	Hint     string           `json:"hint,omitempty"`
}

type lintReport struct {
	Idem       string         `json:"idem"`
	Errors     int            `json:"errors"`
	Warnings   int            `json:"warnings"`
	Unreadable int            `json:"unreadable"` // recipes of which nothing else can be said
	Recipes    []lintedRecipe `json:"recipes"`
}

func runRecipeLint(app *App, o *recipeLintOptions) error {
	if err := oneOf("--format", o.format, "json", "text", "json", "github"); err != nil {
		return err
	}
	if len(o.files) == 0 {
		return problem.New("", "no recipe is named").WithHint("idem recipe lint RECIPE...")
	}
	if err := onceOnly(o.files); err != nil {
		return err
	}
	if err := checkAllow(o.allow); err != nil {
		return err
	}
	engine, err := o.engine.engine()
	if err != nil {
		return err
	}
	report := lintReport{Idem: "lint/v1"}
	run := &determ.LintRun{}
	for _, file := range o.files {
		linted, err := lintFile(app, file, o.allow, determ.LintOptions{Now: app.Now(), Run: run, Engine: engine})
		if err != nil {
			return err
		}
		for _, f := range linted.Findings {
			if f.Level == determ.LevelError {
				report.Errors++
			} else {
				report.Warnings++
			}
		}
		if linted.Error != "" {
			report.Unreadable++
		}
		report.Recipes = append(report.Recipes, linted)
	}
	switch o.format {
	case "json":
		err = printJSON(app.Out, report)
	case "github":
		err = lintGitHub(app, report, o.strict)
	default:
		lintText(app, report)
	}
	if err != nil {
		return err
	}
	switch {
	case report.Unreadable > 0:
		return exitWith(ExitUsage)
	case report.Errors > 0, o.strict && report.Warnings > 0:
		return exitWith(ExitBroken)
	}
	return nil
}

// lintFile fails only where two engines differ: nothing that is said by either
// can be relied on then.
func lintFile(app *App, file string, allow []string, options determ.LintOptions) (lintedRecipe, error) {
	linted := lintedRecipe{File: inputName(file), Findings: []determ.Finding{}}
	findings, err := func() ([]determ.Finding, error) {
		src, err := readInput(app, file, document.MaxSize)
		if err != nil {
			return nil, err
		}
		for _, dir := range recipeFolders(file) {
			if options.Lock, err = readLock(dir); err != nil {
				return nil, err
			}
			if options.Lock != nil {
				break
			}
		}
		return determ.Lint(linted.File, src, options)
	}()
	if fingerprint.IsDisagreement(err) {
		return linted, inFile(file, err)
	}
	if err != nil {
		linted.Error, linted.Hint = err.Error(), problem.Hint(err)
		return linted, nil
	}
	for _, f := range findings {
		if !allowed(f, allow) {
			linted.Findings = append(linted.Findings, f)
		}
	}
	return linted, nil
}

// checkAllow refuses what leaves nothing out: a slug that lint does not have,
// and one for which every other command refuses the recipe.
func checkAllow(allow []string) error {
	for _, a := range allow {
		slug, rest, one := strings.Cut(a, ":")
		if !slices.Contains(determ.LintSlugs(), slug) {
			err := problem.New("--allow", "lint has no finding %s", document.Show(slug))
			if near := problem.Nearest(slug, determ.LintSlugs()); near != "" {
				if one && showable(rest) {
					near += ":" + rest
				}
				return err.WithHint("--allow %s", near)
			}
			return err.WithHint("idem explain recipe")
		}
		if determ.Refused(slug) {
			return problem.New("--allow", "every command refuses a recipe with %s, so leaving it out gains nothing", slug).
				WithHint("idem explain %s", slug)
		}
	}
	return nil
}

func allowed(f determ.Finding, allow []string) bool {
	for _, a := range allow {
		if a == f.Slug || a == f.Allow || f.Field != "" && a == f.Slug+":"+f.Field {
			return true
		}
	}
	return false
}

// lintText writes findings to standard output, and to standard error what is
// no recipe and how many there are.
func lintText(app *App, report lintReport) {
	for _, r := range report.Recipes {
		if r.Error != "" {
			complain(app, r.Error, r.Hint)
		}
		for _, f := range r.Findings {
			fmt.Fprintf(app.Out, "%s: %s: %s [%s]\n", problem.Line(f.Where), f.Level, problem.Line(f.Message), f.Slug)
			if f.Hint != "" {
				fmt.Fprintf(app.Out, "    hint: %s\n", problem.Line(f.Hint))
			}
			if f.Allow != "" {
				fmt.Fprintf(app.Out, "    or, where that is meant: --allow %s\n", shellWord(problem.Line(f.Allow)))
			}
		}
	}
	if app.Quiet {
		return
	}
	unread := ""
	if report.Unreadable > 0 {
		unread = fmt.Sprintf(" (%d not readable)", report.Unreadable)
	}
	fmt.Fprintf(app.Err, "%s%s, %s, %s\n", count(len(report.Recipes), "recipe"), unread, count(report.Errors, "error"), count(report.Warnings, "warning"))
	for _, r := range report.Recipes {
		if len(r.Findings) > 0 {
			fmt.Fprintf(app.Err, "what a finding means: idem explain %s\n", r.Findings[0].Slug)
			return
		}
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Package report renders what a run came to: one small writer for each format
// over one result type. Writers are pure: the same result gives the same bytes
// (contract-v1, Record first, judge later).
//
// Read this file for the formats, words.go for the sentences that they share,
// then a format: human.go and unsettled.go, json.go, junit.go, sarif.go, tap.go,
// markdown.go, html.go, github.go;
// timeline.go, repro.go and script.go show one finding; releases.go and picture.go how
// copies were released; dry.go and its neighbours are the dry run.
package report

import (
	"bytes"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
)

// Options are what a reader chooses. They never change a verdict.
type Options struct {
	Color   bool // human only: with ANSI colours; the caller looks at terminal and environment
	Verbose bool // human only: every case and control, the whole plan, scripts
	Width   int  // human only: columns at which lines are broken; 0: 100

	// For reproductions; ContractOptions reads them from a contract.
	BaseURLs  []string          // without them a script asks for the address
	Auth      [][2]string       // header fields that are added as a request is sent, secrets masked
	OtherAuth [][2]string       // the same of a request that the other principal sends
	Secrets   map[string]string // a mask's label to the variable that holds the secret
	NoScript  string            // why no script can send as idem does; empty: one can
	NoOther   string            // why none can send as the other principal
	Trace     string            // the file that the run is kept in; empty: not known

	scripts bool // scripts stand in full: no terminal scrolls
}

// ContractOptions gives the options that a contract decides.
func ContractOptions(c *contract.Contract) Options {
	o := Options{BaseURLs: c.Target.BaseURLs}
	o.Auth, o.NoScript = credential(c.Target.Auth, "auth")
	o.OtherAuth, o.NoOther = credential(c.Target.OtherAuth, "other_auth")
	for label, a := range map[string]*contract.Auth{"auth": c.Target.Auth, "other_auth": c.Target.OtherAuth} {
		if a != nil && a.Env != "" {
			if o.Secrets == nil {
				o.Secrets = map[string]string{}
			}
			o.Secrets[label] = a.Env
		}
	}
	return o
}

// credential gives the header fields that a script can add for a principal,
// or why it can add none.
func credential(a *contract.Auth, label string) (fields [][2]string, why string) {
	switch {
	case a == nil:
	case a.Cert != "":
		return nil, "requests are sent under the client certificate of target." + label + ", which a script would need too"
	case a.Per == "attempt":
		return nil, "every attempt is signed by the command of target." + label + ", which a script would have to run"
	case a.Header == "":
		return nil, "the command of target." + label + " makes the credential's header lines, which a script would need too"
	default:
		return [][2]string{{a.Header, a.Prefix + maskOpens + label + maskCloses}}, ""
	}
	return nil, ""
}

// plain takes off what is for a terminal, for the text inside other formats.
func (o Options) plain() Options {
	o.Color, o.Verbose, o.Width, o.scripts = false, false, 0, true
	return o
}

// format is one way to render; live and dry each write a whole document.
type format struct {
	name string
	live func(b *bytes.Buffer, r probe.Report, o Options) error
	dry  func(b *bytes.Buffer, d Dry, o Options) error
}

// formats are all there are, in the order of the help text.
var formats = []format{
	{"human", writeHuman, writeDryHuman},
	{"json", writeJSON, writeDryJSON},
	{"junit", writeJUnit, writeDryJUnit},
	{"sarif", writeSARIF, writeDrySARIF},
	{"tap", writeTAP, writeDryTAP},
	{"markdown", writeMarkdown, writeDryMarkdown},
	{"html", writeHTML, writeDryHTML},
	{"github", writeGitHub, writeDryGitHub},
}

// Formats gives the names of the formats.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// CheckFormat refuses an unknown format.
func CheckFormat(name string) error {
	_, err := find(name)
	return err
}

func find(name string) (format, error) {
	for _, f := range formats {
		if f.name == name {
			return f, nil
		}
	}
	return format{}, problem.New("", "unknown report format %s", document.Show(name)).Meaning(name, Formats())
}

// Write renders the report of a live run in a format, in one write.
func Write(w io.Writer, name string, r probe.Report, o Options) error {
	f, err := find(name)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := f.live(&b, r, o); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// WriteDry renders a dry run in a format, in one write.
func WriteDry(w io.Writer, name string, d Dry, o Options) error {
	f, err := find(name)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := f.dry(&b, d, o); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// endingOf gives the format of the reports that people write to files whose
// names end so; "" where that tells none.
func endingOf(file string) string {
	switch strings.ToLower(path.Ext(file)) {
	case ".xml":
		return "junit"
	case ".json":
		return "json"
	case ".sarif":
		return "sarif"
	case ".tap":
		return "tap"
	case ".md":
		return "markdown"
	case ".html":
		return "html"
	case ".txt":
		return "human"
	}
	return ""
}

// meant gives the error of a report without a known format the one that its
// file's name tells, where it tells one.
func meant(value string, err error) error {
	wrong := problem.New("--report", "%s", err).WithHint("%s", problem.Hint(err))
	if name, rest, found := strings.Cut(value, ":"); found && CheckFormat(name) == nil {
		return wrong.WithHint("--report %s=%s", name, problem.Line(rest))
	}
	if strings.Contains(value, "=") {
		return wrong
	}
	if format := endingOf(value); format != "" {
		return wrong.WithHint("--report %s=%s", format, problem.Line(value))
	}
	return wrong
}

// Destination is a format and the file it goes to, "-" being standard output.
type Destination struct{ Format, Path string }

// Destinations reads the values of --report, FORMAT=PATH each; a path alone
// that is also a format's name goes to standard output. It refuses unknown
// formats, an empty path and one path twice.
func Destinations(values []string) ([]Destination, error) {
	var out []Destination
	for _, v := range values {
		name, path, found := strings.Cut(v, "=")
		if !found {
			path = "-"
		}
		if err := CheckFormat(name); err != nil {
			return nil, meant(v, err)
		}
		if path == "" {
			return nil, problem.New("", "--report %s names no file", document.Show(v)).
				WithHint("--report %s=report.%s, or %s=- for standard output", name, name, name)
		}
		if slices.ContainsFunc(out, func(d Destination) bool { return d.Path == path }) {
			return nil, problem.New("", "two reports go to %s", document.Show(path)).
				WithHint("give each --report a file of its own")
		}
		out = append(out, Destination{name, path})
	}
	return out, nil
}

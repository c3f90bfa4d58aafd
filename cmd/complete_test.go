package cmd

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// offered gives what a shell is offered for the last word of a command line,
// and the directive behind it.
func offered(t *testing.T, line ...string) (words []string, directive string) {
	t.Helper()
	var out bytes.Buffer
	app := &App{In: strings.NewReader(""), Out: &out, Err: io.Discard, LookupEnv: func(string) (string, bool) { return "", false }}
	if code := Main(app, append([]string{cobra.ShellCompNoDescRequestCmd}, line...)); code != ExitDone {
		t.Fatalf("%q: exit %d\n%s", line, code, out.String())
	}
	words = strings.Fields(out.String())
	if len(words) == 0 {
		t.Fatalf("%q: no answer", line)
	}
	return words[:len(words)-1], words[len(words)-1]
}

func TestWhatAShellIsOffered(t *testing.T) {
	const (
		files       = ":0"
		noFiles     = ":4"
		noFilesMore = ":6" // and no space behind it
	)
	for _, c := range []struct {
		line      string
		words     string // the first of them
		directive string
	}{
		{"ver", "verify", noFiles},
		{"recipe l", "lint lock", noFiles},
		{"verify --format j", "json junit", noFiles},
		{"verify --format=j", "json junit", noFiles},
		{"derive --format j", "json", noFiles},
		{"changed --format ", "text json markdown github", noFiles},
		{"recipe lint --format g", "github", noFiles},
		{"profile show --format c", "contract", noFiles},
		{"verify --only cr", "crash", noFilesMore},
		{"verify --only duplicate,c", "duplicate,concurrent duplicate,conflict duplicate,crash", noFilesMore},
		{"verify --skip duplicate,du", "", noFilesMore},
		{"verify --report ju", "junit=", noFilesMore},
		{"serve --fault check-t", "check-then-act", noFiles},
		{"serve --fault lis", "list", noFiles},
		{"serve --conflict 4", "400 409 422", noFiles},
		{"explain duplicate/effect-ran", "duplicate/effect-ran-twice", noFiles},
		{"explain crash duplicate", "", noFiles},
		{"profile show stripe-", "stripe-v2", noFiles},
		{"report --script conflict/wrong-a", "conflict/wrong-answer", noFiles},
		{"recipe lint --allow volatile-t", "volatile-time", noFiles},
		{"verify --color a", "auto always", noFiles},
		{"--color n", "never", noFiles},
		{"canon --on-error e", "emit", noFiles},
		{"verify --seed ", "", noFiles},
		{"serve ", "", noFiles},
		{"verify ", "", files},
		{"verify contract.yaml ", "", noFiles},
		{"fingerprint a.json ", "", files},
		{"derive -r ", "", files},
		{"verify --trace ", "", files},
	} {
		words, directive := offered(t, strings.Split(c.line, " ")...)
		if got := strings.Join(words, " "); got != c.words || directive != c.directive {
			t.Errorf("idem %s: %s %s, not %s %s", c.line, got, directive, c.words, c.directive)
		}
	}
}

// Every offer is of a flag that is there, and says what its help says.
func TestOffersAreOfFlags(t *testing.T) {
	root := Tree()
	found := map[string]bool{}
	everyCommand(root, func(c *cobra.Command) {
		path := strings.Join(strings.Fields(c.CommandPath())[1:], " ")
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			for _, o := range offers() {
				if o.flag != f.Name || o.command != path && o.command != "" {
					continue
				}
				found[o.command+" "+o.flag] = true
				if len(o.values()) == 0 {
					t.Errorf("%s --%s: nothing is offered", path, f.Name)
				}
				if o.command != "" && len(o.values()) > 8 {
					continue // their help names a list
				}
				for _, w := range o.values() {
					if !strings.Contains(f.Usage, w) && !slices.Contains(stepNames(), w) && !strings.HasSuffix(w, "=") && f.Name != "method" {
						t.Errorf("%s --%s: %s is offered, and its help does not know it: %s", path, f.Name, w, f.Usage)
					}
				}
				break
			}
			if _, more, _ := strings.Cut(f.Usage, "text, json, "); f.Name == "format" && more != "" && !slices.ContainsFunc(offers(), func(o offer) bool {
				return o.flag == "format" && o.command == path
			}) {
				t.Errorf("%s --format: its help knows more than is offered: %s", path, f.Usage)
			}
			if f.Name == "format" && !slices.ContainsFunc(offers(), func(o offer) bool {
				return o.flag == "format" && (o.command == path || o.command == "" && strings.HasPrefix(f.Usage, "text"))
			}) {
				t.Errorf("%s --format: nothing fitting is offered", path)
			}
		})
	})
	for _, o := range offers() {
		if !found[o.command+" "+o.flag] {
			t.Errorf("%s has no flag --%s", o.command, o.flag)
		}
	}
}

// Nobody but a shell pays for it.
func TestOffersAreMadeForAShellAlone(t *testing.T) {
	for line, asked := range map[string]bool{
		"__complete verify ": true, "__completeNoDesc ": true, "verify __complete": false, "": false, "completion bash": false,
	} {
		if completing(strings.Fields(line)) != asked {
			t.Errorf("%q: %t", line, !asked)
		}
	}
}

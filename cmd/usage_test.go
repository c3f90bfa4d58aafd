package cmd

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// told runs one command line in a world without anything and gives its exit
// code and what it says on standard error.
func told(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	var out, errs bytes.Buffer
	app := &App{
		In: strings.NewReader(""), Out: &out, Err: &errs,
		LookupEnv: func(string) (string, bool) { return "", false },
		Environ:   func() []string { return nil },
		Now:       func() time.Time { return time.Unix(0, 0) },
	}
	code = Main(app, args)
	return code, errs.String()
}

func TestWrongCommandLines(t *testing.T) {
	key := "idemkey1-k1-ojxzsvrt6eccnv5or77bjzjngd3fqbj7j4atzrufbgmos3uyieya-3x4on6a"
	for line, want := range map[string]string{
		// Commands.
		"verfy":             `idem has no command "verfy"|idem verify CONTRACT`,
		"verfy --live c":    `idem has no command "verfy"|idem verify CONTRACT`,
		"-q verfy":          `idem has no command "verfy"|idem verify CONTRACT`,
		"--config x verfy":  `idem has no command "verfy"|idem verify CONTRACT`,
		"ver":               `idem has no command "ver"|idem verify CONTRACT`,
		"version":           `idem has no command "version"|idem --version`,
		"lint":              `idem has no command "lint"|idem recipe lint RECIPE...`,
		"subkye":            `idem has no command "subkye"|idem key subkey -r RECIPE [--out FILE]`,
		"key derive":        `idem key has no command "derive"|idem derive -r RECIPE [FILE|-]`,
		"key nwe":           `idem key has no command "nwe"|idem key new [--kid KID] [--out FILE]`,
		"config shwo":       `idem config has no command "shwo"|idem config show`,
		"recipes":           `idem has no command "recipes"|idem recipe --help`,
		"zebra":             `idem has no command "zebra"|idem --help`,
		"help zebra":        `idem has no command "zebra"|idem --help`,
		"help key zebra":    `idem key has no command "zebra"|idem key --help`,
		"completion zsch":   `idem completion has no command "zsch"|idem completion --help`,
		"-- zebra":          `idem has no command "zebra"|idem --help`,
		key:                 `idem has no command «secret»|idem --help`,
		"key " + key:        `idem key has no command «secret»|idem key --help`,
		"--nonsense verify": `idem has no flag --nonsense|idem --help`,
		"key":               `idem key needs one of its commands|idem key --help`,

		"diff a.json b.json":  `idem has no command "diff"|idem fingerprint --diff ONE ANOTHER`,
		"recipe check r.yaml": `idem recipe has no command "check"|idem recipe lint RECIPE...`,
		"check c.yaml":        `idem has no command "check"|idem verify CONTRACT`,
		"c.yaml --live":       `idem has no command "c.yaml"|idem verify c.yaml`,
		"order.json":          `idem has no command "order.json"|idem derive -r RECIPE order.json`,
		"orders.jsonl":        `idem has no command "orders.jsonl"|idem derive -r RECIPE --ndjson orders.jsonl`,
		"api-key.json":        `idem has no command "api-key.json"|idem --help`,
		"profile stripe":      `idem profile has no command "stripe"|idem profile show stripe`,
		"profile strpe":       `idem profile has no command "strpe"|idem profile show stripe`,
		"profile zebra":       `idem profile has no command "zebra"|idem profile --help`,

		// Numbers of arguments.
		"derive a.json r.yaml":                   `idem derive takes one argument at most, and two are given|idem derive -r r.yaml a.json`,
		"derive -r r.yaml a.json b.yaml":         `idem derive takes one argument at most, and two are given|idem derive -r r.yaml a.json`,
		"key subkey r.yaml":                      `idem key subkey takes no argument, and one is given|idem key subkey -r r.yaml [--out FILE]`,
		"verify c.yaml --only duplicate, expiry": `idem verify takes one argument at most, and two are given|--only duplicate,expiry, with no space behind a comma`,
		"verify --skip duplicate, expiry c.yaml": `idem verify takes one argument at most, and two are given|--skip duplicate,expiry, with no space behind a comma`,
		"verify --skip duplicate expiry c.yaml":  `idem verify takes one argument at most, and two are given|idem verify expiry`,
		"derive -r r.yaml a.json b.json":         `idem derive takes one argument at most, and two are given|idem derive -r r.yaml a.json`,
		"derive a.json b.json":                   `idem derive takes one argument at most, and two are given|idem derive -r RECIPE a.json`,
		"canon --check a b c d e":                `idem canon takes one argument at most, and 5 arguments are given|idem canon a --check`,
		"verify a.yaml b.yaml --live":            `idem verify takes one argument at most, and two are given|idem verify a.yaml --live`,
		"report":                                 `idem report takes one argument, and none is given|idem report TRACE`,
		"report a b":                             `idem report takes one argument, and two are given|idem report a`,
		"key new k2":                             `idem key new takes no argument, and one is given|idem key new [--kid KID] [--out FILE]`,
		"serve 8080":                             `idem serve takes no argument, and one is given|idem serve`,
		"key new " + key:                         `idem key new takes no argument, and one is given|idem key new [--kid KID] [--out FILE]`,
		"key check " + key + " b":                `idem key check takes one argument at most, and two are given|idem key check [FILE|-]`,
		"completion bash x":                      `idem completion bash takes no argument, and one is given|idem completion bash`,

		// Flags that are not there.
		"explain --lst":         `idem explain has no flag --lst|idem explain --list`,
		"verify --require_live": `idem verify has no flag --require_live|idem verify CONTRACT --require-live`,
		"verify -live":          `idem verify has no flag -live|idem verify CONTRACT --live`,
		"verify -sede=3":        `idem verify has no flag -sede|idem verify CONTRACT --seed 1`,
		"derive --recip r":      `idem derive has no flag --recip|idem derive -r RECIPE`,
		"derive -x":             `idem derive has no flag -x|idem derive --help`,
		"canon --live":          `idem canon has no flag --live|it is a flag of idem verify`,
		"explain --json":        `idem explain has no flag --json|idem explain --format json`,
		"canon --quite":         `idem canon has no flag --quite|idem canon --quiet`,
		"--confg x":             `idem has no flag --confg|idem COMMAND --config VALUE`,
		"canon --zebra=hunter2": `idem canon has no flag --zebra|idem canon --help`,
		"canon --" + key:        `idem canon has no flag «secret»|idem canon --help`,
		"canon --=3":            `"--=3" is no flag|idem canon --help`,

		"verify --selftest":                    `idem verify has no flag --selftest|idem verify --self-test`,
		"profile show stripe --format contrct": `--format: "contrct" is none of text, json, contract|did you mean "contract"?`,
		"verify --dmo":                         `idem verify has no flag --dmo|idem verify --demo`,
		"verify c.yaml --liev":                 `idem verify has no flag --liev|idem verify --live c.yaml`,
		"verify c.yaml -sede=3 -q":             `idem verify has no flag -sede|idem verify --seed 3 -q c.yaml`,
		"verify --onyl expiry c.yaml":          `idem verify has no flag --onyl|idem verify --only expiry c.yaml`,
		"verify c.yaml --onyl":                 `idem verify has no flag --onyl|idem verify CONTRACT --only VALUE`,
		"fingerprint --key-evn X a.json":       `idem fingerprint has no flag --key-evn|idem fingerprint --key-env ... a.json`,
		"derive --inptu t=pw -r r a":           `idem derive has no flag --inptu|idem derive --input t=... -r r a`,
		"verify c.yaml --dry-run":              `idem verify has no flag --dry-run|idem verify CONTRACT: nothing is sent without --live`,
		"canon --dry-run":                      `idem canon has no flag --dry-run|idem canon --help`,
		"verify c.yaml --url x":                `idem verify has no flag --url|idem verify CONTRACT --target URL`,
		"verify c.yaml --steps expiry":         `idem verify has no flag --steps|idem verify CONTRACT --only VALUE`,
		"verify --contract c.yaml":             `idem verify has no flag --contract|idem verify CONTRACT`,
		"derive --file a.json":                 `idem derive has no flag --file|idem derive -r RECIPE [FILE|-]`,
		"serve --port 1":                       `idem serve has no flag --port|idem serve --listen 127.0.0.1:8080`,
		"key new --output k":                   `idem key new has no flag --output|idem key new --out FILE`,

		// Values.
		"verify --seed -1":        `--seed: "-1" is not a whole number from 0 to 18446744073709551615|idem verify CONTRACT --seed 1`,
		"verify --seed 1e3":       `--seed: "1e3" is not a whole number from 0 to 18446744073709551615|idem verify CONTRACT --seed 1`,
		"verify --seed 0x10":      `--seed: "0x10" is not a whole number from 0 to 18446744073709551615|idem verify CONTRACT --seed 1`,
		"verify --seed 1_0":       `--seed: "1_0" is not a whole number from 0 to 18446744073709551615|idem verify CONTRACT --seed 1`,
		"verify --seed":           `--seed: the value is missing|idem verify CONTRACT --seed 1`,
		"verify --live=maybe":     `--live: "maybe" is neither true nor false|idem verify CONTRACT --live`,
		"verify --only a\"b":      `--only: "a\"b" is not a list of words with commas between|idem verify CONTRACT --only VALUE`,
		"serve --conflict 4.5":    `--conflict: "4.5" is not a whole number|idem serve --conflict 422`,
		"serve --wait-max 5":      `--wait-max: "5" is not a duration with its unit|idem serve --wait-max 30s`,
		"serve --retention day":   `--retention: "day" is not a duration with its unit|idem serve --retention 24h`,
		"serve --conflict 500":    `--conflict: is not 400, 409 or 422|idem serve --conflict 422`,
		"serve --in-flight drop":  `--in-flight: is not wait or reject|one of wait, reject`,
		"serve --in-flight rejct": `--in-flight: is not wait or reject|did you mean "reject"?`,
		"serve --store-env NONE":  `--store-env: the environment variable NONE is not set|export NONE`,
		"serve --conflict " + key: `--conflict: «secret» is not a whole number|idem serve --conflict 422`,
		"key new --out":           `--out: the value is missing|idem key new --out FILE`,
		"derive -r":               `--recipe: the value is missing|idem derive -r RECIPE`,
		"--config":                `--config: the value is missing|idem COMMAND --config VALUE`,
	} {
		message, hint, _ := strings.Cut(want, "|")
		code, said := told(t, strings.Fields(line)...)
		if want := "idem: " + message + "\nhint: " + hint + "\n"; code != ExitUsage || said != want {
			t.Errorf("idem %s: exit %d\n%s\nwant\n%s", line, code, said, want)
		}
	}
}

// Numbers are decimal, wherever they are given.
func TestFlagsAreDecimal(t *testing.T) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	seed, status := f.Uint64("seed", 1, ""), f.Int("status", 0, "")
	decimalFlags(f)
	decimalFlags(f)
	if err := f.Parse([]string{"--seed", "010", "--status", "-0409"}); err != nil || *seed != 10 || *status != -409 {
		t.Error(*seed, *status, err)
	}
	if got, err := f.GetUint64("seed"); err != nil || got != 10 {
		t.Error(got, err)
	}
	for _, bad := range []string{"0x1", "0b1", "1_0", "+1", "", "-", "1 ", "18446744073709551616", "-1"} {
		if f.Set("seed", bad) == nil {
			t.Errorf("%q is %d", bad, *seed)
		}
	}
}

// TestEveryCommandRefusesInItsOwnWords makes each mistake with each command
// and each flag. Nothing of the library's words may show, and the hint must be
// a command that is there, with flags that it has.
func TestEveryCommandRefusesInItsOwnWords(t *testing.T) {
	root := newRootCmd(&App{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}, subcommand{})
	tried := 0
	everyCommand(root, func(c *cobra.Command) {
		if c.Name() == "help" {
			return
		}
		path := strings.Fields(c.CommandPath())[1:]
		try := func(args ...string) {
			tried++
			code, said := told(t, append(append([]string{}, path...), args...)...)
			lines := strings.Split(strings.TrimSuffix(said, "\n"), "\n")
			if code != ExitUsage || len(lines) != 2 || !strings.HasPrefix(lines[0], "idem: ") || !strings.HasPrefix(lines[1], "hint: ") {
				t.Errorf("%v %q: exit %d: %s", path, args, code, said)
				return
			}
			for _, word := range []string{"strconv", "parsing", "arg(s)", "unknown", "invalid", "shorthand", "%!"} {
				if strings.Contains(said, word) {
					t.Errorf("%v %q: %s", path, args, said)
				}
			}
			hintHolds(t, root, strings.TrimPrefix(lines[1], "hint: "))
		}
		try("--no-such-flag-at-all")
		try("-Z")
		try("---")
		flags := func(f *pflag.Flag) {
			if f.Name == "help" || f.Name == "version" {
				return
			}
			if f.NoOptDefVal == "" {
				try("--" + f.Name)
			}
			switch f.Value.Type() {
			case "bool", "int", "uint64", "duration":
				try("--" + f.Name + "=x y")
			}
			try("--" + f.Name + "x")
		}
		c.LocalFlags().VisitAll(flags)
		c.InheritedFlags().VisitAll(flags)
		if c.Args != nil && c.Args(c, make([]string, 20)) != nil {
			try(strings.Fields("a b c d e f g h i j k l m n o p q r s t")...)
		}
	})
	if tried < 100 {
		t.Errorf("only %d mistakes were made", tried)
	}
}

// hintHolds wants a hint's command to be there, with every flag that it shows.
func hintHolds(t *testing.T, root *cobra.Command, hint string) {
	t.Helper()
	words := strings.Fields(hint)
	if words[0] != "idem" {
		return // words for people
	}
	c, _, err := root.Find(words[1:])
	if err != nil && words[1] != "COMMAND" || c == root && words[1][0] != '-' && words[1] != "COMMAND" {
		t.Errorf("hint %q: %v", hint, err)
		return
	}
	c.InitDefaultHelpFlag()
	for _, word := range words {
		name, _, _ := strings.Cut(strings.TrimLeft(strings.Trim(word, "[]"), "-"), "=")
		if strings.HasPrefix(word, "--") && c.Flag(name) == nil {
			t.Errorf("hint %q: %s has no flag --%s", hint, c.CommandPath(), name)
		}
	}
}

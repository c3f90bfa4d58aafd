package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/report"
)

// verifyOptions are the flags of idem verify.
type verifyOptions struct {
	file            string
	live            bool
	demo            bool
	requireLive     bool
	requireEffects  bool
	allowTestSecret bool
	engine          engineFlags
	allowProduction []string
	http            string
	target          string // the base URL that takes the place of the contract's
	races           raceOptions
	selection       probe.Selection
	seed            uint64
	runID           string
	tracePath       string
	format          string
	reports         []string
	plant           string // the file that operations are planted into
	harvest         string // the file that they are harvested from
	script          string // of idem report: the finding whose script is all that is wanted
	colour          bool
	selfTest        selfTestOptions

	planted *probe.Planted // of a harvest, read
}

func newVerifyCmd(app *App) *cobra.Command {
	var o verifyOptions
	c := &cobra.Command{
		Use:   "verify CONTRACT",
		Short: "prove from outside that an HTTP API keeps its idempotency contract",
		Long: `Prove from outside that an HTTP API keeps its idempotency contract, in six steps:
duplicate, concurrent, conflict, reorder, crash, expiry.

Without --live this is a dry run: it prints what the contract promises and what a
live run would send, and sends nothing.`,
		Example: `  idem verify contract.yaml                 what would be sent
  idem verify contract.yaml --live          send it and judge
  idem verify contract.yaml --live --plant tonight.ndjson      make operations now, and
  idem verify contract.yaml --live --harvest tonight.ndjson    judge them hours later
  idem verify --demo                        the whole check against the reference service
  idem verify --self-test                   is the check to be trusted? the whole of it, against known faults`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.file = args[0]
			}
			if err := o.settle(app, c); err != nil {
				return err
			}
			return runVerify(c, app, &o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.live, "live", false, "send: to the contract's allow_hosts only")
	f.BoolVar(&o.demo, "demo", false, "start the reference service on a free loopback port and check it live")
	f.StringSliceVar(&o.selection.Only, "only", nil, "only these steps (comma-separated)")
	f.StringSliceVar(&o.selection.Skip, "skip", nil, "not these steps")
	f.StringSliceVar(&o.selection.Operations, "operation", nil, "only these operations")
	f.Uint64Var(&o.seed, "seed", 1, "fixes order and fresh values; the same seed gives the same plan")
	f.StringVar(&o.runID, "run-id", "", "16 hexadecimal digits instead of random ones")
	f.StringVar(&o.tracePath, "trace", "", "keep the trace here (NDJSON, mode 0600)")
	f.StringVar(&o.plant, "plant", "", "make operations and write them here (NDJSON, mode 0600), to be harvested later")
	f.StringVar(&o.harvest, "harvest", "", "send again what was planted here, and judge by the time that has passed")
	f.StringVar(&o.format, "format", "human", "on standard output: "+strings.Join(report.Formats(), ", "))
	f.StringArrayVar(&o.reports, "report", nil, "a further report, FORMAT=PATH")
	f.BoolVar(&o.requireLive, "require-live", false, "exit 3 if nothing was sent")
	f.BoolVar(&o.requireEffects, "require-effects", false, "a pass needs counted effects, answers are not enough")
	f.StringArrayVar(&o.allowProduction, "allow-production", nil, "let credentials that look like production go to this host")
	f.StringVar(&o.target, "target", "", "the base `url` to run against instead of the contract's; its host must be under allow_hosts")
	f.StringVar(&o.http, "http", "", "speak this `version` of HTTP, auto, 1.1 or 2, whatever the contract's target.http says")
	f.BoolVar(&o.allowTestSecret, "allow-test-secret", false, "let a live run use the public test secret")
	o.engine.registerCross(f)
	o.races.add(c)
	o.selfTest.add(c)
	return c
}

// settle takes the general settings from wherever they are given: flag,
// variable, config file, default.
func (o *verifyOptions) settle(app *App, c *cobra.Command) error {
	s, err := settings(app, c)
	if err != nil {
		return err
	}
	o.format, o.seed, o.colour = s.Format, s.Seed, s.colour(app)
	o.requireLive, o.requireEffects = s.RequireLive, s.RequireEffects
	return nil
}

func runVerify(c *cobra.Command, app *App, o *verifyOptions) error {
	if o.selfTest.on && o.target != "" {
		return problem.New("--target", "the self-test starts its own services")
	}
	if o.selfTest.on {
		return runSelfTest(c.Context(), app, o)
	}
	if err := o.selfTest.without(c); err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	if o.demo {
		return runDemo(c.Context(), app, o)
	}
	spec, err := readContract(app, o.file)
	if err != nil {
		return err
	}
	if spec, err = spec.Speaking(o.http); err != nil {
		return err
	}
	if spec, err = o.at(spec); err != nil {
		return err
	}
	if err := o.selection.Check(spec); err != nil {
		return err
	}
	switch {
	case !o.live:
		return runDry(app, o, spec)
	case o.plant != "":
		return runPlant(c.Context(), app, o, spec)
	case o.harvest != "":
		return runHarvest(c.Context(), app, o, spec)
	}
	return runLive(c.Context(), app, o, spec)
}

// check refuses what cannot be meant.
func (o *verifyOptions) check() error {
	if _, err := report.Destinations(o.reports); err != nil {
		return err
	}
	if err := o.checkHTTP(); err != nil {
		return err
	}
	if err := o.races.check(o); err != nil {
		return err
	}
	switch {
	case o.demo && o.file != "":
		return problem.New("", "--demo brings its own contract").WithHint("idem verify --demo")
	case !o.demo && o.file == "":
		return problem.New("", "which contract").WithHint("idem verify contract.yaml, or idem verify --demo")
	case o.demo && o.target != "":
		return problem.New("--target", "the demo starts its own service")
	case o.target != "" && (o.plant != "" || o.harvest != ""):
		return problem.New("--target", "what is planted is harvested where the contract says").WithHint("state the URL under target.base_urls")
	case o.runID != "" && !isRunID(o.runID):
		return problem.New("--run-id", "a run id is 16 hexadecimal digits, lower case").WithHint("leave --run-id out for random ones")
	case o.plant != "" || o.harvest != "":
		return o.checkHalves()
	case !o.live && !o.demo && o.tracePath != "":
		return problem.New("--trace", "a dry run has no trace").WithHint("leave --trace out; what is sent with --live has one")
	}
	return nil
}

// at gives the contract as it is at --target.
func (o *verifyOptions) at(spec *contract.Contract) (*contract.Contract, error) {
	spec, err := spec.At(o.target)
	if err != nil {
		hint := cmp.Or(problem.Hint(err), "http://127.0.0.1:8080")
		if strings.HasPrefix(hint, "http") {
			hint = "--target " + hint
		}
		return nil, problem.New("--target", "%s", err).WithHint("%s", hint)
	}
	return spec, nil
}

// checkHTTP refuses what is no version of HTTP.
func (o *verifyOptions) checkHTTP() error {
	if o.http == "" {
		return nil
	}
	return oneOf("--http", o.http, contract.HTTP2, contract.HTTPVersions()...)
}

func isRunID(s string) bool {
	return len(s) == 16 && strings.Trim(s, "0123456789abcdef") == ""
}

// mostContract bounds a contract's size in bytes.
const mostContract = 4 << 20

// readContract reads a contract file, or standard input for "-".
func readContract(app *App, file string) (*contract.Contract, error) {
	if at := urlIn(file); at != "" {
		return nil, problem.New("", "%s is a URL, and a contract is a file that says what is promised there", at).
			WithHint("idem verify contract.yaml --target %s", at)
	}
	src, err := readInput(app, file, mostContract)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(file)
	return contract.Parse(file, src, func(path string) ([]byte, error) {
		at := path
		if !filepath.IsAbs(path) {
			at = filepath.Join(dir, path)
		}
		return readBody(path, at)
	})
}

// readBody reads a file that a contract names, as written, bounded like the
// contract: a device has no end.
func readBody(written, path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nearer(problem.New("", "%s", reason(err)).Because(err), written, path, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostContract+1))
	if err == nil && len(b) > mostContract {
		return nil, fmt.Errorf("it is larger than %d bytes", mostContract)
	}
	return b, err
}

// writeReports writes the main report and the further ones, each to a file of
// its own, whole or not at all.
func (o *verifyOptions) writeReports(app *App, write func(b *bytes.Buffer, d report.Destination) error) error {
	destinations, err := report.Destinations(o.reports)
	if err != nil {
		return err
	}
	all := append([]report.Destination{{Format: o.format, Path: "-"}}, destinations...)
	for _, d := range all {
		var b bytes.Buffer
		if err := write(&b, d); err != nil {
			return err
		}
		if d.Path == "-" {
			if _, err := app.Out.Write(b.Bytes()); err != nil {
				return problem.New("standard output", "%s", err)
			}
			continue
		}
		if err := writeWhole(d.Path, b.Bytes()); err != nil {
			return problem.New(d.Path, "cannot be written: %s", reason(err))
		}
	}
	return nil
}

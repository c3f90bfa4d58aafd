package cmd

import (
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

type fingerprintOptions struct {
	files     []string
	withNames bool
	format    string
	check     string
	diff      bool
	public    bool
	sensitive []string
	numbers   string
	recipe    string
	namespace string
	key       keyFlags
	allowTest bool
	request   requestOptions
	stream    streamFlags
	engine    engineFlags

	numbersSet bool
}

func newFingerprintCmd(app *App) *cobra.Command {
	o := &fingerprintOptions{}
	c := &cobra.Command{
		Use:   "fingerprint FILE...",
		Short: "say by a digest whether JSON payloads, or requests, are the same",
		Long: `Write one fingerprint a line, in the order of the arguments; - is standard input.
Payloads that differ in member order, white space, escapes or the spelling of numbers
alone have one fingerprint.

Without a key it is sha256:DIGEST, which anyone can make who guesses the payload. So
it is refused where the payload holds a value that can be guessed, such as an email
address, unless --public says that the payload may be known to all. With a key it is
hmac-sha256:KID:DIGEST. A recipe (-r) gives namespace, key, number mode and what is
sensitive; key flags and --namespace win over it, and --public asks for the form
without a key.

--request fingerprints a whole request, whose body is FILE: req1:DIGEST, or with a
key reqk1:KID:DIGEST. Without a Content-Type header the body is application/json.

--diff compares two payloads and says where they part, which answers why an API
called a retry a conflict: exit 0 the same operation, 1 different.
--check compares with a fingerprint from before: exit 0 same, 1 different, 3 where
the kind or the kid differs, which says nothing.

With --ndjson every line of FILE, or of standard input, is a payload, and a line with
its fingerprint comes out for each, in order, on all cores.`,
		Example: `  idem fingerprint order.json
  idem fingerprint --with-names --key-env IDEM_KEY --namespace acme.payments *.json
  idem fingerprint --diff sent.json sent-again.json
  idem fingerprint --request --path '/v1/charges?expand=1' --ignore /sent_at body.json
  idem fingerprint --ndjson --public events.ndjson`,
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			if err := o.fit(c); err != nil {
				return err
			}
			var lines perLine
			err := interruptible(c.Context(), func() error { return runFingerprint(c.Context(), app, o, &lines) })
			if err != nil || !o.stream.on {
				return err
			}
			return o.stream.run(c.Context(), app, lines)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.withNames, "with-names", false, "write the file's name behind its fingerprint")
	f.StringVar(&o.format, "format", "text", "text, or json with an object a line")
	f.StringVar(&o.check, "check", "", "compare one file with this fingerprint")
	f.BoolVar(&o.diff, "diff", false, "say where two payloads part")
	f.BoolVar(&o.public, "public", false, "the payloads may be known to all: make the form without a key")
	f.StringArrayVar(&o.sensitive, "sensitive", nil, "JSON pointer of a value that must not be given away, beside what looks so")
	f.StringVar(&o.numbers, "numbers", "strict", "strict refuses numbers that a double changes, ieee754 rounds them")
	f.StringVarP(&o.recipe, "recipe", "r", "", "take namespace, key, numbers and sensitive values from a recipe")
	f.StringVar(&o.namespace, "namespace", "", "namespace of the keyed forms")
	o.key.register(f)
	f.BoolVar(&o.allowTest, "allow-test-secret", false, allowTestSecretUsage)
	o.request.register(f)
	o.stream.register(f)
	o.stream.registerAnnotate(f)
	o.engine.registerCross(f)
	return c
}

// fit refuses flags that do not go together.
func (o *fingerprintOptions) fit(c *cobra.Command) error {
	changed := c.Flags().Changed
	o.numbersSet = changed("numbers")
	if err := o.stream.fit(c, fingerprintSingle); err != nil {
		return err
	}
	if o.stream.on && len(o.files) == 0 {
		o.files = []string{"-"}
	}
	if err := checkFormat(o.format); err != nil {
		return err
	}
	if err := o.fitStream(); err != nil {
		return err
	}
	if o.diff && (o.request.on || o.check != "" || o.withNames || o.key.given()) {
		return problem.New("--diff", "it compares payloads as they are: --request, --check, --with-names and keys do not go with it").
			WithHint("idem fingerprint --diff sent.json sent-again.json")
	}
	if o.public && o.key.given() {
		return problem.New("--public", "it asks for the form without a key, and a key is given").WithHint("leave --public or the key out")
	}
	if err := o.fitKey(changed); err != nil {
		return err
	}
	if err := o.fitRequest(changed); err != nil {
		return err
	}
	if o.check != "" && !fingerprint.IsFingerprint(o.check) {
		return problem.New("--check", "%s is no fingerprint", document.Show(o.check)).WithHint("--check sha256:DIGEST, as idem fingerprint writes it")
	}
	if o.check != "" && len(o.files) > 1 {
		return problem.New("--check", "it compares one file, and %d are given", len(o.files)).
			WithHint("idem fingerprint --check FINGERPRINT FILE")
	}
	readers := append(slices.Clone(o.files), o.recipe)
	if first := slices.Index(readers, "-"); first >= 0 && (slices.Contains(readers[first+1:], "-") || o.key.readsStdin()) {
		return problem.New("-", "standard input can be read once only")
	}
	return nil
}

// fitKey refuses what would leave a fingerprint without the key that somebody
// thinks it has.
func (o *fingerprintOptions) fitKey(changed func(string) bool) error {
	if o.key.given() {
		return nil
	}
	for _, name := range []string{"kid", "key-format", "key-any-mode", "passphrase-env", "passphrase-file", "passphrase-fd"} {
		if changed(name) {
			return problem.New("--"+name, "it says something of a key, and none is given").WithHint("--key-env NAME")
		}
	}
	if changed("namespace") && (o.recipe == "" || o.public) {
		return problem.New("--namespace", "it is for the keyed forms, and no key is given").WithHint("--key-env NAME")
	}
	return nil
}

func (o *fingerprintOptions) fitRequest(changed func(string) bool) error {
	if o.request.on {
		if !changed("path") {
			return problem.New("--request", "the path is missing").WithHint("--path /v1/charges")
		}
		return nil
	}
	for _, name := range onlyWithRequest {
		if changed(name) {
			return problem.New("--"+name, "it is for requests").WithHint("add --request")
		}
	}
	if len(o.request.ignore) > 0 && !o.diff {
		return problem.New("--ignore", "it is for requests and for --diff: a payload's fingerprint covers all of it").
			WithHint("add --request or --diff")
	}
	if len(o.files) == 0 && !o.diff {
		return problem.New("", "no file is given").WithHint("idem fingerprint -, for standard input")
	}
	return nil
}

// runFingerprint makes fingerprints, or with --ndjson gives what is to be done
// with each line.
func runFingerprint(ctx context.Context, app *App, o *fingerprintOptions, lines *perLine) error {
	recipe, policy, err := o.policy(ctx, app)
	if err != nil {
		return err
	}
	if o.stream.on {
		*lines, err = fingerprintPerLine(o, policy)
		return err
	}
	if o.diff {
		return runDiff(app, o, recipe, policy)
	}
	of := func(src []byte) (string, error) { return fingerprint.Payload(src, policy) }
	refuse, place := func(head []byte) error { return fingerprint.Mask(refuseHead(head), policy.Sensitive) }, inFile
	if o.request.on {
		req, rules, err := o.request.request(app)
		if err != nil {
			return err
		}
		of = func(body []byte) (string, error) {
			req.Body = body
			return fingerprint.RequestFingerprint(req, rules, policy)
		}
		place = inRequest
		if rules.Bytes || !fingerprint.IsJSONType(req.MediaType) {
			refuse = nil
		}
		if len(o.files) == 0 {
			fp, err := of(nil)
			if err != nil {
				return place("", err)
			}
			return o.tell(app, "", fp)
		}
	}
	// Lines go out as they are made, so that at an error those before it stand
	// and none has moved.
	for _, file := range o.files {
		src, err := readLong(app, file, refuse)
		if err != nil {
			return err
		}
		fp, err := of(src)
		if err != nil {
			return app.advised(file, src, place(file, err))
		}
		if err := o.tell(app, file, fp); err != nil {
			return err
		}
	}
	return nil
}

// fingerprintLine is one line of --format json.
type fingerprintLine struct {
	File        string `json:"file,omitempty"`
	Fingerprint string `json:"fingerprint"`
}

// tell writes a fingerprint, or compares it where --check is given.
func (o *fingerprintOptions) tell(app *App, file, fp string) error {
	switch {
	case o.check != "":
		return o.compare(file, fp)
	case o.format == "json":
		return writeJSON(app, fingerprintLine{file, fp})
	case o.withNames && file != "":
		if name := strconv.Quote(file); name != `"`+file+`"` {
			file = name
		}
		return writeText(app, fp+"  "+file+"\n")
	}
	return writeText(app, fp+"\n")
}

func (o *fingerprintOptions) compare(file, fp string) error {
	if file == "" {
		file = "the request"
	}
	switch fingerprint.Compare(o.check, fp) {
	case fingerprint.Same:
		return nil
	case fingerprint.Different:
		return &exitCode{code: ExitBroken, err: problem.New(inputName(file), "has another fingerprint: %s", fp)}
	}
	return &exitCode{code: ExitInconclusive, err: problem.New(inputName(file),
		"cannot be compared: its fingerprint is %s, and that to compare with is of another kind, of another kid, or none", fp)}
}

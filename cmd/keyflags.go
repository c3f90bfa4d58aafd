package cmd

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/problem"
)

// keyFlags name a key on the command line, for commands without a recipe. The
// key itself never is an argument.
type keyFlags struct {
	sourceFlags
	argument   string // a file named by no flag; "-" is descriptor 0
	kid        string
	format     string
	anyMode    bool
	passphrase sourceFlags
}

func (k *keyFlags) register(f *pflag.FlagSet) {
	k.sourceFlags.register(f, "key", "the key")
	f.StringVar(&k.kid, "kid", "", "the key's short `name`; an idemkey line brings its own")
	f.StringVar(&k.format, "key-format", string(determ.FormatIdemkey), "how the key is written: idemkey, hex, base64 or raw")
	f.BoolVar(&k.anyMode, "key-any-mode", false, "take a key file whatever its mode, as containers mount it")
	k.passphrase.register(f, "passphrase", "the passphrase of a sealed key")
}

// given says whether any source of a key was named, well or badly.
func (k *keyFlags) given() bool { return k.argument != "" || k.sourceFlags.given() }

// said says whether a flag tells something of a key but where it is.
func (k *keyFlags) said() bool {
	return k.flags.Changed("kid") || k.flags.Changed("key-format") || k.flags.Changed("key-any-mode") || k.passphrase.given()
}

// spec gives the key that the flags name.
func (k *keyFlags) spec() (determ.KeySpec, error) {
	source, err := k.from()
	if err != nil {
		return determ.KeySpec{}, err
	}
	if k.anyMode && source.File == "" {
		return determ.KeySpec{}, problem.New("--key-any-mode", "it is for a key file alone").WithHint("--key-file FILE")
	}
	source.AnyMode = k.anyMode
	spec := determ.KeySpec{Kid: k.kid, Source: *source, Format: determ.KeyFormat(k.format)}
	switch spec.Format {
	case determ.FormatIdemkey:
	case determ.FormatHex, determ.FormatBase64, determ.FormatRaw:
		if k.kid == "" {
			return spec, problem.New("--kid", "a key of format %s brings no kid", k.format).WithHint("--kid k1")
		}
	default:
		return spec, noneOf("--key-format", k.format, "hex", string(determ.FormatIdemkey), string(determ.FormatHex), string(determ.FormatBase64), string(determ.FormatRaw))
	}
	if k.kid != "" && !determ.IsKid(k.kid) {
		return spec, problem.New("--kid", "a kid is 1 to 16 lower-case letters and digits").WithHint("--kid k1")
	}
	if k.passphrase.given() {
		spec.Passphrase, err = k.passphrase.source()
	}
	return spec, err
}

// from gives the key's one source: the argument or a flag.
func (k *keyFlags) from() (*determ.Source, error) {
	switch {
	case k.argument == "":
		return k.source()
	case k.sourceFlags.given():
		return nil, problem.New("", "the key is named by FILE and by a flag").WithHint("leave one of them out")
	case k.argument == "-":
		return &determ.Source{IsFD: true, Flag: "FILE"}, nil
	}
	return &determ.Source{File: k.argument, Flag: "FILE"}, nil
}

// sourceFlags name where a key or a passphrase comes from. What counts is
// whether a flag was given, not what it says: one that says nothing, such as
// --key-env "$UNSET", must not leave a fingerprint without its key.
type sourceFlags struct {
	name          string // "key" or "passphrase"
	env, file, fd string
	flags         *pflag.FlagSet
}

func (s *sourceFlags) register(f *pflag.FlagSet, name, what string) {
	s.name, s.flags = name, f
	f.StringVar(&s.env, name+"-env", "", "take "+what+" from this environment `variable`")
	f.StringVar(&s.file, name+"-file", "", "take "+what+" from this `file`, which only its owner may read")
	f.StringVar(&s.fd, name+"-fd", "", "take "+what+" from this file `descriptor`")
	s.allowEmpty(f)
}

// Their own words say more than that a flag is empty.
func (s *sourceFlags) allowEmpty(f *pflag.FlagSet) {
	for _, kind := range []string{"-env", "-file", "-fd"} {
		allowEmpty(f, s.name+kind)
	}
}

func (s *sourceFlags) changed(kind string) bool { return s.flags.Changed(s.name + "-" + kind) }

// given says whether any of the flags was.
func (s *sourceFlags) given() bool { return s.changed("env") || s.changed("file") || s.changed("fd") }

// readsStdin says whether the source is descriptor 0.
func (s *sourceFlags) readsStdin() bool {
	fd, err := strconv.Atoi(s.fd)
	return s.changed("fd") && err == nil && fd == 0
}

// source gives the one source that the flags name. Errors do not repeat what
// the flags say: people put the secret itself there.
func (s *sourceFlags) source() (*determ.Source, error) {
	flag := "--" + s.name
	named := 0
	for _, kind := range []string{"env", "file", "fd"} {
		if s.changed(kind) {
			named++
			flag = "--" + s.name + "-" + kind
		}
	}
	if named != 1 {
		flag = "--" + s.name
		return nil, problem.New("", "%s-env, %s-file and %s-fd are one source each, and one is needed", flag, flag, flag).WithHint("%s-env NAME", flag)
	}
	switch {
	case s.changed("env") && !determ.IsEnvName(s.env):
		return nil, problem.New(flag, "this takes the name of an environment variable, not a value").WithHint("%s IDEM_%s", flag, strings.ToUpper(s.name))
	case s.changed("env"):
		return &determ.Source{Env: s.env, Flag: flag}, nil
	case s.changed("file") && s.file == "":
		return nil, problem.New(flag, "this takes the name of a file, and it is empty").WithHint("%s FILE", flag)
	case s.changed("file"):
		return &determ.Source{File: s.file, Flag: flag}, nil
	}
	fd, err := strconv.ParseUint(s.fd, 10, 32)
	switch {
	case err != nil || fd > determ.MaxFD:
		return nil, problem.New(flag, "this takes the number of an open file descriptor").WithHint("%s 3", flag)
	case fd == 1 || fd == 2:
		return nil, problem.New(flag, "descriptor %d is for output", fd).WithHint("%s 3", flag)
	}
	return &determ.Source{FD: int(fd), IsFD: true, Flag: flag}, nil
}

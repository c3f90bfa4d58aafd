package determ

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
)

// KeyFormat is how key material is written. Nothing is guessed.
type KeyFormat string

// The formats of determ-v1, Keys.
const (
	FormatIdemkey KeyFormat = "idemkey" // an idemkey1, idemkeyx1 or idemsub1 line
	FormatHex     KeyFormat = "hex"
	FormatBase64  KeyFormat = "base64"
	FormatRaw     KeyFormat = "raw"
)

// Source is where a secret or passphrase comes from: exactly one of an
// environment variable, a file, a descriptor and a command.
type Source struct {
	Env     string
	File    string   // relative to the recipe
	FD      int      // where IsFD
	IsFD    bool     // 0 is a descriptor too
	Command []string // program and arguments; no shell
	AnyMode bool     // mode: any: the file's mode does not matter
	Flag    string   // the flag that names it, outside recipes: told instead of what it says
}

// String says where, never what: "environment variable IDEM_KEY". What a flag
// says may be the secret itself, put in the wrong place, so the flag is named.
func (s Source) String() string {
	switch {
	case s.Flag != "" && s.Env != "":
		return "the environment variable that " + s.Flag + " names"
	case s.Flag != "" && s.File != "":
		return "the file that " + s.Flag + " names"
	case s.Env != "":
		return "environment variable " + s.Env
	case s.File != "":
		return "file " + s.File
	case s.IsFD:
		return "file descriptor " + itoa(s.FD)
	case len(s.Command) > 0:
		return "command " + s.Command[0]
	}
	return "no source"
}

// MaxFD is the highest file descriptor that a source may name.
const MaxFD = 1 << 16

// KeySpec is a recipe's key: what the secret is called and where it is.
type KeySpec struct {
	Kid        string // empty, outside recipes: the line's own
	Source     Source
	Format     KeyFormat
	Check      string  // 8 characters; empty: nothing is checked
	Passphrase *Source // opens an idemkeyx1 line; nil: none
	Where      string  // "file:line:column" in the recipe; empty outside recipes
}

// way gives a setting as it is written where the key is named: in a recipe, or
// by flags.
func (k KeySpec) way(inRecipe, asFlag string) string {
	if k.Where != "" {
		return inRecipe
	}
	return asFlag
}

// ReadKeyText reads key material in the spec's format and holds it to the
// spec's kid and check.
func (k KeySpec) ReadKeyText(text []byte, passphrase func() ([]byte, error)) (*Secret, error) {
	s, err := k.parseKeyText(text, passphrase)
	if err != nil {
		return nil, err
	}
	return s, k.verify(s)
}

var sources = []string{"env", "file", "fd", "command"}

func readKeySpec(f *document.Fields) KeySpec {
	k := KeySpec{}
	known := append([]string{"kid", "format", "mode", "check", "passphrase"}, sources...)
	n := f.Must("key")
	if f.Err() != nil {
		return k
	}
	key, err := readObject(n, "key", known...)
	if err != nil {
		f.Fail(hinted(err, "key: %s", sample("key")))
		return k
	}
	k.Where = n.At()
	if k.Kid = key.String("kid"); key.Err() == nil && !IsKid(k.Kid) {
		key.Fail(key.Get("kid").Errorf("kid must be 1 to %d lower-case letters and digits", maxKid).WithHint("kid: k1"))
	}
	k.Source = readSource(key)
	k.Format = KeyFormat(key.OptEnum("format", string(FormatIdemkey), string(FormatIdemkey), string(FormatHex), string(FormatBase64), string(FormatRaw)))
	if k.Check = key.OptString("check", ""); key.Has("check") && key.Err() == nil && !isCheck(k.Check) {
		key.Fail(key.Get("check").Errorf("check must be the %d characters that idem key check prints", checkLength).
			WithHint("leave check out, and idem key check -r %s prints it", f.Node.File))
	}
	if p := key.OptObject("passphrase", append([]string{"mode"}, sources...)...); p != nil {
		source := readSource(p)
		key.Fail(p.Err())
		k.Passphrase = &source
		if key.Err() == nil && k.Format != FormatIdemkey {
			key.Fail(p.Node.Errorf("a passphrase opens idemkeyx1 lines alone, and the format is %s", k.Format).
				WithHint("leave format or passphrase out"))
		}
	}
	f.Fail(key.Err())
	return k
}

// readSource reads the one source of a key or passphrase.
func readSource(f *document.Fields) Source {
	s := Source{}
	named := []string{}
	for _, name := range sources {
		if f.Has(name) {
			named = append(named, name)
		}
	}
	if len(named) != 1 {
		hint := "keep one of " + strings.Join(named, ", ")
		if len(named) == 0 {
			hint = "env: " + sample("env") + ", or file: " + sample("file")
		}
		f.Fail(f.Node.Errorf("%s needs one source of %s; it has %d", f.What, strings.Join(sources, ", "), len(named)).WithHint("%s", hint))
		return s
	}
	switch named[0] {
	case "env":
		if s.Env = f.String("env"); f.Err() == nil && !IsEnvName(s.Env) {
			f.Fail(f.Get("env").Errorf("env must be the name of an environment variable, not a value").WithHint("env: IDEM_KEY"))
		}
	case "file":
		if s.File = f.String("file"); f.Err() == nil && (s.File == "" || strings.ContainsRune(s.File, 0)) {
			f.Fail(f.Get("file").Errorf("file must be a path").WithHint("file: %s", sample("file")))
		}
	case "fd":
		s.IsFD = true
		if s.FD = int(f.Int("fd", 0, MaxFD)); f.Err() == nil && (s.FD == 1 || s.FD == 2) {
			f.Fail(f.Get("fd").Errorf("descriptor %d is for output", s.FD).WithHint("fd: 3"))
		}
	case "command":
		s.Command = f.StringList("command")
		if f.Err() == nil && (len(s.Command) == 0 || s.Command[0] == "" || strings.ContainsRune(strings.Join(s.Command, ""), 0)) {
			f.Fail(f.Get("command").Errorf("command must be a program and its arguments").WithHint("command: [pass, show, idem/k2]"))
		}
	}
	if mode := f.OptEnum("mode", "", "any"); mode != "" && f.Err() == nil {
		if s.File == "" {
			f.Fail(f.Get("mode").Errorf("mode is for a key file alone").WithHint("leave mode out"))
		}
		s.AnyMode = true
	}
	return s
}

// IsEnvName says whether s can name an environment variable: [A-Za-z_][A-Za-z0-9_]*.
func IsEnvName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

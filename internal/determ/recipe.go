package determ

import (
	"errors"
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// The bounds of a recipe's names and version (determ-v1, The recipe file).
const (
	maxVersion = 999999
	maxName    = 64
	maxPrefix  = 16
	maxKid     = 16
)

// Recipe is what one kind of operation's identity is.
type Recipe struct {
	Triple
	File      string
	Prefix    string
	Boundary  string
	Identity  []Entry // in the file's order
	Encode    Encoding
	Numbers   fingerprint.Numbers
	Sensitive []fingerprint.Pointer // nil where the recipe is silent
	Key       KeySpec
	Limits    Limits
	Next      []Listed
	Previous  []Listed
	Example   *Example // nil where there is none

	engine    fingerprint.Engine // who writes canonical forms
	valueless bool               // errors show no value of a payload
	node      *document.Node
}

// Use has every version of the recipe canonicalise by an engine. Where that is
// fingerprint.CrossCheck, what a lock holds of the recipe is checked at once.
func (r *Recipe) Use(e fingerprint.Engine) error {
	for _, l := range r.All() {
		l.Recipe.engine = e
		if _, err := l.Recipe.digest(); err != nil {
			return err
		}
	}
	return nil
}

// Valueless gives the same recipe, whose errors show no value of a payload.
func (r *Recipe) Valueless() *Recipe {
	c := *r
	c.valueless = true
	return &c
}

// hide gives an error of a payload without what must not be shown of it.
func (r *Recipe) hide(err error) error {
	err = fingerprint.Mask(err, r.Sensitive)
	var e *fingerprint.Error
	if r.valueless && errors.As(err, &e) {
		return e.WithoutValue()
	}
	return err
}

// canonical gives the RFC 8785 bytes of a value in the recipe's number mode,
// by its engine; at is put before the pointers of errors.
func (r *Recipe) canonical(v *fingerprint.Value, at string) ([]byte, error) {
	c := fingerprint.Canonicaliser{Numbers: r.Numbers, Engine: r.engine}
	return c.AppendValue(nil, v, at)
}

// Example is a payload with the ID that it has under the public test secret.
type Example struct {
	Payload *document.Node
	Inputs  *document.Node // nil where there are none
	ID      string         // empty where it is not known yet
}

// ErrNoBoundary is in the chain of the error for a recipe that does not say
// when two payloads are the same operation.
var ErrNoBoundary = errors.New("no boundary")

// Parse reads a recipe file. Errors are *problem.Error with file, line and
// column.
func Parse(file string, src []byte) (*Recipe, error) {
	n, err := document.Parse(file, src)
	if err != nil {
		return nil, err
	}
	return readRecipe(n, true)
}

// members are the names of a recipe; listable those that a previous or next
// entry may replace.
var (
	members = []string{"idem", "namespace", "operation", "version", "prefix", "boundary", "identity", "encode",
		"numbers", "sensitive", "key", "limits", "previous", "next", "example"}
	listable = members[1:12]
)

// readRecipe reads a whole recipe. mustBound refuses one without a boundary,
// which lint rather tells among other things.
func readRecipe(n *document.Node, mustBound bool) (*Recipe, error) {
	idem := n.Lookup("idem")
	switch {
	case idem != nil && idem.Kind == document.String && idem.Text == "contract/v1":
		return nil, idem.Errorf("this is a contract, not a recipe").WithHint("idem verify %s", n.File)
	case idem == nil && n.Kind == document.Object && n.Lookup("namespace") == nil && n.Lookup("identity") == nil && !n.Misspelt("idem"):
		return nil, n.Errorf("this is no recipe: it does not say idem: recipe/v1").
			WithHint("idem derive -r RECIPE FILE: the recipe is named by the flag, the payload by none")
	case idem != nil && idem.Kind == document.String && idem.Text != "recipe/v1":
		return nil, idem.Errorf("%s is not a recipe that this idem reads", document.Show(idem.Text)).
			WithHint("idem: recipe/v1")
	}
	f, err := readObject(n, "the recipe", members...)
	if err != nil {
		return nil, hinted(err, "idem: recipe/v1, and below it namespace, operation, version, prefix, boundary, identity and key")
	}
	f.String("idem")
	r, err := readMembers(f, mustBound)
	if err != nil {
		return nil, err
	}
	r.Example = readExample(f)
	if f.Err() != nil {
		return nil, f.Err()
	}
	return r, r.readListed(f)
}

// readObject reads an object whose errors show members as one would write
// them.
func readObject(n *document.Node, what string, known ...string) (*document.Fields, error) {
	f, err := document.ReadObject(n, what, known...)
	if err == nil {
		f.Sample = sample
	}
	return f, err
}

// hinted gives an error a hint, where it has none.
func hinted(err error, format string, args ...any) error {
	var p *problem.Error
	if errors.As(err, &p) && problem.Hint(err) == "" {
		return p.WithHint(format, args...)
	}
	return err
}

// readMembers reads everything that makes an ID, for the recipe itself and
// for each listed version.
func readMembers(f *document.Fields, mustBound bool) (*Recipe, error) {
	r := &Recipe{File: f.Node.File, node: f.Node}
	r.Namespace = readName(f, "namespace")
	r.Operation = readName(f, "operation")
	r.Version = int(f.Int("version", 1, maxVersion))
	r.Prefix = readPrefix(f)
	r.Boundary = strings.TrimSpace(f.OptString("boundary", ""))
	r.Identity = readIdentity(f)
	r.Encode = Encoding(f.OptEnum("encode", string(ID), encodingWords()...))
	r.Numbers, _ = fingerprint.ParseNumbers(f.OptEnum("numbers", "strict", "strict", "ieee754"))
	r.Sensitive = readSensitive(f)
	r.Key = readKeySpec(f)
	r.Limits = readLimits(f)
	if f.Err() != nil {
		return nil, f.Err()
	}
	if mustBound && r.Boundary == "" {
		return nil, noBoundary(f.Node)
	}
	return r, r.fits()
}

func noBoundary(n *document.Node) *problem.Error {
	at, what := n, "boundary is missing in the recipe"
	if b := n.Lookup("boundary"); b != nil {
		at, what = b, "boundary is empty"
	}
	err := at.Errorf("%s: it says when two payloads are the same operation", what).
		WithHint("boundary: One charge for each tenant, cart and cart version.")
	err.Err = ErrNoBoundary
	return err
}

// readName takes [a-z0-9]+([._-][a-z0-9]+)*, at most 64.
func readName(f *document.Fields, member string) string {
	s := f.String(member)
	if f.Err() == nil && !IsName(s) {
		f.Fail(f.Get(member).Errorf("%s must be lower-case letters and digits in parts joined by . _ or -, at most %d characters", member, maxName).
			WithHint("%s: %s", member, sample(member)))
	}
	return s
}

// IsName says whether s can be a namespace or operation.
func IsName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	joint := true // a part must begin here
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case lowerOrDigit(c):
			joint = false
		case !joint && (c == '.' || c == '_' || c == '-'):
			joint = true
		default:
			return false
		}
	}
	return !joint
}

// IsKid says whether s can be the short name of a secret.
func IsKid(s string) bool {
	if s == "" || len(s) > maxKid {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !lowerOrDigit(s[i]) {
			return false
		}
	}
	return true
}

func lowerOrDigit(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// readPrefix takes [a-z][a-z0-9]{0,15}.
func readPrefix(f *document.Fields) string {
	s := f.String("prefix")
	if f.Err() != nil {
		return ""
	}
	ok := len(s) <= maxPrefix && IsKid(s) && s[0] >= 'a'
	if !ok {
		f.Fail(f.Get("prefix").Errorf("prefix must be a lower-case letter, then up to %d lower-case letters and digits", maxPrefix-1).
			WithHint("prefix: chg"))
	}
	return s
}

// readSensitive gives nil where the recipe is silent, so that looks decide,
// and an empty list where it says that nothing is.
func readSensitive(f *document.Fields) []fingerprint.Pointer {
	list := f.OptStringList("sensitive")
	if list == nil || f.Err() != nil {
		return nil
	}
	pointers := make([]fingerprint.Pointer, 0, len(list))
	for i, s := range list {
		p, err := fingerprint.ParsePointer(s)
		if err != nil {
			f.Fail(pointerProblem(f.Get("sensitive").Items[i], err))
			return nil
		}
		pointers = append(pointers, p)
	}
	return pointers
}

func pointerProblem(n *document.Node, err error) error {
	hint := problem.Hint(err)
	var p *problem.Error
	if errors.As(err, &p) {
		return n.Errorf("not a JSON Pointer: %s", p.What).WithHint("%s", hint)
	}
	return n.Errorf("not a JSON Pointer").WithHint("pointer: %s", sample("pointer"))
}

func readExample(f *document.Fields) *Example {
	e := f.OptObject("example", "payload", "inputs", "id")
	if e == nil {
		return nil
	}
	example := &Example{Payload: e.Must("payload"), Inputs: e.Get("inputs"), ID: e.OptString("id", "")}
	if in := example.Inputs; in != nil && in.Kind != document.Object {
		e.Fail(in.Errorf("inputs must be an object, not %s", in.Kind).WithHint("inputs: %s", sample("inputs")))
	}
	f.Fail(e.Err())
	return example
}

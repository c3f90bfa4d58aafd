package determ

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"sort"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// LockName is the name of the lock file, which stands beside the recipes.
const LockName = "idem.lock"

const digestHead = "sha256:"

// Digest is SHA-256 of JCS of what makes a triple's IDs: prefix, encode,
// numbers and the identity in long form, as "sha256:" and 64 hexadecimal
// digits. Where an entry declares no type, its long form has none.
func (r *Recipe) Digest() string {
	identity := fingerprint.Object()
	for i := range r.Identity {
		e := &r.Identity[i]
		identity.Members = append(identity.Members, fingerprint.Member{Name: e.Name, Value: e.longForm()})
	}
	text := fingerprint.String
	whole := fingerprint.Object(
		fingerprint.Member{Name: "encode", Value: text(string(r.Encode))},
		fingerprint.Member{Name: "identity", Value: identity},
		fingerprint.Member{Name: "numbers", Value: text(r.Numbers.String())},
		fingerprint.Member{Name: "prefix", Value: text(r.Prefix)},
	)
	canonical, err := whole.Canonical(fingerprint.Strict, "")
	if err != nil {
		// Nothing but UTF-8 strings under unique names is in it.
		panic("determ: a recipe without canonical form: " + err.Error())
	}
	sum := sha256.Sum256(canonical)
	return digestHead + hex.EncodeToString(sum[:])
}

func (e *Entry) longForm() *fingerprint.Value {
	word := func(set bool, yes, no string) *fingerprint.Value {
		if set {
			return fingerprint.String(yes)
		}
		return fingerprint.String(no)
	}
	transforms := fingerprint.Array()
	for _, t := range e.Transforms {
		transforms.Items = append(transforms.Items, fingerprint.String(string(t)))
	}
	form := fingerprint.Object(
		fingerprint.Member{Name: "transform", Value: transforms},
		fingerprint.Member{Name: "when_absent", Value: word(e.OmitAbsent, "omit", "refuse")},
		fingerprint.Member{Name: "when_null", Value: word(e.AllowNull, "allow", "refuse")},
	)
	from := fingerprint.Member{Name: "pointer", Value: fingerprint.String(e.Pointer.String())}
	if e.Input != "" {
		from = fingerprint.Member{Name: "input", Value: fingerprint.String(e.Input)}
	}
	form.Members = append(form.Members, from)
	if e.Type != "" {
		form.Members = append(form.Members, fingerprint.Member{Name: "type", Value: fingerprint.String(e.Type)})
	}
	return form
}

// Lock is what idem.lock says: the digest of every triple that was ever in
// use. A triple is never taken out or changed.
type Lock struct {
	File    string
	digests map[string]string // Triple.String() to digest
}

// NewLock gives a lock without triples.
func NewLock(file string) *Lock { return &Lock{File: file, digests: map[string]string{}} }

// ParseLock reads a lock file.
func ParseLock(file string, src []byte) (*Lock, error) {
	n, err := document.Parse(file, src)
	if err != nil {
		return nil, err
	}
	f, err := document.ReadObject(n, "the lock", "idem", "recipes")
	if err != nil {
		return nil, err
	}
	f.Enum("idem", "lock/v1")
	recipes := f.Must("recipes")
	if f.Err() != nil {
		return nil, f.Err()
	}
	if recipes.Kind != document.Object {
		return nil, recipes.Errorf("recipes must be an object, not %s", recipes.Kind)
	}
	l := NewLock(file)
	for _, m := range recipes.Members {
		if !isTriple(m.Name) {
			return nil, problem.New(m.Value.At(), "%s is not NAMESPACE/OPERATION/VERSION", document.Show(m.Name))
		}
		digest, err := m.Value.AsString("a digest")
		if err != nil {
			return nil, err
		}
		if h, ok := strings.CutPrefix(digest, digestHead); !ok || len(h) != 2*sha256.Size {
			return nil, m.Value.Errorf("not a digest of the form sha256:HEX").
				WithHint("take the line from the last good version of the file")
		}
		l.digests[m.Name] = digest
	}
	return l, nil
}

// Has says whether the recipe's own triple is locked, changed or not.
func (l *Lock) Has(t Triple) bool {
	_, ok := l.digests[t.String()]
	return ok
}

// Check refuses a recipe that differs, in any of its versions, from what is
// locked under the same triple. A triple that is not locked passes.
func (l *Lock) Check(r *Recipe) error {
	for _, listed := range r.All() {
		locked, ok := l.digests[listed.Recipe.Triple.String()]
		if !ok || subtle.ConstantTimeCompare([]byte(locked), []byte(listed.Recipe.Digest())) == 1 {
			continue
		}
		return listed.Recipe.node.Errorf("the %s version differs from the %s that %s locks: prefix, encode, numbers or identity changed",
			listed.State, listed.Recipe.Triple, l.File).
			WithHint("put it back, or give the changed recipe a version of its own and list the old one under previous")
	}
	return nil
}

// Add locks every version of a recipe. It says how many were not locked yet.
func (l *Lock) Add(r *Recipe) (added int, err error) {
	if err := l.Check(r); err != nil {
		return 0, err
	}
	for _, listed := range r.All() {
		name := listed.Recipe.Triple.String()
		if _, ok := l.digests[name]; !ok {
			l.digests[name] = listed.Recipe.Digest()
			added++
		}
	}
	return added, nil
}

// Bytes writes the lock, a triple a line and sorted, so that branches merge.
func (l *Lock) Bytes() []byte {
	names := make([]string, 0, len(l.digests))
	for name := range l.digests {
		names = append(names, name)
	}
	sort.Strings(names)
	var b bytes.Buffer
	b.WriteString("{\n  \"idem\": \"lock/v1\",\n  \"recipes\": {")
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		// Neither triples nor digests hold anything to escape.
		b.WriteString("\n    \"" + name + "\": \"" + l.digests[name] + "\"")
	}
	b.WriteString("\n  }\n}\n")
	return b.Bytes()
}

func isTriple(s string) bool {
	parts := strings.Split(s, "/")
	if len(parts) != 3 || !IsName(parts[0]) || !IsName(parts[1]) {
		return false
	}
	version, err := strconv.Atoi(parts[2])
	return err == nil && version >= 1 && version <= maxVersion && itoa(version) == parts[2]
}

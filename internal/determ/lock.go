package determ

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"sort"
	"strconv"
	"strings"
	"time"

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
	digest, err := r.digest()
	if err != nil {
		// Nothing but UTF-8 strings under unique names is in it, and where two
		// engines differ on those Use has said so.
		panic("determ: a recipe without canonical form: " + err.Error())
	}
	return digest
}

// digest fails only where two engines differ.
func (r *Recipe) digest() (string, error) {
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
	canonical, err := r.canonical(whole, "")
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return digestHead + hex.EncodeToString(sum[:]), nil
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
// use, and until when those of earlier versions were to be listed. A triple is
// never taken out or changed.
type Lock struct {
	File    string
	digests map[string]string    // Triple.String() to digest
	until   map[string]time.Time // Triple.String() of earlier versions
}

// NewLock gives a lock without triples.
func NewLock(file string) *Lock {
	return &Lock{File: file, digests: map[string]string{}, until: map[string]time.Time{}}
}

// ParseLock reads a lock file.
func ParseLock(file string, src []byte) (*Lock, error) {
	n, err := document.Parse(file, src)
	if err != nil {
		return nil, err
	}
	f, err := document.ReadObject(n, "the lock", "idem", "recipes", "until")
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
		if h, ok := strings.CutPrefix(digest, digestHead); !ok || len(h) != 2*sha256.Size || strings.Trim(h, "0123456789abcdef") != "" {
			return nil, m.Value.Errorf("not a digest of the form sha256:HEX").
				WithHint("take the line from the last good version of the file")
		}
		l.digests[m.Name] = digest
	}
	return l, l.readUntil(f)
}

func (l *Lock) readUntil(f *document.Fields) error {
	n := f.Get("until")
	if n == nil {
		return nil
	}
	if n.Kind != document.Object {
		return n.Errorf("until must be an object, not %s", n.Kind)
	}
	for _, m := range n.Members {
		if l.digests[m.Name] == "" {
			return problem.New(m.Value.At(), "%s is not among the recipes", document.Show(m.Name))
		}
		text, err := m.Value.AsString("until")
		if err != nil {
			return err
		}
		if l.until[m.Name], err = time.Parse(time.RFC3339, text); err != nil {
			return m.Value.Errorf("until must be a time of RFC 3339").WithHint("%q", sample("until"))
		}
	}
	return nil
}

// versions gives the locked versions of a triple's operation, lowest first.
func (l *Lock) versions(t Triple) []int {
	var list []int
	for name := range l.digests {
		parts := strings.Split(name, "/")
		if version, err := strconv.Atoi(parts[2]); err == nil && parts[0] == t.Namespace && parts[1] == t.Operation {
			list = append(list, version)
		}
	}
	sort.Ints(list)
	return list
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
		if !ok || same(locked, listed.Recipe.Digest()) {
			continue
		}
		return listed.Recipe.node.Errorf("the %s version differs from the %s that %s locks: prefix, encode, numbers or identity changed",
			listed.State, listed.Recipe.Triple, l.File).
			WithHint("%s", l.wayBack(listed.Recipe))
	}
	return nil
}

// wayBack says what to do with a recipe that differs: to undo the change, or to
// make it the next version and list the one that it was.
func (l *Lock) wayBack(r *Recipe) string {
	versions := l.versions(r.Triple)
	return "put it back, or make it version: " + itoa(versions[len(versions)-1]+1) +
		" and list what it was: previous: [{version: " + itoa(r.Version) + ", until: ..., identity: ...}]"
}

// Add locks every version of a recipe, and until when its earlier ones are
// listed. It says of how many versions something was not locked yet.
func (l *Lock) Add(r *Recipe) (added int, err error) {
	if err := l.Check(r); err != nil {
		return 0, err
	}
	until := map[string]time.Time{} // the latest, where a version is listed with several keys
	for _, p := range r.Previous {
		if name := p.Recipe.Triple.String(); p.Recipe.Triple != r.Triple && p.Until.After(until[name]) {
			until[name] = p.Until
		}
	}
	seen := map[string]bool{}
	for _, listed := range r.All() {
		name := listed.Recipe.Triple.String()
		if seen[name] {
			continue
		}
		seen[name] = true
		_, locked := l.digests[name]
		later, isPrevious := until[name]
		if !locked || isPrevious && !later.Equal(l.until[name]) {
			added++
		}
		l.digests[name] = listed.Recipe.Digest()
		if isPrevious {
			l.until[name] = later
		}
	}
	return added, nil
}

// Bytes writes the lock, a triple a line and sorted, so that branches merge.
func (l *Lock) Bytes() []byte {
	var b bytes.Buffer
	b.WriteString("{\n  \"idem\": \"lock/v1\",\n  \"recipes\": ")
	writeLines(&b, l.digests)
	if len(l.until) > 0 {
		times := map[string]string{}
		for name, t := range l.until {
			times[name] = t.Format(time.RFC3339Nano)
		}
		b.WriteString(",\n  \"until\": ")
		writeLines(&b, times)
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// writeLines writes an object, a name a line. Neither triples nor digests nor
// times hold anything to escape.
func writeLines(b *bytes.Buffer, members map[string]string) {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	sort.Strings(names)
	b.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    \"" + name + "\": \"" + members[name] + "\"")
	}
	b.WriteString("\n  }")
}

func isTriple(s string) bool {
	parts := strings.Split(s, "/")
	if len(parts) != 3 || !IsName(parts[0]) || !IsName(parts[1]) {
		return false
	}
	version, err := strconv.Atoi(parts[2])
	return err == nil && version >= 1 && version <= maxVersion && itoa(version) == parts[2]
}

package determ

import (
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"slices"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
)

// Deriver derives the IDs of many payloads by one version of a recipe. It
// gives what DeriveText gives, to the byte and to the error: a payload that
// needs more than copying values (transforms, numbers that would be rounded,
// anything that is refused) goes that way. It is not safe for concurrent use.
type Deriver struct {
	recipe *Recipe
	inputs Inputs
	secret *Secret

	parts  []identityPart // in the order of the canonical identity; nil: no short way
	finder *canon.Finder
	mac    hash.Hash

	writer canon.Writer
	text   []byte
	spans  []canon.Span
	tag    []byte
}

// identityPart is one field of the canonical identity.
type identityPart struct {
	entry *Entry
	name  []byte // and what follows it: "name":
	fixed []byte // the value, of an input
	path  int    // which of the finder's
}

// Deriver makes one for a secret, whose kid must be the recipe's.
func (r *Recipe) Deriver(inputs Inputs, secret *Secret) (*Deriver, error) {
	if err := r.CheckInputs(inputs); err != nil {
		return nil, err
	}
	sk, err := r.subkey(secret)
	if err != nil {
		return nil, err
	}
	key := sk.get()
	d := &Deriver{recipe: r, inputs: inputs, secret: secret, mac: hmac.New(sha256.New, key[:])}
	d.plan()
	return d, nil
}

// plan lays the short way out, where there is one.
func (d *Deriver) plan() {
	r := d.recipe
	if r.engine == fingerprint.Reference {
		return
	}
	if r.Limits.refuse(r.Encode.length(r.Prefix, r.Version), r.Encode.characters(r.Prefix)) != "" {
		return // not every ID fits
	}
	entries := make([]*Entry, 0, len(r.Identity))
	for i := range r.Identity {
		entries = append(entries, &r.Identity[i])
	}
	slices.SortFunc(entries, func(a, b *Entry) int { return canon.CompareNames(a.Name, b.Name) })
	var parts []identityPart
	var paths [][]string
	for _, e := range entries {
		p := identityPart{entry: e, name: append(canon.AppendString(nil, e.Name), ':')}
		if len(e.Transforms) > 0 {
			return
		}
		if e.Input == "" {
			p.path = len(paths)
			paths = append(paths, e.Pointer)
		} else {
			v, err := r.take(e, nil, d.inputs)
			if err != nil {
				return
			}
			if v == nil {
				continue // absent, and left out
			}
			if p.fixed, err = r.canonical(v, ""); err != nil {
				return
			}
		}
		parts = append(parts, p)
	}
	d.parts, d.finder = parts, canon.NewFinder(paths)
}

// Append appends the ID of a payload. At an error out comes back as it was.
func (d *Deriver) Append(out, payload []byte) ([]byte, error) {
	short := len(d.parts) > 0 && d.canonical(payload)
	if short && d.recipe.engine == fingerprint.Own {
		return d.appendID(out), nil
	}
	derived, err := d.recipe.DeriveText(payload, d.inputs, d.secret)
	if err != nil {
		return out, err
	}
	begun := len(out)
	out = append(out, derived.ID...)
	if short {
		if again := d.appendID(nil); !same(string(again), derived.ID) {
			return out[:begun], fingerprint.DisagreementOn("the ID of a payload by itself and among many")
		}
	}
	return out, nil
}

// appendID appends the ID of the identity in d.text.
func (d *Deriver) appendID(out []byte) []byte {
	d.mac.Reset()
	d.mac.Write(d.text)
	d.tag = d.mac.Sum(d.tag[:0])
	return d.recipe.Encode.append(out, d.recipe.Prefix, d.recipe.Version, [32]byte(d.tag))
}

// canonical puts the canonical identity of a payload into d.text, and says
// whether the short way could.
func (d *Deriver) canonical(payload []byte) bool {
	text, outcome := d.writer.Append(canon.Reused(d.text), payload)
	d.text = text
	rounded := outcome == canon.Lossy && d.recipe.Numbers == fingerprint.IEEE754
	if outcome != canon.Exact && !rounded {
		return false
	}
	d.spans = d.finder.Find(text, d.spans)
	whole := len(text)
	text = append(text, '{')
	for i := range d.parts {
		p := &d.parts[i]
		value := p.fixed
		if p.entry.Input == "" {
			s := d.spans[p.path]
			if s.End == 0 && p.entry.OmitAbsent {
				continue
			}
			if s.End == 0 || !p.entry.takes(text[s.Start:s.End], rounded) {
				d.text = text
				return false
			}
			value = text[s.Start:s.End]
		}
		if len(text) > whole+1 {
			text = append(text, ',')
		}
		text = append(append(text, p.name...), value...)
	}
	empty := len(text) == whole+1
	text = append(text, '}')
	d.text = append(text[:0], text[whole:]...)
	return !empty
}

// takes says whether a canonical value is surely of the entry's type. Whether
// a number that was rounded was an integer its literal alone tells.
func (e *Entry) takes(value []byte, rounded bool) bool {
	kind := ""
	switch value[0] {
	case '"':
		kind = "string"
	case 't', 'f':
		kind = "boolean"
	case 'n':
		return e.AllowNull
	case '{', '[':
		return e.Type == ""
	default:
		kind = "number"
		if e.Type == "integer" {
			return !rounded && isIntegral(string(value))
		}
	}
	return e.Type == "" || e.Type == kind
}

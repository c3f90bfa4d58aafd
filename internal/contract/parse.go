package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// Schema version that a file names under idem.
const version = "contract/v1"

// Parse reads a contract file. load gives the bytes of a body_file, whose path
// it gets as the file has it, relative to the file; nil leaves such bodies
// unread, for judging from a trace. ${NAME} stays as it stands, to be filled
// in by Resolve. Errors are *problem.Error with file, line and column.
func Parse(file string, src []byte, load func(path string) ([]byte, error)) (*Contract, error) {
	r := &reader{file: file, load: load}
	if load != nil {
		r.files = map[string][]byte{}
	}
	return r.parse(src)
}

// ParseRecorded reads the contract that a trace holds, with the profile that it
// holds: another version of the tool, whose table says something else, must
// judge the run by the same promises. profile is ProfileText of the run's
// contract; where the file names a profile and there is none, that is an error.
func ParseRecorded(file string, src []byte, profile string) (*Contract, error) {
	r := &reader{file: file, profileText: profile, recorded: true}
	return r.parse(src)
}

// ProfileText is the profile that the contract was read with, as JSON, whole;
// empty where the file names none.
func (c *Contract) ProfileText() string { return c.profileText }

// Resolve gives a copy with every ${NAME} filled in. A name that lookup does
// not know, and a value that does not fit its place, are errors that show the
// place and the text of the file, never the value. What was changed in c
// since it was read is not in the copy.
func (c *Contract) Resolve(lookup func(name string) (value string, ok bool)) (*Contract, error) {
	return c.again(lookup, lookup)
}

// Settings gives the names that durations and numbers of the file read, sorted.
// Their values shape verdicts and hold no secret, so that a trace keeps them.
func (c *Contract) Settings() []string { return slices.Clone(c.settings) }

// WithSettings gives a copy with those durations and numbers filled in whose
// name is in values; every text stays as it stands.
func (c *Contract) WithSettings(values map[string]string) (*Contract, error) {
	return c.again(nil, func(name string) (string, bool) {
		v, ok := values[name]
		return v, ok
	})
}

// again reads the source anew, so that the copy shares nothing with c and
// every error has its exact place.
func (c *Contract) again(texts, numbers lookup) (*Contract, error) {
	r := &reader{file: c.File, texts: texts, numbers: numbers, profileText: c.profileText}
	if c.files != nil {
		r.files = maps.Clone(c.files)
		r.load = func(path string) ([]byte, error) {
			return nil, problem.New("", "not read before")
		}
	}
	return r.parse(c.Source)
}

func (r *reader) parse(src []byte) (*Contract, error) {
	root, err := document.Parse(r.file, src)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(src)
	c := &Contract{File: r.file, Source: slices.Clone(src), SHA256: hex.EncodeToString(sum[:])}
	if root.Kind != document.Object {
		return nil, root.Errorf("a contract must be an object, not %s", root.Kind).WithHint("idem: %s", version)
	}
	r.root = root
	r.version(root)
	r.object(root, "contract", func(b *fields) { r.contract(b, c) })
	if r.err != nil {
		return nil, r.err
	}
	c.files, c.urls = r.files, r.urls
	c.settings = slices.Sorted(maps.Keys(r.settings))
	if r.profiled != nil {
		c.profileText, c.ProfileAt = r.profiled.Text, r.profiledAt
	}
	return c, nil
}

func (r *reader) contract(b *fields, c *Contract) {
	b.text("idem")
	c.Name = b.name("name")
	if n := b.Get("profile"); n != nil {
		c.Profile = b.text("profile")
		r.profile(n, c.Profile)
	}
	r.within = true
	r.child(b, "target", true, "target", func(b *fields) { c.Target = r.target(b) })
	r.within = false
	list := b.list("operations", true)
	seen := map[string]int{}
	for _, n := range list {
		r.object(n, "operation", func(b *fields) {
			o := r.operation(b)
			o.Pos = pos(n)
			if first, ok := seen[o.Name]; ok && r.err == nil {
				r.fail(b.Get("name").Errorf("a second operation named %s, first on line %d", document.Show(o.Name), first))
			}
			seen[o.Name] = n.Line
			c.Operations = append(c.Operations, o)
		})
	}
	r.child(b, "limits", false, "limits", func(b *fields) { c.Limits = r.limits(b, c.Operations) })
	for _, n := range b.list("waive", false) {
		r.object(n, "waiver", func(b *fields) { c.Waive = append(c.Waive, r.waiver(b, c)) })
	}
	r.headersApart(b, c)
	r.instanceApart(b, c)
}

// version is looked at before the keys, so that another kind of file is told
// as that.
func (r *reader) version(root *document.Node) {
	n := root.Lookup("idem")
	if n == nil {
		if root.Lookup("target") == nil && root.Lookup("operations") == nil && !root.Misspelt("idem") {
			r.fail(root.Errorf("this is no contract: it does not say idem: %s", version).
				WithHint("idem profile show NAME --format contract gives one to begin from"))
		}
		return
	}
	got, err := n.AsString("idem")
	switch {
	case err != nil:
		r.fail(err)
	case got == "recipe/v1":
		r.fail(n.Errorf("this is a recipe, not a contract").WithHint("idem recipe lint %s", r.file))
	case got != version:
		r.fail(n.Errorf("%s is not a version of the contract file that is known here", document.Show(got)).
			WithHint("idem: %s", version))
	}
}

func (r *reader) operation(b *fields) *Operation {
	o := &Operation{Name: b.name("name")}
	r.child(b, "request", true, "request", func(b *fields) { o.Request = r.request(b) })
	r.child(b, "fingerprint", false, "fingerprint", func(b *fields) { o.Fingerprint = r.fingerprint(b) })
	r.child(b, "key", true, "key", func(b *fields) { o.Key = r.key(b, &o.Request) })
	o.Promise = r.promise(b)
	r.child(b, "sibling", false, "sibling", func(b *fields) { o.Sibling = r.sibling(b, &o.Request) })
	r.within = true
	o.Effects = r.effects(b, o.Request.Fresh)
	r.child(b, "crash", false, "crash", func(b *fields) { o.Crash = r.crash(b) })
	r.child(b, "expiry", false, "expiry", func(b *fields) { o.Expiry = r.expiry(b) })
	r.child(b, "store_down", false, "store_down", func(b *fields) {
		o.StoreDown = &StoreDown{Down: b.command("down", true), Up: b.command("up", true), Pos: b.at}
	})
	r.within = false
	if r.err == nil {
		r.exactNumbers(b.Get("request"), o)
		r.timesAgree(b, o)
	}
	return o
}

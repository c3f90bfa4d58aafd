package contract

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// The built-in profiles: what public APIs promise, one file each. A promise
// that stands in none of them is not confirmed from a source, and is left for
// the user's contract to say.
//
//go:embed profiles/*.yaml
var profileFiles embed.FS

// Profile is what a public API is known to promise, in the contract's own
// words. Promise and Key hold what is filled in; every part that is not Known,
// nil or empty is not confirmed from a source.
type Profile struct {
	Name    string
	About   string
	Source  string            // where the facts are from
	Page    string            // the address of the page that says most of them; may be empty
	Example string            // a folder of this project with a contract of that API; may be empty
	Begin   []Line            // of a request to begin with; empty: any will do
	Key     Key               // place, companion, syntax and rules; never how keys are made
	Promise Promise           // without positions
	Open    map[string]string // of promises that are not filled in: what is known all the same
	Notes   []string
	Text    string // the profile as JSON, which a trace keeps

	node *document.Node
}

// ProfileNames gives the names of the built-in profiles, sorted.
var ProfileNames = sync.OnceValue(func() []string {
	entries, err := profileFiles.ReadDir("profiles")
	if err != nil {
		panic("contract: " + err.Error()) // it is part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	slices.Sort(names)
	return names
})

// ProfileNamed gives a built-in profile; an unknown name is an error with the
// nearest one as its hint.
func ProfileNamed(name string) (*Profile, error) {
	if !slices.Contains(ProfileNames(), name) {
		err := problem.New("", "no profile named %s is known", document.Show(name))
		if near := problem.Nearest(name, ProfileNames()); near != "" {
			return nil, err.WithHint("%s", near)
		}
		return nil, err.WithHint("idem profile list, or leave profile out and state what the API promises under promise")
	}
	src, err := profileFiles.ReadFile("profiles/" + name + ".yaml")
	if err != nil {
		return nil, problem.New("", "the profile %s cannot be read: %s", name, err)
	}
	return readProfile(name, src)
}

// readProfile reads a profile, the program's own or one that a trace holds.
func readProfile(name string, src []byte) (*Profile, error) {
	n, err := document.Parse("profile "+name, src)
	if err != nil {
		return nil, err
	}
	f, err := document.ReadObject(n, "profile", "profile", "about", "source", "page", "example", "begin", "key", "promise", "open", "notes")
	if err != nil {
		return nil, err
	}
	p := &Profile{Name: f.String("profile"), About: f.String("about"), Source: f.String("source"),
		Page: optional(n, "page"), Example: optional(n, "example"), Notes: f.OptStringList("notes"), Open: map[string]string{}, Text: string(n.JSON()), node: n}
	if f.Err() != nil {
		return nil, f.Err()
	}
	if p.Name != name {
		return nil, n.Errorf("this is the profile %s, not %s", document.Show(p.Name), document.Show(name))
	}
	p.Begin = p.Filled("begin")
	r := &reader{file: n.File}
	if key := n.Lookup("key"); key != nil {
		r.object(key, "key", func(b *fields) { p.Key = r.profiledKey(b) })
	}
	p.Promise = unstated(Pos{})
	if promise := n.Lookup("promise"); promise != nil {
		r.object(promise, "promise", func(b *fields) {
			r.duplicates(b, &p.Promise)
			r.outcomes(b, &p.Promise)
			r.times(b, &p.Promise)
		})
	}
	if open := n.Lookup("open"); open != nil {
		for _, m := range open.Members {
			said, err := m.Value.AsString(m.Name)
			r.fail(err)
			p.Open[m.Name] = said
		}
	}
	return p, r.err
}

// profiledKey reads what a profile knows of the key. How keys are made is the
// caller's business, so a profile never says it.
func (r *reader) profiledKey(b *fields) Key {
	k := Key{Syntax: b.word("syntax", "")}
	switch b.choose(false, "header", "body", "query") {
	case "header":
		k.Header = b.headerName("header", true)
	case "body":
		k.Body = b.optPointer("body")
	case "query":
		k.Query = b.text("query")
	}
	r.companion(b, &k)
	r.child(b, "rules", false, "rules", func(b *fields) { k.Rules = r.rules(b, KeyRules{}, "") })
	return k
}

// optional gives a text that may not be there.
func optional(n *document.Node, name string) string {
	if v := n.Lookup(name); v != nil {
		return v.Text
	}
	return ""
}

// Filled gives the lines that a profile fills a block with, "key" or
// "promise", in its own order.
func (p *Profile) Filled(block string) []Line {
	n := p.node.Lookup(block)
	if n == nil {
		return nil
	}
	var out []Line
	for _, m := range n.Members {
		out = append(out, Line{Name: m.Name, Value: flow(m.Value), JSON: m.Value.JSON()})
	}
	return out
}

// Line is a member of a block, as the contract file has it.
type Line struct {
	Name  string
	Value string // YAML on one line
	JSON  []byte
}

// Missing is a promise that a profile leaves open.
type Missing struct {
	Name string // "missing_key"
	Line string // a contract line that would state it: "missing_key: {status: [400]}"
	Said string // what is known all the same; may be empty
	Step string // which needs it
}

// needs are the promises that steps are judged by, in the file's order.
var needs = [...]struct{ name, step string }{
	{"duplicate", "duplicate"}, {"conflict", "conflict"}, {"in_flight", "concurrent"}, {"owner_max", "slow"},
	{"reorder", "reorder"}, {"missing_key", "missing-key"}, {"stored", "outcome"}, {"retention", "expiry"},
	{"lease", "crash"}, {"scope", "scope"}, {"binding", "binding"},
}

// Missing gives the promises that the profile does not fill in.
func (p *Profile) Missing() []Missing {
	stated := p.node.Lookup("promise")
	var out []Missing
	for _, need := range needs {
		if stated != nil && stated.Member(need.name) != nil {
			continue
		}
		out = append(out, Missing{Name: need.name, Line: blockOf("promise").line(need.name), Said: p.Open[need.name], Step: need.step})
	}
	return out
}

// KeyPlace says whether the profile knows where the key travels.
func (p *Profile) KeyPlace() bool {
	return p.Key.Header != "" || p.Key.Body != "" || p.Key.Query != ""
}

// profile takes up the profile that the file names: the program's own, or the
// one that the trace of a run holds.
func (r *reader) profile(n *document.Node, name string) {
	if r.err != nil {
		return
	}
	var p *Profile
	var err error
	switch {
	case r.profileText != "":
		p, err = readProfile(name, []byte(r.profileText))
	case r.recorded:
		err = problem.New("", "the trace does not hold the profile %s", document.Show(name)).
			WithHint("judge a trace as it was written")
	default:
		p, err = ProfileNamed(name)
	}
	if err != nil {
		wrong := n.Errorf("%s", err)
		r.fail(wrong.WithHint("%s", profileHint(err)))
		return
	}
	r.profiled, r.profiledAt = p, pos(n)
}

func profileHint(err error) string {
	hint := problem.Hint(err)
	if hint != "" && !strings.Contains(hint, " ") {
		return "profile: " + hint
	}
	return hint
}

// of tells in an error that a value is the profile's: " of profile stripe";
// nothing for a value that the file states itself.
func (r *reader) of(at Pos) string {
	if r.profiled == nil || at != r.profiledAt {
		return ""
	}
	return " of profile " + r.profiled.Name
}

// fill puts in what a profile promises, at the line that names it.
func (p *Profile) fill(at Pos, into *Promise) {
	q, where := p.Promise, into.Pos
	afterwards := into.AfterRetention
	known(&q.Duplicate, at, where)
	known(&q.Conflict, at, where)
	known(&q.InFlight, at, where)
	known(&q.OwnerMax, at, where)
	known(&q.Reorder, at, where)
	known(&q.MissingKey, at, where)
	known(&q.Retention, at, where)
	known(&q.RetryWindow, at, where)
	known(&q.Lease, at, where)
	known(&q.Binding, at, where)
	if promise := p.node.Lookup("promise"); promise != nil && promise.Member("after_retention") != nil {
		afterwards.Value, afterwards.Pos = q.AfterRetention.Value, at
	}
	q.AfterRetention = afterwards
	for _, m := range []**Matcher{&q.Duplicate.Value.Match, &q.Conflict.Value.Match, &q.InFlight.Value.Match,
		&q.MissingKey.Value.Match, &q.AfterRetention.Value.Match} {
		*m = placedAt(*m, at)
	}
	q.Stored = slices.Clone(q.Stored)
	for i := range q.Stored {
		q.Stored[i].Pos, q.Stored[i].Outcome.Match = at, placedAt(q.Stored[i].Outcome.Match, at)
	}
	if q.Marker != nil {
		marker := *q.Marker
		marker.Pos, q.Marker = at, &marker
	}
	if q.ScopePos = where; q.Scope != nil {
		q.ScopePos = at
	}
	q.Pos = where
	*into = q
}

func known[T any](p *Promised[T], at, where Pos) {
	if p.Pos = where; p.Known {
		p.Pos = at
	}
}

func placedAt(m *Matcher, at Pos) *Matcher {
	if m == nil {
		return nil
	}
	c := *m
	c.Pos = at
	return &c
}

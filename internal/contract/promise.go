package contract

import (
	"strconv"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// promise reads the promise block of an operation over what its profile fills
// in. Without the block nothing but that is promised.
func (r *reader) promise(operation *fields) Promise {
	p := unstated(operation.pos("promise"))
	if r.profiled != nil {
		r.profiled.fill(r.profiledAt, &p)
	}
	r.child(operation, "promise", false, "promise", func(b *fields) {
		r.accepted(b, &p)
		r.duplicates(b, &p)
		r.outcomes(b, &p)
		r.times(b, &p)
	})
	return p
}

// unstated is the promise of an empty block: nothing is known but defaults.
func unstated(where Pos) Promise {
	p := Promise{Pos: where, Compare: "json"}
	for _, at := range []*Pos{&p.Duplicate.Pos, &p.Conflict.Pos, &p.InFlight.Pos, &p.OwnerMax.Pos, &p.Reorder.Pos,
		&p.MissingKey.Pos, &p.Retention.Pos, &p.AfterRetention.Pos, &p.RetryWindow.Pos, &p.Lease.Pos, &p.Binding.Pos, &p.ScopePos} {
		*at = where
	}
	p.AfterRetention.Known, p.AfterRetention.Value = true, Outcome{Mode: "any"}
	return p
}

// state makes a promise known, at its line.
func state[T any](b *fields, name string, into *Promised[T], read func(n *document.Node) T) {
	n := b.Get(name)
	if n == nil || b.r.err != nil {
		return
	}
	into.Value = read(n)
	into.Known, into.Pos = true, b.pos(name)
}

// accepted reads which answers say that an operation was done, for APIs whose
// status does not: GraphQL, and envelopes with an error in a 200.
func (r *reader) accepted(b *fields, p *Promise) {
	n := b.Get("accepted")
	if n == nil {
		return
	}
	p.Accepted = r.matcherAt(n, "accepted", "accepted")
	if r.err != nil {
		return
	}
	for i, status := range p.Accepted.Status {
		if status >= 400 || status == 307 || status == 308 {
			r.fail(n.Lookup("status").Items[i].Errorf("%d says that nothing was done, so it accepts no operation", status).
				WithHint("accepted: {status: [200]}"))
		}
	}
}

// duplicates reads what the second of two requests gets.
func (r *reader) duplicates(b *fields, p *Promise) {
	state(b, "duplicate", &p.Duplicate, func(n *document.Node) Duplicate { return r.duplicate(n) })
	p.Compare = b.word("compare", p.Compare)
	r.child(b, "marker", false, "marker", func(b *fields) {
		m := Marker{Header: b.headerName("header", true), Pos: b.at}
		if n := b.Get("value"); n != nil {
			m.Value = b.optText("value")
			r.checkHeaderValue(n, m.Value, "value")
		}
		p.Marker = &m
	})
	if b.Has("same_headers") {
		p.SameHeaders = b.headerNames("same_headers")
	}
	if b.Has("ignore") {
		p.Ignore = b.pointers("ignore", false)
	}
	state(b, "conflict", &p.Conflict, func(n *document.Node) Conflict { return r.conflict(n) })
	state(b, "in_flight", &p.InFlight, func(n *document.Node) InFlight { return r.inFlight(n) })
	state(b, "reorder", &p.Reorder, func(*document.Node) string { return b.word("reorder", "") })
	state(b, "binding", &p.Binding, func(*document.Node) string { return b.word("binding", "") })
	if b.Has("scope") {
		p.Scope, p.ScopePos = r.scope(b), b.pos("scope")
	}
}

func (r *reader) duplicate(n *document.Node) Duplicate {
	var d Duplicate
	if n.Kind == document.String {
		d.Mode = r.mode(n, "duplicate", "duplicate")
		return d
	}
	r.answer(n, "duplicate", func(b *fields) {
		d = Duplicate{Mode: "answer", Match: r.matcher(b, "duplicate"), Link: b.optPointer("link")}
	})
	return d
}

func (r *reader) conflict(n *document.Node) Conflict {
	c := Conflict{Covers: []string{""}, Types: "advisory"}
	if n.Kind == document.String {
		c.Mode = r.mode(n, "conflict", "conflict")
		return c
	}
	r.answer(n, "conflict", func(b *fields) {
		c.Mode, c.Match = "answer", r.matcher(b, "conflict")
		if b.Has("covers") {
			c.Covers = b.pointers("covers", true)
			if len(c.Covers) == 0 {
				r.fail(b.Get("covers").Errorf("covers is empty").WithHint(`covers: [""] is the whole body`))
			}
		}
		c.Ignore = b.pointers("ignore", false)
		c.Types = b.word("types", c.Types)
	})
	return c
}

func (r *reader) inFlight(n *document.Node) InFlight {
	var f InFlight
	if n.Kind == document.String || n.Kind == document.Bool {
		r.fail(n.Errorf("in_flight cannot be %s", n.Kind).WithHint("%s", inFlightHint(n)))
		return f
	}
	r.answer(n, "in_flight", func(b *fields) {
		f = InFlight{Match: r.optMatcher(b)}
		if n := b.Get("wait"); n != nil {
			wait, err := n.AsBool("wait")
			r.fail(err)
			f.Wait = wait
		}
		if f.Match == nil && !f.Wait && r.err == nil {
			r.fail(n.Errorf("in_flight declares nothing").WithHint("%s", inFlightHint(n)))
		}
	})
	return f
}

// inFlightHint tells both forms, the one that seems meant first: a copy may
// wait, or be refused.
func inFlightHint(n *document.Node) string {
	const wait = "{wait: true}"
	refuse := "{status: [" + statusHint(n, "in_flight") + "]}"
	for _, word := range [...]string{"refus", "reject", "error", "fail", "conflict", "locked", "busy", "4", "false"} {
		if strings.HasPrefix(strings.ToLower(n.Text), word) {
			return "in_flight: " + refuse + ", or " + wait
		}
	}
	return "in_flight: " + wait + ", or " + refuse
}

// mode reads the word of a promise that may also be an answer; name is what
// stands before the colon. A word that is none of these most often means that
// the request is refused, so the hint says how that is written.
func (r *reader) mode(n *document.Node, what, name string) string {
	words := wordsOf("promise." + what)
	word, err := n.AsEnum(what, words...)
	if err != nil && problem.Nearest(n.Text, words) == "" {
		err = n.Errorf("%s is not a known %s", document.Show(n.Text), what).
			WithHint("%s: {status: [%s]}, or %s", name, statusHint(n, what), strings.Join(words, ", or "))
	}
	r.fail(err)
	return word
}

// answer reads the object form of a promise.
func (r *reader) answer(n *document.Node, block string, fill func(*fields)) {
	if n.Kind != document.Object {
		r.fail(n.Errorf("%s cannot be %s", block, n.Kind).WithHint("%s: {status: [%s]}", block, statusHint(n, block)))
		return
	}
	r.object(n, block, fill)
}

// outcome reads a word, or the answer that is promised; name is what stands
// before the colon.
func (r *reader) outcome(n *document.Node, what, name string) Outcome {
	if n.Kind == document.String {
		return Outcome{Mode: r.mode(n, what, name)}
	}
	return Outcome{Mode: "answer", Match: r.matcherAt(n, what, name)}
}

// outcomes reads what becomes of keys and results.
func (r *reader) outcomes(b *fields, p *Promise) {
	state(b, "missing_key", &p.MissingKey, func(n *document.Node) Outcome { return r.outcome(n, "missing_key", "missing_key") })
	state(b, "after_retention", &p.AfterRetention, func(n *document.Node) Outcome { return r.outcome(n, "after_retention", "after_retention") })
	n := b.Get("stored")
	if n == nil || r.err != nil {
		return
	}
	if n.Kind != document.Object {
		r.fail(n.Errorf("stored must be an object of statuses and outcomes, not %s", n.Kind).
			WithHint(`stored: {"2xx": replay}`))
		return
	}
	p.Stored = nil
	for _, m := range n.Members {
		where := Pos{m.Line, m.Column}
		if !isStatusClass(m.Name) {
			if _, ok := statusOf(m.Name); !ok {
				r.fail(problem.New(at(r.file, where), "%s is neither a class of statuses nor a status", document.Show(m.Name)).
					WithHint(`"2xx", "3xx", "4xx", "5xx" or a status such as "409"`))
				return
			}
		}
		p.Stored = append(p.Stored, StoredRule{Status: m.Name, Outcome: r.outcome(m.Value, "stored", strconv.Quote(m.Name)), Pos: where})
	}
}

func isStatusClass(s string) bool {
	return len(s) == 3 && s[0] >= '2' && s[0] <= '5' && s[1:] == "xx"
}

// StoredFor gives the rule for a status; an exact one beats its class. ok is
// false where nothing is stated.
func (p *Promise) StoredFor(status int) (rule StoredRule, ok bool) {
	for _, s := range p.Stored {
		exact, isExact := statusOf(s.Status)
		switch {
		case isExact && exact == status:
			return s, true
		case !isExact && s.Status != "" && int(s.Status[0]-'0') == status/100:
			rule, ok = s, true
		}
	}
	return rule, ok
}

func (r *reader) scope(b *fields) []string {
	n := b.Get("scope")
	list, err := n.AsStringList("scope")
	r.fail(err)
	seen := map[string]bool{}
	for _, item := range n.Items {
		word, err := item.AsEnum("scope", wordsOf("promise.scope")...)
		r.fail(err)
		if seen[word] {
			r.fail(item.Errorf("scope has %s twice", document.Show(word)))
		}
		seen[word] = true
	}
	return list
}

// times reads durations.
func (r *reader) times(b *fields, p *Promise) {
	long := func(name, example string, into *Promised[time.Duration]) {
		state(b, name, into, func(*document.Node) time.Duration {
			d, _ := b.duration(name, example)
			return d
		})
	}
	long("owner_max", "5s", &p.OwnerMax)
	long("retry_window", "1h", &p.RetryWindow)
	long("lease", "30s", &p.Lease)
	state(b, "retention", &p.Retention, func(n *document.Node) Retention { return r.retention(b, n) })
}

func (r *reader) retention(b *fields, n *document.Node) Retention {
	k := Retention{From: wordsOf("retention.from")[0]}
	if n.Kind != document.Object {
		k.AtLeast, _ = b.duration("retention", "24h")
		return k
	}
	r.object(n, "retention", func(b *fields) {
		b.Must("at_least")
		k.AtLeast, _ = b.duration("at_least", "24h")
		k.AtMost, _ = b.duration("at_most", "25h")
		k.From = b.word("from", k.From)
		if m := b.Get("at_most"); r.err == nil && m != nil && k.AtMost < k.AtLeast {
			r.fail(m.Errorf("at_most is below at_least").WithHint("at_most: %s or more, or leave it out", b.Get("at_least").Text))
		}
	})
	return k
}

package contract

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/theory/jsonpath"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

const (
	defaultAppearsWithin = 5 * time.Second
	defaultSettle        = 500 * time.Millisecond
	maxJSONPath          = 4096 // characters; the parser recurses
)

// effects reads the counter of an operation or sibling; nil where none is
// declared.
func (r *reader) effects(holder *fields, fresh []Fresh) *Effects {
	n := holder.Get("effects")
	if n == nil || r.err != nil {
		return nil
	}
	e := &Effects{Pos: holder.pos("effects")}
	if n.Kind == document.String {
		words := wordsOf("operation.effects")
		word, err := n.AsEnum("effects", words...)
		if err != nil && problem.Nearest(n.Text, words) == "" {
			counter := strings.TrimPrefix(blockOf("effects").line(string(ByHTTP)), string(ByHTTP)+": ")
			err = n.Errorf("%s is no counter of effects", document.Show(n.Text)).
				WithHint("effects: {http: %s}, or effects: responses where answers are the only evidence", counter)
		}
		r.fail(err)
		e.Kind = EffectKind(word)
		return e
	}
	if n.Lookup(string(ByResponses)) != nil {
		r.fail(n.Errorf("responses is no counter with members").WithHint("effects: responses"))
		return e
	}
	r.object(n, "effects", func(b *fields) {
		e.Kind = EffectKind(b.choose(true, string(ByHTTP), string(ByCommand), string(BySQL), string(BySink)))
		e.AppearsWithin = b.optDuration("appears_within", "5s", defaultAppearsWithin)
		e.Settle = b.optDuration("settle", "500ms", defaultSettle)
		switch e.Kind {
		case ByHTTP:
			r.child(b, "http", true, "http", func(b *fields) { r.byHTTP(b, e, fresh) })
		case ByCommand:
			r.child(b, "command", true, "command", func(b *fields) {
				e.Command = b.command("run", true)
				for i, s := range e.Command {
					r.checkFresh(b.Get("run").Items[i], s, "run", fresh)
				}
			})
		case BySQL:
			r.child(b, "sql", true, "sql", func(b *fields) { r.bySQL(b, e, fresh) })
		case BySink:
			r.child(b, "sink", true, "sink", func(b *fields) { r.bySink(b, e) })
		}
	})
	return e
}

func (r *reader) byHTTP(b *fields, e *Effects, fresh []Fresh) {
	e.HTTP.Method = b.method("GET")
	e.HTTP.Path = b.text("path")
	e.HTTP.Count = b.text("count")
	e.HTTP.PageLimit = int(b.wholeNumber("page_limit", 1, 1_000_000_000))
	r.checkFresh(b.Get("path"), e.HTTP.Path, "path", fresh)
	r.checkFresh(b.Get("count"), e.HTTP.Count, "count", fresh)
	if r.err != nil {
		return
	}
	one := func(string) string { return "1" }
	r.checkPathTemplate(b.Get("path"), e.HTTP.Path, one)
	n := b.Get("count")
	var err error
	for _, standIn := range [...]string{"x", "1"} { // a name or an index
		query, ok := r.sample(n, e.HTTP.Count, standIn)
		if !ok || r.err != nil {
			return
		}
		query = FillFresh(query, one)
		if len(query) > maxJSONPath {
			r.fail(n.Errorf("count is longer than %d characters", maxJSONPath))
			return
		}
		if _, err = jsonpath.Parse(query); err == nil {
			return
		}
	}
	// The parser's words may hold what was filled in, so they are not shown.
	r.fail(n.Errorf("count is no JSONPath query (RFC 9535)"))
}

// checkPathTemplate is checkPath for a path with {fresh:...} in it.
func (r *reader) checkPathTemplate(n *document.Node, path string, fill func(string) string) {
	sample, ok := r.sample(n, path, "x")
	if !ok || r.err != nil {
		return
	}
	within := r.within
	r.within = false // the sample is filled in already
	r.checkPath(n, FillFresh(sample, fill), "path")
	r.within = within
}

func (r *reader) bySQL(b *fields, e *Effects, fresh []Fresh) {
	e.SQL.DSNEnv = b.variable("dsn_env")
	e.SQL.Query = b.text("query")
	e.SQL.Args = b.pointers("args", false)
	if r.err != nil {
		return
	}
	if strings.Contains(e.SQL.Query, freshOpen) {
		r.fail(b.Get("query").Errorf("a fresh value is never written into a query").
			WithHint("query: select count(*) from charges where order_id = $1, with args: [/order_id]"))
	}
	for i, at := range e.SQL.Args {
		r.checkDeclared(b.Get("args").Items[i], at, "args", fresh)
	}
}

func (r *reader) bySink(b *fields, e *Effects) {
	e.Sink.Listen = b.text("listen")
	b.Must("match")
	e.Sink.Match = b.optPointer("match")
	r.child(b, "distinct", false, "distinct", func(b *fields) { e.Sink.Distinct = b.headerName("header", true) })
	n := b.Get("listen")
	sample, ok := r.sample(n, e.Sink.Listen, "x")
	if !ok || r.err != nil {
		return
	}
	if h, bad := parseHost(sample); bad != "" || h.port == "" {
		r.fail(n.Errorf("%s is no host and port to listen on", document.Show(n.Text)))
	}
}

func (r *reader) crash(b *fields) *Crash {
	c := &Crash{Pos: b.at}
	switch b.choose(true, "process", "hooks") {
	case "process":
		r.child(b, "process", true, "process", func(b *fields) {
			c.Process = &Process{
				Command: b.command("command", true),
				Ready:   b.path("ready"),
				Env:     r.environment(b.Get("env")),
				Dir:     filepath.Dir(r.file),
			}
		})
	case "hooks":
		r.child(b, "hooks", true, "hooks", func(b *fields) {
			c.Hooks = &Hooks{Kill: b.command("kill", true), Start: b.command("start", true)}
			if b.Has("ready") {
				c.Hooks.Ready = b.path("ready")
			}
		})
	}
	c.Recovery, _ = b.duration("recovery", "60s")
	return c
}

// environment reads the variables of a process, in order.
func (r *reader) environment(n *document.Node) [][2]string {
	if n == nil || r.err != nil {
		return nil
	}
	if n.Kind != document.Object {
		r.fail(n.Errorf("env must be an object of names and values, not %s", n.Kind).WithHint(`env: {PORT: "8080"}`))
		return nil
	}
	var list [][2]string
	for _, m := range n.Members {
		if !isName(m.Name) {
			r.fail(m.Value.Errorf("%s is no name of a variable", document.Show(m.Name)).WithHint(`env: {PORT: "8080"}`))
			return nil
		}
		value, err := m.Value.AsString(m.Name)
		r.fail(err)
		if r.err == nil && strings.ContainsRune(value, 0) {
			r.fail(m.Value.Errorf("%s holds a NUL character", m.Name))
		}
		if r.err == nil {
			value = r.fill(m.Value, m.Name)
		}
		list = append(list, [2]string{m.Name, value})
	}
	return list
}

func (r *reader) expiry(b *fields) *Expiry {
	e := &Expiry{Pos: b.at}
	if b.choose(true, "wait", "advance") == "advance" {
		e.Advance = b.command("advance", true)
	} else {
		e.Wait, _ = b.duration("wait", "2s")
		if n := b.Get("wait"); n != nil {
			e.WaitText = n.Text
			if r.numbers != nil && e.Wait > 0 && strings.Contains(n.Text, "${") {
				e.WaitText = e.Wait.String()
			}
		}
	}
	if b.Has("base_urls") {
		e.BaseURLs = r.baseURLs(b, true)
	}
	return e
}

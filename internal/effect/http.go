package effect

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// byHTTP asks the API itself, or another behind the same base URL.
type byHTTP struct {
	world     World
	method    string
	path      string // with {fresh:/pointer}
	count     string // RFC 9535, with {fresh:/pointer}
	pageLimit int
}

func openHTTP(w World, e *contract.Effects) (Counter, error) {
	c := &byHTTP{world: w, method: e.HTTP.Method, path: e.HTTP.Path, count: e.HTTP.Count, pageLimit: e.HTTP.PageLimit}
	if c.method == "" {
		c.method = "GET"
	}
	if c.world.Client == nil {
		return nil, problem.New("", "there is nothing to send the counter's requests with")
	}
	if !strings.Contains(c.count, "{fresh:") {
		if _, err := parseQuery(c.count); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *byHTTP) Close() error { return nil }

// Count asks once. Errors name neither path nor body: both may hold secrets.
func (c *byHTTP) Count(ctx context.Context, s Subject) (int64, error) {
	n, _, err := c.Look(ctx, s)
	return n, err
}

// Look asks once and tells path, query and answer (Witness).
func (c *byHTTP) Look(ctx context.Context, s Subject) (n int64, seen string, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.world.Timeout)
	defer cancel()
	query, text, err := c.query(s)
	if err != nil {
		return 0, "", err
	}
	target, err := s.fill(c.path, percent)
	if err != nil {
		return 0, "", err
	}
	body, err := c.ask(ctx, target)
	seen = "asked " + c.method + " " + target + " for " + text
	if len(body) > 0 {
		seen += ", got " + string(body)
	}
	if err != nil {
		return 0, seen, err
	}
	document, err := decode(body)
	if err != nil {
		return 0, seen, err
	}
	n, err = countNodes(query, document, c.pageLimit)
	return n, seen, err
}

// ask gives the answer's body, with an error too where it is known whole: a
// secret that is cut in two would not be masked.
func (c *byHTTP) ask(ctx context.Context, target string) ([]byte, error) {
	m := wire.Message{Method: c.method, Target: target, Header: [][2]string{{"Accept", "application/json"}}}
	if c.world.Auth != nil {
		fields, err := c.world.Auth(ctx, c.world.Endpoint, m)
		if err != nil {
			return nil, err
		}
		m.Header = append(m.Header, fields...)
	}
	r := c.world.Client.Send(ctx, c.world.Endpoint, m)
	body := r.Body
	if r.BodySize > int64(len(body)) {
		body = nil
	}
	switch {
	case r.Outcome != trace.Answered:
		return nil, problem.New("", "the counter's request was %s: %s", r.Outcome, r.Err)
	case r.Status/100 == 3:
		return body, problem.New("", "the counter's request was answered %d; redirects are never followed", r.Status)
	case r.Status/100 != 2:
		return body, problem.New("", "the counter's request was answered %d", r.Status)
	case r.BodySize > int64(len(r.Body)):
		return nil, problem.New("", "the counter's answer has %d bytes, more than are kept", r.BodySize)
	}
	return body, nil
}

// plain says that a value changes nothing in a query but a name or a literal:
// it is of [A-Za-z0-9_.:-] alone.
func plain(value string) bool {
	return !strings.ContainsFunc(value, func(c rune) bool {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		return !letter && (c < '0' || c > '9') && !strings.ContainsRune("_.:-", c)
	})
}

// query gives the query with fresh values filled in, and its text.
func (c *byHTTP) query(s Subject) (p *jsonpath.Path, text string, err error) {
	odd := false
	text, err = s.fill(c.count, func(value string) string {
		odd = odd || !plain(value)
		return value
	})
	if err != nil {
		return nil, "", err
	}
	if odd {
		return nil, "", problem.New("", "a fresh value has characters that cannot stand in the query of count")
	}
	p, err = parseQuery(text)
	return p, text, err
}

func parseQuery(text string) (*jsonpath.Path, error) {
	p, err := jsonpath.Parse(text)
	if err != nil {
		return nil, problem.New("", "count is no JSONPath query (RFC 9535)").WithHint(`count: "$.data[*]"`)
	}
	return p, nil
}

func decode(body []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var document any
	if err := d.Decode(&document); err != nil {
		return nil, problem.New("", "the counter's answer is not JSON")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, problem.New("", "the counter's answer has more than one JSON value")
	}
	return document, nil
}

// countNodes: a singular query gives the number there, any other the count of
// nodes (contract-v1, effects).
func countNodes(p *jsonpath.Path, document any, pageLimit int) (int64, error) {
	nodes := p.Select(document)
	if p.Query().Singular() == nil {
		if pageLimit > 0 && max(len(nodes), page(p, document)) >= pageLimit {
			return 0, problem.New("", "the counter's answer is a page at its limit of %d: there may be more", pageLimit)
		}
		return int64(len(nodes)), nil
	}
	if len(nodes) == 0 {
		return 0, problem.New("", "the counter's answer has nothing at %s", p)
	}
	number, ok := nodes[0].(json.Number)
	if !ok {
		wrong := problem.New("", "the counter's answer has no number at %s", p)
		if _, list := nodes[0].([]any); list {
			wrong = wrong.WithHint("count: %q", p.String()+"[*]")
		}
		return 0, wrong
	}
	n, err := whole(number.String())
	if err != nil {
		return 0, problem.New("", "the counter's answer has %s at %s", err, p)
	}
	return n, nil
}

// page is the length of the array that a query selects from, 0 where there is
// none: a filter may leave few nodes of a page that is full.
func page(p *jsonpath.Path, document any) int {
	segments := p.Query().Segments()
	n := 0
	for n < len(segments) && one(segments[n]) {
		n++
	}
	for _, node := range spec.Query(true, segments[:n]...).Select(document, document) {
		if list, ok := node.([]any); ok {
			return len(list)
		}
	}
	return 0
}

// one reports whether a segment selects one node at most.
func one(s *spec.Segment) bool {
	if s.IsDescendant() || len(s.Selectors()) != 1 {
		return false
	}
	switch s.Selectors()[0].(type) {
	case spec.Name, spec.Index:
		return true
	}
	return false
}

package effect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/wire"
)

func httpEffects(path, count string, limit int) *contract.Effects {
	e := &contract.Effects{Kind: contract.ByHTTP}
	e.HTTP.Path, e.HTTP.Count, e.HTTP.PageLimit = path, count, limit
	return e
}

// answering is an API that answers everything alike.
func answering(t *testing.T, status int, body string) World {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return world(t, s.URL)
}

func TestHTTPAsksAsThePrincipal(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != fmt.Sprint("Bearer s3cr3t-", asked) || r.Method != "GET" || r.URL.Path != "/api/v1/charges" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.WriteString(w, `{"data":[`+strings.Repeat(`1,`, len(r.URL.Query().Get("order_id")))+`0]}`)
	}))
	defer s.Close()
	w := world(t, s.URL+"/api/")
	w.Auth = func(context.Context, wire.Endpoint, wire.Message) ([][2]string, error) {
		asked++
		return [][2]string{{"Authorization", fmt.Sprint("Bearer s3cr3t-", asked)}}, nil
	}
	c := open(t, w, httpEffects("/v1/charges?order_id={fresh:/order_id}", "$.data[*]", 100))
	wants(t, c, order, 4)
	wants(t, c, Subject{Values: map[string]string{"/order_id": "a&b #é"}}, 8)
	refuses(t, c, Subject{}, "/order_id")
	w.Auth = nil
	refuses(t, open(t, w, httpEffects("/v1/charges", "$.data[*]", 100)), order, "answered 401")
	w.Auth = func(context.Context, wire.Endpoint, wire.Message) ([][2]string, error) {
		return nil, errors.New("the auth command failed")
	}
	refuses(t, open(t, w, httpEffects("/v1/charges", "$.data[*]", 100)), order, "the auth command failed")
}

func TestHTTPQueries(t *testing.T) {
	const body = `{"data":[{"id":"o-1","amount":1999},{"id":"o-2","amount":5},{"id":"o-1","amount":7}],"total":12,"sum":3.0,"none":[],"deep":{"n":[0,4]}}`
	for query, want := range map[string]int64{
		"$.total": 12, "$.sum": 3, "$.deep.n[1]": 4, "$['total']": 12, "$.deep.n[-2]": 0,
		"$.data[*]": 3, "$.none[*]": 0, "$.absent[*]": 0, "$..amount": 3, "$.data[?@.amount == 1999]": 1,
		"$.data[?@.amount > 5]": 2, "$.data[?@.id == '{fresh:/order_id}']": 2, "$.data[0:2]": 2, "$.data[?@.id == 'nobody']": 0,
	} {
		t.Run(query, func(t *testing.T) {
			wants(t, open(t, answering(t, 200, body), httpEffects("/", query, 0)), order, want)
		})
	}
}

func TestHTTPRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		query  string
		limit  int
		words  string
	}{
		"not found":             {404, `{"data":[]}`, "$.data[*]", 0, "answered 404"},
		"server error":          {500, `{"n":1}`, "$.n", 0, "answered 500"},
		"redirect":              {302, `{"n":1}`, "$.n", 0, "never followed"},
		"no content":            {204, "", "$.n", 0, "not JSON"},
		"not JSON":              {200, "<html>s3cr3t", "$.n", 0, "not JSON"},
		"cut JSON":              {200, `{"n":`, "$.n", 0, "not JSON"},
		"two values":            {200, `{"n":1}{"n":2}`, "$.n", 0, "more than one"},
		"trailing words":        {200, `{"n":1} s3cr3t`, "$.n", 0, "more than one"},
		"nothing there":         {200, `{"m":1}`, "$.n", 0, "nothing at"},
		"negative":              {200, `{"n":-1}`, "$.n", 0, "negative"},
		"fractional":            {200, `{"n":1.5}`, "$.n", 0, "fractional"},
		"too large":             {200, `{"n":1e300}`, "$.n", 0, "too large"},
		"a string":              {200, `{"n":"s3cr3t"}`, "$.n", 0, "no number"},
		"null":                  {200, `{"n":null}`, "$.n", 0, "no number"},
		"a list":                {200, `{"n":[1]}`, "$.n", 0, "no number"},
		"full page":             {200, `{"n":[1,2,3]}`, "$.n[*]", 3, "limit of 3"},
		"overfull page":         {200, `{"n":[1,2,3,4]}`, "$.n[*]", 3, "limit of 3"},
		"few left of full page": {200, `{"n":[1,2,3]}`, "$.n[?@ == 3]", 3, "limit of 3"},
		"none of full page":     {200, `{"n":[{"r":[]},{},{}]}`, "$.n[*].r[*]", 3, "limit of 3"},
		"full root page":        {200, `[1,2,3]`, "$[?@ == 9]", 3, "limit of 3"},
		"many below":            {200, `{"a":{"x":1},"b":{"x":1}}`, "$..x", 2, "limit of 2"},
		"body beyond what fits": {200, `[` + strings.Repeat("1,", 1<<20) + `1]`, "$[*]", 0, "more than are kept"},
	} {
		t.Run(name, func(t *testing.T) {
			refuses(t, open(t, answering(t, c.status, c.body), httpEffects("/", c.query, c.limit)), order, c.words)
		})
	}
	page := open(t, answering(t, 200, `{"n":[1,2]}`), httpEffects("/", "$.n[*]", 3))
	wants(t, page, order, 2)
	counted := open(t, answering(t, 200, `{"n":500}`), httpEffects("/", "$.n", 3))
	wants(t, counted, order, 500) // a number is no page
}

func TestHTTPListHint(t *testing.T) {
	c := open(t, answering(t, 200, `{"data":[]}`), httpEffects("/", "$.data", 0))
	if _, err := c.Count(background, order); problem.Hint(err) != `count: "$[\"data\"][*]"` {
		t.Errorf("hint %q", problem.Hint(err))
	}
}

func TestHTTPCannotAsk(t *testing.T) {
	w := world(t, "http://127.0.0.1:1")
	refuses(t, open(t, w, httpEffects("/?token=s3cr3t", "$.n", 0)), order, "refused")
	refuses(t, open(t, w, httpEffects("/a b", "$.n", 0)), order, "percent-encoded")
	elsewhere := world(t, "http://production.invalid")
	refuses(t, open(t, elsewhere, httpEffects("/", "$.n", 0)), order, "not allowed")
	refuses(t, open(t, w, httpEffects("/", "$[?@ == '{fresh:/q}']", 0)), Subject{Values: map[string]string{"/q": "' || 'a'=='a"}}, "cannot stand")
	if _, err := NewSet(w).Open(httpEffects("/", "$.data[", 0)); err == nil {
		t.Error("opened with a broken query")
	}
	if _, err := NewSet(World{}).Open(httpEffects("/", "$", 0)); err == nil {
		t.Error("opened without a client")
	}
}

// TestHTTPTellsWhatItSaw: path, query and answer, for people who look for the
// fault; the answer not where its end is missing, since half a secret is one.
func TestHTTPTellsWhatItSaw(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		query  string
		want   string
	}{
		"elsewhere": {200, `{"items":[1]}`, "$.data[*]", `asked GET /c?id=o-1 for $.data[*], got {"items":[1]}`},
		"filled in": {200, `[]`, "$[?@ == '{fresh:/order_id}']", `asked GET /c?id=o-1 for $[?@ == 'o-1'], got []`},
		"not found": {404, "no page", "$.data[*]", "asked GET /c?id=o-1 for $.data[*], got no page"},
		"not JSON":  {200, "<p>", "$.data[*]", "asked GET /c?id=o-1 for $.data[*], got <p>"},
		"empty":     {204, "", "$.data[*]", "asked GET /c?id=o-1 for $.data[*]"},
		"too long":  {500, strings.Repeat("x", 2<<20), "$.data[*]", "asked GET /c?id=o-1 for $.data[*]"},
	} {
		counter := open(t, answering(t, c.status, c.body), httpEffects("/c?id={fresh:/order_id}", c.query, 0))
		n, seen, err := counter.(Witness).Look(background, order)
		if again, same := counter.Count(background, order); seen != c.want || n != again || (err == nil) != (same == nil) {
			t.Errorf("%s: %d, %q, %v; counted %d, %v", name, n, seen, err, again, same)
		}
	}
	down := open(t, world(t, "http://127.0.0.1:1"), httpEffects("/c", "$.n", 0))
	if _, seen, err := down.(Witness).Look(background, order); err == nil || seen != "asked GET /c for $.n" {
		t.Errorf("%q, %v", seen, err)
	}
	if _, seen, err := down.(Witness).Look(background, Subject{}); err == nil || seen != "asked GET /c for $.n" {
		t.Errorf("%q, %v", seen, err)
	}
	if _, seen, err := open(t, world(t, ""), httpEffects("/{fresh:/none}", "$.n", 0)).(Witness).Look(background, order); err == nil || seen != "" {
		t.Errorf("%q, %v", seen, err)
	}
}

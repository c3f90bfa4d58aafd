package main

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// graphqlAPI takes a mutation over POST and answers 200 whatever becomes of it:
// an error is told in the body, under a code (GraphQL over HTTP, JSON media
// type). The key is a field of the mutation's input. It knows one mutation and
// one query, no more of the language.
var graphqlAPI = api{
	name:   "graphql",
	breaks: []string{"returns-first-on-conflict", "refuses-duplicates", "no-claim", "runs-keyless"},
	open: func(b *book) http.Handler {
		s := &graphql{b}
		mux := http.NewServeMux()
		mux.HandleFunc("POST /graphql", s.mutate)
		mux.HandleFunc("GET /graphql", s.query)
		return mux
	},
}

type graphql struct{ *book }

// Codes of errors.
const (
	codeBadInput   = "BAD_USER_INPUT"
	codeReused     = "IDEMPOTENCY_KEY_REUSED"
	codeInProgress = "IDEMPOTENCY_IN_PROGRESS"
	codeInternal   = "INTERNAL_SERVER_ERROR"
	codeForbidden  = "UNAUTHENTICATED"
)

func (s *graphql) mutate(w http.ResponseWriter, r *http.Request) {
	caller := bearer(r)
	body, _, err := readJSON(r.Body)
	input, _ := at(body, "variables", "input").(object)
	key := text(input, "idempotencyKey")
	switch {
	case caller == "":
		graphqlError(codeForbidden, "no token").send(w)
		return
	case err != nil, text(body, "operationName") != "CreateCharge", !strings.Contains(text(body, "query"), "mutation CreateCharge("):
		graphqlError(codeBadInput, "the one mutation here is CreateCharge").send(w)
		return
	case key == "" && s.broken != "runs-keyless":
		graphqlError(codeBadInput, "input.idempotencyKey is missing").send(w)
		return
	case key == "":
		e := s.run(caller, input)
		s.perform(e, 0)
		e.Answer.send(w)
		return
	}
	rest := object{}
	for name, v := range input {
		if name != "idempotencyKey" {
			rest[name] = v
		}
	}
	print, scoped := fingerprint(canonical(rest)), caller+"\n"+key
	f := s.claim(scoped, print)
	switch {
	case f.other != nil && f.other.print != print, f.record != nil && f.record.Print != print && s.broken != "returns-first-on-conflict":
		graphqlError(codeReused, "this key came with another input").send(w)
		return
	case f.other != nil:
		graphqlError(codeInProgress, "a mutation with this key is under way").send(w)
		return
	case f.record != nil && s.broken == "refuses-duplicates":
		graphqlError("DUPLICATE", "this key was used").send(w)
		return
	case f.record != nil:
		f.record.Answer.send(w)
		return
	}
	defer s.done(scoped)
	e := s.run(caller, input)
	if e.Effect != "" {
		e.Key, e.Print, e.At = scoped, print, time.Now()
		if err := s.perform(e, taking(text(input, "take"))); err != nil {
			e.Answer = graphqlError(codeInternal, "the result could not be kept")
		}
	}
	e.Answer.send(w)
}

// run checks and executes. What fails is not kept: its retry is tried anew.
func (s *graphql) run(caller string, input object) entry {
	order, amount := text(input, "orderId"), whole(input, "amount")
	if order == "" || amount == 0 || len(text(input, "currency")) != 3 {
		return entry{Answer: graphqlError(codeBadInput, "a charge has an orderId, an amount above 0 and a currency")}
	}
	id := newID("charge-")
	charge := object{"id": id, "orderId": order, "amount": amount, "currency": text(input, "currency"), "note": at(input, "note")}
	return entry{ID: id, Effect: caller + "\n" + order, Answer: says(200, object{
		"data": object{"createCharge": object{"__typename": "CreateChargePayload", "charge": charge}}})}
}

// chargesOf finds the order in the one query that is known.
var chargesOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*\{\s*charges\(orderId:\s*("[^"]*")\)\s*\{\s*id\s*\}\s*\}\s*$`)
})

// query tells the charges of an order.
func (s *graphql) query(w http.ResponseWriter, r *http.Request) {
	m := chargesOf().FindStringSubmatch(r.URL.Query().Get("query"))
	var order string
	if m == nil || json.Unmarshal([]byte(m[1]), &order) != nil {
		graphqlError(codeBadInput, "the one query here is charges").send(w)
		return
	}
	charges := []any{}
	for _, e := range s.count(bearer(r) + "\n" + order) {
		charges = append(charges, object{"id": e.ID})
	}
	says(200, object{"data": object{"charges": charges}}).send(w)
}

func graphqlError(code, message string) answer {
	return says(200, object{"data": nil, "errors": []any{
		object{"message": message, "path": []any{"createCharge"}, "extensions": object{"code": code}}}})
}

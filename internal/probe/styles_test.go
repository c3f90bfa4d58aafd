package probe_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// slowCounter is a contract for effects that take seconds to be seen.
var slowCounter = []string{"retention: {at_least: 60s, at_most: 70s}", "expiry: {wait: 60s}"}

const counterPath = `http: {path: "/v1/charges?order_id={fresh:/order_id}", count: "$.data[*]"}`

func slow(lines ...string) string { return changed(append(slowCounter, lines...)...) }

func late(step string) string {
	return step + " inconclusive\n    an effect takes up to 2.128s to be counted, the last count came 500ms after the last answer: a second effect may come later still\n"
}

// graphql answers 200 to everything.
var graphql = changed("conflict: {status: [200], json: {/errors/0/code: 422}}", "in_flight: {status: [200], json: {/errors/0/code: 409}}")

// recipeKeys makes keys as a recipe over the order id does.
type recipeKeys struct{}

func (recipeKeys) Key(_ *contract.Operation, _ [32]byte, body []byte) (string, error) {
	var fields map[string]any
	if err := json.Unmarshal(body, &fields); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(fields["order_id"].(string)))
	return "chg_1_" + hex.EncodeToString(sum[:16]), nil
}

// now and then resets every hundredth request.
func nowAndThen(c *conn) trace.Outcome {
	if c.number%100 == 57 {
		return trace.Reset
	}
	return trace.Answered
}

// firstAnswers loses the first answer of the duplicate step.
func firstAnswers(c *conn) trace.Outcome {
	if c.request.ID == "duplicate/first" && c.s.lost == 0 {
		c.s.lost++
		return trace.Cut
	}
	return trace.Answered
}

// lateAnswer loses the first answer after the retention of a replayed key: the
// one after it is a replay of the new result.
func lateAnswer(c *conn) trace.Outcome {
	if c.request.ID == "expiry/retained" && c.s.now > int64(6*time.Second) && c.s.lost == 0 {
		c.s.lost++
		return trace.Cut
	}
	return trace.Answered
}

func noneAccepted() string {
	var b strings.Builder
	for i := range 5 {
		for _, hold := range []string{"body", "header"} {
			fmt.Fprintf(&b, "\n    2 copies, %s hold, round %d: status 500: {\"error\":500}, and so did other keys: the environment did it", hold, i+1)
		}
	}
	return b.String() + "\n    30 copies, body hold: status 500: {\"error\":500}, and so did other keys: the environment did it"
}

// styles are legal ways to keep the contract: every step passes, or says that
// it cannot tell and why.
var styles = []struct {
	name  string
	scene scene
	want  string // outcome; "" is a pass of every step
}{
	{name: "waits in flight", scene: scene{contract: changed("in_flight: {wait: true}")}},
	{name: "409 in flight", scene: scene{behaviour: behaviour{inFlight: 409}}},
	{name: "425 in flight", scene: scene{contract: changed("in_flight: {status: [425]}"), behaviour: behaviour{inFlight: 425}}},
	{name: "429 in flight", scene: scene{contract: changed("in_flight: {status: [429]}"), behaviour: behaviour{inFlight: 429}}},
	{name: "409 in flight, several declared", scene: scene{contract: changed("in_flight: {status: [409, 425, 429], wait: true}"), behaviour: behaviour{inFlight: 409}}},
	{name: "conflict 400", scene: scene{contract: changed("conflict: {status: [400]}"), behaviour: behaviour{conflict: 400}}},
	{name: "conflict 400 with a code", scene: scene{contract: changed("conflict: {status: [400], json: {/error/type: idempotency_error}}"), behaviour: behaviour{conflict: 400}}},
	{name: "conflict 409 as in flight", scene: scene{contract: changed("conflict: {status: [409]}"), behaviour: behaviour{conflict: 409, inFlight: 409}}},
	{name: "only the key matters, declared", scene: scene{contract: changed("conflict: replay"), behaviour: behaviour{fingerprint: "none"}}},
	{name: "another body is another operation, declared", scene: scene{contract: changed("conflict: execute"), behaviour: behaviour{mismatch: "execute"}}},
	{name: "present state", scene: scene{contract: changed("duplicate: current"), behaviour: behaviour{duplicate: "current"}}},
	{name: "present state, 409 in flight", scene: scene{contract: changed("duplicate: current"), behaviour: behaviour{duplicate: "current", inFlight: 409}}},
	{name: "present state after empty answers", scene: scene{contract: changed("duplicate: current", "same_headers: []"), behaviour: behaviour{duplicate: "current", fault: "first answers are empty"}}},
	{name: "duplicates are 409 with a link", scene: scene{contract: changed(refusing), behaviour: behaviour{duplicate: "refused", inFlight: 409}}},
	{name: "duplicates are 409 with a link, waits", scene: scene{contract: changed(refusing, "in_flight: {wait: true}"), behaviour: behaviour{duplicate: "refused"}}},
	{name: "duplicates are 409 as in flight", scene: scene{contract: changed("duplicate: {status: [409]}"), behaviour: behaviour{duplicate: "refused", inFlight: 409}}},
	{name: "duplicates are 200 with a link", scene: scene{contract: changed("duplicate: {status: [200], link: /links/id}", "in_flight: {wait: true}"),
		behaviour: behaviour{duplicate: "refused", refusal: 200}}},
	{name: "duplicates look like first answers", scene: scene{contract: changed("duplicate: {status: [201]}", "in_flight: {wait: true}")}},
	{name: "fingerprints bytes, declared", scene: scene{contract: changed("reorder: bytes"), behaviour: behaviour{fingerprint: "bytes"}}},
	{name: "other bytes are another operation, declared", scene: scene{contract: changed("reorder: bytes", "conflict: execute"),
		behaviour: behaviour{fingerprint: "bytes", mismatch: "execute"}}},
	{name: "other bytes get the first result, declared", scene: scene{contract: changed("reorder: bytes", "conflict: replay"), behaviour: behaviour{fingerprint: "none"}}},
	{name: "volatile field, declared", scene: scene{contract: changed("ignore: [/served_at]"), behaviour: behaviour{volatile: true}}},
	{name: "marker", scene: scene{contract: marked, behaviour: behaviour{marker: true}}},
	{name: "marker of any value", scene: scene{contract: changed("marker: {header: Idempotent-Replayed}"), behaviour: behaviour{marker: true}}},
	{name: "effects that come late", scene: scene{behaviour: behaviour{appears: 300 * time.Millisecond}}},
	{name: "effects that come very late, settle declared", scene: scene{
		contract: slow("effects: {" + counterPath + ", settle: 3s}"), behaviour: behaviour{appears: 2 * time.Second, retention: 65 * time.Second}}},
	{name: "effects that come very late", scene: scene{contract: slow(), behaviour: behaviour{appears: 2 * time.Second, retention: 65 * time.Second}},
		want: "crash inconclusive\n    no kill of 5 fell between an effect and its answer\n" + late("expiry")},
	{name: "two effects an operation", scene: scene{behaviour: behaviour{unit: 2}}},
	{name: "two effects an operation, one late", scene: scene{behaviour: behaviour{unit: 2, slowly: true}}},
	{name: "plain validation", scene: scene{behaviour: behaviour{plain: true}}},
	{name: "one request in a hundred is reset", scene: scene{disturb: nowAndThen}},
	{name: "one request in a hundred is reset, 409 in flight", scene: scene{behaviour: behaviour{inFlight: 409}, disturb: nowAndThen}},
	{name: "keeps keys longer than promised", scene: scene{contract: changed("retention: 4s"), behaviour: behaviour{retention: time.Hour}}},
	{name: "retention from completion", scene: scene{contract: changed("retention: {at_least: 4s, at_most: 6s, from: completion}"), behaviour: behaviour{from: "completion"}}},
	{name: "retention from the last use, declared", scene: scene{contract: changed("retention: {at_least: 4s, at_most: 6s, from: last_use}"), behaviour: behaviour{from: "last_use"}}},
	{name: "refused after its retention", scene: scene{contract: changed("after_retention: {status: [412]}"), behaviour: behaviour{expired: 412}}},
	{name: "runs after its retention", scene: scene{contract: changed("after_retention: execute")}},
	{name: "refused after its retention, anything promised", scene: scene{behaviour: behaviour{expired: 412}}},
	{name: "fails after its retention, anything promised", scene: scene{behaviour: behaviour{expired: 500}},
		want: "expiry inconclusive\n    after the retention the key gets status 500: neither the old result nor a new one\n"},
	{name: "present state without an id", scene: scene{contract: changed("duplicate: current"), behaviour: behaviour{duplicate: "current", fault: "present state without id"}},
		want: each("duplicate concurrent conflict reorder crash expiry", "inconclusive\n    whether a duplicate's answer is of the same resource cannot be told: not both answers have /id")},
	{name: "clock moved on by a hook", scene: scene{contract: changed("retention: {at_least: 24h, at_most: 25h}", `expiry: {advance: [sh, -c, "faketime $IDEM_SECONDS"]}`),
		behaviour: behaviour{retention: 24*time.Hour + time.Minute}}},
	{name: "expiry on an instance of its own", scene: scene{contract: changed(`expiry: {wait: 4s, base_urls: ["http://127.0.0.1:8081"]}`)}},
	{name: "key in the body", scene: scene{contract: changed("key: {body: /client_token, generate: uuid4}"), behaviour: behaviour{inFlight: 409}}},
	{name: "key in the query", scene: scene{contract: changed("key: {query: request_id, generate: uuid4}", "path: /v1/charges?dry=0"), behaviour: behaviour{inFlight: 409}}},
	{name: "quoted key", scene: scene{contract: changed("key: {header: Idempotency-Key, syntax: sf-string, generate: uuid4}"), behaviour: behaviour{inFlight: 409}}},
	{name: "key with a companion", scene: scene{contract: changed("key: {header: Repeatability-Request-ID, generate: uuid4, companion: {header: Repeatability-First-Sent, as: imf-fixdate}}")}},
	{name: "keys of a recipe", scene: scene{contract: changed("key: {header: Idempotency-Key, recipe: charge.recipe.yaml}"), keys: recipeKeys{}}},
	{name: "form body", scene: scene{contract: strings.ReplaceAll(changed("reorder: any", "headers: {Content-Type: application/x-www-form-urlencoded}"),
		`body: {order_id: "o-1", amount: 1999`, `form: {order_id: "o-1", amount: "1999"`),
		behaviour: behaviour{inFlight: 409}}, want: "reorder skipped\n    declared as not promised (reorder: any)\n"},
	{name: "graphql", scene: scene{contract: graphql, behaviour: behaviour{graphql: true, inFlight: 409}}},
	{name: "graphql, plain validation", scene: scene{contract: graphql, behaviour: behaviour{graphql: true, plain: true}}},
	{name: "copies keep each other off", scene: scene{behaviour: behaviour{fault: "copies keep each other off", inFlight: 409}}},
	{name: "503 until it is itself again", scene: scene{behaviour: behaviour{busy: func(s *charges, _ *conn) bool { return s.epoch > 0 && s.now < s.started+int64(700*time.Millisecond) }}}},
	{name: "503 for ever after a crash", scene: scene{behaviour: behaviour{busy: func(s *charges, _ *conn) bool { return s.epoch > 0 }}},
		want: "crash inconclusive\n    kill-1: status 503, and so did other keys: the environment did it\n" +
			"    kill-2: status 503, and so did other keys: the environment did it\n"},
	{name: "the first answer after the retention is lost", scene: scene{contract: marked, behaviour: behaviour{marker: true}, disturb: lateAnswer}},
	{name: "first answers are lost", scene: scene{disturb: firstAnswers}},
	{name: "first answers are lost, duplicates are 409 with a link", scene: scene{contract: changed(refusing),
		behaviour: behaviour{duplicate: "refused", inFlight: 409}, disturb: firstAnswers},
		want: "duplicate inconclusive\n    duplicate: the first request was not accepted: status 409: {\"links\":{\"id\":\"/v1/charges/ch_g\"}}\n"},
	{name: "no race is accepted", scene: scene{behaviour: behaviour{fault: "refuses all races"}},
		want: "concurrent inconclusive" + noneAccepted() + "\n"},
	{name: "answers too large for the trace, with a field that may differ", scene: scene{contract: changed("ignore: [/served_at]"), only: []string{"duplicate"},
		behaviour: behaviour{large: 66_000, volatile: true}}, want: each("concurrent conflict reorder crash expiry disconnect", "skipped\n    left out by --only")},
	{name: "body of a file", scene: scene{contract: strings.Replace(charge, `body: {order_id: "o-1", amount: 1999, currency: EUR}`, "body_file: charge.json", 1), files: map[string]string{"charge.json": `{"order_id": "o-1", "amount": 1999, "currency": "EUR"}`}}},
	{name: "retention of a setting", scene: scene{contract: changed(`expiry: {wait: "${WAIT}"}`), settings: map[string]string{"WAIT": "4s"}}},
	{name: "answers too large for the trace", scene: scene{only: []string{"duplicate"}, behaviour: behaviour{large: 66_000}},
		want: each("concurrent conflict reorder crash expiry disconnect", "skipped\n    left out by --only")},
	{name: "compared as bytes", scene: scene{contract: changed("compare: bytes")}},
	{name: "every fourth request meets 503 once", scene: scene{behaviour: behaviour{busy: func(s *charges, c *conn) bool { return s.served < 40 && s.served%4 == 1 && len(s.records) < 3 }}}},
}

func TestStyles(t *testing.T) {
	for i, s := range styles {
		t.Run(s.name, func(t *testing.T) {
			r, events := play(t, s.scene)
			got := outcome(r)
			if got != s.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, s.want)
			}
			if s.want == "" && r.Exit != 0 {
				t.Errorf("exit %d", r.Exit)
			}
			for n := 1 + 37*i%797; s.scene.behaviour.large == 0 && n < len(events); n += 797 {
				cutShort(t, events, n)
			}
		})
	}
}

// cutShort holds that a legal style is not accused by a part of its trace, and
// that no step passes whose end is not in it.
func cutShort(t *testing.T, events []trace.Event, n int) {
	t.Helper()
	r, complete := judgedEvents(t, events[:n]), ended(events[:n])
	for _, s := range r.Operations[0].Steps {
		if s.Verdict == probe.Fail || s.Verdict == probe.Pass && !complete[s.Step] {
			t.Errorf("of %d events, %s is %s\n%s", n, s.Step, s.Verdict, outcome(r))
		}
	}
}

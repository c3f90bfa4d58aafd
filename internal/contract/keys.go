package contract

// What the file may say (contract-v1, The file). The reader takes its names
// and words from here, and a test holds schema.json to the same.

// block is one kind of object with the keys that it may have.
type block struct {
	name string
	keys []key
}

// key is a name with a value as one would write it, for hints.
type key struct{ name, sample string }

var blocks = [...]block{
	{"contract", []key{
		{"idem", "contract/v1"},
		{"name", "payments"},
		{"profile", "stripe"},
		{"target", "{base_urls: [http://127.0.0.1:8080], allow_hosts: [127.0.0.1]}"},
		{"limits", "{max_operations: 500, rate: 20/s}"},
		{"operations", "[{name: create-charge, request: {method: POST, path: /v1/charges}, key: {header: Idempotency-Key, generate: uuid4}}]"},
		{"waive", `[{step: crash, reason: "staging cannot be killed", until: 2027-06-30}]`},
	}},
	{"target", []key{
		{"base_urls", "[http://127.0.0.1:8080]"},
		{"allow_hosts", "[127.0.0.1]"},
		{"timeout", "10s"},
		{"auth", `{header: Authorization, env: API_TOKEN, prefix: "Bearer "}`},
		{"other_auth", `{header: Authorization, env: OTHER_TOKEN, prefix: "Bearer "}`},
		{"instance", "{header: X-Served-By}"},
		{"http", "auto"},
	}},
	{"auth", []key{
		{"header", "Authorization"},
		{"prefix", `"Bearer "`},
		{"env", "API_TOKEN"},
		{"file", "token.txt"},
		{"command", "[./sign]"},
		{"per", "attempt"},
		{"mtls", "{cert: client.pem, key: client.key}"},
	}},
	{"mtls", []key{{"cert", "client.pem"}, {"key", "client.key"}}},
	{"instance", []key{{"header", "X-Served-By"}}},
	{"limits", []key{{"max_operations", "500"}, {"rate", "20/s"}, {"cleanup", "{run: [./cleanup]}"}}},
	{"cleanup", []key{{"run", `[./cleanup, "{fresh:/order_id}"]`}}},
	{"waiver", []key{
		{"step", "crash"},
		{"operation", "create-charge"},
		{"reason", `"staging cannot be killed"`},
		{"until", "2027-06-30"},
	}},

	{"operation", []key{
		{"name", "create-charge"},
		{"request", "{method: POST, path: /v1/charges}"},
		{"fingerprint", "{headers: [], ignore: [/note]}"},
		{"sibling", "{method: POST, path: /v1/refunds}"},
		{"key", "{header: Idempotency-Key, generate: uuid4}"},
		{"promise", "{duplicate: replay}"},
		{"effects", "responses"},
		{"crash", `{process: {command: ["./api"], ready: /healthz}}`},
		{"expiry", "{wait: 2s}"},
		{"store_down", "{down: [./pause-redis], up: [./resume-redis]}"},
	}},
	{"request", []key{
		{"method", "POST"},
		{"path", "/v1/charges"},
		{"headers", "{Content-Type: application/json}"},
		{"body", `{order_id: "o-1", amount: 1999, currency: EUR}`},
		{"form", `{order_id: "o-1", amount: "1999"}`},
		{"body_file", "charge.json"},
		{"fresh", "[/order_id]"},
		{"failing", `{"4xx": {body: {amount: -1}}}`},
		{"slow", "{body: {work: 2s}}"},
		{"variants", "{large: {body_file: large.json}}"},
	}},
	{"fresh", []key{{"at", "/ref"}, {"as", "integer"}, {"max", "999999"}}},
	{"failing", []key{{"4xx", "{body: {amount: -1}}"}, {"5xx", `{headers: {X-Test-Fail: "once"}}`}}},
	{"variants", []key{
		{"large", "{body_file: large.json}"},
		{"redirect", "{headers: {X-Test-Answer: redirect}}"},
		{"empty", "{headers: {Prefer: return=minimal}}"},
	}},
	{"variant", []key{
		{"headers", `{X-Test-Fail: "once"}`},
		{"body", `{order_id: "o-1", amount: -1}`},
		{"form", `{order_id: "o-1", amount: "-1"}`},
		{"body_file", "large.json"},
	}},
	{"fingerprint", []key{{"headers", "[Content-Type]"}, {"ignore", "[/note]"}}},
	{"sibling", []key{{"method", "POST"}, {"path", "/v1/refunds"}, {"effects", "responses"}}},

	{"key", []key{
		{"header", "Idempotency-Key"},
		{"body", "/client_token"},
		{"query", "request_id"},
		{"companion", "{header: Repeatability-First-Sent, as: imf-fixdate}"},
		{"syntax", "bare"},
		{"recipe", "charge.recipe.yaml"},
		{"generate", "uuid4"},
		{"rules", "{max_length: 255, too_long: {status: [400]}}"},
	}},
	{"companion", []key{{"header", "Repeatability-First-Sent"}, {"as", "imf-fixdate"}}},
	{"rules", []key{
		{"min_length", "1"},
		{"max_length", "255"},
		{"pattern", "'^[A-Za-z0-9_-]+$'"},
		{"case", "sensitive"},
		{"repeated", "{status: [400]}"},
		{"too_long", "{status: [400]}"},
	}},

	{"matcher", []key{{"status", "[409, 422]"}, {"header", `{Retry-After: "1"}`}, {"json", "{/error/type: idempotency_error}"}}},
	{"promise", []key{
		{"accepted", "{json: {/ok: true}}"},
		{"duplicate", "replay"},
		{"compare", "json"},
		{"marker", `{header: Idempotent-Replayed, value: "true"}`},
		{"same_headers", "[Content-Type, Location]"},
		{"ignore", "[/served_at]"},
		{"conflict", "{status: [422]}"},
		{"in_flight", "{status: [409], wait: true}"},
		{"owner_max", "5s"},
		{"reorder", "semantic"},
		{"missing_key", "{status: [400]}"},
		{"stored", `{"2xx": replay, "5xx": release}`},
		{"retention", "{at_least: 24h, at_most: 25h}"},
		{"after_retention", "any"},
		{"retry_window", "1h"},
		{"lease", "30s"},
		{"scope", "[caller, method, path, query]"},
		{"binding", "independent"},
	}},
	{"duplicate", []key{{"status", "[409, 422]"}, {"header", `{Retry-After: "1"}`}, {"json", "{/error/type: idempotency_error}"}, {"link", "/links/id"}}},
	{"marker", []key{{"header", "Idempotent-Replayed"}, {"value", `"true"`}}},
	{"conflict", []key{{"status", "[409, 422]"}, {"header", `{Retry-After: "1"}`}, {"json", "{/error/type: idempotency_error}"},
		{"covers", `[""]`},
		{"ignore", "[/note]"},
		{"types", "advisory"},
	}},
	{"in_flight", []key{{"status", "[409, 422]"}, {"header", `{Retry-After: "1"}`}, {"json", "{/error/type: idempotency_error}"}, {"wait", "true"}}},
	{"retention", []key{{"at_least", "24h"}, {"at_most", "25h"}, {"from", "first_use"}}},

	{"effects", []key{
		{"http", `{path: "/v1/charges?order_id={fresh:/order_id}", count: "$.data[*]"}`},
		{"command", `{run: [./count, "{fresh:/order_id}"]}`},
		{"sql", `{dsn_env: DATABASE_URL, query: "select count(*) from charges where order_id = $1", args: [/order_id]}`},
		{"sink", `{listen: "127.0.0.1:9009", match: /order_id}`},
		{"appears_within", "5s"},
		{"settle", "500ms"},
	}},
	{"http", []key{
		{"method", "GET"},
		{"path", `"/v1/charges?order_id={fresh:/order_id}"`},
		{"count", `"$.data[*]"`},
		{"page_limit", "100"},
	}},
	{"command", []key{{"run", `[./count, "{fresh:/order_id}"]`}}},
	{"sql", []key{
		{"dsn_env", "DATABASE_URL"},
		{"query", "select count(*) from charges where order_id = $1"},
		{"args", "[/order_id]"},
	}},
	{"sink", []key{{"listen", `"127.0.0.1:9009"`}, {"match", "/order_id"}, {"distinct", "{header: X-Id}"}}},
	{"distinct", []key{{"header", "X-Id"}}},
	{"crash", []key{
		{"process", `{command: ["./api"], ready: /healthz}`},
		{"hooks", "{kill: [./kill], start: [./start]}"},
		{"recovery", "60s"},
	}},
	{"process", []key{{"command", `["./api"]`}, {"ready", "/healthz"}, {"env", `{PORT: "8080"}`}}},
	{"hooks", []key{{"kill", "[./kill]"}, {"start", "[./start]"}, {"ready", "/healthz"}}},
	{"expiry", []key{
		{"wait", "2s"},
		{"advance", `["sh", "-c", "./advance $IDEM_SECONDS"]`},
		{"base_urls", "[http://127.0.0.1:8081]"},
	}},
	{"store_down", []key{{"down", "[./pause-redis]"}, {"up", "[./resume-redis]"}}},
}

func blockOf(name string) *block {
	for i := range blocks {
		if blocks[i].name == name {
			return &blocks[i]
		}
	}
	panic("contract: no block " + name)
}

// names gives the keys of a block.
func (b *block) names() []string {
	list := make([]string, len(b.keys))
	for i := range b.keys {
		list[i] = b.keys[i].name
	}
	return list
}

// line gives a key as one would write it, empty where the block has none such.
func (b *block) line(name string) string {
	for i := range b.keys {
		if b.keys[i].name == name {
			return name + ": " + b.keys[i].sample
		}
	}
	return ""
}

// choice is a place where one of a few words stands.
type choice struct {
	place string // block.key
	words []string
}

var choices = [...]choice{
	{"target.http", []string{AutoHTTP, HTTP1, HTTP2}},
	{"auth.per", []string{"run", "attempt"}},
	{"fresh.as", []string{"text", "uuid4", "integer"}},
	{"companion.as", []string{"imf-fixdate"}},
	{"key.syntax", []string{"bare", "sf-string"}},
	{"key.generate", []string{"uuid4"}},
	{"rules.case", []string{"sensitive", "insensitive"}},
	{"promise.duplicate", []string{"replay", "current"}},
	{"promise.compare", []string{"json", "bytes"}},
	{"promise.conflict", []string{"replay", "execute"}},
	{"conflict.types", []string{"advisory", "strict"}},
	{"promise.reorder", []string{"semantic", "bytes", "any"}},
	{"promise.missing_key", []string{"execute"}},
	{"promise.stored", []string{"replay", "release", "any"}},
	{"retention.from", []string{"first_use", "completion", "last_use"}},
	{"promise.after_retention", []string{"any", "execute"}},
	{"promise.scope", []string{"caller", "method", "path", "query"}},
	{"promise.binding", []string{"independent", "conflict", "replay"}},
	{"operation.effects", []string{"responses"}},
}

func wordsOf(place string) []string {
	for i := range choices {
		if choices[i].place == place {
			return choices[i].words
		}
	}
	panic("contract: no choice " + place)
}

// CoreSteps are the six, in the report's order (contract-v1, Steps).
var CoreSteps = [...]string{"duplicate", "concurrent", "conflict", "reorder", "crash", "expiry"}

// ExtendedSteps run wherever the contract gives what they need.
var ExtendedSteps = [...]string{"slow", "disconnect", "outcome", "missing-key", "binding", "scope", "fidelity", "key-rules",
	"replicas", "store-down"}

func allSteps() []string {
	return append(append([]string(nil), CoreSteps[:]...), ExtendedSteps[:]...)
}

package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// inN8N has TestN8N run the pack's workflow in the real n8n, whose folder it
// names; .ci/run n8n installs one, which takes minutes.
var inN8N = flag.String("n8n", "", "run the pack's workflow in the n8n that is installed in this `folder`")

// realN8N is an n8n with a database of its own.
type realN8N struct {
	folder string
	env    []string
	dsn    string
	key    string // the idemkey line in its environment
}

func startN8N(t *testing.T) realN8N {
	t.Helper()
	n := realN8N{folder: *inN8N, dsn: testneed.Postgres(t), key: keyLine(t, "k1", strings.Repeat("5a", 32))}
	db, err := url.Parse(n.dsn)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := db.User.Password()
	home := t.TempDir()
	n.env = append(os.Environ(), "N8N_USER_FOLDER="+home, "HOME="+home, "N8N_ENCRYPTION_KEY=only for this test",
		"DB_TYPE=postgresdb", "DB_POSTGRESDB_HOST="+db.Hostname(), "DB_POSTGRESDB_PORT="+db.Port(), "DB_POSTGRESDB_USER="+db.User.Username(),
		"DB_POSTGRESDB_PASSWORD="+password, "DB_POSTGRESDB_DATABASE="+strings.TrimPrefix(db.Path, "/"),
		"N8N_RUNNERS_ENABLED=false", "N8N_DIAGNOSTICS_ENABLED=false", "N8N_VERSION_NOTIFICATIONS_ENABLED=false", "N8N_TEMPLATES_ENABLED=false",
		"N8N_PERSONALIZATION_ENABLED=false", "EXTERNAL_FRONTEND_HOOKS_URLS=", "N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS=true",
		"N8N_BLOCK_ENV_ACCESS_IN_NODE=false", "IDEM_KEY="+n.key)
	return n
}

func (n realN8N) run(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var out bytes.Buffer
	c := exec.CommandContext(ctx, testneed.Node(t), append([]string{filepath.Join(n.folder, "node_modules", "n8n", "bin", "n8n")}, args...)...)
	c.Env, c.Dir, c.Stdout, c.Stderr = n.env, n.folder, &out, &out
	err := c.Run()
	var exit *exec.ExitError // what failed, the output says
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("n8n %v: %v\n%s", args, err, out.Bytes())
	}
	return out.String()
}

// n8nCase is the sample's workflow with some of its fields replaced, and what is
// to come of a run.
type n8nCase struct {
	name   string
	fields map[string]any
	want   func(t *testing.T, out n8nExecution)
}

// n8nExecution is what n8n says of a run.
type n8nExecution struct {
	said  string
	nodes map[string]bool // that ran
	item  n8nItem         // of the node that derives
}

// TestN8N runs the workflow as n8n imports it: the sample, vectors, hostile
// payloads, and a live run against a server on loopback. What is in the Code
// nodes TestPackN8N... try in Node; without the flag this holds what the others
// lean on: that each case can be made of the workflow, and that n8n is pinned.
func TestN8N(t *testing.T) {
	if *inN8N == "" {
		testneed.Long(t, "a pack is written for each case")
		wantN8NCases(t)
		return
	}
	n := startN8N(t)
	workflow := packWorkflow(t)
	api := newN8NTarget(t)
	cases := n8nCases(t, n, workflow, api)
	folder := t.TempDir()
	for i, c := range cases {
		writeVariant(t, workflow, filepath.Join(folder, c.name+".json"), variantID(i), c.fields)
	}
	if said := n.run(t, "import:workflow", "--separate", "--input="+folder); !strings.Contains(said, "Successfully imported") {
		t.Fatalf("not imported:\n%s", said)
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out := execution(t, n.run(t, "execute", "--id="+variantID(i), "--rawOutput"))
			if strings.Contains(out.said, n.key[12:40]) {
				t.Error("what n8n says shows the key")
			}
			c.want(t, out)
		})
	}
	t.Run("task-runner", func(t *testing.T) { // another sandbox, and the only one of later versions
		runner := n
		runner.env = append(slices.Clone(n.env), "N8N_RUNNERS_ENABLED=true", "N8N_RUNNERS_MODE=internal")
		cases[1].want(t, execution(t, runner.run(t, "execute", "--id="+variantID(1), "--rawOutput")))
	})
	n.wantNoKeyStored(t)
}

func wantN8NCases(t *testing.T) {
	t.Helper()
	workflow := packWorkflow(t)
	cases := n8nCases(t, realN8N{key: keyLine(t, "k1", strings.Repeat("5a", 32))}, workflow, newN8NTarget(t))
	seen := map[string]bool{}
	for i, c := range cases {
		to := filepath.Join(t.TempDir(), "workflow.json")
		writeVariant(t, workflow, to, variantID(i), c.fields)
		fields := n8nFields(t, to)
		for name, want := range c.fields {
			if fields[name] != want {
				t.Errorf("%s: %s is %v, want %v", c.name, name, fields[name], want)
			}
		}
		seen[c.name] = true
	}
	if len(seen) != len(cases) || len(cases) < 12 {
		t.Errorf("%d cases of %d names", len(cases), len(seen))
	}
	versions := string(readFile(t, "..", ".ci", "versions"))
	if !strings.Contains(versions, "\nN8N=1.") || !strings.Contains(string(readFile(t, "..", ".ci", "n8n")), "--ignore-scripts") {
		t.Error("n8n is not pinned, or installed with what its packages run")
	}
}

func variantID(i int) string { return "idemVariant" + string(rune('a'+i)) }

// writeVariant writes a workflow with another id and other values of its fields.
func writeVariant(t *testing.T, workflow, to, id string, fields map[string]any) {
	t.Helper()
	var w map[string]any
	if err := json.Unmarshal(readFile(t, workflow), &w); err != nil {
		t.Fatal(err)
	}
	w["id"] = id
	left := maps.Clone(fields)
	for _, node := range w["nodes"].([]any) {
		set, _ := node.(map[string]any)["parameters"].(map[string]any)["assignments"].(map[string]any)
		list, _ := set["assignments"].([]any)
		for _, a := range list {
			field := a.(map[string]any)
			if v, ok := left[field["name"].(string)]; ok {
				field["value"] = v
				delete(left, field["name"].(string))
			}
		}
	}
	text, err := json.Marshal(w)
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil || len(left) > 0 {
		t.Fatal(err, left)
	}
}

func execution(t *testing.T, said string) n8nExecution {
	t.Helper()
	out := n8nExecution{said: said, nodes: map[string]bool{}}
	start := strings.Index("\n"+said, "\n{\n")
	if start < 0 {
		t.Fatalf("no result:\n%s", said)
	}
	var result struct {
		Data struct {
			ResultData struct {
				RunData map[string][]struct {
					Data struct {
						Main [][]struct{ JSON n8nItem }
					}
				}
			}
		}
	}
	if err := json.NewDecoder(strings.NewReader(said[start:])).Decode(&result); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for name, runs := range result.Data.ResultData.RunData {
		out.nodes[name] = true
		for _, r := range runs {
			if name == n8nIdentity && len(r.Data.Main) > 0 && len(r.Data.Main[0]) > 0 {
				out.item = r.Data.Main[0][0].JSON
			}
		}
	}
	return out
}

// wantNoKeyStored looks for the key in every text that n8n's database holds.
func (n realN8N) wantNoKeyStored(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	db, err := pgx.Connect(ctx, n.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	var runs, shown int
	err = db.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE data LIKE '%' || $1 || '%') FROM execution_data`, n.key[12:40]).Scan(&runs, &shown)
	if err != nil || runs == 0 || shown > 0 {
		t.Errorf("%d runs stored, %d with the key: %v", runs, shown, err)
	}
}

// n8nTarget is the API that a live run is sent to.
type n8nTarget struct {
	*httptest.Server
	mu   sync.Mutex
	seen []n8nSeen
}

type n8nSeen struct{ method, target, key, kind, body string }

func newN8NTarget(t *testing.T) *n8nTarget {
	t.Helper()
	api := &n8nTarget{}
	api.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		api.mu.Lock()
		api.seen = append(api.seen, n8nSeen{r.Method, r.URL.RequestURI(), r.Header.Get("Idempotency-Key"), r.Header.Get("Content-Type"), string(body)})
		first := len(api.seen) == 1
		api.mu.Unlock()
		switch {
		case r.URL.Path == "/busy" && first:
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/moved":
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
		default:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusCreated)
			io.WriteString(w, `{"order":"o_1"}`)
		}
	}))
	t.Cleanup(api.Close)
	return api
}

// taken gives the requests since the last time that it was asked.
func (api *n8nTarget) taken() []n8nSeen {
	api.mu.Lock()
	defer api.mu.Unlock()
	seen := api.seen
	api.seen = nil
	return seen
}

// n8nCases are what TestN8N runs.
func n8nCases(t *testing.T, n realN8N, workflow string, api *n8nTarget) []n8nCase {
	dir := filepath.Dir(filepath.Dir(workflow))
	env := map[string]string{"IDEM_KEY": n.key}
	payload := string(readFile(t, dir, "payload.json"))
	own := map[string]any{"secret": "environment"}
	cases := []n8nCase{
		{"sample", nil, func(t *testing.T, out n8nExecution) {
			quiet(t, api, out)
			wantAsIdem(t, out.item, map[string]string{"IDEM_KEY": keyLine(t, "k1", testSecretHex)}, filepath.Join(dir, "recipe.yaml"), payload, "--allow-test-secret")
		}},
		{"own-secret", own, func(t *testing.T, out n8nExecution) {
			quiet(t, api, out)
			wantAsIdem(t, out.item, env, filepath.Join(dir, "recipe.yaml"), payload)
		}},
	}
	cases = append(cases, n8nPayloadCases(t, api, env)...)
	for _, c := range []struct {
		path string
		want int
	}{{"/v1/checkouts?q=1", 1}, {"/busy", 2}, {"/moved", 3}} {
		name := "live-" + strings.Trim(strings.SplitN(c.path, "?", 2)[0], "/v1")
		cases = append(cases, n8nCase{name, live(t, workflow, api, c.path), func(t *testing.T, out n8nExecution) {
			wantSent(t, api.taken(), out, c.path, payload, c.want)
		}})
	}
	cases = append(cases, n8nCase{"live-test-secret", with(live(t, workflow, api, "/v1/checkouts"), "secret", "test"), refusedBy(api, "the public test secret is for dry runs alone")})
	elsewhere := live(t, workflow, api, "/v1/checkouts")
	elsewhere["contract"] = strings.ReplaceAll(elsewhere["contract"].(string), `"allow_hosts":["127.0.0.1"]`, `"allow_hosts":["api.example.com"]`)
	return append(cases, n8nCase{"live-other-host", elsewhere, refusedBy(api, "its host is not in allow_hosts")})
}

// live has the sample sent to the API.
func live(t *testing.T, workflow string, api *n8nTarget, path string) map[string]any {
	t.Helper()
	var c map[string]any
	if err := json.Unmarshal([]byte(n8nFields(t, workflow)["contract"].(string)), &c); err != nil {
		t.Fatal(err)
	}
	c["base_url"], c["path"] = api.URL, path
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{"dry_run": false, "secret": "environment", "contract": string(text)}
}

// n8nPayloadCases are vectors and hostile payloads.
func n8nPayloadCases(t *testing.T, api *n8nTarget, env map[string]string) []n8nCase {
	var out []n8nCase
	transforms := n8nRecipe("t", "k1", map[string]any{"key": map[string]string{"kid": "k1", "env": "IDEM_KEY"}, "identity": map[string]any{
		"a": map[string]any{"pointer": "/a", "transform": []string{"trim/v1", "ascii-lowercase/v1", "nfc/v1"}}}})
	rounded := strings.Replace(transforms, `"version":1`, `"version":1,"numbers":"ieee754"`, 1)
	deep := `{"a":"x","d":` + strings.Repeat("[", 998) + "1e0" + strings.Repeat("]", 998) + `}`
	for name, c := range map[string][2]string{
		"transforms": {transforms, "{\"a\":\"\\t ABCÄe\u0301\\n\",\"\ufb33\":1,\"😂\":2,\"n\":[1E2,-0.0,5e-324,1e21,123456789.50],\"t\":\"{{ $json }} =1\"}"},
		"rounded":    {rounded, `{"a":"x","n":[9007199254740993,1152921504606846976,1e-400]}`},
		"deep":       {transforms, deep},
	} {
		file := writeRecipe(t, c[0])
		out = append(out, n8nCase{name, map[string]any{"secret": "environment", "recipe": c[0], "payload": c[1]}, func(t *testing.T, got n8nExecution) {
			quiet(t, api, got)
			wantAsIdem(t, got.item, env, file, c[1])
		}})
	}
	for name, c := range map[string][2]string{
		"duplicate-name": {`{"a":"x","z":{"k":1,"\u006b":2}}`, "payload /z/k (line 1, column 21): the object has this name twice"},
		"lone-surrogate": {`{"a":"\ud800"}`, "half of a surrogate pair stands alone"},
		"lossy-identity": {`{"a":"x"}`, "input n: identity field n is absent"},
	} {
		recipe := strings.Replace(transforms, `"identity":{`, `"identity":{"n":{"input":"n","when_absent":"`+map[bool]string{true: "refuse", false: "omit"}[name == "lossy-identity"]+`"},`, 1)
		out = append(out, n8nCase{name, map[string]any{"secret": "environment", "recipe": recipe, "payload": c[0]}, refusedBy(api, c[1])})
	}
	slices.SortFunc(out, func(a, b n8nCase) int { return strings.Compare(a.name, b.name) })
	return out
}

// quiet wants a run that went the way of a dry run, and nothing sent.
func quiet(t *testing.T, api *n8nTarget, out n8nExecution) {
	t.Helper()
	if out.nodes[n8nSend] || !out.nodes["Nothing was sent"] || !out.nodes["Six parts"] || len(api.taken()) > 0 {
		t.Errorf("a dry run ran %v", out.nodes)
	}
}

func refusedBy(api *n8nTarget, word string) func(*testing.T, n8nExecution) {
	return func(t *testing.T, out n8nExecution) {
		t.Helper()
		if sent := api.taken(); len(sent) > 0 || out.nodes[n8nSend] || !strings.Contains(out.said, word) {
			t.Errorf("sent %v, ran %v, said\n%s", sent, out.nodes, out.said)
		}
	}
}

// wantAsIdem holds ID, canonical form and fingerprints to what idem says.
func wantAsIdem(t *testing.T, got n8nItem, env map[string]string, recipe, payload string, flags ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "payload.json")
	if err := os.WriteFile(file, []byte(payload), 0o600); err != nil {
		t.Fatal(err)
	}
	numbers := "strict"
	if bytes.Contains(readFile(t, recipe), []byte("ieee754")) {
		numbers = "ieee754"
	}
	wantOfIdem(t, got.ID, env, append([]string{"derive", "-r", recipe, file}, flags...)...)
	wantOfIdem(t, valueOf(got.Canonical), env, "canon", "--numbers", numbers, file)
	wantOfIdem(t, valueOf(got.PayloadFP), env, append([]string{"fingerprint", "-r", recipe, file}, flags...)...)
	request := []string{"fingerprint", "-r", recipe, "--request", "--path", "/v1/checkouts", "--ignore", "/sent_at", "--header", "Content-Type: application/json", file}
	wantOfIdem(t, valueOf(got.RequestFP), env, append(request, flags...)...)
}

// wantSent wants that many requests, all with the same key and the payload's
// very bytes, less the white space around them, and none to where a redirect points.
func wantSent(t *testing.T, sent []n8nSeen, out n8nExecution, path, payload string, count int) {
	t.Helper()
	want := n8nSeen{"POST", path, out.item.ID, "application/json", strings.TrimSpace(payload)}
	if len(sent) != count || !out.nodes[n8nSend] || out.nodes["Nothing was sent"] || out.item.ID == "" {
		t.Errorf("%d requests, want %d; ran %v\n%.2000s", len(sent), count, out.nodes, out.said)
	}
	for _, s := range sent {
		if s != want {
			t.Errorf("sent %+v\nwant %+v", s, want)
		}
	}
}

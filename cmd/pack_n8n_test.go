package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/testneed"
)

// The names that the tests know of the pack's workflow.
const (
	n8nIdentity = "Identity and fingerprints"
	n8nSend     = "Send"
)

// n8nRun is one run of a Code node, as testdata/n8n/node.cjs takes it.
type n8nRun struct {
	Items   []map[string]any  `json:"items"`
	Env     map[string]string `json:"env,omitempty"`
	Blocked bool              `json:"blocked,omitempty"`
}

// n8nResult is what it came to: items, or an error.
type n8nResult struct {
	Items   []n8nItem
	Error   string
	Refusal string
	Place   string

	text string // all of it
}

// n8nItem is what the tests look at of an item.
type n8nItem struct {
	ID        string
	Identity  string  `json:"canonical_identity"`
	Canonical *string `json:"canonical_payload"`
	PayloadFP *string `json:"payload_fingerprint"`
	RequestFP *string `json:"request_fingerprint"`
	Notes     []string
	WouldSend *n8nRequest `json:"would_send"`
	Send      *n8nRequest
}

type n8nRequest struct {
	Method, URL, Body string
	Type              string `json:"content_type"`
	Headers           map[string]string
}

// packWorkflow writes the pack for the sample and gives its workflow's path.
func packWorkflow(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pack")
	if out, said, code := runHere(nil, strings.NewReader(""), "pack", dir); code != ExitDone {
		t.Fatalf("pack: %d\n%s%s", code, out, said)
	}
	return filepath.Join(dir, "n8n", "workflow.json")
}

// n8nFields gives what the Set nodes of a workflow put into an item.
func n8nFields(t *testing.T, workflow string) map[string]any {
	t.Helper()
	var w struct {
		Nodes []struct {
			Parameters struct {
				Assignments struct {
					Assignments []struct {
						Name  string
						Value any
					}
				}
			}
		}
	}
	if err := json.Unmarshal(readFile(t, workflow), &w); err != nil {
		t.Fatal(err)
	}
	fields := map[string]any{}
	for _, n := range w.Nodes {
		for _, a := range n.Parameters.Assignments.Assignments {
			fields[a.Name] = a.Value
		}
	}
	if len(fields) < 8 {
		t.Fatalf("the workflow sets only %v", fields)
	}
	return fields
}

// runCodeNode runs the text of a Code node in Node, once for each run.
func runCodeNode(t *testing.T, workflow, node string, runs []n8nRun) []n8nResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var in, out, said bytes.Buffer
	lines := json.NewEncoder(&in)
	lines.SetEscapeHTML(false)
	for _, r := range runs {
		if err := lines.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(ctx, testneed.Node(t), filepath.Join("..", "testdata", "n8n", "node.cjs"), workflow, node)
	c.Stdin, c.Stdout, c.Stderr = &in, &out, &said
	if err := c.Run(); err != nil {
		t.Fatalf("node: %v\n%s", err, said.Bytes())
	}
	results := make([]n8nResult, 0, len(runs))
	read := bufio.NewReader(&out)
	for {
		line, err := read.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		r := n8nResult{text: string(line)}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		results = append(results, r)
	}
	if len(results) != len(runs) {
		t.Fatalf("%d runs and %d results", len(runs), len(results))
	}
	return results
}

// n8nBase is an item whose key stands in the variable K.
func n8nBase(recipe, payload string) map[string]any {
	return map[string]any{"dry_run": true, "secret": "environment", "secret_env": "K", "fingerprints": "keyed", "recipe": recipe,
		"payload": payload, "inputs": "{}", "contract": n8nContract("/v1/charges", nil)}
}

// n8nContract is the contract of the item, with some of its members replaced.
func n8nContract(path string, replaced map[string]any) string {
	c := map[string]any{"operation": "op", "method": "POST", "base_url": "http://127.0.0.1:8080", "path": path,
		"headers": [][2]string{{"Content-Type", "application/json"}}, "body": "text", "key": map[string]string{"header": "Idempotency-Key"},
		"fingerprint": map[string]any{"headers": []string{}, "ignore": []string{}, "reorder": "semantic"}, "allow_hosts": []string{"127.0.0.1"}}
	maps.Copy(c, replaced)
	text, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// n8nRecipe is a recipe of one input, which any payload has an ID under.
func n8nRecipe(namespace, kid string, more map[string]any) string {
	r := map[string]any{"idem": "recipe/v1", "namespace": namespace, "operation": "o", "version": 1, "prefix": "x", "boundary": "b",
		"identity": map[string]any{"k": map[string]any{"input": "k"}}, "key": map[string]any{"kid": kid, "env": "K"}}
	maps.Copy(r, more)
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func with(item map[string]any, name string, value any) map[string]any {
	item = maps.Clone(item)
	item[name] = value
	return item
}

// keyLine is the idemkey1 line of a secret.
func keyLine(t *testing.T, kid, secretHex string) string {
	t.Helper()
	b, err := hex.DecodeString(secretHex)
	if err != nil {
		t.Fatal(err)
	}
	s, err := determ.NewSecret(kid, b)
	if err != nil {
		t.Fatal(err)
	}
	line, err := s.Line()
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// n8nOne gives the one item of a result that is no error.
func n8nOne(t *testing.T, what string, r n8nResult) n8nItem {
	t.Helper()
	if r.Error != "" || len(r.Items) != 1 {
		t.Errorf("%s: refused: %s", what, r.Error)
		return n8nItem{}
	}
	return r.Items[0]
}

func valueOf(s *string) string {
	if s == nil {
		return "(none)"
	}
	return *s
}

// TestPackN8NSample: what the workflow makes of the sample is what idem makes of
// the pack's own files, and nothing is sent or could be.
func TestPackN8NSample(t *testing.T) {
	t.Parallel()
	workflow := packWorkflow(t)
	dir := filepath.Dir(filepath.Dir(workflow))
	line := keyLine(t, "k1", strings.Repeat("5a", 32))
	env := map[string]string{"IDEM_KEY": line}
	fields := n8nFields(t, workflow)
	own := with(fields, "secret", "environment")
	got := runCodeNode(t, workflow, n8nIdentity, []n8nRun{{Items: []map[string]any{fields}}, {Items: []map[string]any{own}, Env: env}})

	recipe, payload := filepath.Join(dir, "recipe.yaml"), filepath.Join(dir, "payload.json")
	test := n8nOne(t, "test secret", got[0])
	wantOfIdem(t, test.ID, map[string]string{"IDEM_KEY": keyLine(t, "k1", testSecretHex)}, "derive", "-r", recipe, "--allow-test-secret", payload)
	one := n8nOne(t, "own secret", got[1])
	wantOfIdem(t, one.ID, env, "derive", "-r", recipe, payload)
	wantOfIdem(t, valueOf(one.PayloadFP), env, "fingerprint", "-r", recipe, payload)
	wantOfIdem(t, valueOf(one.RequestFP), env, "fingerprint", "-r", recipe, "--request", "--path", "/v1/checkouts", "--ignore", "/sent_at",
		"--header", "Content-Type: application/json", payload)
	wantOfIdem(t, valueOf(one.Canonical), env, "canon", payload)
	if one.Send != nil || one.WouldSend == nil || one.WouldSend.Headers["Idempotency-Key"] != one.ID || one.WouldSend.Body != strings.TrimSpace(string(readFile(t, payload))) {
		t.Errorf("a dry run would send %+v and %+v", one.WouldSend, one.Send)
	}
	if strings.Contains(got[1].text, line[12:40]) {
		t.Error("the node shows the key")
	}
}

// testSecretHex is the public test secret, SHA-256("idem test secret 1").
const testSecretHex = "726f995633f10426d7ae8ffe14e52d30f658053f4f013cc6850998e96e984130"

func wantOfIdem(t *testing.T, got string, env map[string]string, args ...string) {
	t.Helper()
	out, said, code := runHere(env, strings.NewReader(""), args...)
	if want := strings.TrimSuffix(out, "\n"); code != ExitDone || got != want {
		t.Errorf("idem %s: %d\n%s\nn8n  %s\nidem %s", strings.Join(args, " "), code, said, got, want)
	}
}

// TestPackN8NOnlySend: one node could send, the switch stands before it, and
// whatever is not dry_run false goes the other way.
func TestPackN8NOnlySend(t *testing.T) {
	t.Parallel()
	var w struct {
		ID, VersionID string
		Nodes         []struct{ Name, Type string }
		Connections   map[string]struct{ Main [][]struct{ Node string } }
		Active        bool
	}
	text := readFile(t, packWorkflow(t))
	if err := json.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	quiet := map[string]bool{"manualTrigger": true, "set": true, "code": true, "if": true, "noOp": true, "stickyNote": true}
	for _, n := range w.Nodes {
		kind := strings.TrimPrefix(n.Type, "n8n-nodes-base.")
		if !quiet[kind] && !(kind == "httpRequest" && n.Name == n8nSend) {
			t.Errorf("node %q of kind %s could send", n.Name, kind)
		}
	}
	for from, to := range w.Connections {
		for output, nodes := range to.Main {
			for _, n := range nodes {
				if n.Node == n8nSend && !(from == "Is it a dry run?" && output == 1) {
					t.Errorf("%s leads to the sending node by output %d", from, output)
				}
			}
		}
	}
	if w.ID == "" || w.VersionID == "" || w.Active {
		t.Errorf("id %q, versionId %q, active %v", w.ID, w.VersionID, w.Active)
	}
	if !bytes.Contains(text, []byte(`"leftValue": "={{ $json.dry_run !== false }}"`)) {
		t.Error("the switch asks something else")
	}
}

// TestPackN8NParts: the six parts stand there under the names of the dry run.
func TestPackN8NParts(t *testing.T) {
	t.Parallel()
	workflow := packWorkflow(t)
	first := runCodeNode(t, workflow, n8nIdentity, []n8nRun{{Items: []map[string]any{n8nFields(t, workflow)}}})
	var item struct{ Items []map[string]any }
	if err := json.Unmarshal([]byte(first[0].text), &item); err != nil || len(item.Items) != 1 {
		t.Fatal(first[0].text, err)
	}
	second := runCodeNode(t, workflow, "Six parts", []n8nRun{{Items: item.Items}})
	var got struct {
		Items []struct {
			SixParts []struct {
				Part, Section string
				Facts         map[string]any
			} `json:"six_parts"`
		}
	}
	if err := json.Unmarshal([]byte(second[0].text), &got); err != nil || len(got.Items) != 1 {
		t.Fatal(second[0].text, err)
	}
	var dry struct {
		Parts []struct{ Part, Section string }
	}
	if err := json.Unmarshal(readFile(t, filepath.Dir(filepath.Dir(workflow)), "expected-dry-run.json"), &dry); err != nil || len(dry.Parts) != 6 {
		t.Fatal(dry, err)
	}
	for i, p := range dry.Parts {
		if here := got.Items[0].SixParts; i >= len(here) || here[i].Part != p.Part || here[i].Section != p.Section || len(here[i].Facts) < 3 {
			t.Errorf("part %d: %+v, want %+v", i, here, p)
		}
	}
}

// TestPackN8NPrimitives: hashes and encodings are those of Node's own library.
func TestPackN8NPrimitives(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, testneed.Node(t), filepath.Join("..", "testdata", "n8n", "parts.cjs"), packWorkflow(t), n8nIdentity)
	if said, err := c.CombinedOutput(); err != nil || !bytes.Contains(said, []byte(" compared")) {
		t.Errorf("%v\n%s", err, said)
	}
}

func readVectors(t *testing.T, out any) {
	t.Helper()
	src, err := os.ReadFile("../testdata/vectors/determ-v1.json")
	if err == nil {
		err = json.Unmarshal(src, out)
	}
	if err != nil {
		t.Fatal(err)
	}
}

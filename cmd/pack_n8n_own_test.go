package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ownContract is one with what the sample has not, and names that mean something
// to n8n, shells and quotes.
const ownContract = `idem: contract/v1
name: "it's \"own\" {{ $json }}"
target: {base_urls: ["http://127.0.0.1:8080/base/"], allow_hosts: [127.0.0.1]}
operations:
  - name: "={{ $env }} 'pay'"
    request:
      method: POST
      path: /v1/pay?b=2&a=x+y
      headers: {Content-Type: application/x-www-form-urlencoded, X-Api-Version: "2026-01-01"}
      form: {order: o-1, note: here}
      fresh: [/order]
    fingerprint: {headers: [X-Api-Version]}
    key: {query: token, recipe: own.yaml, companion: {header: Repeatability-First-Sent, as: imf-fixdate}}
    promise: {duplicate: replay}
`

const ownRecipe = `idem: recipe/v1
namespace: own.pay
operation: pay
version: 3
prefix: pay
boundary: One payment for each "order"; paying the same again is 'another' order.
identity: {order: {pointer: /order, type: string, transform: [trim/v1, nfc/v1]}, "q\"uo'te": {pointer: /note, when_absent: omit}}
encode: uuid
limits: {preset: google-cloud}
key: {kid: k1, file: key}
`

// TestPackN8NOwnContract: filled for a contract of one's own, the workflow makes
// of a payload what idem makes of it.
func TestPackN8NOwnContract(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	line := keyLine(t, "k1", strings.Repeat("5a", 32))
	for name, text := range map[string]string{"contract.yaml": ownContract, "own.yaml": ownRecipe, "key": line,
		"payload.json": `{"order":" o 1&ü","note":"it's {{ here }}"}`, "form": "order=+o+1%26%C3%BC&note=it%27s+%7B%7B+here+%7D%7D"} {
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, said, code := runHere(nil, strings.NewReader(""), "pack", in("pack"), "--contract", in("contract.yaml"), "--payload", in("payload.json")); code != ExitDone {
		t.Fatal(said)
	}
	workflow := filepath.Join(in("pack"), "n8n", "workflow.json")
	fields := with(n8nFields(t, workflow), "secret", "environment")
	env := map[string]string{"IDEM_KEY": line} // a file is no place that n8n reads: the variable has its usual name
	r := runCodeNode(t, workflow, n8nIdentity, []n8nRun{{Items: []map[string]any{fields}, Env: env}})[0]
	got := n8nOne(t, "own", r)
	wantOfIdem(t, got.ID, nil, "derive", "-r", in("own.yaml"), in("payload.json"))
	wantOfIdem(t, valueOf(got.PayloadFP), nil, "fingerprint", "-r", in("own.yaml"), in("payload.json"))
	wantOfIdem(t, valueOf(got.RequestFP), env, "fingerprint", "--key-env", "IDEM_KEY", "--namespace", "own.pay", "--request", "--path", "/v1/pay?b=2&a=x+y",
		"--idempotency-key", "query:token", "--header", "Content-Type: application/x-www-form-urlencoded", "--header", "X-Api-Version: 2026-01-01",
		"--include-header", "X-Api-Version", in("form"))
	sent := got.WouldSend
	if sent == nil || sent.URL != "http://127.0.0.1:8080/base/v1/pay?b=2&a=x+y&token="+got.ID || sent.Body != string(readFile(t, in("form"))) ||
		!strings.HasSuffix(sent.Headers["Repeatability-First-Sent"], " GMT") {
		t.Errorf("would send %+v", sent)
	}
}

package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

type n8nVectors struct {
	Derive []struct {
		Name, Namespace, Operation, Prefix, Payload, ID, Short, UUID, UUID4, Hex, Base64URL string
		SecretHex                                                                           string `json:"secret_hex"`
		CanonicalIdentity                                                                   string `json:"canonical_identity"`
		Version                                                                             int
		Identity                                                                            json.RawMessage
	}
	ByRecipe []n8nRecipeVector `json:"derive_by_recipe"`
	Refused  []n8nRecipeVector `json:"derive_refused"`
	Keys     []struct{ Why, Format, Text string }
	KeyLines []struct {
		Kid, Line, Check string
		SubkeyFor        []any  `json:"subkey_for"`
		SubkeyLine       string `json:"subkey_line"`
	} `json:"key_lines"`
	Fingerprint []struct {
		Name, Payload, Canonical, Kid string
		PayloadFP                     string `json:"payload_fp"`
		SecretHex                     string `json:"keyed_secret_hex"`
		Namespace                     string `json:"keyed_namespace"`
		KeyedFP                       string `json:"keyed_fp"`
	}
	Request []n8nRequestVector
}

type n8nRecipeVector struct {
	Name, Why, Payload, Answer string
	SecretHex                  string `json:"secret_hex"`
	CanonicalIdentity          string `json:"canonical_identity"`
	Recipe, Inputs             json.RawMessage
}

type n8nRequestVector struct {
	Name, Method, Path, Body, Kid string
	RawQuery                      string      `json:"raw_query"`
	MediaType                     string      `json:"media_type"`
	Include                       []string    `json:"include_headers"`
	Headers                       [][2]string `json:"headers"`
	Ignore                        []string
	RequestFP                     string `json:"request_fp"`
	SecretHex                     string `json:"keyed_secret_hex"`
	Namespace                     string `json:"keyed_namespace"`
	KeyedFP                       string `json:"keyed_fp"`
}

// wantRun is a run and what is to come of it.
type wantRun struct {
	what string
	run  n8nRun
	want func(t *testing.T, what string, r n8nResult)
}

func tryRuns(t *testing.T, all []wantRun, atLeast int) {
	t.Helper()
	if len(all) < atLeast {
		t.Fatalf("only %d of %d runs", len(all), atLeast)
	}
	var runs []n8nRun
	for _, w := range all {
		runs = append(runs, w.run)
	}
	for i, r := range runCodeNode(t, packWorkflow(t), n8nIdentity, runs) {
		all[i].want(t, all[i].what, r)
	}
}

func wantID(id, identity string) func(*testing.T, string, n8nResult) {
	return func(t *testing.T, what string, r n8nResult) {
		if got := n8nOne(t, what, r); got.ID != id || got.Identity != identity {
			t.Errorf("%s: %s of %s, want %s of %s", what, got.ID, got.Identity, id, identity)
		}
	}
}

// wantRefused wants a refusal of the node's own that says a word, and shows
// nothing of what must not be shown.
func wantRefused(word, hidden string) func(*testing.T, string, n8nResult) {
	return func(t *testing.T, what string, r n8nResult) {
		if r.Refusal == "" || !strings.Contains(r.Error, word) {
			t.Errorf("%s: %s, want a refusal with %q", what, r.text, word)
		}
		if hidden != "" && strings.Contains(r.text, hidden) {
			t.Errorf("%s: the error shows the key", what)
		}
	}
}

// TestPackN8NVectorsDerive: every ID of the vectors, in every encoding.
func TestPackN8NVectorsDerive(t *testing.T) {
	t.Parallel()
	var v n8nVectors
	readVectors(t, &v)
	var all []wantRun
	for _, c := range v.Derive {
		env := map[string]string{"K": c.SecretHex} // some are longer than a line holds
		key := map[string]string{"kid": "k1", "env": "K", "format": "hex"}
		for encoding, id := range map[string]string{"id": c.ID, "short": c.Short, "uuid": c.UUID, "uuid4": c.UUID4, "hex": c.Hex, "base64url": c.Base64URL} {
			recipe := n8nRecipe(c.Namespace, "k1", map[string]any{"operation": c.Operation, "version": c.Version, "prefix": c.Prefix, "identity": c.Identity, "encode": encoding, "key": key})
			item := n8nBase(recipe, c.Payload)
			if c.SecretHex == testSecretHex { // which a node takes as such, not from a variable
				item = with(item, "secret", "test")
			}
			all = append(all, wantRun{c.Name + ", " + encoding, n8nRun{Items: []map[string]any{item}, Env: env}, wantID(id, c.CanonicalIdentity)})
		}
	}
	for _, c := range v.ByRecipe {
		item := with(n8nBase(string(c.Recipe), c.Payload), "inputs", string(c.Inputs))
		all = append(all, wantRun{c.Name, n8nRun{Items: []map[string]any{item}, Env: map[string]string{"K": keyLine(t, "k1", c.SecretHex)}}, wantID(c.Answer, c.CanonicalIdentity)})
	}
	tryRuns(t, all, 80)
}

// n8nReasons are what each refusal must say, so that none is right by accident.
var n8nReasons = map[string]string{
	"absent field": `payload /b: identity field a is absent`, "null field": `payload /a: identity field a is null`,
	"declared type": `is of type number, and the recipe says string`, "lossy number in the identity": `payload /a: number that the canonical form would change`,
	"overflow anywhere": `payload /z (line 1, column 12): number beyond the double range`, "duplicate name anywhere": `/z/k (line 1, column 19): the object has this name twice`,
	"bad pointer": `not a JSON Pointer`, "pointer without slash": `not a JSON Pointer`, "array index with a leading zero": `payload /a/01: identity field a is absent`,
	"transform on a number": `transforms work on strings`, "unknown transform": `is not a known transform`, "unknown key": `unknown key colour`,
	"no boundary": `boundary is missing`, "empty boundary": `boundary is empty`, "empty identity": `identity is empty`,
	"version zero": `version must be a whole number`, "version as text": `version must be a whole number`, "version too large": `version must be a whole number`,
	"namespace with capitals": `namespace must be lower-case`, "prefix with underscore": `prefix must be a lower-case letter`,
	"limit too short for the encoding": `has 64 characters and the limit is 36`, "alphabet without the hyphen": `may hold -, which the alphabet lacks`,
	"missing input": `input t: identity field t is absent`, "input that the recipe does not name": `input t: the recipe names no such input`,
	"one character wrong": `checksum does not hold`, "cut short": `damaged or cut`, "other kid than the recipe": `the key is called k9, and kid k1 is wanted`,
	"a non-canonical last checksum character": `damaged or cut`, "hex with a typo": `not hexadecimal`, "odd hex": `not hexadecimal`, "31 bytes": `has 31 bytes`,
	"two lines": `not hexadecimal`, "byte order mark": `not hexadecimal`, "printable raw": `raw bytes cannot travel in a variable`,
}

// TestPackN8NVectorsRefused: what idem refuses is refused, for the same reason.
func TestPackN8NVectorsRefused(t *testing.T) {
	t.Parallel()
	var v n8nVectors
	readVectors(t, &v)
	var refused struct {
		Keys []struct{ Why, Format, Text string } `json:"keys_refused"`
	}
	readVectors(t, &refused)
	var all []wantRun
	for _, c := range v.Refused {
		if n8nReasons[c.Why] == "" {
			t.Fatalf("no reason is known for %q", c.Why)
		}
		item := with(n8nBase(string(c.Recipe), c.Payload), "inputs", string(c.Inputs))
		all = append(all, wantRun{c.Why, n8nRun{Items: []map[string]any{item}, Env: map[string]string{"K": keyLine(t, "k1", c.SecretHex)}}, wantRefused(n8nReasons[c.Why], "")})
	}
	for _, c := range refused.Keys {
		recipe := n8nRecipe("t", "k1", map[string]any{"key": map[string]string{"kid": "k1", "env": "K", "format": c.Format}})
		item := with(n8nBase(recipe, "{}"), "inputs", `{"k":1}`)
		all = append(all, wantRun{c.Why, n8nRun{Items: []map[string]any{item}, Env: map[string]string{"K": c.Text}}, wantRefused(n8nReasons[c.Why], c.Text[len(c.Text)-20:])})
	}
	tryRuns(t, all, 34)
}

// TestPackN8NVectorsKeys: a secret and the subkey that is cut from it make the
// same ID, and a wrong secret is noticed.
func TestPackN8NVectorsKeys(t *testing.T) {
	t.Parallel()
	var v n8nVectors
	readVectors(t, &v)
	var all []wantRun
	for _, c := range v.KeyLines {
		spec := map[string]string{"kid": c.Kid, "env": "K", "check": c.Check}
		replaced := map[string]any{"operation": c.SubkeyFor[1], "version": c.SubkeyFor[2], "key": spec}
		recipe := n8nRecipe(c.SubkeyFor[0].(string), c.Kid, replaced)
		want, said, code := runHere(map[string]string{"K": c.Line}, strings.NewReader("{}"), "derive", "-r", writeRecipe(t, recipe), "--input", "k=1", "-", "--allow-test-secret")
		if code != ExitDone {
			t.Fatal(said)
		}
		item := with(n8nBase(recipe, "{}"), "inputs", `{"k":"1"}`)
		if c.Kid == "k1" { // the public test secret is taken for no real one
			all = append(all, wantRun{"public " + c.Kid, n8nRun{Items: []map[string]any{item}, Env: map[string]string{"K": c.Line}}, wantRefused("public test secret", c.Line[12:30])})
			all = append(all, wantRun{"public subkey " + c.Kid, n8nRun{Items: []map[string]any{item}, Env: map[string]string{"K": c.SubkeyLine}}, wantRefused("public test secret", c.SubkeyLine[12:30])})
			continue
		}
		for _, line := range []string{c.Line, c.Line + "\n", c.SubkeyLine, c.SubkeyLine + "\r\n"} {
			all = append(all, wantRun{c.Kid, n8nRun{Items: []map[string]any{item}, Env: map[string]string{"K": line}}, wantID(strings.TrimSpace(want), `{"k":"1"}`)})
		}
		replaced["key"] = map[string]string{"kid": c.Kid, "env": "K", "check": "00000000"}
		wrong := with(item, "recipe", n8nRecipe(c.SubkeyFor[0].(string), c.Kid, replaced))
		all = append(all, wantRun{"check", n8nRun{Items: []map[string]any{wrong}, Env: map[string]string{"K": c.Line}}, wantRefused("the wrong secret was loaded", c.Line[30:60])})
		replaced["version"] = 2
		other := with(item, "recipe", n8nRecipe(c.SubkeyFor[0].(string), c.Kid, replaced))
		all = append(all, wantRun{"other triple", n8nRun{Items: []map[string]any{other}, Env: map[string]string{"K": c.SubkeyLine}}, wantRefused("for another namespace, operation or version", c.SubkeyLine[30:60])})
	}
	tryRuns(t, all, 14)
}

func writeRecipe(t *testing.T, text string) string {
	t.Helper()
	path := t.TempDir() + "/recipe.json"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPackN8NVectorsFingerprints: payloads and requests, keyed and unkeyed. The
// keyed vectors are of the public test secret, which a dry run takes as such.
func TestPackN8NVectorsFingerprints(t *testing.T) {
	t.Parallel()
	var v n8nVectors
	readVectors(t, &v)
	var all []wantRun
	both := func(name, secretHex string, item map[string]any, get func(n8nItem) *string, plain, keyed string) {
		item = with(item, "inputs", `{"k":1}`)
		env := map[string]string{"K": keyLine(t, "k1", secretHex)}
		if secretHex == testSecretHex {
			item = with(item, "secret", "test")
		}
		for form, want := range map[string]string{"public": plain, "keyed": keyed} {
			all = append(all, wantRun{name + ", " + form, n8nRun{Items: []map[string]any{with(item, "fingerprints", form)}, Env: env}, func(t *testing.T, what string, r n8nResult) {
				if got := valueOf(get(n8nOne(t, what, r))); got != want {
					t.Errorf("%s: %s, want %s %s", what, got, want, r.text)
				}
			}})
		}
	}
	for _, c := range v.Fingerprint {
		both(c.Name, c.SecretHex, n8nBase(n8nRecipe(c.Namespace, c.Kid, nil), c.Payload), func(i n8nItem) *string { return i.PayloadFP }, c.PayloadFP, c.KeyedFP)
	}
	for _, c := range v.Request {
		both(c.Name, c.SecretHex, n8nRequestItem(c), func(i n8nItem) *string { return i.RequestFP }, c.RequestFP, c.KeyedFP)
	}
	tryRuns(t, all, 22)
}

func n8nRequestItem(c n8nRequestVector) map[string]any {
	path, payload, body := c.Path, c.Body, "text"
	if c.RawQuery != "" {
		path += "?" + c.RawQuery
	}
	switch c.Name {
	case "form body": // n8n is given the fields, and makes the form of them
		payload, body = `{"amount":"1999","currency":"eur"}`, "form"
	case "no body":
		payload, body = `{}`, "none"
	}
	headers := append([][2]string{{"Content-Type", c.MediaType}}, c.Headers...)
	item := n8nBase(n8nRecipe(c.Namespace, c.Kid, nil), payload)
	return with(item, "contract", n8nContract(path, map[string]any{"method": c.Method, "headers": headers, "body": body,
		"fingerprint": map[string]any{"headers": c.Include, "ignore": c.Ignore, "reorder": "semantic"}}))
}

// TestPackN8NCanonical: every case of testdata/cases/canonical.json that a text
// of n8n can hold: bytes that are no UTF-8 never come to a node.
func TestPackN8NCanonical(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("../testdata/cases/canonical.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Why             string
		Input           []byte `json:"input_base64"`
		Canonical       *string
		Strict, IEEE754 *string
		Error           string
	}
	if err := json.Unmarshal(src, &cases); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"K": keyLine(t, "k1", strings.Repeat("5a", 32))}
	var all []wantRun
	for _, c := range cases {
		if !utf8.Valid(c.Input) {
			continue
		}
		for _, numbers := range []string{"strict", "ieee754"} {
			want := c.Canonical
			if c.IEEE754 != nil && numbers == "ieee754" {
				want = c.IEEE754
			}
			item := with(n8nBase(n8nRecipe("t", "k1", map[string]any{"numbers": numbers}), string(c.Input)), "inputs", `{"k":1}`)
			all = append(all, wantRun{c.Why + ", " + numbers, n8nRun{Items: []map[string]any{item}, Env: env}, func(t *testing.T, what string, r n8nResult) {
				wantCanonical(t, what, r, want, c.Error)
			}})
		}
	}
	tryRuns(t, all, 76)
}

func wantCanonical(t *testing.T, what string, r n8nResult, want *string, class string) {
	t.Helper()
	if class != "" {
		if r.Refusal != class {
			t.Errorf("%s: refused as %q (%s), want %q", what, r.Refusal, r.Error, class)
		}
		return
	}
	got := n8nOne(t, what, r)
	if valueOf(got.Canonical) != valueOf(want) {
		t.Errorf("%s: %s, want %s", what, valueOf(got.Canonical), valueOf(want))
	}
	if want == nil && (got.PayloadFP != nil || got.RequestFP != nil || len(got.Notes) == 0 || !strings.Contains(fmt.Sprint(got.Notes), "number that the canonical form would change")) {
		t.Errorf("%s: a fingerprint of a lossy number: %s", what, r.text)
	}
}

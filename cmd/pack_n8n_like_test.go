package cmd

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// TestPackN8NLikeIdem: on thousands of payloads, damaged ones among them, the node
// gives what idem gives: ID, canonical form and both fingerprints, or a refusal
// of the same class.
func TestPackN8NLikeIdem(t *testing.T) {
	t.Parallel()
	testneed.Long(t, "thousands of payloads go through Node")
	const seed = 8785
	r := rand.New(rand.NewPCG(seed, 1))
	var payloads []string
	for range 1600 {
		payloads = append(payloads, randomText(r, 0))
	}
	for range 900 {
		payloads = append(payloads, damaged(r, randomText(r, 0)))
	}
	r.Shuffle(len(payloads), func(i, j int) { payloads[i], payloads[j] = payloads[j], payloads[i] })
	compareWithIdem(t, payloads, "strict")
	compareWithIdem(t, payloads[:800], "ieee754")
}

func compareWithIdem(t *testing.T, payloads []string, numbers string) {
	t.Helper()
	line := keyLine(t, "k1", strings.Repeat("5a", 32))
	env := map[string]string{"K": line}
	recipe := n8nRecipe("acme.shop", "k1", map[string]any{"numbers": numbers, "encode": "hex", "identity": map[string]any{
		"k": map[string]any{"input": "k"}, "a": map[string]any{"pointer": "/a", "when_null": "allow", "when_absent": "omit"},
		"first": map[string]any{"pointer": "/0", "when_null": "allow", "when_absent": "omit"}}})
	file := writeRecipe(t, recipe)
	key := []string{"--key-env", "K", "--namespace", "acme.shop", "--numbers", numbers}
	ids := idemLines(t, env, payloads, "derive", "-r", file, "--input", "k=x")
	canonical := idemLines(t, env, payloads, "canon", "--numbers", numbers)
	prints := idemLines(t, env, payloads, append([]string{"fingerprint"}, key...)...)

	var runs []n8nRun
	for _, p := range payloads {
		runs = append(runs, n8nRun{Items: []map[string]any{with(n8nBase(recipe, p), "inputs", `{"k":"x"}`)}, Env: env})
	}
	refused, lossy := 0, 0
	for i, r := range runCodeNode(t, packWorkflow(t), n8nIdentity, runs) {
		class := strings.ReplaceAll(r.Refusal, " ", "-")
		if r.Error != "" {
			refused++
			if !strings.HasPrefix(ids[i], `{"error":{"class":"`+class+`"`) || class == "" {
				t.Errorf("%s: %q\nn8n refuses: %s\nidem says %s", numbers, payloads[i], r.text, ids[i])
			}
			continue
		}
		got := n8nOne(t, payloads[i], r)
		if got.Canonical == nil {
			lossy++
			if !strings.HasPrefix(canonical[i], `{"error":{"class":"lossy-number"`) || got.PayloadFP != nil || got.RequestFP != nil {
				t.Errorf("%s: %q\nn8n has no canonical form: %s\nidem has %s", numbers, payloads[i], r.text, canonical[i])
			}
		} else if *got.Canonical != canonical[i] || valueOf(got.PayloadFP) != prints[i] {
			t.Errorf("%s: %q\nn8n  %s %s\nidem %s %s", numbers, payloads[i], *got.Canonical, valueOf(got.PayloadFP), canonical[i], prints[i])
		}
		if got.ID != ids[i] {
			t.Errorf("%s: %q\nn8n  %s\nidem %s", numbers, payloads[i], got.ID, ids[i])
		}
		if i%25 == 0 {
			wantRequestOfIdem(t, env, key, payloads[i], got)
		}
	}
	if refused < len(payloads)/10 || refused > len(payloads)/2 || lossy < 20 != (numbers == "ieee754") {
		t.Errorf("%s: %d of %d refused and %d lossy: the payloads say little", numbers, refused, len(payloads), lossy)
	}
}

func wantRequestOfIdem(t *testing.T, env map[string]string, key []string, payload string, got n8nItem) {
	t.Helper()
	out, said, code := runHere(env, strings.NewReader(payload), append([]string{"fingerprint", "--request", "--path", "/v1/charges",
		"--header", "Content-Type: application/json", "-"}, key...)...)
	if want := strings.TrimSuffix(out, "\n"); code == ExitDone && valueOf(got.RequestFP) != want || code != ExitDone && got.RequestFP != nil {
		t.Errorf("%q: request %s, idem has %s %s", payload, valueOf(got.RequestFP), want, said)
	}
}

// idemLines gives what idem says of each line, an error object where it refuses.
func idemLines(t *testing.T, env map[string]string, payloads []string, args ...string) []string {
	t.Helper()
	in := strings.NewReader(strings.Join(payloads, "\n") + "\n")
	out, said, _ := runHere(env, in, append(args, "--ndjson", "--on-error", "emit")...)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != len(payloads) {
		t.Fatalf("%v: %d lines of %d\n%s", args, len(lines), len(payloads), said)
	}
	return lines
}

// randomText writes one JSON text on one line, in no canonical form.
func randomText(r *rand.Rand, depth int) string {
	space := func() string { return strings.Repeat(" ", r.IntN(2)) + strings.Repeat("\t", r.IntN(8)/7) }
	kind := r.IntN(10)
	if depth == 0 && kind < 6 {
		kind += 4 // most texts are an array or an object
	}
	if depth > 4 {
		kind %= 6
	}
	switch {
	case kind < 1:
		return []string{"null", "true", "false"}[r.IntN(3)]
	case kind < 4:
		return randomNumber(r)
	case kind < 6:
		return randomString(r)
	case kind < 7:
		var items []string
		for range r.IntN(4) {
			items = append(items, space()+randomText(r, depth+1)+space())
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	names := []string{`"a"`, `"A"`, `""`, `"\u0062"`, `"b/~"`, `"\ufb33"`, `"😂"`, `"\ud83d\ude03"`, `"é"`, `"e\u0301"`, `"\u20ac"`, `"__proto__"`, `"constructor"`, `"10"`, `"9"`, "\"\u2028\""}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var members []string
	for _, name := range names[:r.IntN(6)] {
		members = append(members, space()+name+space()+":"+space()+randomText(r, depth+1)+space())
	}
	return "{" + strings.Join(members, ",") + "}"
}

func randomString(r *rand.Rand) string {
	pieces := []string{"a", "Z", "0", " ", "é", "e\u0301", "\u20ac", "😂", "\uffff", "\ufeff", "\u0085", "\u2028", "\U0010ffff", "/", "'", "<", "&", "\u007f", "{{ $json }}",
		`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u0000`, `\u001F`, `\u0041`, `\u00E9`, `\ud83d\ude02`, `\uD800\uDC00`, `\udbff\udfff`, `\uffff`}
	var b strings.Builder
	b.WriteByte('"')
	for range r.IntN(7) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	b.WriteByte('"')
	return b.String()
}

// randomNumber writes a number near some edge: of the doubles, of what they hold
// exactly, of how RFC 8785 writes them, or none.
func randomNumber(r *rand.Rand) string {
	sign := strings.Repeat("-", r.IntN(2))
	switch r.IntN(9) {
	case 0:
		return sign + strconv.Itoa(r.IntN(1000))
	case 1: // any double, in its shortest digits or in too many
		f := math.Float64frombits(r.Uint64() &^ (1 << 63))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return sign + "1.7976931348623157e308"
		}
		return sign + strconv.FormatFloat(f, 'e', []int{-1, 14, 15, 16, 17, 20}[r.IntN(6)], 64)
	case 2: // about 2^53 and beyond
		return sign + strconv.FormatUint(1<<53+r.Uint64N(1<<(1+r.IntN(10))), 10)
	case 3: // where exponents begin and end
		return sign + strconv.FormatFloat(r.Float64()*math.Pow(10, float64(r.IntN(6)+18)), 'f', -1, 64)
	case 4:
		return sign + strconv.FormatFloat(r.Float64()*math.Pow(10, -float64(r.IntN(6)+4)), []byte{'f', 'e'}[r.IntN(2)], -1, 64)
	case 5: // subnormals and what is nothing
		return sign + fmt.Sprintf("%d.%de-%d", 1+r.IntN(9), r.IntN(100000), 300+r.IntN(35))
	case 6: // zeros everywhere
		return sign + fmt.Sprintf("%d.%s%d%se%+d", r.IntN(2), strings.Repeat("0", r.IntN(5)), r.IntN(100), strings.Repeat("0", r.IntN(30)), r.IntN(40)-20)
	case 7: // a long exponent that a long mantissa undoes
		n := r.IntN(400)
		return sign + []string{"1" + strings.Repeat("0", n) + "e-" + strconv.Itoa(n), "0." + strings.Repeat("0", n) + "1E" + strconv.Itoa(n)}[r.IntN(2)]
	}
	return sign + []string{"0", "0.0", "0e999999999999", "1e-999999999999", "1.7976931348623157e308", "1.7976931348623158e308", "4.9e-324", "5e-324", "2.4703282292062327e-324",
		"2.4703282292062328e-324", "2.2250738585072011e-308", "1e21", "999999999999999900000", "1e-7", "0.000001", "1E+2", "9007199254740993", "1152921504606846976", "0.30000000000000004"}[r.IntN(19)]
}

// damaged changes a text a little, so that most are no JSON any more.
func damaged(r *rand.Rand, s string) string {
	c := []rune(s)
	pieces := []string{"{", "}", "[", "]", ",", ":", `"`, `\`, "0", "-", "+", ".", "e", "\u00a0", "\u0001", "\x0b", `\u12`, `\ud800`, `\udc00`, "nul", "NaN", "'", "/*", "1e400", "\ufeff", `"a":1,`, "01"}
	at := r.IntN(len(c) + 1)
	switch r.IntN(4) {
	case 0: // cut
		if at > 0 {
			return string(c[:at])
		}
	case 1: // left out
		if at < len(c) {
			return string(c[:at]) + string(c[at+1:])
		}
	case 2: // twice
		return s + s
	}
	return string(c[:at]) + pieces[r.IntN(len(pieces))] + string(c[at:])
}

// TestPackN8NRefuses: what is not safe is refused before anything is made of it,
// and no refusal shows the key.
func TestPackN8NRefuses(t *testing.T) {
	t.Parallel()
	line := keyLine(t, "k1", strings.Repeat("5a", 32))
	env := map[string]string{"K": line, "EMPTY": ""}
	good := with(n8nBase(n8nRecipe("t", "k1", nil), `{"a":1}`), "inputs", `{"k":1}`)
	live := with(good, "dry_run", false)
	contract := func(replaced map[string]any) map[string]any {
		return with(live, "contract", n8nContract("/v1/charges", replaced))
	}
	deep := strings.Repeat("[", 1001) + strings.Repeat("]", 1001)
	var all []wantRun
	for _, c := range []struct {
		word string
		item map[string]any
	}{
		{"settings dry_run", with(good, "dry_run", "false")}, {"settings dry_run", with(good, "dry_run", 0)}, {"settings dry_run", with(good, "dry_run", nil)},
		{"settings secret", with(good, "secret", line)}, {"settings secret_env", with(good, "secret_env", line)}, {"settings fingerprints", with(good, "fingerprints", "")},
		{"the public test secret is for dry runs alone", with(live, "secret", "test")},
		{"EMPTY: it is not set for n8n", with(good, "secret_env", "EMPTY")}, {"ABSENT: it is not set for n8n", with(good, "secret_env", "ABSENT")},
		{"it must be JSON as text", with(good, "payload", map[string]any{"a": 1})}, {"it must be JSON as text", with(good, "payload", nil)},
		{"nested more than 1000 deep", with(good, "payload", deep)}, {"inputs", with(good, "inputs", `[]`)}, {"inputs", with(good, "inputs", `{"k":1,"k":2}`)},
		{"recipe", with(good, "recipe", "idem: recipe/v1")}, {"contract: it is not JSON", with(good, "contract", "x")}, {"contract: it lacks", with(good, "contract", "{}")},
		{"its host is not in allow_hosts", contract(map[string]any{"base_url": "https://api.example.com"})},
		{"its host is not in allow_hosts", contract(map[string]any{"allow_hosts": []string{"127.0.0.1:81"}})},
		{"its host is not in allow_hosts", contract(map[string]any{"base_url": "http://127.0.0.1.example.com"})},
		{"no address of the form", contract(map[string]any{"base_url": "http://127.0.0.1@api.example.com"})},
		{"no address of the form", contract(map[string]any{"base_url": "http://127.0.0.1#"})},
		{"no address of the form", contract(map[string]any{"base_url": "ftp://127.0.0.1"})},
		{"no address of the form", contract(map[string]any{"path": ".example.com/"})}, // joined to the host's name
		{"still names a variable", contract(map[string]any{"base_url": "http://${HOST}"})},
		{"no object that the key can be put into", contract(map[string]any{"key": map[string]string{"body": "/x/y"}})},
		{"a form holds texts alone", contract(map[string]any{"body": "form"})},
	} {
		all = append(all, wantRun{c.word, n8nRun{Items: []map[string]any{c.item}, Env: env}, wantRefused(c.word, line[12:40])})
	}
	all = append(all,
		wantRun{"blocked", n8nRun{Items: []map[string]any{good}, Env: env, Blocked: true}, wantRefused("N8N_BLOCK_ENV_ACCESS_IN_NODE=false", line)},
		wantRun{"the second of two", n8nRun{Items: []map[string]any{good, with(good, "payload", "{")}, Env: env}, wantRefused("item 1: payload", line)},
		wantRun{"a private name", n8nRun{Items: []map[string]any{with(good, "payload", `{"a@example.com":{"x":1,"x":2}}`)}, Env: env}, wantRefused("/«masked»/x", "a@example.com")})
	tryRuns(t, all, 28)
}

// TestPackN8NPlacesKey: the key travels where the contract says, and the
// request's fingerprint leaves it out wherever that is.
func TestPackN8NPlacesKey(t *testing.T) {
	t.Parallel()
	env := map[string]string{"K": keyLine(t, "k1", strings.Repeat("5a", 32))}
	live := with(with(n8nBase(n8nRecipe("t", "k1", map[string]any{"encode": "uuid"}), ` {"z":1.50,"a":{"b":"é"}} `), "inputs", `{"k":1}`), "dry_run", false)
	id := n8nOne(t, "id", runCodeNode(t, packWorkflow(t), n8nIdentity, []n8nRun{{Items: []map[string]any{live}, Env: env}})[0]).ID
	var prints []string
	var all []wantRun
	for _, c := range []struct {
		what, path string
		key        map[string]string
		want       n8nRequest
	}{
		{"header", "/v1/charges", map[string]string{"header": "Idempotency-Key", "syntax": "bare"}, n8nRequest{URL: "/v1/charges", Headers: map[string]string{"Idempotency-Key": id}}},
		{"quoted", "/v1/charges", map[string]string{"header": "Idempotency-Key", "syntax": "sf-string"}, n8nRequest{URL: "/v1/charges", Headers: map[string]string{"Idempotency-Key": `"` + id + `"`}}},
		{"query", "/v1/charges", map[string]string{"query": "client token"}, n8nRequest{URL: "/v1/charges?client%20token=" + id}},
		{"more query", "/v1/charges?b=1", map[string]string{"query": "t"}, n8nRequest{URL: "/v1/charges?b=1&t=" + id}},
		{"body", "/v1/charges", map[string]string{"body": "/token"}, n8nRequest{URL: "/v1/charges", Body: `{"z":1.50,"a":{"b":"é"},"token":"` + id + `"}`}},
		{"deeper", "/v1/charges", map[string]string{"body": "/a/b"}, n8nRequest{URL: "/v1/charges", Body: `{"z":1.50,"a":{"b":"` + id + `"}}`}},
	} {
		if c.want.Body == "" {
			c.want.Body = `{"z":1.50,"a":{"b":"é"}}` // without the white space around it, as n8n sends it
		}
		item := with(live, "contract", n8nContract(c.path, map[string]any{"key": c.key}))
		all = append(all, wantRun{c.what, n8nRun{Items: []map[string]any{item}, Env: env}, func(t *testing.T, what string, r n8nResult) {
			one := n8nOne(t, what, r)
			if one.Send == nil || one.WouldSend != nil {
				t.Fatalf("%s: %s", what, r.text)
			}
			got, _ := json.Marshal([]any{one.Send.URL, one.Send.Body, one.Send.Headers})
			want, _ := json.Marshal([]any{"http://127.0.0.1:8080" + c.want.URL, c.want.Body, mapOrEmpty(c.want.Headers)})
			if string(got) != string(want) || one.Send.Method != "POST" || one.Send.Type != "application/json" {
				t.Errorf("%s:\n%s, want\n%s", what, got, want)
			}
			prints = append(prints, what+" "+valueOf(one.RequestFP))
		}})
	}
	tryRuns(t, all, 6)
	first := strings.Fields(prints[0])[1]
	for _, p := range prints {
		what, print, _ := strings.Cut(p, " ")
		if (strings.HasSuffix(p, first)) != (what != "more" && what != "deeper") {
			t.Errorf("%s: fingerprint %s, that of the first is %s", what, print, first)
		}
	}
}

func mapOrEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}
